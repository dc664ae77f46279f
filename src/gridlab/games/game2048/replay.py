"""Is a played game what it says? Every move replayed by the rules, in a kernel.

boards[i]  --directions[i]-->  board  --one new 2 or 4-->  boards[i + 1], and after the last move the final board
scores[i]  + its points                                =   scores[i + 1], and the final score
"""

import numpy as np
from numpy.typing import NDArray

from gridlab.core.jit import kernel
from gridlab.games.game2048.kernels import FIFTEEN, FOUR, TWO, ZERO, Boards, move, points_of
from gridlab.games.game2048.row_tables import RowTables

SOUND, NOT_LEGAL, NO_SPAWN, CHANGED, WRONG_TILE, WRONG_SCORE = range(6)
REASONS = {
    NOT_LEGAL: "the move changes nothing, so it is not legal",
    NO_SPAWN: "no tile appeared after the move",
    CHANGED: "the next board is not the board after the move with one new tile",
    WRONG_TILE: "the new tile is neither 2 nor 4",
    WRONG_SCORE: "the score after the move is not the score before it and the tiles merged",
}


@kernel
def first_flaw(
    boards: Boards,
    directions: NDArray[np.int64],
    scores: NDArray[np.int64],
    last: np.uint64,
    total: int,
    rows: RowTables,
) -> tuple[int, int]:
    """The first move that the rules do not explain, from 0, or -1; and why. `last` and `total` are of the end."""
    for i in range(len(boards)):
        after = move(boards[i], directions[i], rows.slides)
        if after == boards[i]:
            return i, NOT_LEGAL
        following = boards[i + 1] if i + 1 < len(boards) else last
        reason = spawn_flaw(after, following)
        if reason != SOUND:
            return i, reason
        score = scores[i + 1] if i + 1 < len(boards) else total
        if scores[i] + points_of(boards[i], directions[i], rows.points) != score:
            return i, WRONG_SCORE
    return -1, SOUND


@kernel
def spawn_flaw(after: np.uint64, following: np.uint64) -> int:
    """Whether the one differs from the other by a new tile."""
    new = after ^ following
    if new == ZERO:
        return NO_SPAWN
    cell = ZERO
    while new >> cell & FIFTEEN == ZERO:
        cell += FOUR
    if new >> cell > FIFTEEN or after >> cell & FIFTEEN != ZERO:
        return CHANGED
    tile = new >> cell
    return SOUND if tile <= TWO else WRONG_TILE


@kernel
def afters(boards: Boards, rows: RowTables) -> Boards:
    """The boards after each move, before new tiles: [board, direction]; the same board where it is no move."""
    found = np.empty((len(boards), 4), np.uint64)
    for i in range(len(boards)):
        for direction in range(4):
            found[i, direction] = move(boards[i], direction, rows.slides)
    return found
