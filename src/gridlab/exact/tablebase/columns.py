"""The columns of a block: low halves of O, with what can be said of them once for all X that share their low half."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import popcount
from gridlab.core.jit import kernel
from gridlab.exact.tablebase.halves import Halves, list_parts
from gridlab.exact.tablebase.rows import Scores, put


class Columns(NamedTuple):
    """The low halves of O for one low half of X."""

    sets: NDArray[np.int16]  # [place]: by size, ascending
    starts: NDArray[np.int64]  # [size]: where they begin
    covers: Scores  # [part of a line, place]: -1 where the set covers the part
    misses: Scores  # [cell, place]: -1 where the set misses the cell
    to: NDArray[np.uint16]  # [cell, symmetry, pair]: columns that miss the cell…
    origin: NDArray[np.uint16]  # …and where they come from, after a cross there and the symmetry
    pairs: NDArray[np.int64]  # [cell, size]: where the pairs of a size begin
    lines: Scores  # [high half, column]: scores of the lines that noughts have, 0 for none; each found once
    found: NDArray[np.bool_]  # [high half]
    widest: int  # columns kept for a high half


@kernel
def new_columns(halves: Halves) -> Columns:
    cells, symmetries = halves.low, len(halves.low_images)
    widest = halves.choose[cells, cells // 2]
    return Columns(
        np.empty(1 << cells, np.int16),
        np.empty(cells + 2, np.int64),
        np.empty((len(halves.lines.parts), 1 << cells), np.int8),
        np.empty((cells, 1 << cells), np.int8),
        np.empty((cells + 1, symmetries, 1 << cells), np.uint16),
        np.empty((cells + 1, symmetries, 1 << cells), np.uint16),
        np.empty((cells + 1, cells + 2), np.int64),
        np.empty(widest << halves.high, np.int8),
        np.zeros(1 << halves.high, np.bool_),
        widest,
    )


@kernel
def set_columns(free: int, halves: Halves, columns: Columns) -> None:
    """The low halves of O on the free cells, and which of them cover what."""
    list_parts(free, columns.sets, columns.starts)
    columns.found[:] = False
    for place in range(1 << popcount(free)):
        low = int(columns.sets[place])
        for part in range(len(halves.lines.parts)):
            columns.covers[part, place] = -1 if halves.lines.parts[part] & ~low == 0 else 0
        for cell in range(halves.low):
            columns.misses[cell, place] = -1 if low >> cell & 1 == 0 else 0


@kernel
def pair_columns(free: int, halves: Halves, columns: Columns) -> None:
    """For a cross on each free low cell, or on none: which column becomes which under each symmetry in question."""
    trits, images = halves.trits, halves.low_images
    full = (1 << halves.low) - 1
    for cell in range(halves.low + 1):
        stone = 1 << cell & full  # nothing for the last
        if stone & free != stone:
            continue
        for symmetry in range(len(images)):
            if halves.towards[full & ~free | stone] >> symmetry & 1 == 0:
                continue
            whole = trits[images[symmetry, free & ~stone]]
            pair = 0
            for size in range(popcount(free) + 1):
                columns.pairs[cell, size] = pair
                for i in range(columns.starts[size], columns.starts[size + 1]):
                    low = int(columns.sets[i])
                    if low & stone == 0:
                        columns.to[cell, symmetry, pair] = i - columns.starts[size]
                        columns.origin[cell, symmetry, pair] = halves.rank_within[whole + trits[images[symmetry, low]]]
                        pair += 1
            columns.pairs[cell, popcount(free) + 1] = pair


@kernel
def find_lines(high: int, low_of_x: int, size: int, halves: Halves, columns: Columns) -> None:
    """Fill the row of `lines` for a high half, for low halves of a size."""
    columns.found[high] = True
    at, first = high * columns.widest, columns.starts[size]
    length = columns.starts[size + 1] - first
    columns.lines[at : at + length] = 0
    covers = columns.covers.reshape(-1)
    for entry in range(halves.lines.needs[high], halves.lines.needs[high + 1]):
        part = halves.lines.part_of[entry]
        if halves.lines.parts[part] & low_of_x == 0:
            put(columns.lines, at, halves.lines.score_of[entry], covers, (part << halves.low) + first, length)
