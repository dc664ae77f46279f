"""A game in the terminal: lines in, lines out, nothing else.

    play_game(rules, opponent, "X", ask=input, say=print, answer=oracle.ask, random=..., save=None)

`ask` shows a prompt and gives a line, `say` shows text; EOFError and KeyboardInterrupt of `ask` end the games.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from gridlab.arena.records.mnk import PLAYED, RESIGNED, Record
from gridlab.core.errors import BadNotation, FileTrouble, GridlabError, PlayerFault
from gridlab.games import notation
from gridlab.games.mnk.position import Outcome, Position
from gridlab.games.mnk.position import Player as Side
from gridlab.games.mnk.rules import Rules
from gridlab.games.mnk.solution import Solution
from gridlab.players.mnk import Player

GOODBYE = "goodbye"
PERSON = "person"
HELP = """\
{move:<9} play there: row, then column, both from 1; {row_col} is the same
undo      take back your last move and the answer to it
hint      the best move
values    what each move is worth: +5 wins in 5 plies, -4 loses in 4, = draws; the best in brackets
moves     the free cells
resign    give up this game
new       start over
quit      leave
help      this list"""


def play_game(
    rules: Rules,
    opponent: Player | None,
    side: Side,
    ask: Callable[[str], str],
    say: Callable[[str], None],
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
    table = Table(rules, opponent, side, ask, say, answer, random, save, against, seed)
    try:
        table.play()
    except EOFError:
        say("")  # the prompt still stands in its line
    except KeyboardInterrupt:
        say(f"\n{GOODBYE}")
        raise
    say(GOODBYE)


@dataclass
class Table:
    """Who plays, how they are reached, and the game between them."""

    rules: Rules
    opponent: Player | None
    side: Side
    ask: Callable[[str], str]
    say: Callable[[str], None]
    answer: Callable[[Position], Solution] | None
    random: np.random.Generator
    save: Callable[[Record], None] | None
    against: str
    seed: int | None
    moves: list[int] = field(default_factory=list)
    left: bool = False

    # ---- the game

    def play(self) -> None:
        """One thing after the other, until the person leaves."""
        self._new()
        while not self.left:
            position = self.position
            if outcome := position.outcome():
                self._finish(outcome, ending_text(position), PLAYED)
            elif self.opponent is None or position.to_move == self.side:
                self._obey(self.ask(f"{position.to_move} to move: ").strip().lower())
            else:
                self._answer_by(self.opponent)

    @property
    def position(self) -> Position:
        position = Position(self.rules)
        for cell in self.moves:
            position = position.play(cell)
        return position

    def _answer_by(self, opponent: Player) -> None:
        try:
            cell = opponent.move(self.position, self.random)
        except PlayerFault as fault:
            self.say(str(fault))
            reason = f"{self.position.to_move}, {self.against}, lost by a fault: {fault}"
            self._finish(win_of(self.side), f"{self.against} forfeits: {self.side} wins", reason)
            return
        self.say(f"{self.position.to_move} plays {self._name(cell)}")
        self._play(cell)

    def _play(self, cell: int) -> None:
        self.moves.append(cell)
        if self.position.outcome() is None:
            self.say(self.position.draw())

    def _finish(self, outcome: Outcome, sentence: str, reason: str) -> None:
        self.say(self.position.draw())
        self.say(sentence + self._verdict(outcome))
        if self.save is not None:
            self.save(self._record(outcome, reason))
        while (reply := self.ask("again? [y/n] ").strip().lower()) not in ("y", "yes", "n", "no", "quit"):
            self.say(f"{reply!r} is no answer; type y for another game or n to leave")
        if reply in ("y", "yes"):
            self._new()
        else:
            self._quit()

    def _verdict(self, outcome: Outcome) -> str:
        if self.opponent is None or outcome is Outcome.DRAW:
            return ""
        return ", you win" if outcome.winner == self.side else ", you lose"

    def _record(self, outcome: Outcome, reason: str) -> Record:
        other = PERSON if self.opponent is None else self.against
        x, o = (PERSON, other) if self.side == "X" else (other, PERSON)
        return Record(
            rules=self.rules,
            x=x,
            o=o,
            seed=self.seed,
            opening=0,
            moves=tuple(self.moves),
            result=outcome,
            reason=reason,
        )

    # ---- what the person types

    def _obey(self, line: str) -> None:
        commands = {
            "undo": self._undo,
            "hint": self._hint,
            "values": self._values,
            "moves": self._list_moves,
            "resign": self._resign,
            "new": self._new,
            "quit": self._quit,
            "help": self._help,
        }
        if line in commands:
            commands[line]()
        else:
            self._try_move(line)

    def _try_move(self, line: str) -> None:
        position = self.position
        try:
            cell = notation.parse_move(line, self.rules.rows, self.rules.cols)
        except BadNotation as error:
            self.say(f"{error}; help lists the commands")
            return
        if cell in position.moves():
            self._play(cell)
        else:
            self.say(f"{self._name(cell)} is occupied; moves lists the free cells")

    def _undo(self) -> None:
        plies = 1 if self.opponent is None else 2
        if len(self.moves) < plies:
            self.say("there is no move of yours to take back")
            return
        del self.moves[-plies:]
        self.say(self.position.draw())

    def _hint(self) -> None:
        probe = self._probe()
        if probe and probe.best:
            plies = "1 ply" if probe.distance == 1 else f"{probe.distance} plies"
            self.say(f"the best move is {self._name(probe.best[0])}: a {probe.value} in {plies}")
        elif probe:
            self.say("the moves of this position are beyond the table; a larger one would know them")

    def _values(self) -> None:
        if probe := self._probe():
            self.say(probe.board())

    def _probe(self) -> Solution | None:
        if self.answer is None:
            self.say("there are no exact answers at this table")
            return None
        try:
            return self.answer(self.position)
        except GridlabError as error:
            self.say(str(error))
            return None

    def _list_moves(self) -> None:
        self.say(" ".join(self._name(cell) for cell in self.position.moves()))

    def _resign(self) -> None:
        loser = self.position.to_move
        winner: Side = "O" if loser == "X" else "X"
        self._finish(win_of(winner), f"{loser} resigns: {winner} wins", RESIGNED)

    def _new(self) -> None:
        self.moves.clear()
        self.say(self._welcome())
        self.say(self.position.draw())

    def _welcome(self) -> str:
        players = "two people" if self.opponent is None else f"you are {self.side} against {self.against}"
        return f"{self.rules}, {players}; help lists the commands"

    def _quit(self) -> None:
        self.left = True

    def _help(self) -> None:
        last = self.rules.cells - 1
        row, col = divmod(last, self.rules.cols)
        self.say(HELP.format(move=self._name(last), row_col=f"{row + 1},{col + 1}"))

    def _name(self, cell: int) -> str:
        return notation.move_text(cell, self.rules.rows, self.rules.cols)


def win_of(side: Side) -> Outcome:
    return Outcome.X_WINS if side == "X" else Outcome.O_WINS


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


def append_to(path: Path) -> Callable[[Record], None]:
    """A `save` that adds each game to a file as one line; trouble with the file shows now, not after a game."""
    _append(path, "")
    return lambda record: _append(path, json.dumps(record.as_dict()) + "\n")


def _append(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise FileTrouble(f"cannot write {path}: {error.strerror}; name a place that can be written") from error
