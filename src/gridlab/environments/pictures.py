"""Boards as pictures, uint8[height, width, (red, green, blue)]: what `render` of an environment gives as rgb_array.

Nothing but numpy is needed. Shapes are drawn by the distance of each pixel from them, so that their edges are smooth.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gridlab.core.errors import BadNotation

Picture = NDArray[np.uint8]
Colour = tuple[int, int, int]

RENDER_MODES = ["ansi", "rgb_array"]
SIDE = 64  # pixels of a cell
WHITE, GRID, MARKED = (255, 255, 255), (153, 153, 153), (255, 224, 138)
BLUE, RED, INK = (31, 78, 156), (179, 38, 30), (40, 32, 24)
FRAME, HOLE = (187, 187, 187), (221, 221, 221)
GLYPHS = {  # 3 x 5 pixels each, row after row
    "0": "### #.# #.# #.# ###", "1": ".#. ##. .#. .#. ###", "2": "### ..# ### #.. ###", "3": "### ..# ### ..# ###",
    "4": "#.# #.# ### ..# ..#", "5": "### #.. ### ..# ###", "6": "### #.. ### #.# ###", "7": "### ..# ..# ..# ..#",
    "8": "### #.# ### #.# ###", "9": "### #.# ### ..# ###",
}  # fmt: skip


def checked_mode(mode: str | None) -> str | None:
    """A way to render that there is."""
    if mode is not None and mode not in RENDER_MODES:
        raise BadNotation(f"render_mode={mode!r} is none of {', '.join(RENDER_MODES)}")
    return mode


def stones_picture(values: Sequence[int], cols: int, marked: frozenset[int] = frozenset()) -> Picture:
    """Crosses (1) and noughts (2) on a grid; the ground of marked cells is coloured."""
    rows = len(values) // cols
    picture = np.full((rows * SIDE + 1, cols * SIDE + 1, 3), WHITE, np.uint8)
    for cell, value in enumerate(values):
        row, col = divmod(cell, cols)
        square = picture[row * SIDE : (row + 1) * SIDE, col * SIDE : (col + 1) * SIDE]
        if cell in marked:
            square[:] = MARKED
        if value:
            paint(square, cross() if value == 1 else ring(), BLUE if value == 1 else RED)
    picture[::SIDE], picture[:, ::SIDE] = GRID, GRID
    return picture


def tiles_picture(tiles: Sequence[int], cols: int) -> Picture:
    """Numbers on coloured tiles; the colour deepens with each doubling."""
    rows = len(tiles) // cols
    picture = np.full((rows * SIDE, cols * SIDE, 3), FRAME, np.uint8)
    for cell, tile in enumerate(tiles):
        row, col = divmod(cell, cols)
        square = picture[row * SIDE : (row + 1) * SIDE, col * SIDE : (col + 1) * SIDE]
        paint(square, rounded(), tile_colour(tile) if tile else HOLE)
        if tile:
            write(square, str(tile))
    return picture


def tile_colour(tile: int) -> Colour:
    """From pale yellow to dark orange."""
    depth = min(tile.bit_length() - 1, 15) / 15
    return 255 - int(40 * depth), 250 - int(170 * depth), 225 - int(200 * depth)


def paint(square: Picture, cover: NDArray[np.float64], colour: Colour) -> None:
    """Colour laid over a square, as much of it as `cover` says for each pixel."""
    mixed = square + cover[..., None] * (np.array(colour) - square)
    square[:] = np.rint(mixed).astype(np.uint8)


def cover_of(distance: NDArray[np.float64], reach: float) -> NDArray[np.float64]:
    """How much of a pixel lies within reach: 1 inside, 0 outside, between them over one pixel."""
    return np.clip(reach - distance + 0.5, 0, 1)


def from_middle() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How far each pixel of a cell is from its middle, across and down."""
    places = np.arange(SIDE) - (SIDE - 1) / 2
    return np.broadcast_to(np.abs(places), (SIDE, SIDE)), np.broadcast_to(np.abs(places)[:, None], (SIDE, SIDE))


def cross() -> NDArray[np.float64]:
    """Two strokes with round ends."""
    across, down = from_middle()
    along = np.clip((across + down) / 2, 0, SIDE * 0.26)
    return cover_of(np.hypot(across - along, down - along), SIDE / 16)


def ring() -> NDArray[np.float64]:
    return cover_of(np.abs(np.hypot(*from_middle()) - SIDE * 0.28), SIDE / 16)


def rounded() -> NDArray[np.float64]:
    """A square with round corners, a little smaller than the cell."""
    across, down = from_middle()
    inner, corner = SIDE / 2 - 3, 4
    beyond = np.hypot(np.maximum(across - inner + corner, 0), np.maximum(down - inner + corner, 0))
    return cover_of(beyond, corner)


def write(square: Picture, digits: str) -> None:
    """A number in the middle of a square, as large as it may be."""
    size = 5 if len(digits) < 3 else 4 if len(digits) == 3 else 3 if len(digits) < 5 else 2
    top, left = (SIDE - 5 * size) // 2, (SIDE - (4 * len(digits) - 1) * size) // 2
    for place, digit in enumerate(digits):
        pixels = np.array([[mark == "#" for mark in row] for row in GLYPHS[digit].split()])
        large = np.kron(pixels, np.ones((size, size), np.bool_)).astype(np.bool_)
        right = left + 4 * size * place
        square[top : top + 5 * size, right : right + 3 * size][large] = INK
