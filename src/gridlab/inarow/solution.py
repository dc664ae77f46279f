"""What is asked of a position and what is known of it: a budget; value, distance, every move, and the best line."""

from dataclasses import dataclass, replace
from math import inf
from typing import Literal, NamedTuple

from gridlab.core import draw
from gridlab.core.arguments import counted, is_number, told, whole
from gridlab.core.draw import AsJson, facts
from gridlab.core.errors import BadNotation
from gridlab.games import grid
from gridlab.inarow.position import Position

# ---- How much a search may cost


NO_LIMIT = 1 << 62


class _Limits(NamedTuple):
    nodes: int | None = None
    seconds: float | None = None


class Budget(_Limits):
    """How many nodes and seconds an answer may take; None means no limit."""

    __slots__ = ()

    def __new__(cls, nodes: int | None = None, seconds: float | None = None) -> "Budget":
        if nodes is not None and (whole(nodes) is None or nodes < 0):
            raise BadNotation(f"a budget has a whole number of nodes from 0 on, or None for any, not {told(nodes)}")
        if seconds is not None and not (is_number(seconds) and 0 <= seconds < inf):
            raise BadNotation(f"a budget has a number of seconds from 0 on, or None for any, not {told(seconds)}")
        return super().__new__(cls, nodes, seconds)


# ---- What is known of a position: its value, its distance, those of every move, and the best line


Value = Literal["win", "draw", "loss", "unknown"]


class Move(NamedTuple):
    """What a move is worth to the player who makes it; the distance counts from the position before it."""

    cell: int
    value: Value
    distance: int | None


@draw.shown
@dataclass(frozen=True)
class Solution:
    """A solved position. The distance is None where only values were asked for; a draw lasts until the board is full.

    There are no moves if the game is over or nothing is known of them; the line goes as far as what is known.
    """

    position: Position
    value: Value
    distance: int | None
    moves: tuple[Move, ...]
    line: tuple[int, ...]
    source: str = ""  # what gave the answer
    at_least: Value = "loss"  # what is known where the value is not
    at_most: Value = "win"

    @property
    def best(self) -> tuple[int, ...]:
        """The best moves, ascending."""
        return tuple(move.cell for move in self.moves if (move.value, move.distance) == (self.value, self.distance))

    @property
    def exact(self) -> bool:
        """Whether everything is known: the value, and that of every move."""
        return self.value != "unknown" and all(move.value != "unknown" for move in self.moves)

    def without_distances(self) -> "Solution":
        """The values alone."""
        moves = tuple(Move(move.cell, move.value, None) for move in self.moves)
        return replace(self, distance=None if self.moves else self.distance, moves=moves, line=())

    def as_dict(self) -> AsJson:
        """For `--json`."""
        position = self.position
        known = {"rules": str(position.rules), "board": str(position), "to_move": position.to_move, "value": self.value}
        bounds = facts(self, "at_least at_most") if self.value == "unknown" else {}
        moves = [{"move": self._number(each.cell), **facts(each, "value distance")} for each in self.moves]
        line = [self._number(cell) for cell in self.line]
        return known | bounds | {"distance": self.distance, "moves": moves, "line": line}

    def _in_short(self) -> str:
        best = f", best {' '.join(map(self.position.move_text, self.best))}" if self.moves else ""
        return f"{self.position.rules} {self.position}: {self._headline()}{best}"

    def _sheet(self) -> draw.Sheet:
        rules = self.position.rules
        picture = draw.board_svg(self._marks(), rules.cols, self.best, title=f"{rules} {self.position}")
        line = " ".join(map(self.position.move_text, self.line))
        notes = [f"best line: {line}"] if line else []
        return draw.Sheet(self._headline(), notes=[*notes, self.source], pictures=[picture])

    def _number(self, cell: int) -> int | str:
        name = self.position.move_text(cell)
        return name if "," in name else int(name)  # "1,10" where a side exceeds 9

    def __str__(self) -> str:
        line = " ".join(map(self.position.move_text, self.line))
        line += " …" if len(self.line) < (self.distance or 0) else ""  # what is known does not reach to the end
        return "\n".join([self._headline(), self.board(), *([f"best line: {line}"] if self.line else [])])

    def _headline(self) -> str:
        position = self.position
        if outcome := position.outcome():
            return f"the game is over: {outcome.value}"
        if self.value == "unknown":
            so_far = {
                ("loss", "draw"): " and cannot win: a draw or a loss",
                ("draw", "win"): " and cannot lose: a draw or a win",
                ("loss", "win"): "; the result is not known",
            }
            return f"{position.to_move} is to move{so_far[self.at_least, self.at_most]}"
        verb = {"win": "wins", "loss": "loses", "draw": "draws"}[self.value]
        if self.distance is None:
            return f"{position.to_move} is to move and {verb}"
        plies = counted(self.distance, "ply", "plies")
        ending = f", {plies} to the end" if verb == "draws" else f" in {plies}"
        return f"{position.to_move} is to move and {verb}{ending}"

    def board(self) -> str:
        """The board with what each move is worth: +5 wins in 5 plies, -4 loses in 4, = draws; the best in brackets."""
        return draw.cells_text(self._marks(), self.position.rules.cols, self.best)

    def _marks(self) -> list[str]:
        """What stands on each cell, or what it is worth to play there."""
        signs = {"win": "+", "loss": "-", "draw": "=", "unknown": "?"}
        marks = [grid.MARKS[value] for value in self.position.values]
        for move in self.moves:
            counted = move.value in ("win", "loss") and move.distance is not None
            marks[move.cell] = f"{signs[move.value]}{move.distance if counted else ''}"
        return marks
