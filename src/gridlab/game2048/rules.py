"""The rules of a game of 2048, as a small value that is checked once, and the game in the plainest Python there is.

    2048             the game as everybody knows it: 4x4, a tenth of the new tiles are fours
    2048:3x3         another board
    2048:5x4:0.2     another board and other odds

Boards of up to 4x4 cells fit 64 bits, four bits a cell, and are played by compiled kernels, larger ones by plain
Python. Four bits end at 32768: on the 4x4 board two tiles of 32768 stand beside each other like different ones and do
not merge. A smaller board is a 4x4 board with walls (kernels.py), and a wall is what 32768 is elsewhere: there 16384 is
the largest tile. No game comes near it, as on n cells no tile exceeds 2^(n + 1), 8192 on twelve. On larger boards every
tile merges.
"""

import re
from dataclasses import dataclass
from enum import Enum, StrEnum
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from gridlab.core.arguments import is_number, told, whole
from gridlab.core.errors import BadNotation, BadRules

if TYPE_CHECKING:
    from gridlab.core.bits import Stream

NAME = "2048"
DIRECTIONS = ("up", "down", "left", "right")  # the order of moves everywhere, and who is first among equals
LARGEST = 32768  # the largest tile of a 64-bit board
# On the 4x4 board the i-th largest tile is at most 2^(18 - i): the last of i such tiles came from two halves, so there
# had been i + 1 tiles of at least half the size, and so on to 17 tiles on 16 cells. So all tiles add up to at most
MOST_ON_BOARD = 2 * LARGEST + sum(1 << 18 - i for i in range(3, 17))
MOST_MOVES = (MOST_ON_BOARD - 4) // 2  # 65,532 of a game on it: it begins with 4 or more, and a move adds 2 or 4
LONGEST_SIDE = 8
FINEST = 1000  # odds are whole numbers out of at most so many
FORM = "write 2048, 2048:ROWSxCOLS or 2048:ROWSxCOLS:FOURS, such as 2048:3x3 or 2048:4x4:0.2"


@dataclass(frozen=True, slots=True)
class Rules2048:
    """A board and the share of new tiles that are a 4."""

    family: ClassVar[str] = NAME
    sides: ClassVar[tuple[str, ...]] = ("player",)

    rows: int = 4
    cols: int = 4
    fours: float = 0.1

    def __post_init__(self) -> None:
        self._check_types()
        if not (2 <= self.rows <= LONGEST_SIDE and 2 <= self.cols <= LONGEST_SIDE):
            raise BadRules(f"{self}: a board has 2 to {LONGEST_SIDE} rows and columns")
        if not 0 <= self.fours <= 1:
            raise BadRules(f"{self}: the share of fours, {self.fours:g}, must lie between 0 and 1")
        if Fraction(str(self.fours)).denominator > FINEST:
            raise BadRules(f"{self}: the share of fours, {self.fours:g}, has more than three decimals; 0.125 has not")

    def _check_types(self) -> None:
        for name in ("rows", "cols"):
            value = getattr(self, name)
            if (number := whole(value)) is None:
                raise BadRules(f"{name} of a board is a whole number, not {told(value)}; {FORM}")
            object.__setattr__(self, name, number)
        if not is_number(self.fours):
            raise BadRules(f"the share of fours is a number from 0 to 1, not {told(self.fours)}; {FORM}")

    @property
    def cells(self) -> int:
        return self.rows * self.cols

    @property
    def packed(self) -> bool:
        """Whether a board fits 64 bits and kernels play it."""
        return max(self.rows, self.cols) <= 4

    @property
    def walled(self) -> bool:
        """Whether a board is a part of the 4x4 board, with walls around it."""
        return self.packed and self.cells < 16

    @property
    def largest(self) -> int | None:
        """The tile that does not merge any more, None if all do."""
        return None if not self.packed else LARGEST // 2 if self.walled else LARGEST

    @property
    def odds(self) -> tuple[int, int]:
        """How often a 2 and a 4 appear, as whole numbers: (9, 1)."""
        share = Fraction(str(self.fours))
        return share.denominator - share.numerator, share.numerator

    @property
    def words(self) -> str:
        """The game in a few sentences, for whoever has never heard of it."""
        return (
            f"2048 on a board of {self.rows} rows and {self.cols} columns. A move slides all tiles as far as they go: "
            "up, down, left or right. Two equal tiles that meet become one of twice the number, once a move each, and "
            "that number is added to the score. Then a new tile appears on an empty cell, chosen at random: 4 with "
            f"probability {self.fours:g}, else 2. A direction that changes nothing is no move; when there is no move, "
            "the game is over. The aim is a high score."
        )

    def __str__(self) -> str:
        fours = "" if self.fours == 0.1 else f":{self.fours:g}"
        board = "" if self.rows == self.cols == 4 and not fours else f":{self.rows}x{self.cols}"
        return f"{NAME}{board}{fours}"

    @classmethod
    def parse(cls, text: str) -> "Rules2048":
        """Read what `str` writes: `Rules2048.parse("2048:3x3") == Rules2048(3, 3)`."""
        pattern = r"\s*2048(?::(\d+)x(\d+)(?::(\d*\.?\d+))?)?\s*"
        found = re.fullmatch(pattern, text, re.ASCII | re.IGNORECASE) if isinstance(text, str) else None
        if not found:
            raise BadRules(f"{told(text)} is not a game of 2048; {FORM}")
        rows, cols, fours = found.groups()
        return cls(int(rows or 4), int(cols or 4), float(fours or 0.1))


# ---- Directions in every way they may be given: "up", "UP", 0, or Direction.UP. Inside they are lower-case text
#
# number    0      1        2        3          the actions of environments, and `direction` of a dataset
# name      up     down     left     right


class Direction(StrEnum):
    """A direction that equals its name: `Direction.UP == "up"`, and `Direction(0)` is it too."""

    UP = "up"
    DOWN = "down"
    LEFT = "left"
    RIGHT = "right"

    @classmethod
    def _missing_(cls, value: object) -> "Direction | None":
        found = find_direction(value)
        return None if found is None else cls(found)

    @property
    def number(self) -> int:
        """Its place in the order of moves, 0 to 3."""
        return DIRECTIONS.index(self.value)


def find_direction(given: Any) -> str | None:
    """The name of a direction, None if it is none."""
    if isinstance(given, Enum):
        given = given.value if isinstance(given.value, int | str) else given.name
    if isinstance(given, str):
        name = given.strip().lower()
        return next((each for each in DIRECTIONS if each == name), None)
    number = whole(given)
    return DIRECTIONS[number] if number is not None and 0 <= number < len(DIRECTIONS) else None


def direction_of(given: Any) -> str:
    """The value, or BadNotation."""
    if (found := find_direction(given)) is None:
        raise BadNotation(
            f"{told(given)} is not a direction; there are {', '.join(DIRECTIONS)}, or 0 to 3 in this order"
        )
    return found


# ---- 2048 in the plainest Python there is: a board is a tuple of tile values, row-major, 0 where it is empty
#
# Any board size. Row tables are made by `slide`, and tests hold every kernel, and `Position2048`, to these functions.


Board = tuple[int, ...]


def slide(line: Board, largest: int | None = None) -> tuple[Board, int]:
    """A line slid to its front, and the points it brings: (2, 0, 2, 4) -> (4, 4, 0, 0), 4.

    Each tile merges once: (2, 2, 2, 2) -> (4, 4, 0, 0), and (4, 2, 2, 0) -> (4, 4, 0, 0). Two tiles of `largest` stay.
    """
    tiles = [tile for tile in line if tile]
    slid: list[int] = []
    points, i = 0, 0
    while i < len(tiles):
        merges = i + 1 < len(tiles) and tiles[i] == tiles[i + 1] and tiles[i] != largest
        slid.append(2 * tiles[i] if merges else tiles[i])
        points += 2 * tiles[i] if merges else 0
        i += 2 if merges else 1
    return (*slid, *(0 for _ in line[len(slid) :])), points


@cache
def lines(rules: Rules2048, direction: str) -> list[list[int]]:
    """The cells of every line that moves, its front first."""
    across = [[row * rules.cols + col for col in range(rules.cols)] for row in range(rules.rows)]
    down = [[row * rules.cols + col for row in range(rules.rows)] for col in range(rules.cols)]
    chosen = down if direction in ("up", "down") else across
    return [line[::-1] for line in chosen] if direction in ("down", "right") else chosen


def move(rules: Rules2048, board: Board, direction: str) -> tuple[Board, int]:
    """The board after a move, before a tile appears, and its points; the same board if the move is not legal."""
    after, points = list(board), 0
    for cells in lines(rules, direction):
        slid, gained = slide(tuple(board[cell] for cell in cells), rules.largest)
        points += gained
        for cell, tile in zip(cells, slid, strict=True):
            after[cell] = tile
    return tuple(after), points


def travel(rules: Rules2048, board: Board, direction: str) -> dict[int, int]:
    """Where every tile goes in a move, from cell to cell; two that merge go to the same one."""
    goes: dict[int, int] = {}
    for cells in lines(rules, direction):
        front, waiting = -1, 0  # the place that was filled last, and its tile if that can still merge
        for cell in cells:
            if not (tile := board[cell]):
                continue
            merges = tile == waiting and tile != rules.largest
            front, waiting = (front, 0) if merges else (front + 1, tile)
            goes[cell] = cells[front]
    return goes


def legal_moves(rules: Rules2048, board: Board) -> list[str]:
    """The directions that change the board."""
    return [direction for direction in DIRECTIONS if move(rules, board, direction)[0] != board]


def empty_cells(board: Board) -> list[int]:
    return [cell for cell, tile in enumerate(board) if tile == 0]


def place(board: Board, cell: int, tile: int) -> Board:
    return (*board[:cell], tile, *board[cell + 1 :])


def spawn(rules: Rules2048, board: Board, stream: "Stream") -> Board:
    """The board with a new tile; one draw of the stream decides the cell and the tile."""
    cells, bits, (twos, fours) = empty_cells(board), stream.draw(), rules.odds
    cell = cells[(bits >> 32) * len(cells) >> 32]
    is_four = (bits & 0xFFFFFFFF) * (twos + fours) >> 32 < fours
    return place(board, cell, 4 if is_four else 2)


def start(rules: Rules2048, stream: "Stream") -> Board:
    """An empty board with two new tiles."""
    return spawn(rules, spawn(rules, (0,) * rules.cells, stream), stream)
