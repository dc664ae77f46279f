"""Retrograde analysis, two plies at a time.

O to move: all successors of (X, O) lie in the block of the same X, so a block is solved by itself (`noughts_move`). The
matrix is lowered by rows with one nought more in the high half, and, turned, by those with one more in the low half.

X to move: each free cell leads into the block of another X, through the symmetry that makes it canonical
(`crosses_move`). If the cell lies in the high half, that is nearly always the identity, and rows are lowered as they
are; if it lies in the low half, columns are paired.

Only plies with O to move have to be in memory as a whole: those with X to move are read and written block by block.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import lowest_bit, lowest_cell, popcount
from gridlab.core.jit import kernel
from gridlab.core.stop import Stop, stopped
from gridlab.exact.tablebase.columns import Columns, find_lines, new_columns, pair_columns, set_columns
from gridlab.exact.tablebase.halves import (
    Halves,
    canonical,
    crosses_at,
    free_of,
    line_score,
    list_parts,
    offsets_of,
)
from gridlab.exact.tablebase.rows import (
    Scores,
    lower_at,
    lower_by_one_more,
    lower_by_sets_without,
    put,
    put_lines,
    step_back,
    turn,
)
from gridlab.exact.tablebase.scores import DEAD, LOST, WON
from gridlab.exact.tablebase.tally import tally


class Rows(NamedTuple):
    """The high halves of O for one high half of X."""

    sets: NDArray[np.int16]  # [place]: by size, ascending
    starts: NDArray[np.int64]  # [size]: where they begin
    questions: NDArray[np.int64]  # [depth, 4]: room for those that `lower_by…` has still to answer
    alive: NDArray[np.int64]  # [row, 3]: high half, place in the block and low size of rows that need an answer
    images: NDArray[np.int64]  # [symmetry, row]: the row that an alive one becomes


@kernel
def new_rows(halves: Halves) -> Rows:
    every = 1 << halves.high
    return Rows(
        np.empty(every, np.int16),
        np.empty(halves.high + 2, np.int64),
        np.empty((halves.low + halves.high + 1, 4), np.int64),
        np.empty((every, 3), np.int64),
        np.empty((len(halves.high_images), every), np.int64),
    )


@kernel
def noughts_move(
    first: int,
    last: int,
    crosses: int,
    noughts: int,
    halves: Halves,
    after: Scores,
    ply: Scores,
    counts: NDArray[np.int64],
    stop: Stop,
) -> None:
    """Solve the blocks of X from `first` to `last` in `ply`, where O is to move.

    `after` holds the blocks of the same X with a nought more; scores of finished games are put into it here.
    """
    free = halves.low + halves.high - crosses
    slots, slots_after = halves.choose[free, noughts], halves.choose[free, noughts + 1]
    offsets, offsets_after = offsets_of(free, noughts, halves), offsets_of(free, noughts + 1, halves)
    columns, columns_after, rows = new_columns(halves), new_columns(halves), new_rows(halves)
    turned, lowest = np.empty(slots_after, np.int8), np.empty(slots, np.int8)
    previous = -1
    for x in range(first, last):
        if stopped(stop):
            return
        low, high = crosses_at(crosses, x, halves)
        free_low, free_high = free_of(low, high, halves)
        if low != previous:
            previous = low
            set_columns(free_low, halves, columns)
            set_columns(free_low, halves, columns_after)
        list_parts(free_high, rows.sets, rows.starts)
        here, there = offsets[popcount(free_low)], offsets_after[popcount(free_low)]
        at, at_after = x * slots, (x - first) * slots_after
        mark_lines(after, at_after, there, noughts + 1, low, free_high, halves, columns_after, rows, 0)
        lower_by_noughts(
            ply, at, here, after, at_after, there, noughts, free_low, free_high, halves, rows, turned, lowest
        )
        step_back(ply, at, slots)
        mark_lines(ply, at, here, noughts, low, free_high, halves, columns, rows, DEAD)
        tally(ply, at, noughts, low, high, halves, columns, rows.sets, rows.starts, counts)


@kernel
def lower_by_noughts(
    ply: Scores,
    at: int,
    here: NDArray[np.int64],
    after: Scores,
    at_after: int,
    there: NDArray[np.int64],
    noughts: int,
    free_low: int,
    free_high: int,
    halves: Halves,
    rows: Rows,
    turned: Scores,
    lowest: Scores,
) -> None:
    """The lowest successor of every slot of a block: a nought more in the low half, or in the high half."""
    choose, questions = halves.choose, rows.questions
    width, height = popcount(free_low), popcount(free_high)
    for size in range(max(0, noughts - height), min(width, noughts) + 1):
        high_size = noughts - size
        length, number = choose[width, size], choose[height, high_size]
        place = at + here[high_size]
        turn(after, at_after + there[high_size], number, choose[width, size + 1], turned, 0)
        lowest[: length * number] = DEAD
        lower_by_one_more(lowest, 0, turned, 0, width, size, number, choose, questions)
        turn(lowest, 0, length, number, ply, place)
        source = at_after + there[high_size + 1]
        lower_by_one_more(ply, place, after, source, height, high_size, length, choose, questions)


@kernel
def crosses_move(
    first: int,
    last: int,
    crosses: int,
    noughts: int,
    halves: Halves,
    after: Scores,
    blocks: Scores,
    counts: NDArray[np.int64],
    stop: Stop,
) -> None:
    """Solve the blocks of X from `first` to `last`, where X is to move; `after` is the whole next ply."""
    free = halves.low + halves.high - crosses
    slots = halves.choose[free, noughts]
    offsets, offsets_after = offsets_of(free, noughts, halves), offsets_of(free - 1, noughts, halves)
    columns, rows = new_columns(halves), new_rows(halves)
    previous = -1
    for x in range(first, last):
        if stopped(stop):
            return
        low, high = crosses_at(crosses, x, halves)
        free_low, free_high = free_of(low, high, halves)
        if low != previous:
            previous = low
            set_columns(free_low, halves, columns)
            pair_columns(free_low, halves, columns)
        list_parts(free_high, rows.sets, rows.starts)
        here, at = offsets[popcount(free_low)], (x - first) * slots
        wins, safe = moves_of(low, high, halves)
        alive = begin(blocks, at, here, noughts, wins >> halves.low, free_low, free_high, halves, rows)
        lower_by_high_moves(
            blocks, at, here, after, offsets_after, noughts, low, high, safe, alive, halves, columns, rows
        )
        lower_by_low_moves(blocks, after, offsets_after, noughts, low, high, safe, alive, halves, columns, rows)
        win_low(blocks, wins, alive, halves, columns, rows)
        step_back(blocks, at, slots)
        mark_lines(blocks, at, here, noughts, low, free_high, halves, columns, rows, DEAD)
        tally(blocks, at, noughts, low, high, halves, columns, rows.sets, rows.starts, counts)


@kernel
def moves_of(low: int, high: int, halves: Halves) -> tuple[int, int]:
    """The cells on which a cross wins, and those on which it makes no line."""
    wins = safe = 0
    for cell in range(halves.low):
        score = line_score(low | 1 << cell, high, halves.lines)
        wins |= (score < 0) << cell
        safe |= (score == 0) << cell
    for cell in range(halves.high):
        score = line_score(low, high | 1 << cell, halves.lines)
        wins |= (score < 0) << halves.low + cell
        safe |= (score == 0) << halves.low + cell
    stones = high << halves.low | low
    return wins & ~stones, safe & ~stones


@kernel
def begin(
    blocks: Scores,
    at: int,
    here: NDArray[np.int64],
    noughts: int,
    high_wins: int,
    free_low: int,
    free_high: int,
    halves: Halves,
    rows: Rows,
) -> int:
    """Fill a block with what is known before looking ahead, and list the rows where that is not enough.

    A winning cell that is free in the high half decides a whole row; else a move that loses is the worst there is.
    """
    sets, starts, alive = rows.sets, rows.starts, rows.alive
    width, height = popcount(free_low), popcount(free_high)
    found = 0
    for size in range(max(0, noughts - height), min(width, noughts) + 1):
        place, length = at + here[noughts - size], halves.choose[width, size]
        for i in range(starts[noughts - size], starts[noughts - size + 1]):
            high = int(sets[i])
            won = high_wins & ~high != 0
            blocks[place : place + length] = LOST if won else WON
            if not won and line_score(0, high, halves.lines) == 0:
                alive[found, 0], alive[found, 1], alive[found, 2] = high, place, size
                found += 1
            place += length
    return found


@kernel
def lower_by_high_moves(
    blocks: Scores,
    at: int,
    here: NDArray[np.int64],
    after: Scores,
    offsets_after: NDArray[np.int64],
    noughts: int,
    low: int,
    high: int,
    safe: int,
    alive: int,
    halves: Halves,
    columns: Columns,
    rows: Rows,
) -> None:
    """A cross in the high half: the columns stay what they are, unless X has a symmetric low half."""
    choose, questions = halves.choose, rows.questions
    free_high = ~high & (1 << halves.high) - 1
    width, height = halves.low - popcount(low), popcount(free_high)
    there = offsets_after[width]
    slots_after = choose[width + height - 1, noughts]
    rest = safe >> halves.low
    while rest != 0:
        stone = lowest_bit(rest)
        rest ^= stone
        symmetry, rank = canonical(low, high | stone, halves)
        base = rank * slots_after
        if symmetry == 0:
            cell = popcount(free_high & stone - 1)
            for size in range(max(0, noughts - height + 1), min(width, noughts) + 1):
                place, source = at + here[noughts - size], base + there[noughts - size]
                lower_by_sets_without(
                    cell, blocks, place, after, source, height, noughts - size, choose[width, size], choose, questions
                )
        else:
            image_rows(symmetry, free_high & ~stone, stone, alive, halves, rows)
            lower_paired(halves.low, symmetry, blocks, after, base, there, width, noughts, alive, halves, columns, rows)


@kernel
def lower_by_low_moves(
    blocks: Scores,
    after: Scores,
    offsets_after: NDArray[np.int64],
    noughts: int,
    low: int,
    high: int,
    safe: int,
    alive: int,
    halves: Halves,
    columns: Columns,
    rows: Rows,
) -> None:
    """A cross in the low half: some symmetry makes X canonical again, and columns are paired as it has them."""
    free_high = ~high & (1 << halves.high) - 1
    width = halves.low - popcount(low) - 1
    slots_after = halves.choose[width + popcount(free_high), noughts]
    imaged = 0
    rest = safe & (1 << halves.low) - 1
    while rest != 0:
        stone = lowest_bit(rest)
        rest ^= stone
        symmetry, rank = canonical(low | stone, high, halves)
        if imaged >> symmetry & 1 == 0:
            imaged |= 1 << symmetry
            image_rows(symmetry, free_high, 0, alive, halves, rows)
        base, there = rank * slots_after, offsets_after[width]
        lower_paired(
            lowest_cell(stone), symmetry, blocks, after, base, there, width, noughts, alive, halves, columns, rows
        )


@kernel
def image_rows(symmetry: int, free_high: int, stone: int, alive: int, halves: Halves, rows: Rows) -> None:
    """Which row each alive one becomes under a symmetry; -1 for those with a nought on `stone`."""
    trits, high_images, rank_within = halves.trits, halves.high_images, halves.rank_within
    lists, images = rows.alive, rows.images
    whole = trits[high_images[symmetry, free_high]]
    for i in range(alive):
        high = lists[i, 0]
        if high & stone == 0:
            images[symmetry, i] = rank_within[whole + trits[high_images[symmetry, high]]]
        else:
            images[symmetry, i] = -1


@kernel
def lower_paired(
    cell: int,
    symmetry: int,
    blocks: Scores,
    after: Scores,
    base: int,
    there: NDArray[np.int64],
    width: int,
    noughts: int,
    alive: int,
    halves: Halves,
    columns: Columns,
    rows: Rows,
) -> None:
    """Lower the alive rows, column by column, after a cross on a low cell (or on none) and a symmetry."""
    choose, lists, images = halves.choose, rows.alive, rows.images
    to, origin, pairs = columns.to.reshape(-1), columns.origin.reshape(-1), columns.pairs
    first = (cell * len(halves.low_images) + symmetry) << halves.low
    for i in range(alive):
        size = lists[i, 2]
        if size <= width and images[symmetry, i] >= 0:
            source = base + there[noughts - size] + images[symmetry, i] * choose[width, size]
            lower_at(
                blocks, lists[i, 1], after, source, to, origin, first + pairs[cell, size], first + pairs[cell, size + 1]
            )


@kernel
def win_low(blocks: Scores, wins: int, alive: int, halves: Halves, columns: Columns, rows: Rows) -> None:
    """Where a winning cell of the low half is free, nothing is better."""
    lists, starts, misses = rows.alive, columns.starts, columns.misses.reshape(-1)
    rest = wins & (1 << halves.low) - 1
    while rest != 0:
        first = lowest_cell(rest) << halves.low
        rest &= rest - 1
        for i in range(alive):
            size = lists[i, 2]
            put(blocks, lists[i, 1], LOST, misses, first + starts[size], starts[size + 1] - starts[size])


@kernel
def mark_lines(
    blocks: Scores,
    at: int,
    here: NDArray[np.int64],
    noughts: int,
    low: int,
    free_high: int,
    halves: Halves,
    columns: Columns,
    rows: Rows,
    dead: int,
) -> None:
    """Wherever noughts have a line, put its score, or `dead`: such a game is over, or was never played."""
    sets, starts, column_starts = rows.sets, rows.starts, columns.starts
    lines, found, widest = columns.lines, columns.found, columns.widest
    width, height = halves.low - popcount(low), popcount(free_high)
    for size in range(max(0, noughts - height), min(width, noughts) + 1):
        place, length = at + here[noughts - size], column_starts[size + 1] - column_starts[size]
        for i in range(starts[noughts - size], starts[noughts - size + 1]):
            high = int(sets[i])
            if not found[high]:
                find_lines(high, low, size, halves, columns)
            put_lines(blocks, place, lines, high * widest, length, dead)
            place += length
