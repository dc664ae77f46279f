"""X to move: each free cell leads into the block of another X, through the symmetry that makes it canonical.

If the cell lies in the high half, that is nearly always the identity, and rows are lowered as they are; if it lies in
the low half, columns are paired.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import int64, lowest_cell, popcount
from gridlab.core.jit import inner, kernel
from gridlab.exact.tablebase.blocks import Blocks, Run
from gridlab.exact.tablebase.columns import Columns
from gridlab.exact.tablebase.halves import Halves
from gridlab.exact.tablebase.moves import NO_MOVE, Moves
from gridlab.exact.tablebase.parts import CHOOSE, Parts, sizes_within
from gridlab.exact.tablebase.rows import lower_at, lower_by_sets_without, put, room_for_questions
from gridlab.exact.tablebase.scores import LOST, WON

HIGH, PLACE, LOW_SIZE = range(3)  # of an alive row


class Rows(NamedTuple):
    """The rows of a block that need an answer."""

    alive: NDArray[np.int64]  # [row, (HIGH half of O, PLACE in the scores, LOW_SIZE: noughts in the low half)]
    images: NDArray[np.int64]  # [symmetry, row]: the row that an alive one becomes, or -1
    questions: NDArray[np.int64]  # room for those that `lower_by_sets_without` has still to answer


class Task(NamedTuple):
    """All that it takes to lower the blocks of a run."""

    run: Run
    moves: Moves
    here: Blocks
    after: Blocks  # the whole next ply
    columns: Columns
    rows: Rows
    parts: Parts
    high_images: NDArray[np.int16]  # [symmetry, high half]
    dead: NDArray[np.bool_]  # [high half]: whether it has a line by itself
    low_cells: int


def room_for_rows(tables: Halves) -> Rows:
    every, symmetries = 1 << tables.order.high, len(tables.images.high)
    return Rows(np.empty((every, 3), np.int64), np.empty((symmetries, every), np.int64), room_for_questions())


@kernel
def lower_by_crosses(task: Task) -> None:
    """Every slot of the run becomes its lowest successor."""
    free_highs, low_cells = task.run.free_highs, task.low_cells
    symmetries, ranks = task.moves.symmetries, task.moves.ranks
    for x in range(len(free_highs)):
        free_high = free_highs[x]
        alive = begin(x, task)
        imaged = 0  # the symmetries under which the rows are known, with no cross in the high half
        for cell in range(symmetries.shape[1]):
            symmetry = symmetries[x, cell]
            if symmetry == NO_MOVE:
                continue
            base = ranks[x, cell] * task.after.slots
            stone = 1 << cell >> low_cells  # nothing if the cell lies in the low half
            if stone != 0 and symmetry == 0:
                lower_unpaired(x, popcount(free_high & stone - 1), base, task)
                continue
            if stone != 0 or imaged >> symmetry & 1 == 0:
                image_rows(symmetry, free_high & ~stone, stone, alive, task)
                imaged |= 1 << symmetry
            lower_paired(min(cell, low_cells), symmetry, base, alive, task)
        win_low(x, alive, task)


@inner
def begin(x: int, task: Task) -> int:
    """Fill a block with what is known before looking ahead, and list the rows where that is not enough.

    A winning cell that is free in the high half decides a whole row; else a move that loses is the worst there is.
    """
    scores, offsets, noughts = task.here.scores, task.here.offsets, task.here.noughts
    sets, starts, alive, dead = task.parts.sets, task.parts.starts, task.rows.alive, task.dead
    wins, free_high = task.moves.wins[x] >> task.low_cells, task.run.free_highs[x]
    width = popcount(task.run.free_low)
    found = 0
    first, last = sizes_within(noughts, width, popcount(free_high))
    for size in range(first, last):
        place, length = x * task.here.slots + offsets[width, noughts - size], CHOOSE[width, size]
        for i in range(starts[free_high, noughts - size], starts[free_high, noughts - size + 1]):
            high = int64(sets[i])
            won = wins & ~high != 0
            scores[place : place + length] = LOST if won else WON
            if not won and not dead[high]:
                alive[found, HIGH], alive[found, PLACE], alive[found, LOW_SIZE] = high, place, size
                found += 1
            place += length
    return found


@inner
def lower_unpaired(x: int, cell: int, base: int, task: Task) -> None:
    """A cross on a free cell of the high half, and X stays as it is: rows are lowered as they stand."""
    here, after, noughts, questions = task.here, task.after, task.here.noughts, task.rows.questions
    width, height = popcount(task.run.free_low), popcount(task.run.free_highs[x])
    first, last = sizes_within(noughts, width, height - 1)
    for size in range(first, last):
        target = here.scores[x * here.slots + here.offsets[width, noughts - size] :]
        source = after.scores[base + after.offsets[width, noughts - size] :]
        lower_by_sets_without(cell, target, source, height, noughts - size, CHOOSE[width, size], questions)


@inner
def image_rows(symmetry: int, free_high: int, stone: int, alive: int, task: Task) -> None:
    """Which row each alive one becomes under a symmetry; -1 for those with a nought on `stone`."""
    trits, ranks, high_images = task.parts.trits, task.parts.ranks, task.high_images
    rows, images = task.rows.alive, task.rows.images
    whole = trits[high_images[symmetry, free_high]]
    for i in range(alive):
        high = rows[i, HIGH]
        if high & stone == 0:
            images[symmetry, i] = ranks[whole + trits[high_images[symmetry, high]]]
        else:
            images[symmetry, i] = -1


@inner
def lower_paired(cell: int, symmetry: int, base: int, alive: int, task: Task) -> None:
    """Lower the alive rows, column by column, after a cross on a low cell (or on none) and a symmetry."""
    rows, images, offsets = task.rows.alive, task.rows.images, task.after.offsets
    to, origin, starts = task.columns.to, task.columns.origin, task.columns.starts
    scores, after, noughts = task.here.scores, task.after.scores, task.here.noughts
    width = popcount(task.run.free_low) - (cell < task.low_cells)
    for i in range(alive):
        size = rows[i, LOW_SIZE]
        if size <= width and images[symmetry, i] >= 0:
            source = base + offsets[width, noughts - size] + images[symmetry, i] * CHOOSE[width, size]
            first, last = starts[cell, symmetry, size], starts[cell, symmetry, size + 1]
            lower_at(scores, rows[i, PLACE], after, source, to, origin, first, last)


@inner
def win_low(x: int, alive: int, task: Task) -> None:
    """Where a winning cell of the low half is free, nothing is better."""
    scores, misses, rows, starts = task.here.scores, task.columns.misses, task.rows.alive, task.parts.starts
    free = task.run.free_low
    rest = task.moves.wins[x] & (1 << task.low_cells) - 1
    while rest != 0:
        first = lowest_cell(rest) << popcount(free)
        rest &= rest - 1
        for i in range(alive):
            size = rows[i, LOW_SIZE]
            column, length = starts[free, size] - starts[free, 0], starts[free, size + 1] - starts[free, size]
            put(scores, rows[i, PLACE], np.int8(LOST), misses, first + column, length)
