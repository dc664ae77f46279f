"""Games in the terminal: what is typed and what is printed. The game itself is a session (gridlab.arena.session).

Each family of games has a module here with `play(rules, console)`, found through the registry of games.
"""

import os
import select
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from gridlab.games.registry import family_of, game

# ---- Single keys of a terminal as commands: an arrow key is `up`, any other key is itself


try:
    import termios
    import tty
except ImportError:  # Windows: lines it is
    termios = None  # type: ignore[assignment]

ARROWS = {"A": "up", "B": "down", "C": "right", "D": "left"}
ESCAPE, END_OF_INPUT = "\x1b", "\x04"
SOON = 0.05  # seconds in which the rest of an arrow key follows its first byte


def can_give_keys() -> bool:
    """Whether stdin is a terminal that can hand over single keys."""
    if termios is None or os.environ.get("TERM", "dumb") == "dumb":
        return False
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


@contextmanager
def single_keys() -> Iterator[Callable[[str], str]]:
    """A way to ask for one key at a time; the terminal is put back at the end, whatever happens.

    Ctrl-C still interrupts, and Ctrl-D ends the input.
    """
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor)
        yield ask_key
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def ask_key(prompt: str) -> str:
    """Show a prompt and give the command of the next key, which is shown behind it."""
    sys.stdout.write(prompt)
    sys.stdout.flush()
    command = command_of(read_key)
    sys.stdout.write(f"{command}\n" if command.isprintable() else "\n")
    return command


def command_of(read: Callable[[float | None], str]) -> str:
    """The command that keys make: ESC [ A, or ESC O A, is `up`."""
    key = read(None)
    if key in ("", END_OF_INPUT):
        raise EOFError
    if key != ESCAPE:
        return key
    return ARROWS.get(read(SOON), "unknown key") if read(SOON) in ("[", "O") else "unknown key"


def read_key(seconds: float | None) -> str:
    """One byte of the terminal; nothing if none comes in time."""
    descriptor = sys.stdin.fileno()
    if not select.select([descriptor], [], [], seconds)[0]:
        return ""
    return os.read(descriptor, 1).decode(errors="replace")


# ---- Games in the terminal: what is typed and what is printed. The game itself is a session (gridlab.arena.session)


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
