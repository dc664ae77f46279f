"""What boards of 2048 look like, and what there is to choose on them, by kernels.

in a corner          one of the largest tiles stands in a corner
along an edge        a line along an edge holds the largest tiles, falling from a corner: the first part of a snake

512 128 32
16   8  4      both
.   2  .
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.jit import inner, kernel
from gridlab.core.stop import Stop, stopped
from gridlab.exact.game2048.layers import LOOK_AROUND, Board2048, Values, find, has_tile
from gridlab.games.game2048.images import Mirror, Shape, mirrored, smallest_image, turned_over
from gridlab.games.game2048.kernels import (
    FIFTEEN,
    FOUR,
    ROW,
    UNITS,
    ZERO,
    Boards,
    empties,
    largest_exponent,
    moved,
    points_of,
    transpose,
)
from gridlab.games.game2048.rules import Rules2048

# what is counted of the boards of a layer
OVER, FORCED, TIED, DIFFERENT, CORNER_KEPT = range(5)


class Corners(NamedTuple):
    """Where the corners of a board are, and what its symmetries need."""

    cells: np.uint64  # the lowest bits of the corner cells
    walls: np.uint64
    mirror: Mirror
    shape: Shape


def corners_of(rules: Rules2048, game: Board2048) -> Corners:
    last, below = 4 * (rules.cols - 1), 16 * (rules.rows - 1)
    cells = 1 | 1 << last | 1 << below | 1 << last + below
    return Corners(np.uint64(cells), game.rows.walls, game.mirror, game.shape)


@inner
def in_a_corner(board: np.uint64, corners: Corners) -> bool:
    """Whether one of the largest tiles stands in a corner."""
    largest = np.uint64(largest_exponent(board ^ corners.walls))
    return empties(board ^ UNITS * largest) & corners.cells != ZERO  # type: ignore[no-any-return]


@inner
def along_an_edge(board: np.uint64, corners: Corners) -> bool:
    """Whether the largest tiles fall along an edge from a corner; they may be equal."""
    for side in range(4):
        image = mirrored(board, corners.mirror) if side & 1 else board
        if side & 2:
            image = turned_over(image, corners.shape.rows)
        if falls_first(image, corners.walls) or falls_first(transpose(image), transpose(corners.walls)):
            return True
    return False


@inner
def falls_first(board: np.uint64, walls: np.uint64) -> bool:
    """Whether the first row falls, and nothing below is larger than its last tile."""
    tiles = board ^ walls
    before, cell = FIFTEEN, ZERO
    while cell < np.uint64(16) and walls >> cell & FIFTEEN == ZERO:
        tile = tiles >> cell & FIFTEEN
        if tile > before:
            return False
        before = tile
        cell += FOUR
    rest = tiles & ~ROW
    while rest != ZERO:
        if rest & FIFTEEN > before:
            return False
        rest >>= FOUR
    return True


@kernel
def judge_boards(
    boards: Boards, keys: Boards, values: Values, game: Board2048, corners: Corners, tied: float, stop: Stop
) -> tuple[NDArray[np.int64], float, float]:
    """Of boards to move: counts (see above), the sum of their values, the sum of what the best gains on the second."""
    (slides, points, _), mirror, shape, goal = game
    counts, total, gained = np.zeros(5, np.int64), 0.0, 0.0
    for i in range(len(boards)):
        if i & LOOK_AROUND == 0 and stopped(stop):
            break
        board, turned = boards[i], transpose(boards[i])
        legal, best, second, kept, some = 0, -1.0, -1.0, False, 0
        for direction in range(4):
            after = moved(board, turned, direction, slides)
            if after == board:
                continue
            value = 1.0
            if goal == ZERO:
                value = values[find(smallest_image(after, mirror, shape), keys)] + points_of(board, direction, points)
            elif not has_tile(after, goal):
                value = values[find(smallest_image(after, mirror, shape), keys)]
            corner = in_a_corner(after, corners)
            legal, some = legal + 1, some + corner
            if value > best * (1 + tied):
                best, second, kept = value, best, corner
            else:
                second = max(second, value)
                kept = kept or (corner and value >= best * (1 - tied))
        if legal == 0:
            counts[OVER] += 1
            continue
        total += best
        if legal == 1:
            counts[FORCED] += 1
            continue
        gained += max(0.0, best - second)
        counts[TIED] += second >= best * (1 - tied)
        if 0 < some < legal:
            counts[DIFFERENT] += 1
            counts[CORNER_KEPT] += kept
    return counts, total, gained
