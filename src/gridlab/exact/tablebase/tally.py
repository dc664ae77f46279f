"""How many positions have which score, all of them and up to symmetry."""

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import popcount
from gridlab.core.jit import kernel
from gridlab.exact.tablebase.columns import Columns
from gridlab.exact.tablebase.halves import Halves
from gridlab.exact.tablebase.rows import Scores

SMALLEST = 4  # the table of positions that are smallest among their images, for X with symmetries of their own
LANES = 4  # tables side by side, so that equal neighbours do not wait for each other


def new_counts() -> NDArray[np.int64]:
    """[table, lane, score + 128]; tables 0 to 3 are for X that 1, 2, 4, 8 symmetries leave as it is."""
    return np.zeros((SMALLEST + 1, LANES, 256), dtype=np.int64)


def totals(counts: NDArray[np.int64], symmetries: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All positions and those up to symmetry by score, two int64[score + 128]."""
    tables = counts.sum(axis=1)
    every = sum((symmetries >> table) * tables[table] for table in range(SMALLEST))
    return np.asarray(every), tables[0] + tables[SMALLEST]


@kernel
def tally(
    blocks: Scores,
    at: int,
    noughts: int,
    low: int,
    high: int,
    halves: Halves,
    columns: Columns,
    rows: NDArray[np.int16],
    row_starts: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> None:
    """Count the scores of one block."""
    own = own_symmetries(low, high, halves)
    width, height = halves.low - popcount(low), halves.high - popcount(high)
    slots = halves.choose[width + height, noughts]
    table = 0
    while 1 << table < popcount(own):
        table += 1
    add(blocks, at, slots, counts[table])
    if table == 0:
        return
    for there in range(max(0, noughts - width), min(height, noughts) + 1):
        for row in range(row_starts[there], row_starts[there + 1]):
            for column in range(columns.starts[noughts - there], columns.starts[noughts - there + 1]):
                if is_smallest(columns.sets[column], rows[row], own, halves.low_images, halves.high_images):
                    counts[SMALLEST, 0, np.int64(blocks[at]) + 128] += 1
                at += 1


@kernel
def add(blocks: Scores, at: int, slots: int, counts: NDArray[np.int64]) -> None:
    here = np.uint64(at)
    for i in range(np.uint64(slots)):
        counts[i & np.uint64(LANES - 1), np.int64(blocks[here + i]) + 128] += 1


@kernel
def own_symmetries(low: int, high: int, halves: Halves) -> int:
    """The symmetries that leave X as it is, a bit for each."""
    own = 0
    for symmetry in range(len(halves.low_images)):
        if halves.low_images[symmetry, low] == low and halves.high_images[symmetry, high] == high:
            own |= 1 << symmetry
    return own


@kernel
def is_smallest(
    low: int, high: int, symmetries: int, low_images: NDArray[np.int16], high_images: NDArray[np.int16]
) -> bool:
    """Whether no image of O comes before it."""
    for symmetry in range(len(low_images)):
        if symmetries >> symmetry & 1:
            image_high, image_low = high_images[symmetry, high], low_images[symmetry, low]
            if image_high < high or (image_high == high and image_low < low):
                return False
    return True
