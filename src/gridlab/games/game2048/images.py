"""The images of a packed board under the symmetries of its shape, and the smallest of them, which stands for all.

3 2 1 #      mirror: every row        turned over: the rows        transposed, on square boards alone
. . . #      1 2 3 #                  . . . #                      3 . .
. . . #                               3 2 1 #                      2 . .
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.jit import inner, kernel
from gridlab.games.game2048.kernels import LEFT, ROW, S16, S32, S48, Boards, transpose
from gridlab.games.game2048.row_tables import by_length, exponents_of_rows, pack_rows
from gridlab.games.game2048.rules import Rules2048

Mirror = NDArray[np.uint16]  # [row]: from right to left, walls standing still

MIDDLE = np.uint64(0xFFFF0000)
BELOW = np.uint64(0xFFFF000000000000)  # the last row
MIRRORED, OVER, TRANSPOSED = 1, 2, 4


class Shape(NamedTuple):
    """What the symmetries of a board depend on."""

    rows: int
    square: bool


def shape_of(rules: Rules2048) -> Shape:
    return Shape(rules.rows, rules.rows == rules.cols)


@cache
def mirror_table(rules: Rules2048) -> Mirror:
    """Every row of a board of up to 4x4 cells, mirrored."""
    return _mirror(rules.walled)


@cache
def _mirror(walled: bool) -> Mirror:
    rows = exponents_of_rows()
    mirrored = rows.copy()
    for cells, chosen in by_length(walled):
        mirrored[chosen, :cells] = rows[chosen, :cells][:, ::-1]
    table = pack_rows(mirrored).astype(np.uint16)
    table.flags.writeable = False
    return table


@inner
def mirrored(board: np.uint64, mirror: Mirror) -> np.uint64:
    """Every row from right to left."""
    upper = np.uint64(mirror[board & ROW]) | np.uint64(mirror[board >> S16 & ROW]) << S16
    return upper | np.uint64(mirror[board >> S32 & ROW]) << S32 | np.uint64(mirror[board >> S48]) << S48


@inner
def turned_over(board: np.uint64, rows: int) -> np.uint64:
    """The rows from bottom to top."""
    first, second = board & ROW, board >> S16 & ROW
    if rows == 3:
        return board >> S32 & ROW | board & MIDDLE | first << S32 | board & BELOW
    if rows == 2:
        return second | first << S16 | board >> S32 << S32
    return board >> S48 | (board >> S32 & ROW) << S16 | second << S32 | first << S48


@inner
def smallest_image(board: np.uint64, mirror: Mirror, shape: Shape) -> np.uint64:
    """The smallest image of a board as a number."""
    aside, over = mirrored(board, mirror), turned_over(board, shape.rows)
    both = turned_over(aside, shape.rows)
    least = min(min(board, aside), min(over, both))
    if shape.square:
        least = min(least, min(min(transpose(board), transpose(aside)), min(transpose(over), transpose(both))))
    return least


@kernel
def smallest_images(boards: Boards, mirror: Mirror, shape: Shape) -> Boards:
    """The same for many boards."""
    found = np.empty(len(boards), np.uint64)
    for i in range(len(boards)):
        found[i] = smallest_image(boards[i], mirror, shape)
    return found


# ---- all images, by numbers


@inner
def symmetries(shape: Shape) -> int:
    """How many a board has. Each is three bits: 1 mirrored, then 2 turned over, then 4 transposed."""
    return 8 if shape.square else 4


@inner
def image(board: np.uint64, symmetry: int, mirror: Mirror, shape: Shape) -> np.uint64:
    """A board seen through a symmetry."""
    if symmetry & MIRRORED:
        board = mirrored(board, mirror)
    if symmetry & OVER:
        board = turned_over(board, shape.rows)
    return transpose(board) if symmetry & TRANSPOSED else board


@inner
def image_of(direction: int, symmetry: int) -> int:
    """Where a direction leads to on the image of a board."""
    if symmetry & (MIRRORED if direction >= LEFT else OVER):
        direction ^= 1
    return direction ^ 2 if symmetry & TRANSPOSED else direction


@kernel
def images_of_boards(boards: Boards, number: int, mirror: Mirror, shape: Shape) -> Boards:
    """The first so many images of each board: [board, image]."""
    found = np.empty((len(boards), number), np.uint64)
    for i in range(len(boards)):
        for symmetry in range(number):
            found[i, symmetry] = image(boards[i], symmetry, mirror, shape)
    return found


@cache
def mapped_directions(number: int) -> NDArray[np.int64]:
    """Where each direction leads to on the first so many images: [image, direction]."""
    return np.array([[image_of(direction, symmetry) for direction in range(4)] for symmetry in range(number)])
