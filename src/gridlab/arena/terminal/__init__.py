"""Games in the terminal: what is typed and what is printed. The game itself is a session (gridlab.arena.session).

Each family of games has a module here with `play(rules, console)`, found through the registry of games.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from gridlab.games.registry import family_of, game

GOODBYE = "goodbye"


@dataclass(frozen=True)
class Console:
    """How a person is reached and what was asked for; what is None is up to the game.

    `ask` shows a prompt and gives a line, `say` shows text; EOFError and KeyboardInterrupt of `ask` end the games.
    """

    ask: Callable[[str], str]
    say: Callable[[str], object]
    against: str | None = None
    side: Literal["X", "O"] = "X"
    seed: int | None = None
    tablebase: Path | None = None
    save: Path | None = None


def play(rules: Any, console: Console) -> None:
    """Play a game of any family until the person has enough."""
    rules = game(rules)
    family_of(rules).load("terminal").play(rules, console)


def until_goodbye(run: Callable[[], object], say: Callable[[str], object]) -> None:
    """Run a conversation to its end: by its own will, by the end of input, or by Ctrl-C, which goes on up."""
    try:
        run()
    except EOFError:
        say("")  # the prompt still stands in its line
    except KeyboardInterrupt:
        say(f"\n{GOODBYE}")
        raise
    say(GOODBYE)
