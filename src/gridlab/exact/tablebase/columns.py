"""The columns of a run, and what becomes of them after a cross and the symmetry that makes X canonical again.

two free low cells and a cross on cell 0; a symmetry that swaps cells 1 and 2; low halves of O with one nought

  here     column 0: 001  -            has a nought where the cross should go
           column 1: 010  -> 100       column 1 there       to = 1, 2
           column 2: 100  -> 010       column 0 there       origin = 1, 0
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import int64, popcount
from gridlab.core.jit import kernel
from gridlab.exact.tablebase.blocks import Run
from gridlab.exact.tablebase.halves import Halves
from gridlab.exact.tablebase.parts import Parts
from gridlab.exact.tablebase.rows import Scores


class Columns(NamedTuple):
    """The low halves of O for the low half of X that a run shares."""

    misses: Scores  # [low cell · columns + column]: -1 where the low half of O misses the cell
    to: NDArray[np.uint16]  # [pair]: a column that misses the cell of the cross…
    origin: NDArray[np.uint16]  # [pair]: …and the column it becomes
    starts: NDArray[np.int64]  # [cell, symmetry, size]: the first pair; the cell after the last low one stands for none


def room_for_columns(tables: Halves) -> Columns:
    cells, symmetries = tables.order.low, len(tables.images.low)
    most = (cells + 1) * symmetries << cells
    starts = np.empty((cells + 1, symmetries, cells + 2), np.int64)
    return Columns(np.empty(0, np.int8), np.empty(most, np.uint16), np.empty(most, np.uint16), starts)


def columns_of(run: Run, tables: Halves, room: Columns) -> Columns:
    """The columns of a run, in the room of an earlier one."""
    pair_columns(run.free_low, tables.parts, tables.images.low, tables.ranking.towards, room)
    cells = np.arange(tables.order.low)[:, None]
    missed = low_halves(run.free_low, tables.parts) >> cells & 1 == 0
    return room._replace(misses=-missed.view(np.int8).reshape(-1))


def low_halves(free_low: int, parts: Parts) -> NDArray[np.int16]:
    """The low halves of O on the free cells, by size."""
    return parts.sets[parts.starts[free_low, 0] : parts.starts[free_low, -1]]


@kernel
def pair_columns(
    free: int, parts: Parts, images: NDArray[np.int16], towards: NDArray[np.uint8], columns: Columns
) -> None:
    """For a cross on each free low cell, or on none: which column becomes which under each symmetry in question."""
    full, width, pair = images.shape[1] - 1, popcount(free), 0
    for cell in range(len(columns.starts)):
        stone = 1 << cell & full  # nothing for the last
        if stone & free != stone:
            continue
        for symmetry in range(len(images)):
            if towards[full & ~free | stone] >> symmetry & 1 == 0:
                continue
            whole = parts.trits[images[symmetry, free & ~stone]]
            for size in range(width + 1):
                columns.starts[cell, symmetry, size] = pair
                first, last = parts.starts[free, size], parts.starts[free, size + 1]
                for i in range(first, last):
                    low = int64(parts.sets[i])
                    if low & stone == 0:
                        columns.to[pair] = i - first
                        columns.origin[pair] = parts.ranks[whole + parts.trits[images[symmetry, low]]]
                        pair += 1
            columns.starts[cell, symmetry, width + 1] = pair
