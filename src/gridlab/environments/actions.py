"""Actions of many games at once: are they in the space, and random ones that are allowed."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import int64, lowest_cell, popcount
from gridlab.core.jit import inner, kernel
from gridlab.core.splitmix import States, below, draw

Actions = NDArray[np.int64]  # [game]


@inner
def first_outside(actions: Actions, number: int) -> int:
    """The first game whose action is none of 0 to number - 1, or -1."""
    outside = False
    for i in range(len(actions)):  # a vector instruction for some at a time
        outside |= (actions[i] < 0) | (actions[i] >= number)
    if outside:
        for i in range(len(actions)):
            if not 0 <= actions[i] < number:
                return i
    return -1


@inner
def by_chance(limit: int, states: States, game: int) -> int:
    """A number from 0 to limit - 1 by the stream of a game."""
    return below(draw(states, game), limit)


@inner
def nth_bit(bits: int, n: int) -> int:
    """The n-th of the bits that are set, counted from 0."""
    for _ in range(n):
        bits &= bits - 1
    return bits & -bits


@kernel
def draw_actions(masks: NDArray[Any], states: States, actions: Actions) -> None:
    """For each game one of the actions that its mask [game, action] allows, all equally likely; a stream a game."""
    for i in range(len(actions)):
        allowed = 0
        for action in range(masks.shape[1]):
            allowed |= int64(masks[i, action]) << action
        actions[i] = lowest_cell(nth_bit(allowed, by_chance(popcount(allowed), states, i)))
