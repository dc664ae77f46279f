"""What is seen of a position of an in-a-row game: planes of stones, a mask of moves, text, a picture."""

import numpy as np
from numpy.typing import NDArray

from gridlab.environments.pictures import Picture, stones_picture
from gridlab.games.mnk.position import Position


def observed(position: Position) -> NDArray[np.uint8]:
    """Own stones, then those of the other player: uint8[2, row, col]."""
    shifts = np.arange(position.rules.cells)
    stones = np.array([position.own, position.other])[:, None] >> shifts & 1
    return stones.astype(np.uint8).reshape(2, position.rules.rows, position.rules.cols)


def mask_of(position: Position) -> NDArray[np.int8]:
    """1 for every cell where a stone may be laid."""
    mask = np.zeros(position.rules.cells, np.int8)
    mask[position.moves()] = 1
    return mask


def rendered(position: Position, mode: str) -> str | Picture:
    """The board as text, or as a picture."""
    if mode == "ansi":
        return position.draw()
    cells = range(position.rules.cells)
    marked = frozenset(cell for cell in cells for line in position.lines() if line >> cell & 1)
    return stones_picture(position.values, position.rules.cols, marked)
