"""Games in the terminal: what is typed and what is printed. The game itself is a session (gridlab.arena.session).

A game between two needs nothing of its own here: its moves are typed as it writes them. A family may have a class with
`play(rules, console)`, found through the registry of games.
"""

import json
import os
import select
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from gridlab.arena.exam import BY_TRUTH, NODES
from gridlab.arena.session import Session, other_side, record_of
from gridlab.core import draw as colour
from gridlab.core.arguments import counted
from gridlab.core.errors import BadNotation, GridlabError, PlayerFault
from gridlab.core.files import Appended
from gridlab.games.registry import Move, family_of, game
from gridlab.players.registry import close_player, kinds_of, make_player

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


# ---- A game between two: lines in, boards out


NOBODY, PERFECT = "nobody", "perfect"
SIGNS = {"win": "+", "draw": "=", "loss": "-"}
HELP = """\
{how}
undo      take back your last move and the answer to it
hint      the best move
values    what each move is worth: +5 wins in 5 plies, -4 loses in 4, = draws; the best in brackets
why       how the opponent has found its last move, if it can say so
moves     the {moves}
resign    give up this game
new       start over
quit      leave; q is the same
help      this list"""


@dataclass(frozen=True)
class ExactAdviser:
    """The exact solution as advice."""

    ask: Callable[[Any], Any]

    def values(self, position: Any, random: np.random.Generator) -> Any:
        return self.ask(position)

    def hint(self, position: Any, random: np.random.Generator) -> Move | None:
        """The first of the best moves."""
        return next(iter(self.ask(position).best), None)


@dataclass
class Conversation:
    """A person, a session, and what they say to each other; a family may have words of its own for its board."""

    session: Session
    side: str  # of the person; of the one who began if there are two
    against: str
    ask: Callable[[str], str]
    say: Callable[[str], object]
    save: Callable[[Any], None] | None  # the record of a finished game
    left: bool = False
    WHO_SAYS: ClassVar[str] = ""  # which player does say how it finds its moves

    @classmethod
    def play(cls, rules: Any, console: Console) -> None:
        """Play against a player, or for two people at one keyboard against nobody, until the person has enough."""
        kinds = kinds_of(rules)
        against = console.against or (PERFECT if PERFECT in kinds else next(iter(kinds)))
        side: str = rules.sides["XO".index(console.side)]
        other = other_side(side, rules)
        with ExitStack() as held:
            opponent = None
            if against != NOBODY:
                opponent = make_player(against, rules, console.tablebase)
                held.callback(close_player, opponent)
            file = held.enter_context(Appended(console.save)) if console.save else None
            answer = cls.oracle(rules, console.tablebase)
            adviser = None if answer is None else ExactAdviser(answer)
            names = {} if opponent is None else {other: against}
            session = Session.begin(rules, {other: opponent}, console.seed, adviser, names)
            save = (lambda record: file.add(json.dumps(record.as_dict()).encode() + b"\n")) if file else None
            until_goodbye(cls(session, side, against, console.ask, console.say, save).hold, console.say)

    # ---- what a family may say in its own words

    @classmethod
    def oracle(cls, rules: Any, tablebase: Path | None) -> Callable[[Any], Any] | None:
        """What gives exact values, if there is anything."""
        family = family_of(rules)
        return BY_TRUTH.oracle(rules, tablebase, NODES) if family.truth else None

    def board(self) -> str:
        return colour.boards(self.session.position.draw())

    def ending(self) -> str:
        """How a game has ended by its rules."""
        winner = self.session.position.winner
        return f"{winner} wins" if winner else "a draw"

    def values_text(self, found: Any) -> str:
        """What each move is worth."""
        told = []
        for move, (value, distance) in found.moves.items():
            worth = f"{SIGNS[value]}{'' if value == 'draw' else distance}"
            named = self.session.position.move_text(move)
            told.append(f"{named} [{worth}]" if move in found.best else f"{named} {worth}")
        return "   ".join(told)

    def refusal(self, move: str) -> str:
        return f"{move} cannot be played; moves lists what can"

    def help_text(self) -> str:
        return HELP.format(how="MOVE      play it, written as moves lists it", moves="legal moves")

    # ---- the conversation

    def hold(self) -> None:
        """One thing after the other, until the person leaves."""
        self._welcome()
        while not self.left:
            position = self.session.position
            if position.over:
                self._finish(self.ending())
            elif self.session.waits_for_person:
                self._obey(self.ask(f"{position.to_move} to move: ").strip().lower())
            else:
                self._reply()

    @property
    def _alone(self) -> bool:
        return all(player is None for player in self.session.seats.values())

    def _reply(self) -> None:
        side = self.session.to_move
        before = self.session.position
        try:
            move = self.session.reply()
        except PlayerFault as fault:
            self.say(str(fault))
            self._finish(f"{self.against} forfeits: {self.side} wins")
            return
        self.say(f"{side} plays {before.move_text(move)}")
        self._show_ongoing()

    def _show_ongoing(self) -> None:
        if not self.session.position.over:
            self.say(self.board())

    def _finish(self, sentence: str) -> None:
        record = record_of(self.session)
        self.say(self.board())
        self.say(sentence + self._verdict(record.winner))
        if self.save is not None:
            self.save(record)
        while (reply := self.ask("again? [y/n] ").strip().lower()) not in ("y", "yes", "n", "no", "quit", "q"):
            self.say(f"{reply!r} is not an answer; type y for another game or n to leave")
        again = self._new if reply in ("y", "yes") else self._quit
        again()

    def _verdict(self, winner: str | None) -> str:
        if self._alone or winner is None:
            return ""
        return ", you win" if winner == self.side else ", you lose"

    # ---- what the person types

    def _obey(self, line: str) -> None:
        commands = {
            "undo": self._undo, "hint": self._hint, "values": self._values, "why": self._why, "new": self._new,
            "moves": self._list_moves, "resign": self._resign, "quit": self._quit, "q": self._quit, "help": self._help,
        }  # fmt: skip
        if line in commands:
            commands[line]()
        else:
            self._try_move(line)

    def _try_move(self, line: str) -> None:
        position = self.session.position
        try:
            move = position.parse_move(line)
        except BadNotation as error:
            self.say(f"{error}; help lists the commands")
            return
        if move in position.moves():
            self.session.play(move)
            self._show_ongoing()
        else:
            self.say(self.refusal(position.move_text(move)))

    def _undo(self) -> None:
        self.say(self.board() if self.session.undo() else "there is no move of yours to take back")

    def _hint(self) -> None:
        found = self._solution()
        if found and found.best:
            plies = counted(found.distance or 0, "ply", "plies")
            best = self.session.position.move_text(found.best[0])
            self.say(f"the best move is {best}: a {found.value} in {plies}")
        elif found:
            self.say("the moves of this position are beyond the table; a larger one would know them")

    def _values(self) -> None:
        if found := self._solution():
            self.say(self.values_text(found))

    def _why(self) -> None:
        session = self.session
        before = next((each for each in reversed(session.history[:-1]) if session.seats[each.to_move]), None)
        if before is None:
            self.say("there is no move of an opponent to ask about")
        elif callable(report := getattr(session.seats[before.to_move], "report", None)):
            self.say(str(report(before)))
        else:
            self.say(f"{self.against} does not say how it finds its moves{self.WHO_SAYS}")

    def _solution(self) -> Any:
        try:
            found = self.session.values()
        except GridlabError as error:
            self.say(str(error))
            return None
        if found is None:
            self.say("there are no exact answers at this table")
        return found

    def _list_moves(self) -> None:
        position = self.session.position
        self.say(" ".join(position.move_text(cell) for cell in position.moves()))

    def _resign(self) -> None:
        loser = self.session.to_move
        self.session.resign()
        self._finish(f"{loser} resigns: {other_side(loser, self.session.rules)} wins")

    def _new(self) -> None:
        self.session.restart()
        self._welcome()

    def _welcome(self) -> None:
        players = "two people" if self._alone else f"you are {self.side} against {self.against}"
        self.say(f"{self.session.rules}, {players}; help lists the commands")
        self.say(self.board())

    def _quit(self) -> None:
        self.left = True

    def _help(self) -> None:
        self.say(self.help_text())
