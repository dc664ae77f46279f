"""Retrograde analysis, two plies at a time: the blocks of some X, step by step, each step a kernel.

O to move: all successors of (X, O) lie in the block of the same X (gridlab.exact.tablebase.noughts).
X to move: they lie in the blocks of other X, all over the next ply (gridlab.exact.tablebase.crosses).

Only plies with O to move have to be in memory as a whole: those with X to move are read and written block by block.
A run takes a fraction of a second, so `stop` is looked at between two of them.
"""

import numpy as np
from numpy.typing import NDArray

from gridlab.core.stop import Stop, stopped
from gridlab.exact.tablebase.blocks import Blocks, Run, blocks_at, runs
from gridlab.exact.tablebase.columns import columns_of, room_for_columns
from gridlab.exact.tablebase.crosses import Task, lower_by_crosses, room_for_rows
from gridlab.exact.tablebase.halves import Halves
from gridlab.exact.tablebase.marks import Marks, mark_lines, marks_of, room_for_marks
from gridlab.exact.tablebase.moves import moves_of
from gridlab.exact.tablebase.noughts import lower_by_noughts
from gridlab.exact.tablebase.rows import Scores, room_for_questions, step_back
from gridlab.exact.tablebase.scores import DEAD
from gridlab.exact.tablebase.tally import tally


def noughts_move(
    ply: int, job: range, scores: Scores, after: Scores, tables: Halves, counts: NDArray[np.int64], stop: Stop
) -> None:
    """Solve the blocks of the X of a job in `scores`, the whole of a ply with O to move.

    `after` holds the blocks of the same X with a nought more; scores of finished games are put into it here.
    """
    blocks = blocks_at(ply, scores, tables.order).of(job)
    blocks_after = blocks_at(ply + 1, after, tables.order)
    room, room_after = room_for_marks(tables.order), room_for_marks(tables.order)
    turned, lowest = np.empty(blocks_after.slots, np.int8), np.empty(blocks.slots, np.int8)
    questions = room_for_questions()
    for xs, run in runs(ply, job, tables):
        if stopped(stop):
            return
        here, there = blocks.of(xs), blocks_after.of(xs)
        mark_lines(run, there, tables.lines, tables.parts, marks_of(run, tables, room_after), 0)
        lower_by_noughts(run, here, there, turned, lowest, questions)
        finish(run, here, tables, marks_of(run, tables, room), counts)


def crosses_move(
    ply: int, job: range, scores: Scores, after: Scores, tables: Halves, counts: NDArray[np.int64], stop: Stop
) -> None:
    """Solve the blocks of the X of a job, which `scores` has room for, where X is to move; `after`: the next ply."""
    blocks, blocks_after = blocks_at(ply, scores, tables.order), blocks_at(ply + 1, after, tables.order)
    room, columns, rows = room_for_marks(tables.order), room_for_columns(tables), room_for_rows(tables)
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
        lower_by_crosses(task)
        finish(run, here, tables, marks_of(run, tables, room), counts)


def finish(run: Run, blocks: Blocks, tables: Halves, marks: Marks, counts: NDArray[np.int64]) -> None:
    """From the lowest successor of every slot to its score; dead slots are marked, the others counted."""
    step_back(blocks.scores)
    mark_lines(run, blocks, tables.lines, tables.parts, marks, DEAD)
    tally(run, blocks, tables.parts, tables.images, counts)
