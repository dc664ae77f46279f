"""The parts of a set: how many of each size there are, all of them listed, and the rank of each.

    set 1011     size 0   0000                             starts[1011] = s, s+1, s+4, s+7, s+8
                 size 1   0001 0010 1000                   sets[s:s+8]  = the parts, by size, ascending
                 size 2   0011 1001 1010
                 size 3   1011                             part 1001 has rank 1 among those of its size

A set and a part of it are together a number of base 3, a digit for each bit: 0 outside the set, 1 in the set alone,
2 in both. `ranks` is a table over those numbers.
"""

from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import popcount
from gridlab.core.jit import inner, kernel

MOST = 27  # cells of a board, and one more on either side
CHOOSE = np.array([[comb(n, k) for k in range(MOST)] for n in range(MOST)])  # [n, k]; a constant to the compiler


class Parts(NamedTuple):
    """The parts of every set of so many bits."""

    trits: NDArray[np.int32]  # [set]: its bits read as digits of base 3
    ranks: NDArray[np.int16]  # [trits of a set + trits of its part]: rank of the part among those of its size
    sets: NDArray[np.int16]  # [place]: the parts of set after set, by size
    starts: NDArray[np.int32]  # [set, size]: where those of a size begin; they end where the next size begins


def parts_of_sets(bits: int) -> Parts:
    """The table of all sets of up to 13 bits: 3^bits parts."""
    sets = np.arange(1 << bits)
    trits = sum(((sets >> bit & 1) * 3**bit for bit in range(bits)), 0 * sets).astype(np.int32)
    smaller = np.zeros((bits + 1, bits + 2), np.int64)  # [bits of a set, size]: its parts of smaller sizes
    smaller[:, 1:] = np.cumsum(CHOOSE[: bits + 1, : bits + 1], axis=1)
    number = np.bitwise_count(sets).astype(np.int64)
    before = np.cumsum(1 << number) - (1 << number)
    starts = (before[:, None] + smaller[number]).astype(np.int32)
    parts = Parts(trits, np.empty(3**bits, np.int16), np.empty(3**bits, np.int16), starts)
    list_parts(parts, np.empty(bits + 1, np.int64))
    return parts


@kernel
def list_parts(parts: Parts, seen: NDArray[np.int64]) -> None:
    """Fill `ranks` and `sets`; `seen` is room for a count of each size."""
    for whole in range(len(parts.trits)):
        seen[:] = 0
        part = 0
        while True:
            size = popcount(part)
            parts.ranks[parts.trits[whole] + parts.trits[part]] = seen[size]
            parts.sets[parts.starts[whole, size] + seen[size]] = part
            seen[size] += 1
            if part == whole:
                break
            part = (part - whole) & whole  # the next part in ascending order


@inner
def sizes_within(total: int, here: int, there: int) -> tuple[int, int]:
    """Of `total` stones on two sets of cells, how many can lie on the first: from the one, up to before the other."""
    return max(0, total - there), min(here, total) + 1
