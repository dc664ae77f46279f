"""What a player can see without looking ahead: cells that win, cells that lose, and what follows from them at once.

    completing(stones)    the cells that would complete a run          X X . X   ->   . . # .
    gained(stones, cell)  those that the stone on `cell` has added

A cell that completes a run goes on doing so as stones are added, so a search carries these cells along from move to
move. It keeps a frame for each ply, a row of numbers that begins with the position as its player to move sees it:

    OWN  OTHER                              stones
    OWN_WINS  OTHER_WINS                    the cells, occupied or not, that complete a winning run
    OWN_LOSSES  OTHER_LOSSES                those that complete a losing one

A score tells when the game ends: END - t if the player to move wins and the game then has t stones, t - END if that
player loses, 0 for a draw. It belongs to the position, not to the way there, so it can be kept in a table as it is.
"""

import numpy as np
from numpy.typing import NDArray

from gridlab.core.jit import kernel
from gridlab.games.mnk.kernels import LENGTH, RESULT, STARTS, STEP
from gridlab.search.mnk.geometry import LinesThrough

Frames = NDArray[np.int64]  # [ply, column]

OWN, OTHER, OWN_WINS, OTHER_WINS, OWN_LOSSES, OTHER_LOSSES = range(6)
POSITION = 6  # columns that a position takes
END = 100
UNDECIDED = -(1 << 40)  # in the place of a score: it takes a search


@kernel
def completing(stones: int, runs: NDArray[np.int64]) -> tuple[int, int]:
    """The cells, occupied or not, that complete a winning run, and those that complete a losing one."""
    wins, losses = 0, 0
    for run in range(len(runs)):
        length, step, starts = runs[run, LENGTH], runs[run, STEP], runs[run, STARTS]
        cells = 0
        for missing in range(length):
            found = starts
            for place in range(length):
                if place != missing:
                    found &= stones >> place * step
            cells |= found << missing * step
        if runs[run, RESULT] > 0:
            wins |= cells
        else:
            losses |= cells
    return wins, losses


@kernel
def gained(stones: int, cell: int, through: LinesThrough) -> int:
    """The cells that complete a line through `cell`, which is one of the stones."""
    cells = 0
    i = 0
    while through[cell, i] != 0:
        rest = through[cell, i] & ~stones
        if rest & (rest - 1) == 0:
            cells |= rest
        i += 1
    return cells


@kernel
def fills(stones: int, cell: int, through: LinesThrough) -> bool:
    """Whether a line through `cell` is full of these stones."""
    i = 0
    while through[cell, i] & ~stones != 0:
        i += 1
    return bool(through[cell, i] != 0)


@kernel
def glance(free: int, own_wins: int, own_losses: int, other_wins: int, stones: int) -> tuple[int, int]:
    """What can be said at once of a position with so many stones: its score, or UNDECIDED and the moves to try."""
    if free == 0:
        return 0, 0
    if own_wins & free != 0:
        return END - stones - 1, 0
    safe = free & ~own_losses
    if safe == 0:
        return stones + 1 - END, 0
    threats = other_wins & free
    if threats != 0 and (threats & (threats - 1) != 0 or threats & safe == 0):
        return stones + 2 - END, 0
    if safe == free and free & (free - 1) == 0:
        return 0, 0  # the last cell, and it makes no line
    return UNDECIDED, threats if threats != 0 else safe


@kernel
def put_position(own: int, other: int, frames: Frames, runs: NDArray[np.int64]) -> None:
    """Begin the first frame with a position."""
    frames[0, OWN], frames[0, OTHER] = own, other
    frames[0, OWN_WINS], frames[0, OWN_LOSSES] = completing(own, runs)
    frames[0, OTHER_WINS], frames[0, OTHER_LOSSES] = completing(other, runs)


@kernel
def make_move(cell: int, ply: int, frames: Frames, winning: LinesThrough, losing: LinesThrough) -> None:
    """Begin the next frame with the position after a move that does not end the game, as the opponent sees it."""
    stones = frames[ply, OWN] | 1 << cell
    frames[ply + 1, OWN], frames[ply + 1, OTHER] = frames[ply, OTHER], stones
    frames[ply + 1, OWN_WINS], frames[ply + 1, OWN_LOSSES] = frames[ply, OTHER_WINS], frames[ply, OTHER_LOSSES]
    frames[ply + 1, OTHER_WINS] = frames[ply, OWN_WINS] | gained(stones, cell, winning)
    frames[ply + 1, OTHER_LOSSES] = frames[ply, OWN_LOSSES] | gained(stones, cell, losing)
