"""How many positions have which score, all of them and up to symmetry."""

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import int64, popcount
from gridlab.core.jit import inner, kernel
from gridlab.exact.tablebase.blocks import Blocks, Run
from gridlab.exact.tablebase.halves import Images
from gridlab.exact.tablebase.parts import Parts, sizes_within
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
def tally(run: Run, blocks: Blocks, parts: Parts, images: Images, counts: NDArray[np.int64]) -> None:
    """Count the scores of the blocks of a run."""
    for x in range(len(run.free_highs)):
        own = own_symmetries(run.free_low, run.free_highs[x], images)
        table = 0
        while 1 << table < popcount(own):
            table += 1
        add(blocks.scores, x * blocks.slots, blocks.slots, counts[table])
        if table > 0:
            add_smallest(x, own, run, blocks, parts, images, counts[SMALLEST])


@inner
def add(scores: Scores, at: int, slots: int, counts: NDArray[np.int64]) -> None:
    here = np.uint64(at)
    for i in range(np.uint64(slots)):
        counts[i & np.uint64(LANES - 1), np.int64(scores[here + i]) + 128] += 1


@inner
def add_smallest(
    x: int, own: int, run: Run, blocks: Blocks, parts: Parts, images: Images, counts: NDArray[np.int64]
) -> None:
    """Count the scores of those O that are smallest among their images under the symmetries of X."""
    sets, starts = parts.sets, parts.starts
    free_low, free_high, noughts = run.free_low, run.free_highs[x], blocks.noughts
    at = x * blocks.slots
    first, last = sizes_within(noughts, popcount(free_high), popcount(free_low))
    for there in range(first, last):
        for row in range(starts[free_high, there], starts[free_high, there + 1]):
            for column in range(starts[free_low, noughts - there], starts[free_low, noughts - there + 1]):
                if is_smallest(int64(sets[column]), int64(sets[row]), own, images):
                    counts[0, int64(blocks.scores[at]) + 128] += 1
                at += 1


@inner
def own_symmetries(low: int, high: int, images: Images) -> int:
    """The symmetries that leave a set as it is, a bit for each; they leave what it does not hold as it is, too."""
    own = 0
    for symmetry in range(len(images.low)):
        if images.low[symmetry, low] == low and images.high[symmetry, high] == high:
            own |= 1 << symmetry
    return own


@inner
def is_smallest(low: int, high: int, symmetries: int, images: Images) -> bool:
    """Whether no image of O under some symmetries comes before it."""
    for symmetry in range(len(images.low)):
        if symmetries >> symmetry & 1:
            image_high, image_low = images.high[symmetry, high], images.low[symmetry, low]
            if image_high < high or (image_high == high and image_low < low):
                return False
    return True
