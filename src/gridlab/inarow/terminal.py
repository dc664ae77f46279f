"""In-a-row games in the terminal: lines in, boards out."""

import json
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np

from gridlab.arena.session import Session
from gridlab.arena.terminal import Console, until_goodbye
from gridlab.core import draw as colour
from gridlab.core.arguments import counted
from gridlab.core.errors import BadNotation, GridlabError, PlayerFault
from gridlab.core.files import Appended
from gridlab.inarow.exact.oracle import Oracle
from gridlab.inarow.position import Outcome, Position
from gridlab.inarow.position import Player as Side
from gridlab.inarow.records import Record, record_of
from gridlab.inarow.rules import Rules
from gridlab.inarow.solution import Solution
from gridlab.players.registry import Player, close_player, make_player

NOBODY, PERFECT = "nobody", "perfect"
HELP = """\
{move:<9} play there: row, then column, both from 1; {row_col} is the same
undo      take back your last move and the answer to it
hint      the best move
values    what each move is worth: +5 wins in 5 plies, -4 loses in 4, = draws; the best in brackets
why       how the opponent has found its last move, if it can say so
moves     the free cells
resign    give up this game
new       start over
quit      leave; q is the same
help      this list"""


def play(rules: Rules, console: Console) -> None:
    """Play against a player, or for two people at one keyboard against nobody."""
    against = console.against or PERFECT
    with ExitStack() as held:
        opponent = None
        if against != NOBODY:
            opponent = make_player(against, rules, console.tablebase)
            held.callback(close_player, opponent)
        file = held.enter_context(Appended(console.save)) if console.save else None
        play_game(
            rules,
            opponent,
            console.side,
            ask=console.ask,
            say=console.say,
            answer=Oracle(rules, tablebase=console.tablebase).ask,
            random=np.random.default_rng(console.seed),
            save=(lambda record: file.add(json.dumps(record.as_dict()).encode() + b"\n")) if file else None,
            against=against,
            seed=console.seed,
        )


def play_game(
    rules: Rules,
    opponent: Player | None,
    side: Side,
    ask: Callable[[str], str],
    say: Callable[[str], object],
    answer: Callable[[Position], Solution] | None,
    random: np.random.Generator,
    save: Callable[[Record], None] | None = None,
    *,
    against: str = "opponent",
    seed: int | None = None,
) -> None:
    """Play until the person has enough; without an opponent two people share the keyboard.

    `answer` gives the exact values behind `hint` and `values`; `save` gets a record of every finished game, in which
    the opponent is called `against`.
    """
    other: Side = "O" if side == "X" else "X"
    names: dict[str, str] = {} if opponent is None else {other: against}
    adviser = None if answer is None else ExactAdviser(answer)
    session = Session.begin(rules, {other: opponent}, seed, adviser, names, random=random)
    until_goodbye(Conversation(session, side, against, ask, say, save).hold, say)


@dataclass(frozen=True)
class ExactAdviser:
    """The exact solution as advice."""

    ask: Callable[[Position], Solution]

    def values(self, position: Position, random: np.random.Generator) -> Solution:
        return self.ask(position)

    def hint(self, position: Position, random: np.random.Generator) -> int | None:
        """The first of the best moves."""
        return next(iter(self.ask(position).best), None)


@dataclass
class Conversation:
    """A person, a session, and what they say to each other."""

    session: Session
    side: Side  # of the person; of the one who began if there are two
    against: str
    ask: Callable[[str], str]
    say: Callable[[str], object]
    save: Callable[[Record], None] | None
    left: bool = False

    def hold(self) -> None:
        """One thing after the other, until the person leaves."""
        self._welcome()
        while not self.left:
            position = self.session.position
            if position.over:
                self._finish(ending_text(position))
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
            cell = self.session.reply()
        except PlayerFault as fault:
            self.say(str(fault))
            self._finish(f"{self.against} forfeits: {self.side} wins")
            return
        self.say(f"{side} plays {before.move_text(cell)}")
        self._show_ongoing()

    def _show_ongoing(self) -> None:
        if not self.session.position.over:
            self.say(self._board())

    def _board(self) -> str:
        """The board, its last move marked where there is colour."""
        session = self.session
        last = divmod(session.moves[-1], session.rules.cols) if session.moves else None
        return colour.boards(session.position.draw(), last)

    def _finish(self, sentence: str) -> None:
        record = record_of(self.session)
        self.say(self._board())
        self.say(sentence + self._verdict(record.result))
        if self.save is not None:
            self.save(record)
        while (reply := self.ask("again? [y/n] ").strip().lower()) not in ("y", "yes", "n", "no", "quit", "q"):
            self.say(f"{reply!r} is not an answer; type y for another game or n to leave")
        if reply in ("y", "yes"):
            self._new()
        else:
            self._quit()

    def _verdict(self, outcome: Outcome) -> str:
        if self._alone or outcome is Outcome.DRAW:
            return ""
        return ", you win" if outcome.winner == self.side else ", you lose"

    # ---- what the person types

    def _obey(self, line: str) -> None:
        commands = {
            "undo": self._undo,
            "hint": self._hint,
            "values": self._values,
            "why": self._why,
            "moves": self._list_moves,
            "resign": self._resign,
            "new": self._new,
            "quit": self._quit,
            "q": self._quit,
            "help": self._help,
        }
        if line in commands:
            commands[line]()
        else:
            self._try_move(line)

    def _try_move(self, line: str) -> None:
        position = self.session.position
        try:
            cell = position.parse_move(line)
        except BadNotation as error:
            self.say(f"{error}; help lists the commands")
            return
        if cell in position.moves():
            self.session.play(cell)
            self._show_ongoing()
        else:
            self.say(f"{position.move_text(cell)} is occupied; moves lists the free cells")

    def _undo(self) -> None:
        if self.session.undo():
            self.say(self._board())
        else:
            self.say("there is no move of yours to take back")

    def _hint(self) -> None:
        found = self._solution()
        if found and found.best:
            plies = counted(found.distance or 0, "ply", "plies")
            self.say(f"the best move is {found.position.move_text(found.best[0])}: a {found.value} in {plies}")
        elif found:
            self.say("the moves of this position are beyond the table; a larger one would know them")

    def _values(self) -> None:
        if found := self._solution():
            self.say(found.board())

    def _why(self) -> None:
        session = self.session
        before = next((each for each in reversed(session.history[:-1]) if session.seats[each.to_move]), None)
        if before is None:
            self.say("there is no move of an opponent to ask about")
        elif callable(report := getattr(session.seats[before.to_move], "report", None)):
            self.say(str(report(before)))
        else:
            self.say(f"{self.against} does not say how it finds its moves; dqn-minimax does")

    def _solution(self) -> Solution | None:
        try:
            found: Solution | None = self.session.values()
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
        self._finish(f"{loser} resigns: {'O' if loser == 'X' else 'X'} wins")

    def _new(self) -> None:
        self.session.restart()
        self._welcome()

    def _welcome(self) -> None:
        players = "two people" if self._alone else f"you are {self.side} against {self.against}"
        self.say(f"{self.session.rules}, {players}; help lists the commands")
        self.say(self._board())

    def _quit(self) -> None:
        self.left = True

    def _help(self) -> None:
        rules, position = self.session.rules, self.session.position
        row, col = divmod(rules.cells - 1, rules.cols)
        self.say(HELP.format(move=position.move_text(rules.cells - 1), row_col=f"{row + 1},{col + 1}"))


def ending_text(position: Position) -> str:
    """How a game has ended by its rules: "X wins with 3 in a row"."""
    outcome = position.outcome()
    winner = outcome.winner if outcome else None
    if winner is None:
        return "the board is full: a draw"
    mover = "O" if position.to_move == "X" else "X"
    if winner == mover:
        return f"{winner} wins with {position.rules.win} in a row"
    return f"{mover} has {position.rules.lose} in a row, which loses: {winner} wins"
