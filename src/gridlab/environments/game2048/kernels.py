"""A step of thousands of games of 2048 in one kernel: slide, new tile, what can be done next, a new game where none.

    boards        uint64[game]      packed as in gridlab.games.game2048.kernels, with their walls
    observations  uint64[game, 2]   the exponents of the 4x4 board, a byte each: seen as bytes, [game, 4, 4]
    masks         uint32[game]      seen as bytes, [game, (up, down, left, right)]: 1 where the direction is a move
    rewards       float64[game]     the points of the move
    ended         bool[game]        whether no move is left

A direction that is no move leaves the board as it is, without a new tile, as the keys of the game do. A game that has
ended begins anew in the same step, and its last observation stays in `finals`; or in the next one, whose action counts
for nothing (`waiting` marks such games, and any action is allowed there).
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import int64
from gridlab.core.jit import inner, kernel
from gridlab.core.splitmix import States
from gridlab.environments.actions import first_outside
from gridlab.games.game2048.kernels import (
    FOUR,
    LEFT,
    ROW,
    S8,
    S16,
    S32,
    S48,
    Boards,
    slide_rows,
    spawn,
    start,
    transpose,
)  # fmt: skip
from gridlab.games.game2048.row_tables import ROWS, row_tables
from gridlab.games.game2048.rules import Rules2048

Flags = NDArray[np.bool_]  # [game]

SPREAD_16, SPREAD_8, SPREAD_4 = (
    np.uint64(each) for each in (0x0000FFFF0000FFFF, 0x00FF00FF00FF00FF, 0x0F0F0F0F0F0F0F0F)
)
LOWER = np.uint64(0xFFFFFFFF)


@cache
def moving_rows(walled: bool) -> NDArray[np.uint8]:
    """For each row whether it can slide to the left (1), to the right (2)."""
    slides = row_tables(Rules2048(3, 3) if walled else Rules2048()).slides
    rows = np.arange(ROWS, dtype=np.uint32)
    table: NDArray[np.uint8] = (slides & 0xFFFF != rows).astype(np.uint8) | (slides >> 16 != rows).astype(np.uint8) << 1
    table.flags.writeable = False
    return table


@cache
def masks_of_sets() -> NDArray[np.uint32]:
    """For each set of directions, bit 0 for up, its four bytes of a mask as one number."""
    bytes_of = np.arange(16)[:, None] >> np.arange(4) & 1
    return bytes_of.astype(np.uint8).view(np.uint32).ravel()


@inner
def moves_of(board: np.uint64, moving: NDArray[np.uint8]) -> int:
    """The directions that change a board, as bits: up, down, left, right from the lowest."""
    turned = transpose(board)
    columns = moving[turned & ROW] | moving[turned >> S16 & ROW] | moving[turned >> S32 & ROW] | moving[turned >> S48]
    lines = moving[board & ROW] | moving[board >> S16 & ROW] | moving[board >> S32 & ROW] | moving[board >> S48]
    return int64(columns) | int64(lines) << 2


@inner
def spread(half: np.uint64) -> np.uint64:
    """Eight cells of four bits as eight bytes."""
    half = (half | half << S16) & SPREAD_16
    half = (half | half << S8) & SPREAD_8
    return (half | half << FOUR) & SPREAD_4


@kernel
def begin_games(
    chosen: Flags, boards: Boards, waiting: Flags, states: States, walls: np.uint64, odds: tuple[int, int],
    moving: NDArray[np.uint8], sets: NDArray[np.uint32], observations: Boards, masks: NDArray[np.uint32],
) -> None:  # fmt: skip
    """The chosen games begin anew."""
    for i in range(len(boards)):
        if chosen[i]:
            board = start(walls, odds[0], odds[1], states, i)
            boards[i], waiting[i] = board, False
            observations[i, 0], observations[i, 1] = spread(board & LOWER), spread(board >> S32)
            masks[i] = sets[moves_of(board, moving)]


@kernel
def step_games(
    boards: Boards, waiting: Flags, states: States, actions: NDArray[np.int64], slides: NDArray[np.uint32],
    points: NDArray[np.int32], walls: np.uint64, odds: tuple[int, int], moving: NDArray[np.uint8],
    sets: NDArray[np.uint32], same_step: bool, observations: Boards, masks: NDArray[np.uint32],
    rewards: NDArray[np.float64], ended: Flags, finals: Boards,
) -> int:  # fmt: skip
    """A move in every game, and -1; nothing if an action is none of 0 to 3, and the first game that has such a one."""
    wrong = first_outside(actions, 4)
    if wrong >= 0:
        return wrong
    twos, fours = odds
    for i in range(len(boards)):
        board, gained = boards[i], 0
        if waiting[i]:
            board = start(walls, twos, fours, states, i)
        else:
            upright = actions[i] < LEFT
            lines = transpose(board) if upright else board
            front, back = slide_rows(lines, slides)
            slid = front if actions[i] & 1 == 0 else back
            gained = points[lines & ROW] + points[lines >> S16 & ROW]
            gained += points[lines >> S32 & ROW] + points[lines >> S48]
            if slid != lines:
                board = spawn(transpose(slid) if upright else slid, twos, fours, states, i)
            else:
                gained = 0
        rewards[i] = float(gained)
        moves = moves_of(board, moving)
        over = moves == 0
        ended[i], waiting[i] = over, over and not same_step
        if over:
            if same_step:
                finals[i, 0], finals[i, 1] = spread(board & LOWER), spread(board >> S32)
                board = start(walls, twos, fours, states, i)
                moves = moves_of(board, moving)
            else:
                moves = 15
        boards[i] = board
        observations[i, 0], observations[i, 1] = spread(board & LOWER), spread(board >> S32)
        masks[i] = sets[moves]
    return -1
