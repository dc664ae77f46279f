"""Marks wherever O has a line: such a game is over, or was never played."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import int64, popcount
from gridlab.core.jit import inner, kernel
from gridlab.exact.tablebase.blocks import Blocks, Run
from gridlab.exact.tablebase.columns import low_halves
from gridlab.exact.tablebase.halves import CellOrder, Halves
from gridlab.exact.tablebase.lines import LineParts
from gridlab.exact.tablebase.parts import CHOOSE, Parts, sizes_within
from gridlab.exact.tablebase.rows import Scores, put, put_lines


class Marks(NamedTuple):
    """Scores of the lines that O has, 0 for none: a row for each high half, found once for all X of a run."""

    covers: Scores  # [part of a line · columns + column]: -1 where the low half of O covers the part
    rows: Scores  # [high half · widest + column]
    found: NDArray[np.bool_]  # [high half]: whether its row is known
    widest: int  # room for the columns of a row


def room_for_marks(order: CellOrder) -> Marks:
    widest = int(CHOOSE[order.low, order.low // 2])
    rows = np.empty(widest << order.high, np.int8)
    return Marks(np.empty(0, np.int8), rows, np.empty(1 << order.high, np.bool_), widest)


def marks_of(run: Run, tables: Halves, room: Marks) -> Marks:
    """The marks of a run, none of them found yet, in the room of an earlier one."""
    room.found[:] = False
    covered = tables.lines.parts[:, None] & ~low_halves(run.free_low, tables.parts) == 0
    return room._replace(covers=-covered.view(np.int8).reshape(-1))


@kernel
def mark_lines(run: Run, blocks: Blocks, lines: LineParts, parts: Parts, marks: Marks, dead: int) -> None:
    """Wherever noughts have a line, put its score, or `dead` if that is not 0."""
    scores, noughts, sets, starts = blocks.scores, blocks.noughts, parts.sets, parts.starts
    found, rows, free_low = marks.found, marks.rows, run.free_low
    width = popcount(free_low)
    for x in range(len(run.free_highs)):
        free_high = run.free_highs[x]
        first, last = sizes_within(noughts, width, popcount(free_high))
        for size in range(first, last):
            column, length = starts[free_low, size] - starts[free_low, 0], CHOOSE[width, size]
            place = x * blocks.slots + blocks.offsets[width, noughts - size]
            for i in range(starts[free_high, noughts - size], starts[free_high, noughts - size + 1]):
                high = int64(sets[i])
                if not found[high]:
                    find_lines(high, free_low, column, length, lines, marks)
                put_lines(scores, place, rows, high * marks.widest, length, dead)
                place += length


@inner
def find_lines(high: int, free_low: int, column: int, length: int, lines: LineParts, marks: Marks) -> None:
    """Fill the row of a high half, for low halves of one size: `length` columns from `column` on."""
    marks.found[high] = True
    at = high * marks.widest
    marks.rows[at : at + length] = 0
    for entry in range(lines.needs[high], lines.needs[high + 1]):
        part = int64(lines.part_of[entry])
        if lines.parts[part] & ~free_low == 0:
            start = (part << popcount(free_low)) + column
            put(marks.rows, at, lines.score_of[entry], marks.covers, start, length)
