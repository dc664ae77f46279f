"""Games that hang on their seed and their moves alone: what chance does is drawn anew from the seed and the ply.

Such a game can be taken back, played again and sent to somebody else as a list of directions.
"""

from collections.abc import Sequence

import numpy as np

from gridlab.core.errors import IllegalMove
from gridlab.core.interrupts import pause
from gridlab.games.game2048.position import Position2048
from gridlab.games.game2048.rules import Rules2048

GLANCE = 256  # moves between two looks whether somebody wants it to stop


def begun(rules: Rules2048, seed: int) -> Position2048:
    """The beginning of the game of a seed."""
    return Position2048.start(np.random.default_rng([seed, 0]), rules)


def chance(seed: int, ply: int) -> np.random.Generator:
    """What chance does after a move: the same whenever this move of this game is made."""
    return np.random.default_rng([seed, ply + 1])


def moved(position: Position2048, direction: str, seed: int, ply: int) -> Position2048:
    """The position after the move of this number and the tile that it brings."""
    return position.step(direction, chance(seed, ply))


def replayed(rules: Rules2048, seed: int, directions: Sequence[str]) -> list[Position2048]:
    """All positions of a game, one more than it has moves; IllegalMove if one of them cannot be made."""
    positions = [begun(rules, seed)]
    for ply, direction in enumerate(directions):
        if ply % GLANCE == 0:
            pause()
        try:
            positions.append(moved(positions[-1], direction, seed, ply))
        except IllegalMove as error:
            raise IllegalMove(f"move {ply + 1:,} of {len(directions):,} cannot be replayed: {error}") from error
    return positions
