"""A step of thousands of in-a-row games in one kernel.

A game is two bitboards: `own`, the stones of the player to move, and `other`. A step lays a stone; then the players
change places. With `replies` an opponent who plays at random answers inside the step, and `own` is always the learner.

    observations  uint8[game, 2 · cells]   own stones, then those of the other player
    masks         int8[game, cells]        1 where a stone may be laid
    rewards       float64[game]            for whoever has moved: 1 won, -1 lost (by an illegal move too), else 0
    ended         bool[game]               whether the game has ended with this step

A game that has ended begins anew in the same step, and its last observation stays in `finals`; or in the next one,
whose action counts for nothing (`waiting` marks such games, and any action is allowed there).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import popcount
from gridlab.core.jit import inner, kernel
from gridlab.core.splitmix import States
from gridlab.environments.actions import by_chance, first_outside, nth_bit
from gridlab.games.mnk.kernels import LENGTH, RESULT, STARTS, STEP, run_starts

Stones = NDArray[np.int64]  # [game]
Cells = NDArray[Any]  # [game, cell]

LOSES, GOES_ON, WINS, DRAWS = range(-1, 3)
CROSSES, NOUGHTS, BY_CHANCE = range(3)  # which side the learner has against an opponent


@inner
def result_of(stones: int, others: int, board: int, runs: NDArray[np.int64]) -> int:
    """What the last stone of a player does to the game."""
    for run in range(len(runs)):
        if run_starts(stones, runs[run, LENGTH], runs[run, STEP], runs[run, STARTS]) != 0:
            return int(runs[run, RESULT])
    return DRAWS if stones | others == board else GOES_ON


@inner
def random_stone(free: int, states: States, game: int) -> int:
    """One of the free cells, all equally likely, as a bit."""
    return nth_bit(free, by_chance(popcount(free), states, game))


@inner
def write_board(own: int, other: int, free: int, game: int, observations: Cells, masks: Cells) -> None:
    """The row of a game in observations and masks."""
    cells = masks.shape[1]
    for cell in range(cells):
        observations[game, cell] = own >> cell & 1
        observations[game, cells + cell] = other >> cell & 1
        masks[game, cell] = free >> cell & 1


@inner
def first_stone(side: int, board: int, states: States, game: int) -> int:
    """What lies on the board when the learner moves first: the opponent's stone where the learner has the noughts."""
    if side == BY_CHANCE:
        side = by_chance(2, states, game)
    return random_stone(board, states, game) if side == NOUGHTS else 0


@kernel
def begin_games(
    chosen: NDArray[np.bool_], own: Stones, other: Stones, waiting: NDArray[np.bool_], states: States, board: int,
    replies: bool, side: int, observations: Cells, masks: Cells,
) -> None:  # fmt: skip
    """The chosen games begin anew."""
    for i in range(len(own)):
        if chosen[i]:
            own[i], waiting[i] = 0, False
            other[i] = first_stone(side, board, states, i) if replies else 0
            write_board(own[i], other[i], board & ~other[i], i, observations, masks)


@kernel
def step_games(
    own: Stones, other: Stones, waiting: NDArray[np.bool_], states: States, actions: NDArray[np.int64], board: int,
    runs: NDArray[np.int64], replies: bool, side: int, same_step: bool, observations: Cells, masks: Cells,
    rewards: NDArray[np.float64], ended: NDArray[np.bool_], finals: Cells,
) -> int:  # fmt: skip
    """A stone in every game, and -1; nothing if an action is no cell of the board, and the first game that has such."""
    cells = masks.shape[1]
    wrong = first_outside(actions, cells)
    if wrong >= 0:
        return wrong
    for i in range(len(own)):
        if waiting[i]:
            rewards[i], ended[i], waiting[i] = 0.0, False, False
            mine, theirs = 0, first_stone(side, board, states, i) if replies else 0
            own[i], other[i] = mine, theirs
            write_board(mine, theirs, board & ~theirs, i, observations, masks)
            continue
        mine, theirs = own[i], other[i]
        stone = 1 << actions[i]
        illegal = (mine | theirs) & stone != 0
        mine |= stone
        result = LOSES if illegal else result_of(mine, theirs, board, runs)
        if illegal:
            mine = own[i]
        elif replies and result == GOES_ON:
            theirs |= random_stone(board & ~(mine | theirs), states, i)
            result = result_of(theirs, mine, board, runs)
            if result != DRAWS:
                result = -result
        elif not replies:
            mine, theirs = theirs, mine
        over = result != GOES_ON
        rewards[i] = 0.0 if result == DRAWS else float(result)
        ended[i] = over
        if over and same_step:
            for cell in range(cells):
                finals[i, cell] = mine >> cell & 1
                finals[i, cells + cell] = theirs >> cell & 1
            mine, theirs = 0, first_stone(side, board, states, i) if replies else 0
        waiting[i] = over and not same_step
        own[i], other[i] = mine, theirs
        free = board if waiting[i] else board & ~(mine | theirs)
        write_board(mine, theirs, free, i, observations, masks)
    return -1
