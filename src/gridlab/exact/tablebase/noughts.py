"""O to move: all successors of a slot lie in the block of the same X, so each block is solved by itself.

A nought more in the high half: each row of a matrix is lowered by the rows that hold one cell more.
A nought more in the low half: the same for columns, so the matrices are turned before and after.
"""

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import popcount
from gridlab.core.jit import kernel
from gridlab.exact.tablebase.blocks import Blocks, Run
from gridlab.exact.tablebase.parts import CHOOSE, sizes_within
from gridlab.exact.tablebase.rows import Scores, lower_by_one_more, turn
from gridlab.exact.tablebase.scores import DEAD


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
        first, last = sizes_within(noughts, width, height)
        for size in range(first, last):
            high_size = noughts - size
            length, number = CHOOSE[width, size], CHOOSE[height, high_size]
            place = at + here.offsets[width, high_size]
            source, target = after.scores[at_after + after.offsets[width, high_size] :], here.scores[place:]
            turn(source, number, CHOOSE[width, size + 1], turned)
            lowest[: length * number] = DEAD
            lower_by_one_more(lowest, turned, width, size, number, questions)
            turn(lowest, length, number, target)
            source = after.scores[at_after + after.offsets[width, high_size + 1] :]
            lower_by_one_more(target, source, height, high_size, length, questions)
