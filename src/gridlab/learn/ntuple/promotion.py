"""What a network knows of boards with one tile less is what it begins with on boards with one tile more.

A network that has learnt on its own avoids what it has never survived: with 16384, 8192 and 4096 on the board it has
only ever lost, so every move there looks alike, and it plays like a beginner. Halve the large tiles and it is at home.
So the weights of a key with a tile of 16384 or more are those of the same key with all large tiles halved
(Guei et al. halve tiles of the board while it is played; here it is done once, and learning goes on from there).

    key of a tuple      16384  8192  4096     2     0     8
    taken from           8192  4096  2048     2     0     8
"""

import numpy as np

from gridlab.core.jit import kernel
from gridlab.games.game2048.kernels import FIFTEEN, FOUR, ONE
from gridlab.games.game2048.tuples import Cells
from gridlab.learn.ntuple.kernels import Sums
from gridlab.search.game2048.ntuple import Weights

LARGE = 10  # tiles of 1024 and more are halved


def promote(weights: Weights, sums: Sums, tuples: tuple[Cells, ...], tile: int) -> None:
    """Let boards with this tile, or a larger one, be judged like those with half of it; sums go with their weights."""
    begin = 0
    for cells in tuples:
        end = begin + 16 ** len(cells)
        halve(weights[begin:end], sums[2 * begin : 2 * end], len(cells), tile.bit_length() - 1)
        begin = end


@kernel
def halve(weights: Weights, sums: Sums, cells: int, exponent: int) -> None:
    """For the table of one tuple; keys with the smaller tile first, as those with the next are taken from them."""
    for top in range(exponent, 16):
        for key in range(len(weights)):
            left, lower, largest, place = np.uint64(key), np.uint64(key), np.int64(0), ONE
            for _ in range(cells):
                digit = np.int64(left & FIFTEEN)
                if digit > largest:
                    largest = digit
                if digit >= LARGE:
                    lower -= place
                left >>= FOUR
                place <<= FOUR
            if largest == top:
                weights[key] = weights[lower]
                if len(sums) > 0:
                    sums[2 * key], sums[2 * key + 1] = sums[lower << ONE], sums[lower << ONE | ONE]
