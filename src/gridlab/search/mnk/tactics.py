"""What a player can see without looking ahead: cells that win, cells that lose.

    completing(stones)    the cells that would complete a run          X X . X   ->   . . # .
    gained(stones, cell)  those that the stone on `cell` has added

A cell that completes a run goes on doing so as stones are added, so a search carries these cells along.
"""

import numpy as np
from numpy.typing import NDArray

from gridlab.core.jit import kernel
from gridlab.games.mnk.kernels import LENGTH, RESULT, STARTS, STEP
from gridlab.games.mnk.rules import Rules

Lines = NDArray[np.int64]  # [cell, line]: the lines through a cell as bitboards, then 0


def lines_through(rules: Rules, lines: tuple[int, ...]) -> Lines:
    """The lines through each cell."""
    through = [[line for line in lines if line >> cell & 1] for cell in range(rules.cells)]
    table = np.zeros((rules.cells, max(map(len, through)) + 1), np.int64)
    for cell, each in enumerate(through):
        table[cell, : len(each)] = each
    return table


@kernel
def completing(stones: int, runs: NDArray[np.int64], result: int) -> int:
    """The cells, occupied or not, that complete a run of that result (1 wins, -1 loses)."""
    cells = 0
    for run in range(len(runs)):
        if runs[run, RESULT] != result:
            continue
        length, step, starts = runs[run, LENGTH], runs[run, STEP], runs[run, STARTS]
        for missing in range(length):
            found = starts
            for place in range(length):
                if place != missing:
                    found &= stones >> place * step
            cells |= found << missing * step
    return cells


@kernel
def gained(stones: int, cell: int, through: Lines) -> int:
    """The cells that complete a line through `cell`, which is one of the stones."""
    cells = 0
    i = 0
    while through[cell, i] != 0:
        rest = through[cell, i] & ~stones
        if rest & (rest - 1) == 0:
            cells |= rest
        i += 1
    return cells
