"""What directions are worth, and the best of them."""

import numpy as np

from gridlab.core.errors import IllegalMove
from gridlab.core.interrupts import interruptible
from gridlab.core.splitmix import States
from gridlab.games.game2048.position import Position2048
from gridlab.games.game2048.reference import DIRECTIONS
from gridlab.games.game2048.row_tables import row_tables
from gridlab.search.game2048.play import Chooser, choose


def best_direction(values: dict[str, float], position: Position2048) -> str:
    """The first of the directions that are worth most."""
    if not values:
        raise IllegalMove(f"there is no move in {position}")
    return max(values, key=values.__getitem__)


def values_by_kernel(chooser: Chooser, position: Position2048, state: States) -> dict[str, float]:
    """What a chooser says of each legal direction."""
    found, legal, board = np.empty(4), position.moves(), np.uint64(position.packed)
    interruptible(lambda stop: choose(chooser, board, found, row_tables(position.rules), state, 0, stop))
    return {each: float(value) for each, value in zip(DIRECTIONS, found, strict=True) if each in legal}
