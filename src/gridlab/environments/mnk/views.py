"""What is seen of a position of an in-a-row game: planes of stones, a mask of moves, text, a picture."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridlab.environments.pictures import Picture, stones_picture
from gridlab.games.mnk.position import Position
from gridlab.games.notation import MARKS


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


def board_texts(stones: NDArray[Any], crosses: NDArray[np.bool_] | None = None) -> NDArray[np.object_]:
    """Many boards as text, from planes [game, (own, other), row, col]; `crosses` says where the own stones are X.

    Without it they are those of the player to move, who has as many stones as the other, or one less.
    """
    if crosses is None:
        counts = stones.sum(axis=(2, 3))
        crosses = counts[:, 0] == counts[:, 1]
    own, other = stones[:, 0].astype(np.uint8), stones[:, 1].astype(np.uint8)
    values = np.where(crosses[:, None, None], own + 2 * other, other + 2 * own)
    games, rows, cols = values.shape
    letters = np.full((games, rows, cols + 1), ord("/"), np.uint32)
    letters[:, :, :cols] = np.array([ord(mark) for mark in MARKS], np.uint32)[values]
    text = np.ascontiguousarray(letters.reshape(games, -1)[:, :-1])
    return text.view(f"U{text.shape[1]}")[:, 0].astype(object)


def rendered(position: Position, mode: str) -> str | Picture:
    """The board as text, or as a picture."""
    if mode == "ansi":
        return position.draw()
    cells = range(position.rules.cells)
    marked = frozenset(cell for cell in cells for line in position.lines() if line >> cell & 1)
    return stones_picture(position.values, position.rules.cols, marked)
