"""What becomes of each of the 65,536 rows of a board of up to 4x4 cells, as tables for kernels.

A row is 16 bits, four a cell, cell 0 lowest: the binary logarithm of its tile, its *exponent*. All rows are slid at
once here, as arrays [row, cell] of exponents; tests hold every row to the reference implementation (reference.py).

Boards smaller than 4x4 have walls, 15s at the end of a row, that stay where they are: [2 . 2 #] becomes [4 . . #] or
[. . 4 #]. Rows and columns of all lengths stand in one table, each known by its walls.
"""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.games.game2048.kernels import walls_of
from gridlab.games.game2048.rules import LARGEST, Rules2048

Exponents = NDArray[np.int64]  # [row, cell]

ROWS = 1 << 16
SHIFTS = np.arange(0, 16, 4)  # of the cells of a row
STANDARD = Rules2048()


class RowTables(NamedTuple):
    """What becomes of each row, [row] each, and the walls of the board."""

    slides: NDArray[np.uint32]  # the row slid to the left in the lower half, slid to the right in the upper
    points: NDArray[np.int32]  # of a slide to either side
    walls: np.uint64  # the board without tiles


@cache
def row_tables(rules: Rules2048 = STANDARD) -> RowTables:
    """The tables of a board of up to 4x4 cells."""
    return RowTables(*_tables(rules.walled), np.uint64(walls_of(rules)))


@cache
def _tables(walled: bool) -> tuple[NDArray[np.uint32], NDArray[np.int32]]:
    """All rows slid at once, walls standing still."""
    rows = exponents_of_rows()
    left, right, points = rows.copy(), rows.copy(), np.zeros(ROWS, np.int32)
    for cells, chosen in by_length(walled):
        lines = rows[chosen, :cells]
        left[chosen, :cells], points[chosen] = slide_all(lines, LARGEST // 2 if walled else LARGEST)
        right[chosen, :cells] = slide_all(lines[:, ::-1], LARGEST // 2 if walled else LARGEST)[0][:, ::-1]
    slides = pack_rows(left) | pack_rows(right) << np.uint32(16)
    for table in (slides, points):
        table.flags.writeable = False
    return slides, points


def exponents_of_rows() -> Exponents:
    """What stands in the cells of every row: [row, 4]."""
    return np.arange(ROWS)[:, None] >> SHIFTS & 15


def by_length(walled: bool) -> list[tuple[int, NDArray[np.int64]]]:
    """The rows of each length: all have four cells where there are no walls."""
    if not walled:
        return [(4, np.arange(ROWS))]
    walls = np.cumprod(exponents_of_rows()[:, ::-1] == 15, axis=1).sum(axis=1)
    return [(cells, np.flatnonzero(walls == 4 - cells)) for cells in range(1, 5)]


def line_table(rules: Rules2048, value: Callable[[Exponents], NDArray[np.int64]]) -> NDArray[np.int64]:
    """For each row what a function of many lines of one length says of it; nothing but walls is 0."""
    table, rows = np.zeros(ROWS, np.int64), exponents_of_rows()
    for cells, chosen in by_length(rules.walled):
        table[chosen] = value(rows[chosen, :cells])
    return table


def slide_all(rows: Exponents, largest: int = LARGEST) -> tuple[Exponents, NDArray[np.int32]]:
    """Rows [row, cell] slid to the left, and the points of each."""
    slid, points = squeezed(rows), np.zeros(len(rows), np.int32)
    for cell in range(rows.shape[1] - 1):
        merges = (slid[:, cell] == slid[:, cell + 1]) & (slid[:, cell] > 0) & (1 << slid[:, cell] < largest)
        slid[merges, cell] += 1
        points[merges] += 1 << slid[merges, cell]
        slid[merges, cell + 1 : -1] = slid[merges, cell + 2 :]
        slid[merges, -1] = 0
    return slid, points


def squeezed(rows: Exponents) -> Exponents:
    """Rows without the gaps, empty cells at their ends: [0 1 0 2] -> [1 2 0 0]."""
    return np.take_along_axis(rows, np.argsort(rows == 0, axis=1, kind="stable"), axis=1)


def pack_rows(rows: Exponents) -> NDArray[np.uint32]:
    """Rows [row, 4] as numbers of 16 bits."""
    return np.asarray(np.bitwise_or.reduce(rows << SHIFTS, axis=1), np.uint32)
