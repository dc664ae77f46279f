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

from gridlab.core.jit import inner, kernel
from gridlab.inarow.exact.tablebase.halves import CHOOSE, CellOrder, Halves
from gridlab.inarow.rules import Rules

# ---- What the solver does, it does to rows: short runs of scores whose columns are the low halves of O
#
# A row is named by an array and the place where it begins. Places are unsigned, so that no index can count from the
# end.


Scores = NDArray[np.int8]


@inner
def min_into(target: Scores, at: int, source: Scores, start: int, length: int) -> None:
    """Each score of the target becomes the lower of itself and its counterpart in the source."""
    here, there = np.uint64(at), np.uint64(start)
    for i in range(np.uint64(length)):
        target[here + i] = min(target[here + i], source[there + i])


@inner
def min_into_at(
    target: Scores,
    at: int,
    source: Scores,
    start: int,
    to: NDArray[np.uint16],
    origin: NDArray[np.uint16],
    first: int,
    last: int,
) -> None:
    """The same for pairs of columns: `to[i]` of the target and `origin[i]` of the source."""
    here, there = np.uint64(at), np.uint64(start)
    for i in range(np.uint64(first), np.uint64(last)):
        column = here + to[i]
        target[column] = min(target[column], source[there + origin[i]])


@inner
def put(target: Scores, at: int, score: np.int8, masks: Scores, start: int, length: int) -> None:
    """The score, wherever the mask is -1."""
    here, there = np.uint64(at), np.uint64(start)
    for i in range(np.uint64(length)):
        target[here + i] = (target[here + i] & ~masks[there + i]) | (score & masks[there + i])


@inner
def put_lines(target: Scores, at: int, lines: Scores, start: int, length: int, dead: int) -> None:
    """Wherever there is a line, its score, or `dead` if that is not 0."""
    here, there, instead = np.uint64(at), np.uint64(start), np.int8(dead)
    for i in range(np.uint64(length)):
        score, line = target[here + i], lines[there + i]  # both read first: then it is a choice without a branch
        target[here + i] = score if line == 0 else line if instead == 0 else instead


@inner
def transpose(source: Scores, rows: int, columns: int, target: Scores) -> None:
    """A matrix with its rows and columns exchanged."""
    for column in range(columns):
        here, there = np.uint64(column * rows), np.uint64(column)
        for row in range(np.uint64(rows)):
            target[here + row] = source[there + row * np.uint64(columns)]


@kernel
def step_back(scores: Scores) -> None:
    """From the lowest successor to the score of the position: negated, one step towards 0."""
    for i in range(len(scores)):
        lowest = scores[i]
        scores[i] = np.int8(lowest > 0) - np.int8(lowest < 0) - lowest


@kernel
def fill_dead(scores: Scores, dead: int) -> None:
    """Slots that no game reaches take the score before them: the longest runs, the smallest file."""
    last = np.int8(0)
    for i in range(len(scores)):
        last = last if scores[i] == dead else scores[i]
        scores[i] = last


def room_for_questions() -> NDArray[np.int64]:
    """For the next two kernels: [depth, (place, place in the source, cells, size)] of what is still to be lowered."""
    return np.empty((len(CHOOSE), 4), np.int64)


@inner
def min_over_one_more(
    target: Scores, source: Scores, cells: int, size: int, length: int, questions: NDArray[np.int64]
) -> None:
    """Rows for all sets of `size` cells, each lowered by the rows of all sets that have one cell more.

    In ascending order the sets without the top cell come first. Those that add it are then one long run, the rest is
    the same question with a cell less:   target [ without | with ]     source [ without | with ]
                                                     ^------------------------------------'
    """
    depth = 1
    questions[0, 0], questions[0, 1], questions[0, 2], questions[0, 3] = 0, 0, cells, size
    while depth > 0:
        depth -= 1
        at, start, cells, size = questions[depth, 0], questions[depth, 1], questions[depth, 2], questions[depth, 3]
        while 0 < size < cells:
            cells -= 1
            without, skipped = CHOOSE[cells, size] * length, CHOOSE[cells, size + 1] * length
            min_into(target, at, source, start + skipped, without)
            questions[depth, 0], questions[depth, 1], questions[depth, 2], questions[depth, 3] = at, start, cells, size
            depth += 1
            at += without
            start += skipped
            size -= 1
        if size == 0:
            for row in range(cells):
                min_into(target, at, source, start + row * length, length)


@inner
def min_over_sets_without(
    cell: int, target: Scores, source: Scores, cells: int, size: int, length: int, questions: NDArray[np.int64]
) -> None:
    """Rows for all sets of `size` cells; those without `cell` are lowered by the source, where it does not exist.

    Sets that agree above the cell are one run in both.
    """
    depth = 1
    questions[0, 0], questions[0, 1], questions[0, 2], questions[0, 3] = 0, 0, cells, size
    while depth > 0:
        depth -= 1
        at, start, cells, size = questions[depth, 0], questions[depth, 1], questions[depth, 2], questions[depth, 3]
        while cell < cells - 1 and size > 0:
            cells -= 1
            questions[depth, 0], questions[depth, 1], questions[depth, 2], questions[depth, 3] = at, start, cells, size
            depth += 1
            at += CHOOSE[cells, size] * length
            start += CHOOSE[cells - 1, size] * length
            size -= 1
        min_into(target, at, source, start, CHOOSE[cells - 1 if size > 0 else 0, size] * length)


# ---- Blocks: the scores of all O on the free cells of one X, and where each stands


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
