"""A game as the columns of a table, the same from every format; here nothing is compiled, as programs begin with it.

Arrays of HDF5 and NPZ: one a column, moves of all games one after the other, `games/moves` of them belong to each game.
"""

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from gridlab.core.errors import CorruptFile
from gridlab.game2048.rules import MOST_MOVES

NUMBERS = {
    "moves/board": ("<i4", (4, 4)), "moves/direction": ("|i1", ()), "moves/score": ("<i8", ()),
    "games/moves": ("<i8", ()), "games/final_score": ("<i8", ()), "games/max_tile": ("<i8", ()),
    "games/won": ("|b1", ()),
}  # fmt: skip
TEXTS = ("moves/details", "games/final_board", "games/timestamp", "games/about")
LENGTHS = "games/moves"
LONGEST_TEXT = 1 << 14  # letters of any text
TIGHTEST = 1100  # nothing is deflated to less than a part in 1,032

Text = Annotated[str, msgspec.Meta(max_length=LONGEST_TEXT)]


class WrongTable(CorruptFile):
    """What is wrong with a table; whoever reads it says which table it is."""


class Columns(msgspec.Struct, array_like=True):
    """The rows of one game; numbers as bytes, so that they can travel."""

    boards: bytes  # int32[move, 16]: tiles
    directions: bytes  # int8[move]
    scores: bytes  # int64[move]
    final_score: int
    max_tile: int
    won: bool
    final_board: Text
    timestamp: Text
    about: Text
    details: list[Text]  # [move]
    done: Annotated[float, msgspec.Meta(ge=0, le=1)]  # the share of the file that was read with this game


def check_shapes(shapes: Mapping[str, tuple[int, ...]], size: int) -> tuple[int, int]:
    """How many games and moves some arrays are, if all have fitting shapes and a file of this size can hold them."""
    games, moves = shapes[LENGTHS][:1] or (0,), shapes["moves/score"][:1] or (0,)
    for name, shape in shapes.items():
        kind, cell = NUMBERS.get(name, ("<i4", ()))
        rows = moves if name.startswith("moves/") else games
        if shape != (*rows, *cell):
            raise WrongTable(f"{name} has the shape {list(shape)}, not {[*rows, *cell]}")
        if np.dtype(kind).itemsize * int(np.prod(shape, dtype=object)) > TIGHTEST * size + (1 << 20):
            raise WrongTable(f"{name} has the shape {list(shape)}, which no file of {size:,} bytes can hold")
    return games[0], moves[0]


class Shares:
    """Hands the moves of all games out to one game after the other."""

    def __init__(self, moves: int) -> None:
        self.moves, self.given = moves, 0

    def next(self, length: int) -> slice:
        if not 1 <= length <= MOST_MOVES:
            raise WrongTable(f"a game of {length:,} moves is none; 1 to {MOST_MOVES:,} are possible")
        begin, self.given = self.given, self.given + length
        if self.given > self.moves:
            raise WrongTable(f"the games have more than the {self.moves:,} moves that are there")
        return slice(begin, self.given)

    def end(self) -> None:
        if self.given != self.moves:
            raise WrongTable(f"there are {self.moves:,} moves, but the games have {self.given:,} of them")


def text_of(value: Any, name: str) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise WrongTable(f"{name} is not text of at most {LONGEST_TEXT:,} letters")
    return value


def bytes_of(array: NDArray[Any]) -> bytes:
    return np.ascontiguousarray(array).tobytes()
