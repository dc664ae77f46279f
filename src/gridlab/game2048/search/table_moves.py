"""Perfect moves of 2048 on small boards, looked up in a table of all boards after a move, inside kernels.

A move keeps the sum of the tiles, so what a board's directions are worth stands in one layer of the table: the boards
with that sum, ascending. Of all images of a board the smallest stands for all.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import States, Stop
from gridlab.core.jit import inner, kernel
from gridlab.game2048.kernels import (
    FIFTEEN,
    FOUR,
    NO_MOVE,
    ONE,
    ZERO,
    Boards,
    Mirror,
    RowTables,
    Shape,
    first_of_best,
    largest_exponent,
    moved,
    points_of,
    smallest_image,
    transpose,
)

Values = NDArray[np.float64]

MISSING = np.nan  # in place of a value that the table does not have


class TableMoves(NamedTuple):
    """A whole table in memory: layer after layer, each ascending."""

    boards: Boards  # after a move
    values: Values
    starts: NDArray[np.int64]  # [half the sum of the tiles]: where its layer begins; one more at the end
    mirror: Mirror
    shape: Shape
    goal: int  # the exponent of the tile to be reached; 0 if points are wanted
    counts: NDArray[np.int64]  # [2], of boards evaluated: none


@kernel
def begin(chooser: TableMoves) -> None:
    """There is nothing to forget."""


@kernel
def choose(
    chooser: TableMoves, board: np.uint64, values: Values, rows: RowTables, states: States, game: int, stop: Stop
) -> int:
    """The best direction, the first of equals, -1 if there is none; what the table does not know is worth nothing."""
    layer = np.int64(half_sum(board ^ rows.walls))
    first, last = 0, 0
    if layer < len(chooser.starts) - 1:
        first, last = chooser.starts[layer], chooser.starts[layer + 1]
    after_values(
        board, rows.slides, rows.points, rows.walls, chooser.mirror, chooser.shape, chooser.goal,
        chooser.boards[first:last], chooser.values[first:last], values,
    )  # fmt: skip
    for direction in range(4):
        if np.isnan(values[direction]):
            values[direction] = 0.0
    return first_of_best(values)


@kernel
def after_values(
    board: np.uint64, slides: NDArray[np.uint32], points: NDArray[np.int32], walls: np.uint64, mirror: Mirror,
    shape: Shape, goal: int, boards: Boards, values: Values, found: Values,
) -> None:  # fmt: skip
    """What each direction is worth, into `found`, from the layer of the board: NO_MOVE, or MISSING if it is not there.

    With a goal a board that has the tile is worth 1, else the points of the move are added.
    """
    turned = transpose(board)
    for direction in range(4):
        after = moved(board, turned, direction, slides)
        if after == board:
            found[direction] = NO_MOVE
        elif goal > 0 and largest_exponent(after ^ walls) >= goal:
            found[direction] = 1.0
        else:
            after = smallest_image(after, mirror, shape)
            place = np.searchsorted(boards, after)
            if place == len(boards) or boards[place] != after:
                found[direction] = MISSING
            elif goal > 0:
                found[direction] = values[place]
            else:
                found[direction] = values[place] + points_of(board, direction, points)


@inner
def half_sum(board: np.uint64) -> np.uint64:
    """Half of what the tiles of a board without walls add up to."""
    total = ZERO
    while board != ZERO:
        total += ONE << (board & FIFTEEN) >> ONE
        board >>= FOUR
    return total
