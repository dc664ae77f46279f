"""Blocks: the scores of all O on the free cells of one X, and where each stands.

A block holds all sets O of one size as matrices: one for each number of noughts in the high half, in it a row for each
high half of O, in that a column for each low half, both ascending.

    two noughts, 3 free low cells, 2 free high cells

                low  011 101 110       low  001 010 100            low 000
      high 00:        .   .   .    01:       .   .   .        11:       .       10 slots, in this order
                                   10:       .   .   .

    slot = rank of X · C(free, noughts) + offset of the matrix + row · columns + column

X of a ply that follow one another and share their low half are a *run*: they have the same columns.
"""

from collections.abc import Iterator
from itertools import pairwise
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.exact.tablebase.halves import CellOrder, Halves
from gridlab.exact.tablebase.rows import Scores
from gridlab.games.mnk.rules import Rules

BLOCK = 1 << 16  # scores in a block of the file, about


class Shape(NamedTuple):
    """What the positions of a ply have in common."""

    crosses: int
    noughts: int
    free: int  # cells free of crosses
    slots: int  # of a block


def shape(cells: int, ply: int) -> Shape:
    crosses, noughts = (ply + 1) // 2, ply // 2
    return Shape(crosses, noughts, cells - crosses, comb(cells - crosses, noughts))


def stored_plies(rules: Rules, max_ply: int) -> range:
    """The plies with X to move that decide all positions up to `max_ply`; full boards are decided by the rules."""
    return range(0, min(max_ply + max_ply % 2, rules.cells - 1) + 1, 2)


def a_block(slots: int) -> int:
    """How many X share a block of the file."""
    return max(1, BLOCK // slots)


class Blocks(NamedTuple):
    """The blocks of some X, one after the other."""

    scores: Scores
    noughts: int
    slots: int  # of a block
    offsets: NDArray[np.int64]  # [free low cells, noughts in the high half]: where the matrix begins in a block

    def of(self, xs: range) -> "Blocks":
        """Those of some of the X."""
        return self._replace(scores=self.scores[xs.start * self.slots : xs.stop * self.slots])


def blocks_at(ply: int, scores: Scores, order: CellOrder) -> Blocks:
    """Scores of a ply as blocks."""
    _, noughts, free, slots = shape(order.low + order.high, ply)
    return Blocks(scores, noughts, slots, offsets_of(free, noughts, order))


def offsets_of(free: int, noughts: int, order: CellOrder) -> NDArray[np.int64]:
    """Where the rows with so many noughts in the high half begin in a block: [free low cells, noughts there]."""
    offsets = np.zeros((order.low + 1, order.high + 2), np.int64)
    for width in range(max(0, free - order.high), min(free, order.low) + 1):
        height = free - width
        matrices = [comb(height, there) * comb(width, noughts - there) for there in range(min(height, noughts) + 1)]
        offsets[width, 1 : len(matrices) + 1] = np.cumsum(matrices)
        offsets[width, len(matrices) + 1 :] = sum(matrices)
    return offsets


class Run(NamedTuple):
    """X that follow one another and share their low half."""

    low: int
    free_low: int  # the low cells it leaves free
    free_highs: NDArray[np.int64]  # [X]: the high cells each leaves free


def runs(ply: int, job: range, tables: Halves) -> Iterator[tuple[range, Run]]:
    """The runs among some X of a ply, each with its place in the job."""
    order, (lows, highs, starts) = tables.order, tables.crosses
    first = starts[shape(len(order.cells), ply).crosses] + job.start
    edges = [0, *(np.flatnonzero(np.diff(lows[first : first + len(job)])) + 1).tolist(), len(job)]
    for start, stop in pairwise(edges):
        low, high = int(lows[first + start]), highs[first + start : first + stop]
        yield range(start, stop), Run(low, ~low & (1 << order.low) - 1, ~high & np.int64((1 << order.high) - 1))
