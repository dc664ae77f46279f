"""What environments share: actions of many games at once, seeds, and pictures."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import States, below, draw, int64, lowest_cell, popcount, streams
from gridlab.core.errors import BadNotation
from gridlab.core.jit import inner, kernel

# ---- Seeds and streams of environments: game i of a reset with seed s has the chance of a single game with seed s + i


def check_number(games: int) -> None:
    """Of games side by side."""
    if games < 1:
        raise BadNotation(f"{games} games cannot be played side by side; at least 1 is needed")


def unseeded(number: int) -> States:
    """Streams that nobody can repeat."""
    return np.random.default_rng().integers(1 << 64, size=number, dtype=np.uint64)


def reseed(states: States, seeds: Sequence[int | None]) -> None:
    """Streams begun anew by the seeds that are given; none are, or one for each."""
    if seeds and len(seeds) != len(states):
        given = f"{len(seeds)} seeds are given for {len(states)} games"
        raise BadNotation(f"{given}; one number, or one for each, is needed")
    for game, seed in enumerate(seeds):
        if seed is not None:
            states[game] = streams(int(seed), 1)[0]


def seeds_of(seed: int | Sequence[int | None] | None, number: int) -> Sequence[int | None]:
    """What `reset(seed=…)` means for each game: s, s + 1, s + 2, … for a number s."""
    if seed is None:
        return ()
    return [seed + game for game in range(number)] if isinstance(seed, int | np.integer) else seed


# ---- Boards as pictures, uint8[height, width, (red, green, blue)]: what `render` of an environment gives as rgb_array
#
# Nothing but numpy is needed. Shapes are drawn by the distance of each pixel from them, so that their edges are smooth.


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
    picture = np.full((len(values) // cols * SIDE + 1, cols * SIDE + 1, 3), WHITE, np.uint8)
    for cell, value in enumerate(values):
        square = _square(picture, *divmod(cell, cols))
        if cell in marked:
            square[:] = MARKED
        if value:
            paint(square, cross() if value == 1 else ring(), BLUE if value == 1 else RED)
    picture[::SIDE], picture[:, ::SIDE] = GRID, GRID
    return picture


def tiles_picture(tiles: Sequence[int], cols: int) -> Picture:
    """Numbers on coloured tiles; the colour deepens with each doubling."""
    picture = np.full((len(tiles) // cols * SIDE, cols * SIDE, 3), FRAME, np.uint8)
    for cell, tile in enumerate(tiles):
        square = _square(picture, *divmod(cell, cols))
        paint(square, rounded(), tile_colour(tile) if tile else HOLE)
        if tile:
            write(square, str(tile))
    return picture


def _square(picture: Picture, row: int, col: int) -> Picture:
    return picture[row * SIDE : (row + 1) * SIDE, col * SIDE : (col + 1) * SIDE]


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


# ---- Actions of many games at once: are they in the space, and random ones that are allowed


Actions = NDArray[np.int64]  # [game]


@inner
def first_outside(actions: Actions, number: int) -> int:
    """The first game whose action is none of 0 to number - 1, or -1."""
    outside = False
    for i in range(len(actions)):  # a vector instruction for some at a time
        outside |= (actions[i] < 0) | (actions[i] >= number)
    if outside:
        for i in range(len(actions)):
            if not 0 <= actions[i] < number:
                return i
    return -1


@inner
def by_chance(limit: int, states: States, game: int) -> int:
    """A number from 0 to limit - 1 by the stream of a game."""
    return below(draw(states, game), limit)


@inner
def nth_bit(bits: int, n: int) -> int:
    """The n-th of the bits that are set, counted from 0."""
    for _ in range(n):
        bits &= bits - 1
    return bits & -bits


@kernel
def draw_actions(masks: NDArray[Any], states: States, actions: Actions) -> None:
    """For each game one of the actions that its mask [game, action] allows, all equally likely; a stream a game."""
    for i in range(len(actions)):
        allowed = 0
        for action in range(masks.shape[1]):
            allowed |= int64(masks[i, action]) << action
        actions[i] = lowest_cell(nth_bit(allowed, by_chance(popcount(allowed), states, i)))
