"""A position of 2048: tiles on a board, and the points so far.

Positions are values: `play` and `spawn` return new ones. A turn has two halves, and each is a position:

    2 . . 2      play("left")      4 . . .      spawn(random)      4 . . .
    . . . .      ----------->      . . . .      ------------>      . . 2 .
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gridlab.core import draw
from gridlab.core.arguments import told, whole
from gridlab.core.draw import shown
from gridlab.core.errors import BadNotation, IllegalMove
from gridlab.core.run import pause
from gridlab.game2048 import rules as reference
from gridlab.game2048.kernels import pack_board, unpack_board
from gridlab.game2048.rules import DIRECTIONS, Board, Rules2048, direction_of, find_direction
from gridlab.games.registry import game

STANDARD = Rules2048()
LARGEST_POSSIBLE = 1 << 30  # of an int32 board


@shown
@dataclass(frozen=True, slots=True)
class Position2048:
    """Tiles row by row from the top left, 0 where a cell is empty; `Position2048.start(random)` begins a game.

    `Position2048(rules)` is the empty board, to which `spawn` adds tiles. Rules may be given as text.
    """

    tiles: Board
    score: int = 0
    rules: Rules2048 = STANDARD

    if TYPE_CHECKING:

        def __init__(
            self,
            tiles: Sequence[int] | NDArray[np.integer] | Rules2048 | str,
            score: int = 0,
            rules: Rules2048 | str = STANDARD,
        ) -> None: ...

    def __post_init__(self) -> None:
        if type(self.tiles) is not tuple or not isinstance(self.rules, Rules2048) or type(self.score) is not int:
            self._read_arguments()
        if len(self.tiles) != self.rules.cells:
            raise BadNotation(
                f"{len(self.tiles)} tiles are not a board of {self.rules}; it has {self.rules.cells} cells"
            )
        largest = self.rules.largest or LARGEST_POSSIBLE
        for tile in self.tiles:
            if type(tile) is not int:
                raise BadNotation(f"{told(tile)} is not a tile of {self.rules}; tiles are whole numbers: 2, 4, 8, …")
            if tile != 0 and (tile < 2 or tile & tile - 1 or tile > largest):
                raise BadNotation(f"{tile} is not a tile of {self.rules}; tiles are 2, 4, 8, … up to {largest}")
        if self.score < 0:
            raise BadNotation(f"{self.score} points cannot be; a game begins with 0 and never loses any")

    def _read_arguments(self) -> None:
        """Rules as text or in the place of tiles, tiles as an array or a list, points as any whole number."""
        tiles: object = self.tiles
        if isinstance(tiles, str) or hasattr(tiles, "family"):
            object.__setattr__(self, "rules", rules := game(self.tiles, "2048"))  # type: ignore[call-overload]
            object.__setattr__(self, "tiles", (0,) * rules.cells)
        else:
            object.__setattr__(self, "rules", game(self.rules, "2048"))
            object.__setattr__(self, "tiles", _tiles(tiles, self.rules))
        if (score := whole(self.score)) is None:
            raise BadNotation(f"points are a whole number, not {told(self.score)}")
        object.__setattr__(self, "score", score)

    # ---- reading and writing

    @classmethod
    def start(cls, random: np.random.Generator, rules: Rules2048 | str = STANDARD) -> "Position2048":
        """The beginning of a game: two random tiles."""
        rules = game(rules, "2048")
        return cls((0,) * rules.cells, 0, rules).spawn(random).spawn(random)

    @classmethod
    def parse(cls, text: str, rules: Rules2048 | str = STANDARD, score: int = 0) -> "Position2048":
        """Read what `str` writes: rows separated by / or line ends, tiles by spaces or commas, . or 0 for empty.

        Lists as JSON writes them are read too: [[2, 0, 4, 0], …].
        """
        rules = game(rules, "2048")
        if not isinstance(text, str):
            raise BadNotation(f"a board is read from text such as '2 . 4 ./…', not from {told(text)}")
        rows = _rows_of_list(text) if text.lstrip().startswith("[") else re.split(r"[/\n]", text.strip())
        cells = [re.split(r"[\s,]+", row.strip()) for row in rows]
        if len(cells) != rules.rows or any(len(row) != rules.cols for row in cells):
            raise BadNotation(
                f"{text!r} is not a board of {rules}: {rules.rows} rows of {rules.cols} tiles are needed, "
                "such as '2 . 4 .' with / between the rows"
            )
        return cls(tuple(_tile(cell) for row in cells for cell in row), score, rules)

    @classmethod
    def of_array(cls, array: NDArray[np.integer], score: int = 0, rules: Rules2048 | str = STANDARD) -> "Position2048":
        """From the array of tiles that `array` gives; `gridlab.tiles_of` makes tiles of exponents."""
        rules = game(rules, "2048")
        return cls(_tiles(array, rules), score, rules)

    @classmethod
    def unpack(cls, packed: int, score: int = 0, rules: Rules2048 | str = STANDARD) -> "Position2048":
        """From the 64-bit number that `packed` gives."""
        rules = game(rules, "2048")
        return cls(unpack_board(int(packed), rules), score, rules)

    @property
    def packed(self) -> int:
        """A board of up to 4x4 cells as one 64-bit number: four bits a cell, the binary logarithm of its tile.

        Cell 0 stands lowest; a smaller board lies at the top left of the 4x4 board, and the cells outside hold 15.
        """
        if not self.rules.packed:
            raise BadNotation(f"a board of {self.rules} has no 64-bit number; only boards of up to 4x4 cells have")
        return pack_board(self.tiles, self.rules)

    def array(self) -> NDArray[np.int32]:
        """The tiles as int32[rows, cols]."""
        return np.array(self.tiles, np.int32).reshape(self.rules.rows, self.rules.cols)

    def __str__(self) -> str:
        texts = [str(tile or ".") for tile in self.tiles]
        cols = self.rules.cols
        return "/".join(" ".join(texts[start : start + cols]) for start in range(0, len(texts), cols))

    def _in_short(self) -> str:
        return f"{self.rules} {self}, {self.score:,} points"

    def draw(self) -> str:
        """The board for a terminal."""
        return draw.tiles_text(self.tiles, self.rules.cols)

    def _repr_svg_(self) -> str:
        return draw.tiles_svg(self.tiles, self.rules.cols, title=f"{self.rules}, {self.score:,} points")

    # ---- the game

    def moves(self) -> list[str]:
        """The directions that change the board, in the order up, down, left, right; none when the game is over."""
        return reference.legal_moves(self.rules, self.tiles)

    @property
    def over(self) -> bool:
        """Whether the board is full and nothing can merge."""
        return not self.moves()

    @property
    def max_tile(self) -> int:
        return max(self.tiles)

    @property
    def to_move(self) -> str:
        """2048 is played alone."""
        return self.rules.sides[0]

    def move_text(self, direction: str) -> str:
        return direction

    def parse_move(self, text: str | int) -> str:
        """A direction, legal or not."""
        return direction_of(text)

    def as_move(self, answer: Any) -> Any:
        """A direction that a player gives in any of the ways there are, by its name; anything else as it is."""
        return find_direction(answer) or answer

    def play(self, direction: str | int) -> "Position2048":
        """The position after a move and before a new tile, with the points of the move.

        A direction is "up", "UP", 0 or `Direction.UP`; 1 is down, 2 left, 3 right.
        """
        if direction not in DIRECTIONS or type(direction) is not str:
            try:
                direction = direction_of(direction)
            except BadNotation as error:
                raise IllegalMove(str(error)) from error
        after, points = reference.move(self.rules, self.tiles, direction)
        if after == self.tiles:
            legal = ", ".join(self.moves())
            raise IllegalMove(f"{direction} changes nothing in {self}; {legal or 'no direction'} does")
        return Position2048(after, self.score + points, self.rules)

    def spawn(self, random: np.random.Generator) -> "Position2048":
        """The position with a new tile on any empty cell, all equally likely; a 4 as often as the rules say."""
        cells = reference.empty_cells(self.tiles)
        if not cells:
            raise IllegalMove(f"there is no room for a new tile in {self}")
        twos, fours = self.rules.odds
        cell, tile = cells[int(random.integers(len(cells)))], 4 if random.integers(twos + fours) < fours else 2
        return Position2048(reference.place(self.tiles, cell, tile), self.score, self.rules)

    def step(self, direction: str | int, random: np.random.Generator) -> "Position2048":
        """A whole turn: the move, then a new tile."""
        return self.play(direction).spawn(random)


def _tiles(given: object, rules: Rules2048) -> Board:
    """Tiles from an array, or from a list of them or of rows."""
    try:
        found = np.asarray(given)
    except ValueError:  # rows of different lengths
        found = np.asarray("")
    if not np.issubdtype(found.dtype, np.integer):
        raise BadNotation(f"{told(given)} is not a board of {rules}; {rules.cells} tiles such as 2, 4 and 0 are needed")
    return tuple(found.ravel().tolist())


def _rows_of_list(text: str) -> list[str]:
    try:
        rows: list[Sequence[int]] = json.loads(text)
        return [" ".join(str(tile) for tile in row) for row in rows]
    except (json.JSONDecodeError, TypeError) as error:
        raise BadNotation(f"{text!r} is not a list of rows; write [[2, 0, 4, 0], …]") from error


def _tile(text: str) -> int:
    if text == ".":
        return 0
    if not (text.isascii() and text.isdigit() and len(text) < 12):
        raise BadNotation(f"{text!r} is not a tile; tiles are 2, 4, 8, … and . where a cell is empty")
    return int(text)


# ---- Games that hang on their seed and their moves alone: what chance does is drawn anew from the seed and the ply
#
# Such a game can be taken back, played again and sent to somebody else as a list of directions.


GLANCE = 256  # moves between two looks whether somebody wants it to stop


def begun(rules: Rules2048, seed: int) -> Position2048:
    """The beginning of the game of a seed."""
    return Position2048.start(np.random.default_rng([seed, 0]), rules)


def chance(seed: int, ply: int) -> np.random.Generator:
    """What chance does after a move: the same whenever this move of this game is made."""
    return np.random.default_rng([seed, ply + 1])


def moved(position: Position2048, direction: str, seed: int, ply: int) -> Position2048:
    """The position after the move of this number and the tile that it brings."""
    return position.step(direction, chance(seed, ply))


def replayed(rules: Rules2048, seed: int, directions: Sequence[str]) -> list[Position2048]:
    """All positions of a game, one more than it has moves; IllegalMove if one of them cannot be made."""
    positions = [begun(rules, seed)]
    for ply, direction in enumerate(directions):
        if ply % GLANCE == 0:
            pause()
        try:
            positions.append(moved(positions[-1], direction, seed, ply))
        except IllegalMove as error:
            raise IllegalMove(f"move {ply + 1:,} of {len(directions):,} cannot be replayed: {error}") from error
    return positions


# ---- Tiles and their exponents, between which everybody who learns goes back and forth
#
# tiles        2  4  8  …  0 where a cell is empty      positions, `Games`, files
# exponents    1  2  3  …  0                            what environments show, `Moves2048`, packed boards


LARGEST_EXPONENT = 30  # exponent of an int32


def exponents_of(tiles: ArrayLike) -> NDArray[np.uint8]:
    """The exponents of tiles, in an array of the same shape: 8 becomes 3, an empty cell stays 0."""
    given = _whole_numbers(tiles, "tiles")
    found = np.where(given > 0, np.frexp(given)[1] - 1, 0)
    if not np.array_equal(np.where(found > 0, 1 << found.astype(np.int64), 0), given) or given.max(initial=0) > 1 << 30:
        raise BadNotation(f"{told(tiles)} are not tiles; tiles are 2, 4, 8, …, and 0 where a cell is empty")
    return found.astype(np.uint8)


def tiles_of(exponents: ArrayLike) -> NDArray[np.int32]:
    """The tiles of exponents, in an array of the same shape: 3 becomes 8, 0 stays an empty cell."""
    given = _whole_numbers(exponents, "exponents")
    if given.min(initial=0) < 0 or given.max(initial=0) > LARGEST_EXPONENT:
        raise BadNotation(
            f"{told(exponents)} are not exponents of tiles; write 1 to {LARGEST_EXPONENT}, 0 for an empty cell"
        )
    return np.where(given > 0, 1 << given, 0).astype(np.int32)


def _whole_numbers(given: ArrayLike, what: str) -> NDArray[np.int64]:
    try:
        array: NDArray[Any] = np.asarray(given)
    except ValueError:  # rows of different lengths
        array = np.asarray("")
    if not np.issubdtype(array.dtype, np.integer):
        raise BadNotation(f"{what} are an array of whole numbers, not {told(given)}")
    return array.astype(np.int64)
