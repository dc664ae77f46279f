"""2048 in the terminal: keys or lines in, boards out.

    play_game(rules, adviser, ask=input, say=print, random=...)

`ask` shows a prompt and gives a command, `say` shows text; EOFError and KeyboardInterrupt of `ask` end the games. In a
terminal gridlab.arena.terminal.keys gives a command for each key; a pipe, or a terminal that cannot, gives lines.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from gridlab.arena.records.game2048 import Game, game_of
from gridlab.core.errors import BadRules, FileTrouble, IllegalMove
from gridlab.games.game2048.position import Position2048
from gridlab.games.game2048.reference import DIRECTIONS
from gridlab.games.game2048.rules import Rules2048
from gridlab.players.game2048 import Adviser2048

GOODBYE = "goodbye"
HELP = """\
up, down, left, right   the arrow keys, or w s a d
hint      h             the best direction, as the adviser sees it
values    v             what each direction is worth, as the adviser sees it; the best in brackets
auto      p             let the adviser play to the end; Ctrl-C stops it
auto 1    o             let it play one move; auto 10 plays ten
undo      u             take back the last move, and again
new       n             start over
quit      q             leave
help      ?             this list"""
SHORT = {
    "w": "up", "s": "down", "a": "left", "d": "right",
    "h": "hint", "v": "values", "p": "auto", "o": "auto 1", "u": "undo", "n": "new", "q": "quit", "?": "help",
}  # fmt: skip
SHOWN_EVERY = 100  # moves of a long autoplay


def play_game(
    rules: Rules2048,
    adviser: Adviser2048,
    ask: Callable[[str], str],
    say: Callable[[str], None],
    random: np.random.Generator,
    record: Callable[[Game], None] | None = None,
) -> None:
    """Play until the person has enough; the adviser gives hints and values, and plays when asked to.

    `record` gets every game that was played to its end, when the person leaves it.
    """
    table = Table(rules, adviser, ask, say, random, record)
    try:
        table.play()
    except EOFError:
        say("")  # the prompt still stands in its line
    except KeyboardInterrupt:
        say(f"\n{GOODBYE}")
        raise
    finally:
        table.keep()
    say(GOODBYE)


def append_to(path: Path, rules: Rules2048) -> Callable[[Game], None]:
    """A `record` that adds each game to a file as one line; trouble with the file shows now, not after a game."""
    if not rules.packed:
        raise BadRules(f"games of {rules} cannot be recorded; the format of files is for 4x4 boards")
    if path.suffix != ".jsonl":
        raise FileTrouble(f"{path} is no name for a file of games; end it in .jsonl")

    def append(line: bytes) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab") as file:
                file.write(line)
        except OSError as error:
            raise FileTrouble(f"cannot write {path}: {error.strerror}; name a place that can be written") from error

    append(b"")
    return lambda game: append(game.line())


@dataclass
class Table:
    """The game, how the person is reached, and all positions since it began."""

    rules: Rules2048
    adviser: Adviser2048
    ask: Callable[[str], str]
    say: Callable[[str], None]
    random: np.random.Generator
    record: Callable[[Game], None] | None = None
    history: list[Position2048] = field(default_factory=list)
    directions: list[str] = field(default_factory=list)  # one less than positions
    left: bool = False

    @property
    def position(self) -> Position2048:
        return self.history[-1]

    def play(self) -> None:
        """One command after the other, until the person leaves."""
        self._new()
        while not self.left:
            prompt = "over: undo, new or quit: " if self.position.over else "move: "
            self.obey(self.ask(prompt).strip().lower())

    def obey(self, line: str) -> None:
        word, _, rest = SHORT.get(line, line).partition(" ")
        commands: dict[str, Callable[[], None]] = {
            "hint": self._hint, "values": self._values, "undo": self._undo, "new": self._new, "quit": self._quit,
            "help": lambda: self.say(HELP),
        }  # fmt: skip
        if word == "auto":
            self._auto(rest.strip())
        elif word in DIRECTIONS and not rest:
            self._move(word)
        elif word in commands and not rest:
            commands[word]()
        else:
            self.say(f"{line!r} is no command; help lists them")

    # ---- what can be asked for

    def _move(self, direction: str) -> None:
        try:
            self._step(direction)
        except IllegalMove:
            legal = ", ".join(self.position.moves())
            self.say(f"{direction} changes nothing; {legal or 'the game is over, no direction'} does")
            return
        self._show()

    def _hint(self) -> None:
        if self._asked_too_late():
            return
        self.say(f"the best move is {self.adviser.move(self.position, self.random)}")

    def _values(self) -> None:
        if self._asked_too_late():
            return
        values = self.adviser.values(self.position, self.random)
        best = max(values, key=values.__getitem__)
        texts = {each: f"{value:,.1f}" for each, value in values.items()}
        width = max(map(len, texts.values()))
        for each in DIRECTIONS:
            text = texts.get(each, "no move").rjust(width)
            self.say(f"{each:<5} {'[' if each == best else ' '}{text}{']' if each == best else ''}")

    def _asked_too_late(self) -> bool:
        if self.position.over:
            self.say("the game is over: there is no move left")
        return self.position.over

    def _auto(self, number: str) -> None:
        """Some moves of the adviser; Ctrl-C stops a long run, and the game goes on from there."""
        if number and not (number.isascii() and number.isdigit() and len(number) < 7):
            self.say(f"{number!r} is no number of moves; auto 10 plays ten, auto alone plays to the end")
            return
        limit, played = int(number) if number else None, 0
        try:
            while not self.position.over and played != limit:
                direction = self.adviser.move(self.position, self.random)
                self._step(direction)
                played += 1
                if played % SHOWN_EVERY == 0:
                    self._show()
        except KeyboardInterrupt:
            self.say("\nstopped")
        self._show()

    def _undo(self) -> None:
        if len(self.history) == 1:
            self.say("there is no move to take back")
            return
        self.history.pop()
        self.directions.pop()
        self._show()

    def _step(self, direction: str) -> None:
        self.history.append(self.position.step(direction, self.random))
        self.directions.append(direction)

    def keep(self) -> None:
        """Hand over a game that is over to whoever records games, once."""
        if self.record is not None and self.directions and self.position.over:
            self.record(game_of(self.history, self.directions))
            self.directions.clear()

    def _new(self) -> None:
        self.keep()
        self.history[:] = [Position2048.start(self.random, self.rules)]
        self.directions.clear()
        self.say(f"{self.rules}; arrow keys or words move, help lists the commands")
        self._show()

    def _quit(self) -> None:
        self.left = True

    def _show(self) -> None:
        position = self.position
        over = ", and the game is over" if position.over else ""
        self.say(f"{position.draw()}\n{position.score:,} points, largest tile {position.max_tile}{over}")
