"""A score is one signed byte, for the player to move: who wins, and how soon.

     0       a draw
    100 - n  a win in n plies         99 wins with the next move
    n - 100  a loss in n plies       -98 loses after two

A finished game has a score too: -100 for the next player if the last move won, 100 if it lost. Then the score of any
other position is the negative of its lowest successor, one step towards 0; and nothing else needs to be said.
"""

from typing import NamedTuple

from gridlab.games.mnk.solution import Value

WON, LOST, DRAWN = 100, -100, 0
DEAD = 127  # marks a slot that no game reaches


class ValueAndDistance(NamedTuple):
    """What a position is worth to the player to move, and in how many plies the game ends under best play."""

    value: Value
    distance: int


def value_and_distance(score: int, empty: int) -> ValueAndDistance:
    """A score in words; a draw lasts until the `empty` cells are filled."""
    if score == DRAWN:
        return ValueAndDistance("draw", empty)
    return ValueAndDistance("win" if score > 0 else "loss", WON - abs(score))


def before(successors: list[int]) -> int:
    """The score of a position from those of its successors.

    >>> before([100, -98, 0])    # a move that loses, one that wins in three, one that draws
    97
    """
    best = -min(successors)
    return best - (best > 0) + (best < 0)
