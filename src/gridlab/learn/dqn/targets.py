"""What a network should have said: rewards, and what comes after with its sign turned.

The position after a move is the opponent's, and what is good for the opponent is bad for the mover:

    target = reward - γ·V(position after)        and the reward alone where nothing comes after

By Double DQN the position after is worth its best answer, in place of V: the network that learns says which that is,
the target network what it is worth. So a value that is too high by chance is not taken for the best and believed too.
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float32]


def negamax_targets(rewards: Numbers, values_after: Numbers, done: NDArray[np.bool_], gamma: float) -> Numbers:
    """The targets of moves from what the position after each is worth to the opponent."""
    after = np.where(done, 0, values_after).astype(np.float32)
    return rewards - np.float32(gamma) * after


def double_values(choosing: Numbers, valuing: Numbers, starts: NDArray[np.int64]) -> Numbers:
    """What positions are worth by their best moves: those of position i begin at starts[i], and each has two values."""
    chosen = [first + int(choosing[first:end].argmax()) for first, end in pairwise(starts.tolist())]
    return valuing[chosen]


def rewards_of(result: int, length: int, shaping: bool = False) -> Numbers:
    """The rewards of the moves of a game; `result` is 1 if the last move won, -1 if it lost, 0 for a draw.

    Only the last move is rewarded. With shaping every move has the result for its maker, from half of it for the
    first move to all of it for the last.
    """
    rewards = np.zeros(length, np.float32)
    if shaping:
        for move in range(length):
            sign = 1 if (length - 1 - move) % 2 == 0 else -1
            rewards[move] = sign * result * (0.5 + 0.5 * (move + 1) / length)
    rewards[-1] = result
    return rewards
