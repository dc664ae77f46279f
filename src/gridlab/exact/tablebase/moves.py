"""The moves of X: which cells win, and for the others the X that a cross there leads to."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.jit import kernel
from gridlab.exact.tablebase.blocks import Run
from gridlab.exact.tablebase.halves import Halves, Ranking, canonical
from gridlab.exact.tablebase.lines import LineParts, line_score

NO_MOVE = -1  # in the place of a symmetry: the cell has a stone, or a cross there makes a line


class Moves(NamedTuple):
    """What a cross on each cell makes of the X of a run; low cells first."""

    wins: NDArray[np.int64]  # [X]: the cells that win, a bit for each
    symmetries: NDArray[np.int64]  # [X, cell]: the symmetry that makes X canonical again, or NO_MOVE
    ranks: NDArray[np.int64]  # [X, cell]: its rank then


def moves_of(run: Run, tables: Halves) -> Moves:
    cells, number = tables.order.low + tables.order.high, len(run.free_highs)
    moves = Moves(np.empty(number, np.int64), np.empty((number, cells), np.int64), np.empty((number, cells), np.int64))
    list_moves(run, tables.order.low, tables.lines, tables.images.high, tables.ranking, moves)
    return moves


@kernel
def list_moves(
    run: Run, low_cells: int, lines: LineParts, high_images: NDArray[np.int16], ranking: Ranking, moves: Moves
) -> None:
    """Fill `moves`."""
    every = high_images.shape[1] - 1
    for x in range(len(run.free_highs)):
        free_high = run.free_highs[x]
        high, free = every ^ free_high, run.free_low | free_high << low_cells
        moves.wins[x] = 0
        for cell in range(moves.ranks.shape[1]):
            stone = 1 << cell & free
            next_low, next_high = run.low | stone & (1 << low_cells) - 1, high | stone >> low_cells
            moves.symmetries[x, cell] = NO_MOVE
            if stone == 0:
                continue
            score = line_score(next_low, next_high, lines)
            if score == 0:
                symmetry, rank = canonical(next_low, next_high, high_images, ranking)
                moves.symmetries[x, cell], moves.ranks[x, cell] = symmetry, rank
            elif score < 0:
                moves.wins[x] |= stone
