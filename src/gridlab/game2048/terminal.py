"""2048 in the terminal: keys or lines in, boards out.

In a terminal gridlab.arena.terminal gives a command for each key; a pipe, or a terminal that cannot, gives lines.
"""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gridlab.arena.session import Session
from gridlab.arena.terminal import Console, can_give_keys, single_keys, until_goodbye
from gridlab.core.errors import BadRules, FileTrouble, IllegalMove
from gridlab.core.files import Appended
from gridlab.game2048.players import Adviser2048, make_adviser
from gridlab.game2048.position import Position2048
from gridlab.game2048.records import Game, game_of
from gridlab.game2048.rules import DIRECTIONS, Rules2048

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


def play(rules: Rules2048, console: Console) -> None:
    """Play alone, with an adviser for hints and autoplay."""
    player = make_adviser(
        console.against or ("perfect" if console.tablebase else "expectimax"), rules, console.tablebase
    )
    if console.save:
        check_file(console.save, rules)
    with (
        Appended(console.save) if console.save else nullcontext() as file,
        single_keys() if can_give_keys() else nullcontext(console.ask) as ask,
    ):
        record = (lambda game: file.add(game.line())) if file else None
        play_game(rules, player, ask, console.say, np.random.default_rng(console.seed), record)


def play_game(
    rules: Rules2048, adviser: Adviser2048, ask: Callable[[str], str], say: Callable[[str], object],
    random: np.random.Generator, record: Callable[[Game], None] | None = None,
) -> None:  # fmt: skip
    """Play until the person has enough; the adviser gives hints and values, and plays when asked to.

    `record` gets every game that was played to its end, when the person leaves it.
    """
    session = Session.begin(rules, adviser=PlayerAdviser(adviser), random=random)
    conversation = Conversation(session, ask, say, record)
    try:
        until_goodbye(conversation.hold, say)
    finally:
        conversation.keep()


@dataclass(frozen=True)
class PlayerAdviser:
    """A player that can say what each direction is worth, as an adviser."""

    player: Adviser2048

    def values(self, position: Position2048, random: np.random.Generator) -> dict[str, float]:
        return self.player.values(position, random)

    def hint(self, position: Position2048, random: np.random.Generator) -> str:
        return self.player.move(position, random)


def check_file(path: Path, rules: Rules2048) -> None:
    """Whether games can be recorded there."""
    if not rules.packed:
        raise BadRules(f"games of {rules} cannot be recorded; the format of files is for boards of up to 4x4 cells")
    if path.suffix != ".jsonl":
        raise FileTrouble(f"{path} is not a name for a file of games; end it in .jsonl")


@dataclass
class Conversation:
    """A person, a session, and what they say to each other."""

    session: Session
    ask: Callable[[str], str]
    say: Callable[[str], object]
    record: Callable[[Game], None] | None = None
    kept: bool = False  # this game has been recorded
    left: bool = False

    def hold(self) -> None:
        """One command after the other, until the person leaves."""
        self._welcome()
        while not self.left:
            prompt = "over: undo, new or quit: " if self.session.over else "move: "
            self.obey(self.ask(prompt).strip().lower())

    def obey(self, line: str) -> None:
        word, _, rest = SHORT.get(line, line).partition(" ")
        commands: dict[str, Callable[[], None]] = {
            "hint": self._hint, "values": self._values, "undo": self._undo, "new": self._new, "quit": self._quit,
            "help": self._help,
        }  # fmt: skip
        if word == "auto":
            self._auto(rest.strip())
        elif word in DIRECTIONS and not rest:
            self._move(word)
        elif word in commands and not rest:
            commands[word]()
        else:
            self.say(f"{line!r} is not a command; help lists them")

    # ---- what can be asked for

    def _move(self, direction: str) -> None:
        try:
            self.session.play(direction)
        except IllegalMove:
            legal = ", ".join(self.session.position.moves())
            self.say(f"{direction} changes nothing; {legal or 'the game is over, no direction'} does")
            return
        self._show()

    def _hint(self) -> None:
        if not self._asked_too_late():
            self.say(f"the best move is {self.session.hint()}")

    def _values(self) -> None:
        if self._asked_too_late():
            return
        values = self.session.values()
        best = max(values, key=values.__getitem__)
        texts = {each: f"{value:,.1f}" for each, value in values.items()}
        width = max(map(len, texts.values()))
        for each in DIRECTIONS:
            text = texts.get(each, "no move").rjust(width)
            self.say(f"{each:<5} {'[' if each == best else ' '}{text}{']' if each == best else ''}")

    def _asked_too_late(self) -> bool:
        if self.session.over:
            self.say("the game is over: there is no move left")
        return self.session.over

    def _auto(self, number: str) -> None:
        """Some moves of the adviser; Ctrl-C stops a long run, and the game goes on from there."""
        if number and not (number.isascii() and number.isdigit() and len(number) < 7):
            self.say(f"{number!r} is not a number of moves; auto 10 plays ten, auto alone plays to the end")
            return
        limit, played = int(number) if number else None, 0
        try:
            while not self.session.over and played != limit:
                self.session.play(self.session.hint())
                played += 1
                if played % SHOWN_EVERY == 0:
                    self._show()
        except KeyboardInterrupt:
            self.say("\nstopped")
        self._show()

    def _undo(self) -> None:
        if self.session.undo():
            self._show()
        else:
            self.say("there is no move to take back")

    def keep(self) -> None:
        """Hand over a game that is over to whoever records games, once."""
        if self.record is not None and self.session.moves and self.session.over and not self.kept:
            self.kept = True
            self.record(game_of(self.session.history, self.session.moves))

    def _new(self) -> None:
        self.keep()
        self.session.restart()
        self.kept = False
        self._welcome()

    def _welcome(self) -> None:
        self.say(f"{self.session.rules}; arrow keys or words move, help lists the commands")
        self._show()

    def _help(self) -> None:
        self.say(HELP)

    def _quit(self) -> None:
        self.left = True

    def _show(self) -> None:
        position = self.session.position
        over = ", and the game is over" if position.over else ""
        self.say(f"{position.draw()}\n{position.score:,} points, largest tile {position.max_tile}{over}")
