"""What the solver does, it does to rows: short runs of scores whose columns are the low halves of O.

A row is named by an array and the place where it begins. Places are unsigned, so that no index can count from the end.
"""

import numpy as np
from numpy.typing import NDArray

from gridlab.core.jit import kernel

Scores = NDArray[np.int8]


@kernel
def lower(target: Scores, at: int, source: Scores, start: int, length: int) -> None:
    """Each score of the target becomes the lower of itself and its counterpart in the source."""
    here, there = np.uint64(at), np.uint64(start)
    for i in range(np.uint64(length)):
        target[here + i] = min(target[here + i], source[there + i])


@kernel
def lower_at(
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


@kernel
def put(target: Scores, at: int, score: int, masks: Scores, start: int, length: int) -> None:
    """The score, wherever the mask is -1."""
    here, there, value = np.uint64(at), np.uint64(start), np.int8(score)
    for i in range(np.uint64(length)):
        target[here + i] = (target[here + i] & ~masks[there + i]) | (value & masks[there + i])


@kernel
def put_lines(target: Scores, at: int, lines: Scores, start: int, length: int, dead: int) -> None:
    """Wherever there is a line, its score, or `dead` if that is not 0."""
    here, there, instead = np.uint64(at), np.uint64(start), np.int8(dead)
    for i in range(np.uint64(length)):
        score, line = target[here + i], lines[there + i]  # both read first: then it is a choice without a branch
        target[here + i] = score if line == 0 else line if instead == 0 else instead


@kernel
def turn(source: Scores, start: int, rows: int, columns: int, target: Scores, at: int) -> None:
    """A matrix with its rows and columns exchanged."""
    for column in range(columns):
        here, there = np.uint64(at + column * rows), np.uint64(start + column)
        for row in range(np.uint64(rows)):
            target[here + row] = source[there + row * np.uint64(columns)]


@kernel
def step_back(target: Scores, at: int, length: int) -> None:
    """From the lowest successor to the score of the position: negated, one step towards 0."""
    here = np.uint64(at)
    for i in range(np.uint64(length)):
        lowest = target[here + i]
        target[here + i] = np.int8(lowest > 0) - np.int8(lowest < 0) - lowest


@kernel
def fill_dead(target: Scores, dead: int) -> None:
    """Slots that no game reaches take the score before them: the longest runs, the smallest file."""
    last = np.int8(0)
    for i in range(len(target)):
        last = last if target[i] == dead else target[i]
        target[i] = last


@kernel
def lower_by_one_more(
    target: Scores,
    at: int,
    source: Scores,
    start: int,
    cells: int,
    size: int,
    length: int,
    choose: NDArray[np.int64],
    open_: NDArray[np.int64],
) -> None:
    """Rows for all sets of `size` cells, each lowered by the rows of all sets that have one cell more.

    In ascending order the sets without the top cell come first. Those that add it are then one long run, the rest is
    the same question with a cell less:   target [ without | with ]     source [ without | with ]
                                                     ^------------------------------------'
    `open_` holds the questions still to be answered, [depth, 4].
    """
    depth = 1
    open_[0, 0], open_[0, 1], open_[0, 2], open_[0, 3] = at, start, cells, size
    while depth > 0:
        depth -= 1
        at, start, cells, size = open_[depth, 0], open_[depth, 1], open_[depth, 2], open_[depth, 3]
        while 0 < size < cells:
            cells -= 1
            without, skipped = choose[cells, size] * length, choose[cells, size + 1] * length
            lower(target, at, source, start + skipped, without)
            open_[depth, 0], open_[depth, 1], open_[depth, 2], open_[depth, 3] = at, start, cells, size
            depth += 1
            at += without
            start += skipped
            size -= 1
        if size == 0:
            for row in range(cells):
                lower(target, at, source, start + row * length, length)


@kernel
def lower_by_sets_without(
    cell: int,
    target: Scores,
    at: int,
    source: Scores,
    start: int,
    cells: int,
    size: int,
    length: int,
    choose: NDArray[np.int64],
    open_: NDArray[np.int64],
) -> None:
    """Rows for all sets of `size` cells; those without `cell` are lowered by the source, where it does not exist.

    Sets that agree above the cell are one run in both.
    """
    depth = 1
    open_[0, 0], open_[0, 1], open_[0, 2], open_[0, 3] = at, start, cells, size
    while depth > 0:
        depth -= 1
        at, start, cells, size = open_[depth, 0], open_[depth, 1], open_[depth, 2], open_[depth, 3]
        while cell < cells - 1 and size > 0:
            cells -= 1
            open_[depth, 0], open_[depth, 1], open_[depth, 2], open_[depth, 3] = at, start, cells, size
            depth += 1
            at += choose[cells, size] * length
            start += choose[cells - 1, size] * length
            size -= 1
        lower(target, at, source, start, choose[cells - 1 if size > 0 else 0, size] * length)
