"""A position as the network sees it: 50 numbers, always for the player to move.

     0-24   the board          1 own stone, -1 the opponent's, 0 empty, from the top left
    25-30   patterns           winning lines one stone short / 5, two short / 10, losing lines one stone short / 10;
                               own and the opponent's beside each other, none above 1
    31-34   strategy           own and the opponent's stones in the middle / 9, stones / 25, free cells / 25
    35-49   zero

A line is somebody's while the other has no stone on it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import popcount
from gridlab.core.errors import BadRules
from gridlab.core.jit import kernel
from gridlab.games import NAMED
from gridlab.games.grid import move_text
from gridlab.inarow.rules import Rules
from gridlab.inarow.search.depth_limited import middle_of

SQUAVA = NAMED["squava"]
FEATURES = 50
PATTERNS, ZEROS = 25, 35  # where these parts begin
PATTERN_NAMES = (
    "own wins in one", "opponent's wins in one", "own wins in two", "opponent's wins in two",
    "own near-losses", "opponent's near-losses",
)  # fmt: skip
STRATEGY_NAMES = ("own middle", "opponent's middle", "stones", "free cells")
NAMES = (
    *(f"cell {move_text(cell, 5, 5)}" for cell in range(25)),
    *PATTERN_NAMES,
    *STRATEGY_NAMES,
    *("zero" for _ in range(ZEROS, FEATURES)),
)

Boards = NDArray[np.int64]  # [position, (stones of the player to move, stones of the other)]
Features = NDArray[np.float32]  # [position, feature]


class SquavaLines(NamedTuple):
    """The lines of Squava, for the compiler."""

    winning: NDArray[np.int64]
    losing: NDArray[np.int64]
    middle: int


def squava_lines(rules: Rules) -> SquavaLines:
    """The lines that the features count; they are made for one game."""
    if rules != SQUAVA:
        raise BadRules(f"the network has learnt {SQUAVA} (squava) and knows nothing of {rules}")
    return SquavaLines(
        np.array(rules.winning_lines, np.int64), np.array(rules.losing_lines, np.int64), middle_of(rules)
    )


def features_of(boards: Boards, lines: SquavaLines) -> Features:
    """The features of many positions."""
    out = np.zeros((len(boards), FEATURES), np.float32)
    fill_features(np.ascontiguousarray(boards, np.int64), lines, out)
    return out


@kernel
def fill_features(boards: Boards, lines: SquavaLines, out: Features) -> None:
    """Write the features of every board into zeroed rows."""
    winning, losing, middle = lines
    for i in range(len(boards)):
        own, other = boards[i, 0], boards[i, 1]
        row = out[i]
        for cell in range(PATTERNS):
            row[cell] = (own >> cell & 1) - (other >> cell & 1)
        my_wins, their_wins, my_chances, their_chances, my_dangers, their_dangers = 0, 0, 0, 0, 0, 0
        for line in winning:
            mine, theirs = popcount(own & line), popcount(other & line)
            my_wins += theirs == 0 and mine == 3
            my_chances += theirs == 0 and mine == 2
            their_wins += mine == 0 and theirs == 3
            their_chances += mine == 0 and theirs == 2
        for line in losing:
            mine, theirs = popcount(own & line), popcount(other & line)
            my_dangers += theirs == 0 and mine == 2
            their_dangers += mine == 0 and theirs == 2
        row[25], row[26] = min(my_wins / 5, 1.0), min(their_wins / 5, 1.0)
        row[27], row[28] = min(my_chances / 10, 1.0), min(their_chances / 10, 1.0)
        row[29], row[30] = min(my_dangers / 10, 1.0), min(their_dangers / 10, 1.0)
        stones = popcount(own | other)
        row[31], row[32] = popcount(own & middle) / 9, popcount(other & middle) / 9
        row[33], row[34] = stones / 25, (25 - stones) / 25
