"""What becomes of each of the 65,536 rows of a 4x4 board, as tables for kernels.

A row is 16 bits, four a cell, cell 0 lowest: the binary logarithm of its tile, its *exponent*. All rows are slid at
once here, as arrays [row, 4] of exponents; tests hold every row to the readable twin (reference.py).
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.games.game2048.rules import LARGEST

Exponents = NDArray[np.int64]  # [row, 4]

ROWS = 1 << 16
SHIFTS = np.arange(0, 16, 4)  # of the cells of a row


class RowTables(NamedTuple):
    """What becomes of each row: [row] each."""

    slides: NDArray[np.uint32]  # the row slid to the left in the lower half, slid to the right in the upper
    points: NDArray[np.int32]  # of a slide to either side


@cache
def row_tables() -> RowTables:
    """All rows slid at once; tests hold every one of them to the readable twin."""
    exponents = exponents_of_rows()
    left, points = slide_all(exponents)
    right, _ = slide_all(exponents[:, ::-1])
    slides = pack_rows(left) | pack_rows(right[:, ::-1]) << np.uint32(16)
    for table in (slides, points):
        table.flags.writeable = False
    return RowTables(slides, points)


def exponents_of_rows() -> Exponents:
    """What stands in the cells of every row: [row, 4]."""
    return np.arange(ROWS)[:, None] >> SHIFTS & 15


def slide_all(rows: Exponents) -> tuple[Exponents, NDArray[np.int32]]:
    """Rows [row, 4] slid to the left, and the points of each."""
    slid, points = squeezed(rows), np.zeros(len(rows), np.int32)
    for cell in range(3):
        merges = (slid[:, cell] == slid[:, cell + 1]) & (slid[:, cell] > 0) & (1 << slid[:, cell] < LARGEST)
        slid[merges, cell] += 1
        points[merges] += 1 << slid[merges, cell]
        slid[merges, cell + 1 : 3] = slid[merges, cell + 2 :]
        slid[merges, 3] = 0
    return slid, points


def squeezed(rows: Exponents) -> Exponents:
    """Rows without the gaps, empty cells at their ends: [0 1 0 2] -> [1 2 0 0]."""
    return np.take_along_axis(rows, np.argsort(rows == 0, axis=1, kind="stable"), axis=1)


def pack_rows(rows: Exponents) -> NDArray[np.uint32]:
    """Rows [row, 4] as numbers of 16 bits."""
    return np.asarray(np.bitwise_or.reduce(rows << SHIFTS, axis=1), np.uint32)
