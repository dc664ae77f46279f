"""Retrograde analysis, two plies at a time: the blocks of some X, step by step, each step a kernel.

O to move: all successors of (X, O) lie in the block of the same X.
X to move: they lie in the blocks of other X, all over the next ply.

Only plies with O to move have to be in memory as a whole: those with X to move are read and written block by block.
A run takes a fraction of a second, so `stop` is looked at between two of them.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import Stop, int64, lowest_cell, popcount, stopped
from gridlab.core.errors import CorruptFile
from gridlab.core.jit import inner, kernel
from gridlab.core.run import in_order, stop_flag
from gridlab.inarow.exact.census import Census
from gridlab.inarow.exact.tablebase import layout
from gridlab.inarow.exact.tablebase.layout import CHOOSE, DEAD, LOST, WON, Blocks, Halves, LineParts, Parts, Run, Scores
from gridlab.inarow.kernels import Int64s
from gridlab.inarow.rules import Rules

# ---- What the solver does, it does to rows: short runs of scores whose columns are the low halves of O
#
# A row is named by an array and the place where it begins. Places are unsigned, so that no index can count from the
# end.


@inner
def min_into(target: Scores, at: int, source: Scores, start: int, length: int) -> None:
    """Each score of the target becomes the lower of itself and its counterpart in the source."""
    here, there = np.uint64(at), np.uint64(start)
    for i in range(np.uint64(length)):
        target[here + i] = min(target[here + i], source[there + i])


@inner
def min_into_at(
    target: Scores, at: int, source: Scores, start: int, to: NDArray[np.uint16], origin: NDArray[np.uint16], first: int,
    last: int,
) -> None:  # fmt: skip
    """Each score in column `to[i]` of the target becomes the lower of itself and column `origin[i]` of the source."""
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


def room_for_questions() -> Int64s:
    """For the next two kernels: [depth, (place, place in the source, cells, size)] of what is still to be lowered."""
    return np.empty((len(CHOOSE), 4), np.int64)


@inner
def min_over_one_more(target: Scores, source: Scores, cells: int, size: int, length: int, questions: Int64s) -> None:
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
    cell: int, target: Scores, source: Scores, cells: int, size: int, length: int, questions: Int64s
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
    starts: Int64s  # [cell, symmetry, size]: the first pair; the cell after the last low one stands for none


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


# ---- The terminal mask, wherever O has a line: such a game is over, or was never played


class TerminalMask(NamedTuple):
    """Scores of the lines that O has, 0 for none: a row for each high half, found once for all X of a run."""

    covers: Scores  # [part of a line · columns + column]: -1 where the low half of O covers the part
    rows: Scores  # [high half · widest + column]
    found: NDArray[np.bool_]  # [high half]: whether its row is known
    widest: int  # room for the columns of a row


def new_terminal_mask(order: layout.CellOrder) -> TerminalMask:
    widest = int(CHOOSE[order.low, order.low // 2])
    rows = np.empty(widest << order.high, np.int8)
    return TerminalMask(np.empty(0, np.int8), rows, np.empty(1 << order.high, np.bool_), widest)


def terminal_mask_of(run: Run, tables: Halves, room: TerminalMask) -> TerminalMask:
    """The mask of a run, nothing of it found yet, in the memory of an earlier one."""
    room.found[:] = False
    covered = tables.lines.parts[:, None] & ~low_halves(run.free_low, tables.parts) == 0
    return room._replace(covers=-covered.view(np.int8).reshape(-1))


@kernel
def mask_lines(run: Run, blocks: Blocks, lines: LineParts, parts: Parts, mask: TerminalMask, dead: int) -> None:
    """Wherever noughts have a line, put its score, or `dead` if that is not 0."""
    scores, noughts, sets, starts = blocks.scores, blocks.noughts, parts.sets, parts.starts
    found, rows, free_low = mask.found, mask.rows, run.free_low
    width = popcount(free_low)
    for x in range(len(run.free_highs)):
        free_high = run.free_highs[x]
        first, last = layout.sizes_within(noughts, width, popcount(free_high))
        for size in range(first, last):
            column, length = starts[free_low, size] - starts[free_low, 0], CHOOSE[width, size]
            place = x * blocks.slots + blocks.offsets[width, noughts - size]
            for i in range(starts[free_high, noughts - size], starts[free_high, noughts - size + 1]):
                high = int64(sets[i])
                if not found[high]:
                    find_lines(high, free_low, column, length, lines, mask)
                put_lines(scores, place, rows, high * mask.widest, length, dead)
                place += length


@inner
def find_lines(high: int, free_low: int, column: int, length: int, lines: LineParts, mask: TerminalMask) -> None:
    """Fill the row of a high half, for low halves of one size: `length` columns from `column` on."""
    mask.found[high] = True
    at = high * mask.widest
    mask.rows[at : at + length] = 0
    for entry in range(lines.needs[high], lines.needs[high + 1]):
        part = int64(lines.part_of[entry])
        if lines.parts[part] & ~free_low == 0:
            start = (part << popcount(free_low)) + column
            put(mask.rows, at, lines.score_of[entry], mask.covers, start, length)


# ---- O to move: all successors of a slot lie in the block of the same X, so each block is solved by itself
#
# A nought more in the high half: each row of a matrix is lowered by the rows that hold one cell more.
# A nought more in the low half: the same for columns, so the matrices are turned before and after.


@kernel
def lower_by_noughts(run: Run, here: Blocks, after: Blocks, turned: Scores, lowest: Scores, questions: Int64s) -> None:
    """Every slot becomes its lowest successor: a nought more in the low half, or in the high half.

    `turned` and `lowest` have room for a block.
    """
    noughts, width = here.noughts, popcount(run.free_low)
    for x in range(len(run.free_highs)):
        height = popcount(run.free_highs[x])
        at, at_after = x * here.slots, x * after.slots
        first, last = layout.sizes_within(noughts, width, height)
        for size in range(first, last):
            high_size = noughts - size
            length, number = CHOOSE[width, size], CHOOSE[height, high_size]
            place = at + here.offsets[width, high_size]
            source, target = after.scores[at_after + after.offsets[width, high_size] :], here.scores[place:]
            transpose(source, number, CHOOSE[width, size + 1], turned)
            lowest[: length * number] = DEAD
            min_over_one_more(lowest, turned, width, size, number, questions)
            transpose(lowest, length, number, target)
            source = after.scores[at_after + after.offsets[width, high_size + 1] :]
            min_over_one_more(target, source, height, high_size, length, questions)


# ---- The moves of X: which cells win, and for the others the X that a cross there leads to


NO_MOVE = -1  # in the place of a symmetry: the cell has a stone, or a cross there makes a line


class Moves(NamedTuple):
    """What a cross on each cell makes of the X of a run; low cells first."""

    wins: Int64s  # [X]: the cells that win, a bit for each
    symmetries: Int64s  # [X, cell]: the symmetry that makes X canonical again, or NO_MOVE
    ranks: Int64s  # [X, cell]: its rank then


def moves_of(run: Run, tables: Halves) -> Moves:
    cells, number = tables.order.low + tables.order.high, len(run.free_highs)
    moves = Moves(np.empty(number, np.int64), np.empty((number, cells), np.int64), np.empty((number, cells), np.int64))
    list_moves(run, tables.order.low, tables.lines, tables.images.high, tables.ranking, moves)
    return moves


@kernel
def list_moves(
    run: Run, low_cells: int, lines: LineParts, high_images: NDArray[np.int16], ranking: layout.Ranking, moves: Moves
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
            score = layout.line_score(next_low, next_high, lines)
            if score == 0:
                symmetry, rank = layout.canonical(next_low, next_high, high_images, ranking)
                moves.symmetries[x, cell], moves.ranks[x, cell] = symmetry, rank
            elif score < 0:
                moves.wins[x] |= stone


# ---- X to move: each free cell leads into the block of another X, through the symmetry that makes it canonical
#
# If the cell lies in the high half, that is nearly always the identity, and rows are lowered as they are; if it lies in
# the low half, columns are paired.


HIGH, PLACE, LOW_SIZE = range(3)  # of an alive row


class Rows(NamedTuple):
    """The rows of a block that need an answer."""

    alive: Int64s  # [row, (HIGH half of O, PLACE in the scores, LOW_SIZE: noughts in the low half)]
    images: Int64s  # [symmetry, row]: the row that an alive one becomes, or -1
    questions: Int64s  # room for those that `min_over_sets_without` has still to answer


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
    first, last = layout.sizes_within(noughts, width, popcount(free_high))
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
    first, last = layout.sizes_within(noughts, width, height - 1)
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


# ---- How many positions have which score, all of them and up to symmetry


SMALLEST = 4  # the table of positions that are smallest among their images, for X with symmetries of their own
LANES = 4  # tables side by side, so that equal neighbours do not wait for each other


def new_counts() -> Int64s:
    """[table, lane, score + 128]; tables 0 to 3 are for X that 1, 2, 4, 8 symmetries leave as it is."""
    return np.zeros((SMALLEST + 1, LANES, 256), dtype=np.int64)


def totals(counts: Int64s, symmetries: int) -> tuple[Int64s, Int64s]:
    """All positions and those up to symmetry by score, two int64[score + 128]."""
    tables = counts.sum(axis=1)
    every = sum((symmetries >> table) * tables[table] for table in range(SMALLEST))
    return np.asarray(every), tables[0] + tables[SMALLEST]


@kernel
def tally(run: Run, blocks: Blocks, parts: Parts, images: layout.Images, counts: Int64s) -> None:
    """Count the scores of the blocks of a run."""
    for x in range(len(run.free_highs)):
        own = own_symmetries(run.free_low, run.free_highs[x], images)
        table = 0
        while 1 << table < popcount(own):
            table += 1
        add(blocks.scores, x * blocks.slots, blocks.slots, counts[table])
        if table > 0:
            add_smallest(x, own, run, blocks, parts, images, counts[SMALLEST])


@inner
def add(scores: Scores, at: int, slots: int, counts: Int64s) -> None:
    here = np.uint64(at)
    for i in range(np.uint64(slots)):
        counts[i & np.uint64(LANES - 1), np.int64(scores[here + i]) + 128] += 1


@inner
def add_smallest(
    x: int, own: int, run: Run, blocks: Blocks, parts: Parts, images: layout.Images, counts: Int64s
) -> None:
    """Count the scores of those O that are smallest among their images under the symmetries of X."""
    sets, starts = parts.sets, parts.starts
    free_low, free_high, noughts = run.free_low, run.free_highs[x], blocks.noughts
    at = x * blocks.slots
    first, last = layout.sizes_within(noughts, popcount(free_high), popcount(free_low))
    for there in range(first, last):
        for row in range(starts[free_high, there], starts[free_high, there + 1]):
            for column in range(starts[free_low, noughts - there], starts[free_low, noughts - there + 1]):
                if is_smallest(int64(sets[column]), int64(sets[row]), own, images):
                    counts[0, int64(blocks.scores[at]) + 128] += 1
                at += 1


@inner
def own_symmetries(low: int, high: int, images: layout.Images) -> int:
    """The symmetries that leave a set as it is, a bit for each; they leave what it does not hold as it is, too."""
    own = 0
    for symmetry in range(len(images.low)):
        if images.low[symmetry, low] == low and images.high[symmetry, high] == high:
            own |= 1 << symmetry
    return own


@inner
def is_smallest(low: int, high: int, symmetries: int, images: layout.Images) -> bool:
    """Whether no image of O under some symmetries comes before it."""
    for symmetry in range(len(images.low)):
        if symmetries >> symmetry & 1:
            image_high, image_low = images.high[symmetry, high], images.low[symmetry, low]
            if image_high < high or (image_high == high and image_low < low):
                return False
    return True


# ---- Retrograde analysis, two plies at a time: the blocks of some X, step by step, each step a kernel


def noughts_move(
    ply: int, job: range, scores: Scores, after: Scores, tables: Halves, counts: Int64s, stop: Stop
) -> None:
    """Solve the blocks of the X of a job in `scores`, the whole of a ply with O to move.

    `after` holds the blocks of the same X with a nought more; scores of finished games are put into it here.
    """
    blocks = layout.blocks_at(ply, scores, tables.order).of(job)
    blocks_after = layout.blocks_at(ply + 1, after, tables.order)
    room, room_after = new_terminal_mask(tables.order), new_terminal_mask(tables.order)
    turned, lowest = np.empty(blocks_after.slots, np.int8), np.empty(blocks.slots, np.int8)
    questions = room_for_questions()
    for xs, run in layout.runs(ply, job, tables):
        if stopped(stop):
            return
        here, there = blocks.of(xs), blocks_after.of(xs)
        mask_lines(run, there, tables.lines, tables.parts, terminal_mask_of(run, tables, room_after), 0)
        lower_by_noughts(run, here, there, turned, lowest, questions)
        finish(run, here, tables, terminal_mask_of(run, tables, room), counts)


def crosses_move(
    ply: int, job: range, scores: Scores, after: Scores, tables: Halves, counts: Int64s, stop: Stop
) -> None:
    """Solve the blocks of the X of a job, which `scores` has room for, where X is to move; `after`: the next ply."""
    blocks, blocks_after = layout.blocks_at(ply, scores, tables.order), layout.blocks_at(ply + 1, after, tables.order)
    room, columns, rows = new_terminal_mask(tables.order), room_for_columns(tables), room_for_rows(tables)
    for xs, run in layout.runs(ply, job, tables):
        if stopped(stop):
            return
        here = blocks.of(xs)
        steps, pairs = moves_of(run, tables), columns_of(run, tables, columns)
        constant = tables.parts, tables.images.high, tables.dead, tables.order.low
        task = Task(run, steps, here, blocks_after, pairs, rows, *constant)
        min_over_crosses(task)
        finish(run, here, tables, terminal_mask_of(run, tables, room), counts)


def finish(run: Run, blocks: Blocks, tables: Halves, mask: TerminalMask, counts: Int64s) -> None:
    """From the lowest successor of every slot to its score; dead slots are marked, the others counted."""
    step_back(blocks.scores)
    mask_lines(run, blocks, tables.lines, tables.parts, mask, DEAD)
    tally(run, blocks, tables.parts, tables.images, counts)


# ---- Whole plies, solved by many workers: O to move in memory, X to move a range of X at a time
#
# What a range is good for is the caller's business: a build packs it and writes it, a verification compares it.


JOB = 1 << 22  # scores that a worker solves at a time, about

Result = TypeVar("Result")
Read = Callable[[range], Scores]  # the blocks of a range of X, one after the other, for the solver to write in
Advance = Callable[[int], object]  # told how many scores have been done


class Solver:
    """Solves the plies of a game from the last to the first, two by two."""

    def __init__(self, rules: Rules, counts: Census, workers: int | None, advance: Advance) -> None:
        self.rules, self.census, self.workers, self.advance = rules, counts, workers, advance
        self.halves = layout.halves(rules)
        self.stop = stop_flag()
        odd = range(1, rules.cells + 1, 2)
        self._memory: Scores = np.empty(max((self.slots(ply) for ply in odd), default=0), np.int8)  # for each in turn

    def slots(self, ply: int) -> int:
        crosses, _, _, slots = layout.shape(self.rules.cells, ply)
        return self.halves.count(crosses) * slots

    def noughts_ply(self, ply: int, read: Read | None) -> list[layout.PlyCounts]:
        """Solve a ply with O to move in memory; `read` gives the blocks of the next ply. Its counts, if it has any."""
        scores, listed = self._memory[: self.slots(ply)], list[layout.PlyCounts]()
        if ply == self.rules.cells:
            scores[:] = 0  # a full board without a line
            self.advance(len(scores))
            return listed
        slots_after = layout.shape(self.rules.cells, ply + 1).slots

        def solve(job: range, counts: Int64s) -> None:
            after = read(job) if read else np.zeros(len(job) * slots_after, np.int8)  # full boards
            noughts_move(ply, job, scores, after, self.halves, counts, self.stop)

        for _ in self._solved(ply, solve, slots_after, listed):
            pass
        return listed

    def crosses_ply(
        self, ply: int, use: Callable[[range, Scores], Result], listed: list[layout.PlyCounts]
    ) -> Iterator[Result]:
        """Solve a ply with X to move after `noughts_ply` of the next; yields what `use` makes of each range of X.

        Its counts are added to `listed` at the end.
        """
        slots = layout.shape(self.rules.cells, ply).slots
        after = self._memory[: self.slots(ply + 1)]

        def solve(job: range, counts: Int64s) -> Result:
            blocks = np.empty(len(job) * slots, np.int8)
            crosses_move(ply, job, blocks, after, self.halves, counts, self.stop)
            for block in in_blocks(blocks, slots):
                fill_dead(block, DEAD)
            return use(job, blocks)

        return self._solved(ply, solve, slots, listed)

    def _solved(
        self, ply: int, solve: Callable[[range, Int64s], Result], a_job: int, listed: list[layout.PlyCounts]
    ) -> Iterator[Result]:
        """The results of jobs of whole blocks in order, as large as so many slots for each X allow; then the counts."""
        crosses, _, _, slots = layout.shape(self.rules.cells, ply)
        size = layout.a_block(a_job) * max(1, JOB // (layout.a_block(a_job) * a_job))
        number = self.halves.count(crosses)
        jobs = [range(first, min(first + size, number)) for first in range(0, number, size)]

        def counted(job: range) -> tuple[Result, Int64s]:
            found = new_counts()
            return solve(job, found), found

        counts = new_counts()
        for job, (result, found) in zip(jobs, in_order(counted, jobs, self.workers, self.stop), strict=True):
            counts += found
            self.advance(len(job) * slots)
            yield result
        listed.append(self._counts(ply, counts))

    def _counts(self, ply: int, counts: Int64s) -> layout.PlyCounts:
        """The counts of a ply, which must be those of the census."""
        every, canonical = (by_score(each) for each in totals(counts, len(self.halves.images.low)))
        known = self.census.plies[ply]
        for found, expected in ((every, known.counts.ongoing), (canonical, known.canonical.ongoing)):
            if (solved := sum(found.values())) != expected:
                said = f"{solved:,} positions solved, the census has {expected:,}"
                raise CorruptFile(f"ply {ply} of {self.rules}: {said}")
        return layout.PlyCounts(ply, every, canonical)


def in_blocks(scores: Scores, slots: int) -> list[Scores]:
    """The scores of a range of X, cut as they stand in the file."""
    step = layout.a_block(slots) * slots
    return [scores[at : at + step] for at in range(0, len(scores), step)]


def by_score(counts: Int64s) -> layout.ScoreCounts:
    """{"99": 12, …}: the scores that occur, dead slots left out."""
    return {str(score): int(counts[score + 128]) for score in range(-100, 101) if counts[score + 128]}
