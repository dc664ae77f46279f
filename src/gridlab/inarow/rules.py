"""The rules of an in-a-row game, as a small value that is checked once, when built.

    ROWSxCOLS:WIN         3x3:3     tic-tac-toe: three in a row win
    ROWSxCOLS:WIN-LOSE    5x5:4-3   Squava: four win, three lose
    ROWSxCOLS:-LOSE       3x3:-3    misère tic-tac-toe: three lose, nothing wins

A move that completes a winning line wins, even if it completes a losing one too; else a move that completes a
losing line loses; else a full board is a draw. A longer run counts: it contains a line.

A bitboard has bit i for cell i, row-major from the top left:    0 1 2
                                                                 3 4 5      X on 0 and 4 = 0b000010001 = 17
                                                                 6 7 8
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from gridlab.core.arguments import shortened, told, whole, whole_number
from gridlab.core.errors import BadNotation, BadRules

MAX_CELLS = 63  # a bitboard is a non-negative int64
LARGEST_NUMBER = 10**9  # that is read in rules; which of them make a game is said by the rules
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))  # right, down, down-right, down-left
FORM = "write ROWSxCOLS:WIN or ROWSxCOLS:WIN-LOSE, such as 3x3:3 or 5x5:4-3"


@dataclass(frozen=True, slots=True)
class Rules:
    """An in-a-row game. `win` or `lose` may be None, not both."""

    family: ClassVar[str] = "mnk"
    sides: ClassVar[tuple[str, ...]] = ("X", "O")

    rows: int
    cols: int
    win: int | None
    lose: int | None = None

    def __post_init__(self) -> None:
        for name in ("rows", "cols", "win", "lose"):
            self._make_whole(name, getattr(self, name))
        if min(self.rows, self.cols) < 1:
            raise BadRules(f"{self}: a board has at least one row and one column")
        if self.cells > MAX_CELLS:
            raise BadRules(f"{self}: {self.cells} cells are too many; a board has at most {MAX_CELLS}, such as 7x9")
        if self.win is None and self.lose is None:
            raise BadRules(f"{self}: nothing ends this game; {FORM}")
        self._check_length("winning", self.win)
        self._check_length("losing", self.lose)
        if self.win is not None and self.lose is not None and self.lose >= self.win:
            raise BadRules(f"{self}: the losing length {self.lose} must be less than the winning length {self.win}")

    def _make_whole(self, name: str, value: object) -> None:
        if type(value) is int or (value is None and name in ("win", "lose")):
            return
        if (number := whole(value)) is None:
            raise BadRules(f"{name} of a game is a whole number, not {told(value)}; {FORM}")
        object.__setattr__(self, name, number)

    def _check_length(self, name: str, length: int | None) -> None:
        longest = max(self.rows, self.cols)
        if length is not None and not 1 <= length <= longest:
            raise BadRules(f"{self}: the {name} length {length} does not fit; 1 to {longest} would")

    @property
    def cells(self) -> int:
        return self.rows * self.cols

    @property
    def board(self) -> int:
        """All cells, as a bitboard."""
        return (1 << self.cells) - 1

    @property
    def winning_lines(self) -> tuple[int, ...]:
        """Every winning line as a bitboard."""
        return lines(self.rows, self.cols, self.win) if self.win else ()

    @property
    def losing_lines(self) -> tuple[int, ...]:
        """Every losing line as a bitboard."""
        return lines(self.rows, self.cols, self.lose) if self.lose else ()

    @property
    def words(self) -> str:
        """The game in a few sentences, for whoever has never heard of it."""
        first, last = ("1,1", f"{self.rows},{self.cols}") if self.notes_commas else ("11", f"{self.rows}{self.cols}")
        begin = (
            "Two players, X and O, take turns; X begins. A move puts a stone of one's own on a free cell of a board of "
            f"{self.rows} rows and {self.cols} columns."
        )
        wins = f" Whoever gets {self.win} or more of their own in a row, across, down or diagonally, wins at once."
        instead = f", and not {self.win}," if self.win else ", across, down or diagonally,"
        loses = f" Whoever gets {self.lose} in a row{instead} loses at once."
        end = (
            " A full board without any of this is a draw. A move is written as row and column, both counted from 1: "
            f"{first} is the top left cell, {last} the bottom right one."
        )
        return begin + (wins if self.win else "") + (loses if self.lose else "") + end

    @property
    def notes_commas(self) -> bool:
        """Whether moves are written 1,11 instead of 11: a side exceeds 9."""
        return max(self.rows, self.cols) > 9

    def __str__(self) -> str:
        loses = "" if self.lose is None else f"-{self.lose}"
        return f"{self.rows}x{self.cols}:{self.win or ''}{loses}"

    @classmethod
    def parse(cls, text: str) -> "Rules":
        """Read what `str` writes: `Rules.parse("5x5:4-3") == Rules(5, 5, 4, 3)`."""
        found = re.fullmatch(r"\s*(\d+)x(\d+):(\d+)?(?:-(\d+))?\s*", str(text), re.ASCII | re.IGNORECASE)
        if not found:
            raise BadRules(f"{shortened(str(text))} is not a game; {FORM}")
        try:
            sizes = (None if each is None else whole_number(each, 0, LARGEST_NUMBER) for each in found.groups())
            rows, cols, win, lose = sizes
        except BadNotation as error:
            raise BadRules(f"{shortened(text)} is not a game: {error}; {FORM}") from error
        return cls(rows or 0, cols or 0, win, lose)


@cache
def lines(rows: int, cols: int, length: int) -> tuple[int, ...]:
    """Every run of `length` cells, each once: rows first, then columns, diagonals, anti-diagonals."""
    runs = (
        sum(1 << (row + step * down) * cols + col + step * right for step in range(length))
        for down, right in DIRECTIONS
        for row, col in starts(rows, cols, length, down, right)
    )
    return tuple(dict.fromkeys(runs))  # a run of length 1 has no direction


def starts(rows: int, cols: int, length: int, down: int, right: int) -> list[tuple[int, int]]:
    """The cells from which a line of `length` in this direction stays on the board."""
    return [
        (row, col)
        for row in range(rows)
        for col in range(cols)
        if row + (length - 1) * down < rows and 0 <= col + (length - 1) * right < cols
    ]
