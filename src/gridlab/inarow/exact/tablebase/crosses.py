"""X to move: each free cell leads into the block of another X, through the symmetry that makes it canonical.

If the cell lies in the high half, that is nearly always the identity, and rows are lowered as they are; if it lies in
the low half, columns are paired.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import int64, lowest_cell, popcount
from gridlab.core.jit import inner, kernel
from gridlab.inarow.exact.tablebase import halves
from gridlab.inarow.exact.tablebase.blocks import (
    Blocks,
    Run,
    Scores,
    min_into_at,
    min_over_sets_without,
    put,
    room_for_questions,
)
from gridlab.inarow.exact.tablebase.halves import CHOOSE, LOST, WON, Halves, LineParts, Parts, Ranking

# ---- The columns of a run, and what becomes of them after a cross and the symmetry that makes X canonical again
#
# two free low cells and a cross on cell 0; a symmetry that swaps cells 1 and 2; low halves of O with one nought
#
#   here     column 0: 001  -            has a nought where the cross should go
#            column 1: 010  -> 100       column 1 there       to = 1, 2
#            column 2: 100  -> 010       column 0 there       origin = 1, 0


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


# ---- The moves of X: which cells win, and for the others the X that a cross there leads to


NO_MOVE = -1  # in the place of a symmetry: the cell has a stone, or a cross there makes a line


class Moves(NamedTuple):
    """What a cross on each cell makes of the X of a run; low cells first."""

    wins: NDArray[np.int64]  # [X]: the cells that win, a bit for each
    symmetries: NDArray[np.int64]  # [X, cell]: the symmetry that makes X canonical again, or NO_MOVE
    ranks: NDArray[np.int64]  # [X, cell]: its rank then


def moves_of(run: Run, tables: Halves) -> Moves:
    cells, number = tables.order.low + tables.order.high, len(run.free_highs)
    moves = Moves(np.empty(number, np.int64), np.empty((number, cells), np.int64), np.empty((number, cells), np.int64))
    list_moves(run, tables.order.low, tables.lines, tables.images.high, tables.ranking, moves)
    return moves


@kernel
def list_moves(
    run: Run, low_cells: int, lines: LineParts, high_images: NDArray[np.int16], ranking: Ranking, moves: Moves
) -> None:
    """Fill `moves`."""
    every = high_images.shape[1] - 1
    for x in range(len(run.free_highs)):
        free_high = run.free_highs[x]
        high, free = every ^ free_high, run.free_low | free_high << low_cells
        moves.wins[x] = 0
        for cell in range(moves.ranks.shape[1]):
            stone = 1 << cell & free
            next_low, next_high = run.low | stone & (1 << low_cells) - 1, high | stone >> low_cells
            moves.symmetries[x, cell] = NO_MOVE
            if stone == 0:
                continue
            score = halves.line_score(next_low, next_high, lines)
            if score == 0:
                symmetry, rank = halves.canonical(next_low, next_high, high_images, ranking)
                moves.symmetries[x, cell], moves.ranks[x, cell] = symmetry, rank
            elif score < 0:
                moves.wins[x] |= stone


# ---- X to move: each free cell leads into the block of another X, through the symmetry that makes it canonical


HIGH, PLACE, LOW_SIZE = range(3)  # of an alive row


class Rows(NamedTuple):
    """The rows of a block that need an answer."""

    alive: NDArray[np.int64]  # [row, (HIGH half of O, PLACE in the scores, LOW_SIZE: noughts in the low half)]
    images: NDArray[np.int64]  # [symmetry, row]: the row that an alive one becomes, or -1
    questions: NDArray[np.int64]  # room for those that `min_over_sets_without` has still to answer


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
def min_over_crosses(task: Task) -> None:
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
    first, last = halves.sizes_within(noughts, width, popcount(free_high))
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
    first, last = halves.sizes_within(noughts, width, height - 1)
    for size in range(first, last):
        target = here.scores[x * here.slots + here.offsets[width, noughts - size] :]
        source = after.scores[base + after.offsets[width, noughts - size] :]
        min_over_sets_without(cell, target, source, height, noughts - size, CHOOSE[width, size], questions)


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
            min_into_at(scores, rows[i, PLACE], after, source, to, origin, first, last)


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
