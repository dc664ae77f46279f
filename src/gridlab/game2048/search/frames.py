"""Chance layers of a search as frames on a stack: a kernel that calls itself does not come back whole from the cache.

A layer begins with a board after a move. New tiles are tried on it one by one, and under each the player's moves:

    state         what comes next                             then
    NEXT_TILE     the next of the tiles still to be tried     NEXT_MOVE, or NEXT_TILE where the board is known already
                  none is left: the mean is what the layer is worth, and the layer above goes on
    NEXT_MOVE     the next of the four directions             a deeper layer, or the last plies
                  none is left: the tile is worth its best    NEXT_TILE
"""

from typing import Any

import numpy as np

from gridlab.core.jit import kernel
from gridlab.game2048.kernels import NO_MOVE, ONE, UNITS, ZERO, count

NEXT_TILE, NEXT_MOVE = 0, 1
FRAME = np.dtype(
    [
        ("state", np.int64),
        ("after", np.uint64),  # the board after a move, on which new tiles appear
        ("tiles", np.uint64),  # still to be tried, a bit each: a 2 is the lowest bit of its cell, a 4 the next
        ("weight", np.float64),  # how often the tile being tried appears
        ("board", np.uint64),  # with that tile
        ("turned", np.uint64),  # its transpose, for who needs it
        ("direction", np.int64),  # of the move to be valued next
        ("across", np.int64),  # points of a move to either side, for who counts them
        ("down", np.int64),  # points of a move up or down
        ("best", np.float64),  # of the moves valued
        ("total", np.float64),  # of the tiles tried, times how often they appear
        ("odds", np.float64),  # of all tiles together
        ("probability", np.float64),  # of this layer, for who leaves out what is improbable
    ]
)


def new_frames(layers: int) -> Any:
    """Room for so many layers, [layer] of FRAME."""
    return np.zeros(layers, FRAME).view(np.recarray)


@kernel
def open_frame(frame: Any, after: np.uint64, cells: np.uint64, twos: int, fours: int, probability: float) -> None:
    """Begin a layer: new tiles on these cells of a board."""
    frame.after, frame.tiles = after, tiles_on(cells, twos, fours)
    frame.odds, frame.total = float((twos + fours) * count(cells)), 0.0
    frame.state, frame.probability = NEXT_TILE, probability


@kernel
def put_tile(frame: Any, twos: int, fours: int) -> None:
    """Put the next new tile on the board; its moves come next."""
    tile = frame.tiles & (~frame.tiles + ONE)
    frame.tiles ^= tile
    frame.weight, frame.board = float(weight_of(tile, twos, fours)), frame.after | tile
    frame.state, frame.direction, frame.best = NEXT_MOVE, 0, NO_MOVE


@kernel
def add_tile(frame: Any, value: float) -> None:
    """The board with the tile being tried is worth so much."""
    frame.total += frame.weight * value
    frame.state = NEXT_TILE


@kernel
def tiles_on(cells: np.uint64, twos: int, fours: int) -> np.uint64:
    """The bits of the new tiles on some cells, in the order in which they are tried: a 2 is 0001, a 4 is 0010."""
    tiles = cells if twos > 0 else ZERO
    return tiles | cells << ONE if fours > 0 else tiles


@kernel
def weight_of(tile: np.uint64, twos: int, fours: int) -> int:
    """How often a new tile appears, in the odds of the game."""
    return twos if tile & UNITS != ZERO else fours
