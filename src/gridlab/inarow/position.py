"""A position of an in-a-row game: two bitboards, and whose turn follows from their counts.

Positions are values: `play` returns a new one. Any board that can be drawn is a Position; whether a game leads to
it is a question one asks (`flaw`). Cells are numbers from 0, moves in notation are text: `play(4)`, `play("22")`.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from functools import reduce
from typing import TYPE_CHECKING, Literal, NamedTuple

from gridlab.core import draw
from gridlab.core.arguments import counted, told, whole
from gridlab.core.draw import AsJson, facts
from gridlab.core.errors import BadNotation, IllegalMove, IllegalPosition
from gridlab.games import grid
from gridlab.games.grid import Symmetry, symmetries
from gridlab.games.registry import FAMILIES, game
from gridlab.inarow.rules import Rules

if TYPE_CHECKING:
    import numpy as np


# ---- Which pairs of bitboards are positions of a game, and why the others are not
#
# A position is legal when some game leads to it. Sets without a line stay so when stones are removed, hence any
# line-free position with the right counts can be reached. A finished game must have been ended by its last move:
# the stone just placed lies on *every* completed line of its player, and the other player has none.


class Flaw(Enum):
    """Why a pair of bitboards is not a legal position."""

    OUTSIDE = "there are stones outside the board"
    OVERLAP = "a cell holds both X and O"
    TOO_MANY_NOUGHTS = "there are more noughts than crosses, but X moves first"
    TOO_MANY_CROSSES = "there are too many crosses: at most one more than noughts"
    TWO_WINNERS = "both players have completed a line, but the first ends the game"
    PLAY_AFTER_WIN = "play went on after the game was over: the player who did not move last has completed a line"
    NO_LAST_MOVE = "no single last move explains the lines: they have no cell in common"


def find_board_flaw(crosses: int, noughts: int, rules: Rules) -> Flaw | None:
    """Why no board can show these stones at all, or None if one can."""
    if (crosses | noughts) >> rules.cells:  # also of a negative number
        return Flaw.OUTSIDE
    return Flaw.OVERLAP if crosses & noughts else None


def find_flaw(crosses: int, noughts: int, rules: Rules | str) -> Flaw | None:
    """The first reason why no game leads to these stones, or None if one does."""
    if type(crosses) is not int or type(noughts) is not int:
        crosses, noughts = bitboard(crosses), bitboard(noughts)
    if not isinstance(rules, Rules):
        rules = game(rules, "mnk")
    if flaw := find_board_flaw(crosses, noughts, rules):
        return flaw
    surplus = crosses.bit_count() - noughts.bit_count()
    if surplus < 0:
        return Flaw.TOO_MANY_NOUGHTS
    if surplus > 1:
        return Flaw.TOO_MANY_CROSSES
    return _find_line_flaw(*((crosses, noughts) if surplus else (noughts, crosses)), rules)


def bitboard(stones: object) -> int:
    """A set of cells as an int, from a whole number of any kind."""
    if (number := whole(stones)) is None:
        raise BadNotation(f"stones are a whole number, bit i for cell i, not {told(stones)}")
    return number


def _find_line_flaw(mover: int, other: int, rules: Rules) -> Flaw | None:
    by_mover, by_other = completed_lines(mover, rules), completed_lines(other, rules)
    if by_mover and by_other:
        return Flaw.TWO_WINNERS
    if by_other:
        return Flaw.PLAY_AFTER_WIN
    if by_mover and not reduce(int.__and__, by_mover):
        return Flaw.NO_LAST_MOVE
    return None


def completed_lines(stones: int, rules: Rules) -> list[int]:
    """The winning and losing lines that these stones fill, as bitboards."""
    return [line for line in rules.winning_lines + rules.losing_lines if stones & line == line]


# ---- A position of an in-a-row game: two bitboards, and whose turn follows from their counts


Player = Literal["X", "O"]


class Outcome(Enum):
    """How a game ended. A game that is not over has no outcome: None."""

    X_WINS = "x_wins"
    O_WINS = "o_wins"
    DRAW = "draw"

    @property
    def winner(self) -> Player | None:
        return None if self is Outcome.DRAW else "X" if self is Outcome.X_WINS else "O"


@draw.shown
@dataclass(frozen=True, slots=True)
class Position:
    """Stones on a board; `Position(rules)` is the start. Rules may be given as text: `Position("tictactoe")`."""

    rules: Rules
    crosses: int = 0
    noughts: int = 0

    if TYPE_CHECKING:

        def __init__(self, rules: Rules | str, crosses: int = 0, noughts: int = 0) -> None: ...

    def __post_init__(self) -> None:
        if not isinstance(self.rules, Rules):
            object.__setattr__(self, "rules", game(self.rules, "mnk"))
        if type(self.crosses) is not int or type(self.noughts) is not int:
            object.__setattr__(self, "crosses", bitboard(self.crosses))
            object.__setattr__(self, "noughts", bitboard(self.noughts))
        if flaw := find_board_flaw(self.crosses, self.noughts, self.rules):
            stones = f"crosses {self.crosses}, noughts {self.noughts}"
            raise IllegalPosition(f"{stones} is not a board of {self.rules}: {flaw.value}", flaw)

    # ---- reading and writing

    @classmethod
    def start(cls, random: "np.random.Generator", rules: Rules | str) -> "Position":
        """The empty board; nothing here hangs on chance."""
        return cls(rules)

    @classmethod
    def parse(cls, text: str, rules: Rules | str) -> "Position":
        """Read what `str` writes, and the other forms of gridlab.games.grid."""
        rules = game(rules, "mnk")
        if not isinstance(text, str):
            raise BadNotation(f"a board is read from text such as 'X../.O./...', not from {told(text)}")
        return cls.of_values(grid.parse_board(text, rules.rows, rules.cols), rules)

    @classmethod
    def of_values(cls, values: tuple[int, ...], rules: Rules | str) -> "Position":
        """From cell values: 0 empty, 1 X, 2 O."""
        rules = game(rules, "mnk")
        stones = (sum(1 << cell for cell, value in enumerate(values) if value == player) for player in (1, 2))
        return cls(rules, *stones)

    @classmethod
    def unpack(cls, packed: int, rules: Rules | str) -> "Position":
        """From the single number that `packed` gives."""
        rules, packed = game(rules, "mnk"), bitboard(packed)
        values = tuple(packed >> 2 * cell & 3 for cell in range(rules.cells))
        if packed < 0 or packed >> 2 * rules.cells or 3 in values:
            form = "2 bits a cell, cell 0 lowest, 0 empty, 1 X, 2 O, and no more"
            raise BadNotation(f"{packed} is not a packed {rules} board: {form}")
        return cls.of_values(values, rules)

    @property
    def values(self) -> tuple[int, ...]:
        """The cells from the top left: 0 empty, 1 X, 2 O."""
        return tuple((self.crosses >> cell & 1) + 2 * (self.noughts >> cell & 1) for cell in range(self.rules.cells))

    @property
    def packed(self) -> int:
        """The board as one number, 2 bits a cell: cell 0 in bits 0-1, cell 1 in bits 2-3, …; 01 X, 10 O."""
        return sum(value << 2 * cell for cell, value in enumerate(self.values))

    def __str__(self) -> str:
        return grid.board_text(self.values, self.rules.cols)

    def _in_short(self) -> str:
        return f"{self.rules} {self}"

    def draw(self) -> str:
        """The board for a terminal, completed lines in brackets."""
        return draw.board_text(self._marks, self.rules.cols, self._highlight)

    def _repr_svg_(self) -> str:
        return draw.board_svg(self._marks, self.rules.cols, self._highlight, title=f"{self.rules} {self}")

    @property
    def _marks(self) -> str:
        return "".join(grid.MARKS[value] for value in self.values)

    @property
    def _highlight(self) -> set[int]:
        return {cell for line in self.lines() for cell in range(self.rules.cells) if line >> cell & 1}

    # ---- the game

    @property
    def ply(self) -> int:
        return (self.crosses | self.noughts).bit_count()

    @property
    def to_move(self) -> Player:
        """X when the counts are equal; else whoever has fewer stones."""
        return "O" if self.crosses.bit_count() > self.noughts.bit_count() else "X"

    @property
    def own(self) -> int:
        """The stones of the player to move."""
        return self.crosses if self.to_move == "X" else self.noughts

    @property
    def other(self) -> int:
        """The stones of the opponent of the player to move."""
        return self.noughts if self.to_move == "X" else self.crosses

    @property
    def over(self) -> bool:
        return self.outcome() is not None

    def lines(self) -> list[int]:
        """Completed lines of either player, as bitboards."""
        return completed_lines(self.crosses, self.rules) + completed_lines(self.noughts, self.rules)

    def outcome(self) -> Outcome | None:
        """How the game ended, or None if it goes on."""
        if winner := self.winner:
            return Outcome.X_WINS if winner == "X" else Outcome.O_WINS
        return Outcome.DRAW if self.ply == self.rules.cells else None

    @property
    def winner(self) -> Player | None:
        """Who has won; None in a draw, and as long as the game goes on."""
        players: list[tuple[Player, int, Player]] = [("X", self.crosses, "O"), ("O", self.noughts, "X")]
        if self.to_move == "X":
            players.reverse()  # who moved last comes first
        for player, stones, opponent in players:
            for line in self.rules.winning_lines:
                if stones & line == line:
                    return player
            for line in self.rules.losing_lines:
                if stones & line == line:
                    return opponent
        return None

    def moves(self) -> list[int]:
        """The free cells, ascending; none when the game is over."""
        if self.outcome():
            return []
        return [cell for cell, value in enumerate(self.values) if value == 0]

    def play(self, move: int | str) -> "Position":
        """The position after a move, given as a cell (4) or in notation ("22")."""
        cell = self.parse_move(move) if isinstance(move, str) else whole(move)
        if cell is None:
            raise IllegalMove(f"{told(move)} is not a move; a move is a cell such as 4, or a text such as '22'")
        if not 0 <= cell < self.rules.cells:
            raise IllegalMove(f"cell {cell} is not on the board; cells are 0 to {self.rules.cells - 1}")
        if (self.crosses | self.noughts) >> cell & 1:
            raise IllegalMove(f"{self.move_text(cell)} is occupied in {self}; free cells can be had from moves()")
        if outcome := self.outcome():
            raise IllegalMove(f"{self.move_text(cell)} cannot be played in {self}: the game is over ({outcome.value})")
        if self.to_move == "X":
            return Position(self.rules, self.crosses | 1 << cell, self.noughts)
        return Position(self.rules, self.crosses, self.noughts | 1 << cell)

    def step(self, move: int | str, random: "np.random.Generator") -> "Position":
        """The position after a move, as `play` gives it: there is no chance between two moves."""
        return self.play(move)

    def move_text(self, cell: int) -> str:
        """A cell as people write it: 0 is "11"."""
        return grid.move_text(cell, self.rules.rows, self.rules.cols)

    def parse_move(self, text: str) -> int:
        """The cell of a move in notation, occupied or not."""
        return grid.parse_move(text, self.rules.rows, self.rules.cols)

    # ---- which positions are the same

    def flaw(self) -> Flaw | None:
        """Why no game leads here, or None if one does."""
        return find_flaw(self.crosses, self.noughts, self.rules)

    def require_legal(self) -> "Position":
        """This position, or IllegalPosition with the reason."""
        if flaw := self.flaw():
            raise IllegalPosition(f"{self} is not a position of {self.rules}: {flaw.value}", flaw)
        return self

    def image(self, symmetry: Symmetry) -> "Position":
        """The position seen through a symmetry of its board."""
        return Position(self.rules, symmetry.stones(self.crosses), symmetry.stones(self.noughts))

    def canonical(self) -> tuple["Position", Symmetry]:
        """The lexicographically smallest image (cell by cell from the top left, empty < X < O) and the map to it."""
        values = self.values
        best = min(symmetries(self.rules.rows, self.rules.cols), key=lambda symmetry: symmetry.values(values))
        return self.image(best), best

    @property
    def key(self) -> tuple[Rules, int]:
        """Equal for two positions exactly when a symmetry maps one to the other; hashable."""
        return self.rules, self.canonical()[0].packed

    def swap_colours(self) -> "Position":
        """X for O and O for X.

        The counts still decide the turn. After an odd number of plies the right to move changes colour with the
        stones, and the game that follows is the same; with equal counts X moves, now with the other's stones.
        """
        return Position(self.rules, self.noughts, self.crosses)


def canonical(position: Position | str) -> tuple[Position, Symmetry]:
    """The representative of all symmetric images of `position`, and the symmetry that leads to it."""
    return position_of(position).canonical()


def position_of(given: Position | str) -> Position:
    """A position, from itself or from the text of a board whose size tells which of the named games it is of."""
    if isinstance(given, Position):
        return given
    if not isinstance(given, str):
        raise BadNotation(f"a Position, or the text of a board such as 'X../.O./...', is needed, not {told(given)}")
    found = list(_readings(given))
    if len(found) == 1:
        return found[0]
    names = " and ".join(str(each.rules) for each in found)
    why = f"is a board of {names} alike" if found else "is not a board of a game that has a name"
    raise BadNotation(f"{told(given)} {why}; say the rules: Position.parse(text, '4x5:4')")


def _readings(text: str) -> Iterator[Position]:
    """The positions of named games that a text can be read as."""
    for rules in FAMILIES["mnk"].named.values():
        with suppress(BadNotation):
            yield Position.parse(text, rules)


# ---- Everything there is to say about one position, for people and as JSON


def bits_text(stones: int, rules: Rules) -> str:
    """A bitboard as a binary number of a digit a cell, as a decimal one, and its stones counted."""
    return f"{stones:0{rules.cells}b} = {stones}, {counted(stones.bit_count(), 'stone')}"


def bit_order(rules: Rules) -> str:
    """Which bit is which cell; a binary number is written from the highest down, so its last digit is bit 0."""
    bits = [str(cell) for cell in range(rules.cells)]
    rows = [bits[first : first + rules.cols] for first in range(0, rules.cells, rules.cols)]
    width = len(bits[-1])
    return "\n".join(["bit of each cell", *("  ".join(f"{bit:>{width}}" for bit in row) for row in rows)])


def legality(flaw: Flaw | None) -> AsJson:
    """Whether stones are a position, and why not, as JSON."""
    return {"legal": flaw is None, "flaw": flaw and flaw.name.lower(), "reason": flaw and flaw.value}


class NoPosition(NamedTuple):
    """Two bitboards that no board can show."""

    rules: Rules
    crosses: int
    noughts: int
    flaw: Flaw

    def as_dict(self) -> AsJson:
        return facts(self, "rules crosses noughts") | legality(self.flaw)

    def __str__(self) -> str:
        stones = {"crosses": bits_text(self.crosses, self.rules), "noughts": bits_text(self.noughts, self.rules)}
        return "\n".join([bit_order(self.rules), "", *_rows(stones | {"legal": f"no: {self.flaw.value}"})])


class PositionReport(NamedTuple):
    """What `gridlab show` prints; `reading` says what the numbers meant, if the board was given as a list of them."""

    position: Position
    reading: str | None = None

    def as_dict(self) -> AsJson:
        position, rules = self.position, self.position.rules
        flaw, outcome = position.flaw(), position.outcome()
        best, symmetry = position.canonical()
        images = {position.image(each) for each in symmetries(rules.rows, rules.cols)}
        known = {"rules": str(rules), "board": str(position)} | facts(position, "ply crosses noughts packed")
        return known | legality(flaw) | {
            "outcome": None if flaw else outcome.value if outcome else "ongoing",
            "to_move": None if flaw or outcome else position.to_move,
            "moves": [] if flaw else [position.move_text(cell) for cell in position.moves()],
            "canonical": str(best), "symmetry": symmetry.name, "orbit": len(images),
        } | ({"reading": self.reading} if self.reading else {})  # fmt: skip

    def __str__(self) -> str:
        known, rules = self.as_dict(), self.position.rules
        image = f"{known['canonical']} ({known['symmetry']}), one of {counted(known['orbit'], 'image')}"
        rows = {"read with": self.reading} if self.reading else {}
        rows |= {
            "board": known["board"], "ply": known["ply"],
            "legal": "yes" if known["legal"] else f"no: {known['reason']}",
            "outcome": known["outcome"] or "none, as no game leads here", "to move": known["to_move"] or "nobody",
            "crosses": bits_text(known["crosses"], rules), "noughts": bits_text(known["noughts"], rules),
            "packed": known["packed"], "canonical": image,
        }  # fmt: skip
        return "\n".join([draw.beside([self.position.draw(), bit_order(rules)]), "", *_rows(rows)])


def _rows(values: AsJson) -> Iterator[str]:
    return (f"{name:<10} {value}" for name, value in values.items())
