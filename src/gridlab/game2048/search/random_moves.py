"""Moves of 2048 at random, inside kernels."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import States, Stop, below, draw, lowest_cell, popcount
from gridlab.core.jit import kernel
from gridlab.game2048.kernels import RowTables, slide_rows, transpose


class RandomMoves(NamedTuple):
    """Any legal direction, all equally likely."""

    counts: NDArray[np.int64]  # [2], of boards evaluated: none


def new_random_moves() -> RandomMoves:
    return RandomMoves(np.zeros(2, np.int64))


@kernel
def begin(chooser: RandomMoves) -> None:
    """There is nothing to forget."""


@kernel
def choose(
    chooser: RandomMoves, board: np.uint64, values: NDArray[np.float64], rows: RowTables, states: States, game: int,
    stop: Stop,
) -> int:  # fmt: skip
    """A direction by a draw of the game's stream, -1 if there is none; `values` stays as it is."""
    return random_direction(board, rows.slides, states, game)


@kernel
def random_direction(board: np.uint64, slides: NDArray[np.uint32], states: States, game: int) -> int:
    """Any legal direction by a draw of the game's stream, -1 if there is none."""
    turned = transpose(board)
    up, down = slide_rows(turned, slides)
    left, right = slide_rows(board, slides)
    legal = int(up != turned) | int(down != turned) << 1 | int(left != board) << 2 | int(right != board) << 3
    if legal == 0:
        return -1
    for _ in range(below(draw(states, game), popcount(legal))):
        legal &= legal - 1  # without the lowest bit
    return lowest_cell(legal)
