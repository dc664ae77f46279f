"""Tile-downgrading: large tiles that a network hardly knows are seen as half as large (Guei, Chen and Wu, 2021).

A network has met boards with its largest tiles in games that ended soon after; with half of those tiles it is at home.
The direction that is good on the halved board is good on the real one as long as the same tiles can be merged on both.
So all tiles above the largest *missing* one are halved: what is equal stays equal, what differs stays different.

    16384  8192  4096   512          8192  4096  2048   512        2048 is the largest that is missing
        .     8    64   256    ->       .     8    64   256        between 2 and 16384
"""

import numpy as np

from gridlab.core.jit import kernel
from gridlab.games.game2048.kernels import FIFTEEN, FOUR, ONE, ZERO, largest_exponent

NEVER = 16  # the binary logarithm of a tile that no board has


@kernel
def downgraded(board: np.uint64, walls: np.uint64, exponent: int) -> np.uint64:
    """The board without tiles of this logarithm or above, as far as halving those above a missing one can do it."""
    tiles = board ^ walls
    top = largest_exponent(tiles)
    while top >= exponent:
        gap = largest_missing(tiles, top)
        if gap == 0:
            break
        tiles -= units_above(tiles, gap)
        top -= 1
    return tiles ^ walls


@kernel
def largest_missing(tiles: np.uint64, top: int) -> int:
    """The largest logarithm below that of the largest tile which no cell has; 0 if all are there."""
    there = ZERO
    while tiles != ZERO:
        there |= ONE << (tiles & FIFTEEN)
        tiles >>= FOUR
    gap = top - 1
    while gap > 0 and there >> np.uint64(gap) & ONE != ZERO:
        gap -= 1
    return gap


@kernel
def units_above(tiles: np.uint64, exponent: int) -> np.uint64:
    """The lowest bit of every cell with a larger tile."""
    units = ZERO
    for shift in range(0, 64, 4):
        if np.int64(tiles >> np.uint64(shift) & FIFTEEN) > exponent:
            units |= ONE << np.uint64(shift)
    return units
