"""Stages of a game of 2048: boards with a large tile are judged by tables of their own.

A board with a 16384 is another game: one cell is taken for good, and half of the points are made. An n-tuple network
without stages has the same weight for a corner of small tiles in both, and what it learns in one it forgets in the
other. With the stage 16384 it has all its tables twice, for boards without that tile and with it (Yeh et al., 2016).

    stages 4096,16384      up to 2048  ->  0        4096, 8192  ->  1        16384, 32768  ->  2
"""

from itertools import pairwise

import numpy as np

from gridlab.core.errors import BadNotation
from gridlab.core.jit import kernel
from gridlab.core.numbers import shortened
from gridlab.games.game2048.kernels import FIFTEEN, FOUR, ONE, UNITS, ZERO

Stages = tuple[int, ...]  # the tiles with which the stages after the first begin, in rising order

TILES = tuple(1 << exponent for exponent in range(8, 16))
MOST_STAGES = 3  # after the first
SEVENS, EIGHTS = np.uint64(7) * UNITS, np.uint64(8) * UNITS
SIXTEEN = np.uint64(16)


def parse_stages(text: str) -> Stages:
    """16384, or several tiles with commas; nothing for a network without stages."""
    words = text.replace(",", " ").split()
    found = tuple(int(each) for each in words if each in map(str, TILES))
    if len(found) < len(words):
        raise BadNotation(f"{shortened(text)!r} has no tiles for stages; name {TILES[0]} to {TILES[-1]}, such as 16384")
    return check_stages(found)


def check_stages(stages: Stages) -> Stages:
    """Tiles with which stages can begin."""
    rising = all(one < other for one, other in pairwise(stages))
    if len(stages) > MOST_STAGES or not rising or not set(stages) <= set(TILES):
        raise BadNotation(f"stages begin with up to {MOST_STAGES} tiles in rising order, not with {stages}")
    return stages


def packed_stages(stages: Stages) -> np.uint64:
    """The exponents of these tiles as kernels take them, four bits each: (4096, 16384) -> 0xEC."""
    return np.uint64(sum((tile.bit_length() - 1) << 4 * i for i, tile in enumerate(stages)))


@kernel
def stage_of(board: np.uint64, stages: np.uint64) -> np.uint64:
    """The stage of a board without walls.

    An exponent e of 8 or more stands in some cell, or a larger one, if that cell has its highest bit set and its other
    three, with 16 - e added, overflow into it: all cells at once.
    """
    found = ZERO
    while stages != ZERO:
        more = (board & SEVENS) + (SIXTEEN - (stages & FIFTEEN)) * UNITS
        if more & board & EIGHTS != ZERO:
            found += ONE
        stages >>= FOUR
    return found
