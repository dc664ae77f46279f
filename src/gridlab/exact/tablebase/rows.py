"""What the solver does, it does to rows: short runs of scores whose columns are the low halves of O.

A row is named by an array and the place where it begins. Places are unsigned, so that no index can count from the end.
"""

import numpy as np
from numpy.typing import NDArray

from gridlab.core.jit import inner, kernel
from gridlab.exact.tablebase.parts import CHOOSE

Scores = NDArray[np.int8]


@inner
def lower(target: Scores, at: int, source: Scores, start: int, length: int) -> None:
    """Each score of the target becomes the lower of itself and its counterpart in the source."""
    here, there = np.uint64(at), np.uint64(start)
    for i in range(np.uint64(length)):
        target[here + i] = min(target[here + i], source[there + i])


@inner
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
def turn(source: Scores, rows: int, columns: int, target: Scores) -> None:
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
def lower_by_one_more(
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
            lower(target, at, source, start + skipped, without)
            questions[depth, 0], questions[depth, 1], questions[depth, 2], questions[depth, 3] = at, start, cells, size
            depth += 1
            at += without
            start += skipped
            size -= 1
        if size == 0:
            for row in range(cells):
                lower(target, at, source, start + row * length, length)


@inner
def lower_by_sets_without(
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
        lower(target, at, source, start, CHOOSE[cells - 1 if size > 0 else 0, size] * length)
