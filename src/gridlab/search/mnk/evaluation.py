"""What a position looks like to a player who does not look ahead: open lines, near-losses, the centre.

A line is open to a player while the opponent has no stone on it. A winning line one stone short counts 200, two short
20, three short 2; a losing line one stone short counts 100 against its owner; each stone in the middle counts 10.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import popcount
from gridlab.core.jit import kernel
from gridlab.games.mnk.rules import Rules

OPEN_LINE = (0, 200, 20, 2)  # by stones missing
NEARLY_LOST, MIDDLE = 100, 10


class Evaluation(NamedTuple):
    """What the evaluation needs to know of a game, for the compiler."""

    winning: NDArray[np.int64]  # [line]
    losing: NDArray[np.int64]  # [line]
    win: int  # stones of a winning line; 0 if there is none
    lose: int
    middle: int  # the cells around the centre, as a bitboard


def evaluation_of(rules: Rules) -> Evaluation:
    return Evaluation(
        np.array(rules.winning_lines, np.int64),
        np.array(rules.losing_lines, np.int64),
        rules.win or 0,
        rules.lose or 0,
        middle_of(rules),
    )


def middle_of(rules: Rules) -> int:
    """The cells at most one step from the centre: 22-24, 32-34, 42-44 on a 5x5 board."""
    near = [
        row * rules.cols + col
        for row in range(rules.rows)
        for col in range(rules.cols)
        if abs(2 * row - rules.rows + 1) <= 2 and abs(2 * col - rules.cols + 1) <= 2
    ]
    return sum(1 << cell for cell in near)


@kernel
def evaluate(own: int, other: int, evaluation: Evaluation) -> int:
    """How good an ongoing position looks to the player to move; its negative is how it looks to the other."""
    score = MIDDLE * (popcount(own & evaluation.middle) - popcount(other & evaluation.middle))
    for line in evaluation.winning:
        mine, theirs = popcount(own & line), popcount(other & line)
        if theirs == 0 and 0 < evaluation.win - mine < len(OPEN_LINE) and mine > 0:
            score += OPEN_LINE[evaluation.win - mine]
        elif mine == 0 and 0 < evaluation.win - theirs < len(OPEN_LINE) and theirs > 0:
            score -= OPEN_LINE[evaluation.win - theirs]
    for line in evaluation.losing:
        mine, theirs = popcount(own & line), popcount(other & line)
        if theirs == 0 and mine > 0 and mine == evaluation.lose - 1:
            score -= NEARLY_LOST
        elif mine == 0 and theirs > 0 and theirs == evaluation.lose - 1:
            score += NEARLY_LOST
    return score


@kernel
def evaluate_many(boards: NDArray[np.int64], evaluation: Evaluation) -> NDArray[np.int64]:
    """The same for many positions [position, (own, other)]."""
    scores = np.empty(len(boards), np.int64)
    for i in range(len(boards)):
        scores[i] = evaluate(boards[i, 0], boards[i, 1], evaluation)
    return scores
