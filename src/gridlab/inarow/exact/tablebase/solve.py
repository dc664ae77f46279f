"""Retrograde analysis, two plies at a time: the blocks of some X, step by step, each step a kernel.

O to move: all successors of (X, O) lie in the block of the same X (gridlab.inarow.exact.tablebase.solve).
X to move: they lie in the blocks of other X, all over the next ply (gridlab.inarow.exact.tablebase.crosses).

Only plies with O to move have to be in memory as a whole: those with X to move are read and written block by block.
A run takes a fraction of a second, so `stop` is looked at between two of them.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import Stop, int64, popcount, stopped
from gridlab.core.errors import CorruptFile
from gridlab.core.jit import inner, kernel
from gridlab.core.run import in_order, stop_flag
from gridlab.inarow.exact.census import Census
from gridlab.inarow.exact.tablebase import halves
from gridlab.inarow.exact.tablebase.blocks import (
    Blocks,
    Run,
    Scores,
    a_block,
    blocks_at,
    fill_dead,
    min_over_one_more,
    put,
    put_lines,
    room_for_questions,
    runs,
    shape,
    step_back,
    transpose,
)
from gridlab.inarow.exact.tablebase.crosses import (
    Task,
    columns_of,
    low_halves,
    min_over_crosses,
    moves_of,
    room_for_columns,
    room_for_rows,
)
from gridlab.inarow.exact.tablebase.file import PlyCounts, ScoreCounts
from gridlab.inarow.exact.tablebase.halves import CHOOSE, DEAD, CellOrder, Halves, Images, LineParts, Parts
from gridlab.inarow.rules import Rules

# ---- The terminal mask, wherever O has a line: such a game is over, or was never played


class TerminalMask(NamedTuple):
    """Scores of the lines that O has, 0 for none: a row for each high half, found once for all X of a run."""

    covers: Scores  # [part of a line · columns + column]: -1 where the low half of O covers the part
    rows: Scores  # [high half · widest + column]
    found: NDArray[np.bool_]  # [high half]: whether its row is known
    widest: int  # room for the columns of a row


def new_terminal_mask(order: CellOrder) -> TerminalMask:
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
        first, last = halves.sizes_within(noughts, width, popcount(free_high))
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
def lower_by_noughts(
    run: Run, here: Blocks, after: Blocks, turned: Scores, lowest: Scores, questions: NDArray[np.int64]
) -> None:
    """Every slot becomes its lowest successor: a nought more in the low half, or in the high half.

    `turned` and `lowest` have room for a block.
    """
    noughts, width = here.noughts, popcount(run.free_low)
    for x in range(len(run.free_highs)):
        height = popcount(run.free_highs[x])
        at, at_after = x * here.slots, x * after.slots
        first, last = halves.sizes_within(noughts, width, height)
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


# ---- How many positions have which score, all of them and up to symmetry


SMALLEST = 4  # the table of positions that are smallest among their images, for X with symmetries of their own
LANES = 4  # tables side by side, so that equal neighbours do not wait for each other


def new_counts() -> NDArray[np.int64]:
    """[table, lane, score + 128]; tables 0 to 3 are for X that 1, 2, 4, 8 symmetries leave as it is."""
    return np.zeros((SMALLEST + 1, LANES, 256), dtype=np.int64)


def totals(counts: NDArray[np.int64], symmetries: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All positions and those up to symmetry by score, two int64[score + 128]."""
    tables = counts.sum(axis=1)
    every = sum((symmetries >> table) * tables[table] for table in range(SMALLEST))
    return np.asarray(every), tables[0] + tables[SMALLEST]


@kernel
def tally(run: Run, blocks: Blocks, parts: Parts, images: Images, counts: NDArray[np.int64]) -> None:
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
def add(scores: Scores, at: int, slots: int, counts: NDArray[np.int64]) -> None:
    here = np.uint64(at)
    for i in range(np.uint64(slots)):
        counts[i & np.uint64(LANES - 1), np.int64(scores[here + i]) + 128] += 1


@inner
def add_smallest(
    x: int, own: int, run: Run, blocks: Blocks, parts: Parts, images: Images, counts: NDArray[np.int64]
) -> None:
    """Count the scores of those O that are smallest among their images under the symmetries of X."""
    sets, starts = parts.sets, parts.starts
    free_low, free_high, noughts = run.free_low, run.free_highs[x], blocks.noughts
    at = x * blocks.slots
    first, last = halves.sizes_within(noughts, popcount(free_high), popcount(free_low))
    for there in range(first, last):
        for row in range(starts[free_high, there], starts[free_high, there + 1]):
            for column in range(starts[free_low, noughts - there], starts[free_low, noughts - there + 1]):
                if is_smallest(int64(sets[column]), int64(sets[row]), own, images):
                    counts[0, int64(blocks.scores[at]) + 128] += 1
                at += 1


@inner
def own_symmetries(low: int, high: int, images: Images) -> int:
    """The symmetries that leave a set as it is, a bit for each; they leave what it does not hold as it is, too."""
    own = 0
    for symmetry in range(len(images.low)):
        if images.low[symmetry, low] == low and images.high[symmetry, high] == high:
            own |= 1 << symmetry
    return own


@inner
def is_smallest(low: int, high: int, symmetries: int, images: Images) -> bool:
    """Whether no image of O under some symmetries comes before it."""
    for symmetry in range(len(images.low)):
        if symmetries >> symmetry & 1:
            image_high, image_low = images.high[symmetry, high], images.low[symmetry, low]
            if image_high < high or (image_high == high and image_low < low):
                return False
    return True


# ---- Retrograde analysis, two plies at a time: the blocks of some X, step by step, each step a kernel


def noughts_move(
    ply: int, job: range, scores: Scores, after: Scores, tables: Halves, counts: NDArray[np.int64], stop: Stop
) -> None:
    """Solve the blocks of the X of a job in `scores`, the whole of a ply with O to move.

    `after` holds the blocks of the same X with a nought more; scores of finished games are put into it here.
    """
    blocks = blocks_at(ply, scores, tables.order).of(job)
    blocks_after = blocks_at(ply + 1, after, tables.order)
    room, room_after = new_terminal_mask(tables.order), new_terminal_mask(tables.order)
    turned, lowest = np.empty(blocks_after.slots, np.int8), np.empty(blocks.slots, np.int8)
    questions = room_for_questions()
    for xs, run in runs(ply, job, tables):
        if stopped(stop):
            return
        here, there = blocks.of(xs), blocks_after.of(xs)
        mask_lines(run, there, tables.lines, tables.parts, terminal_mask_of(run, tables, room_after), 0)
        lower_by_noughts(run, here, there, turned, lowest, questions)
        finish(run, here, tables, terminal_mask_of(run, tables, room), counts)


def crosses_move(
    ply: int, job: range, scores: Scores, after: Scores, tables: Halves, counts: NDArray[np.int64], stop: Stop
) -> None:
    """Solve the blocks of the X of a job, which `scores` has room for, where X is to move; `after`: the next ply."""
    blocks, blocks_after = blocks_at(ply, scores, tables.order), blocks_at(ply + 1, after, tables.order)
    room, columns, rows = new_terminal_mask(tables.order), room_for_columns(tables), room_for_rows(tables)
    for xs, run in runs(ply, job, tables):
        if stopped(stop):
            return
        here = blocks.of(xs)
        task = Task(
            run=run,
            moves=moves_of(run, tables),
            here=here,
            after=blocks_after,
            columns=columns_of(run, tables, columns),
            rows=rows,
            parts=tables.parts,
            high_images=tables.images.high,
            dead=tables.dead,
            low_cells=tables.order.low,
        )
        min_over_crosses(task)
        finish(run, here, tables, terminal_mask_of(run, tables, room), counts)


def finish(run: Run, blocks: Blocks, tables: Halves, mask: TerminalMask, counts: NDArray[np.int64]) -> None:
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
        self.halves = halves.halves(rules)
        self.stop = stop_flag()
        odd = range(1, rules.cells + 1, 2)
        self._memory: Scores = np.empty(max((self.slots(ply) for ply in odd), default=0), np.int8)  # for each in turn

    def slots(self, ply: int) -> int:
        crosses, _, _, slots = shape(self.rules.cells, ply)
        return self.halves.count(crosses) * slots

    def noughts_ply(self, ply: int, read: Read | None) -> list[PlyCounts]:
        """Solve a ply with O to move in memory; `read` gives the blocks of the next ply. Its counts, if it has any."""
        crosses, _, _, slots = shape(self.rules.cells, ply)
        scores = self._memory[: self.slots(ply)]
        if ply == self.rules.cells:
            scores[:] = 0  # a full board without a line
            self.advance(len(scores))
            return []
        slots_after = shape(self.rules.cells, ply + 1)[3]

        def solve(job: range) -> NDArray[np.int64]:
            found = new_counts()
            after = read(job) if read else np.zeros(len(job) * slots_after, np.int8)  # full boards
            noughts_move(ply, job, scores, after, self.halves, found, self.stop)
            return found

        counts = new_counts()
        for job, found in self._run(solve, crosses, slots_after):
            counts += found
            self.advance(len(job) * slots)
        return [self._counts(ply, counts)]

    def crosses_ply(
        self, ply: int, use: Callable[[range, Scores], Result], listed: list[PlyCounts]
    ) -> Iterator[Result]:
        """Solve a ply with X to move after `noughts_ply` of the next; yields what `use` makes of each range of X.

        Its counts are added to `listed` at the end.
        """
        crosses, _, _, slots = shape(self.rules.cells, ply)
        after = self._memory[: self.slots(ply + 1)]

        def solve(job: range) -> tuple[Result, NDArray[np.int64]]:
            found = new_counts()
            blocks = np.empty(len(job) * slots, np.int8)
            crosses_move(ply, job, blocks, after, self.halves, found, self.stop)
            for block in in_blocks(blocks, slots):
                fill_dead(block, DEAD)
            return use(job, blocks), found

        counts = new_counts()
        for job, (result, found) in self._run(solve, crosses, slots):
            counts += found
            self.advance(len(job) * slots)
            yield result
        listed.append(self._counts(ply, counts))

    def _run(self, solve: Callable[[range], Result], crosses: int, slots: int) -> Iterator[tuple[range, Result]]:
        """Jobs of whole blocks, and their results in order."""
        size = a_block(slots) * max(1, JOB // (a_block(slots) * slots))
        number = self.halves.count(crosses)
        jobs = [range(first, min(first + size, number)) for first in range(0, number, size)]
        yield from zip(jobs, in_order(solve, jobs, self.workers, self.stop), strict=True)

    def _counts(self, ply: int, counts: NDArray[np.int64]) -> PlyCounts:
        """The counts of a ply, which must be those of the census."""
        every, canonical = (by_score(each) for each in totals(counts, len(self.halves.images.low)))
        known = self.census.plies[ply]
        for found, expected in ((every, known.counts.ongoing), (canonical, known.canonical.ongoing)):
            if sum(found.values()) != expected:
                raise CorruptFile(
                    f"ply {ply} of {self.rules}: {sum(found.values()):,} positions solved, the census has {expected:,}"
                )
        return PlyCounts(ply, every, canonical)


def in_blocks(scores: Scores, slots: int) -> list[Scores]:
    """The scores of a range of X, cut as they stand in the file."""
    step = a_block(slots) * slots
    return [scores[at : at + step] for at in range(0, len(scores), step)]


def by_score(counts: NDArray[np.int64]) -> ScoreCounts:
    """{"99": 12, …}: the scores that occur, dead slots left out."""
    return {str(score): int(counts[score + 128]) for score in range(-100, 101) if counts[score + 128]}
