"""The geometry of a game as searches take it: its runs, the lines through each cell, its symmetries."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.jit import kernel
from gridlab.games.mnk.kernels import runs_of
from gridlab.games.mnk.rules import Rules
from gridlab.games.symmetry import symmetries

LinesThrough = NDArray[np.int64]  # [cell, line]: the lines through a cell as bitboards, then 0


class Geometry(NamedTuple):
    """What kernels need to know of a game."""

    cells: int
    runs: NDArray[np.int64]  # [run, column], as `runs_of` makes them
    winning: LinesThrough
    losing: LinesThrough
    images: NDArray[np.int64]  # [symmetry, byte of the bitboard, its value]: the image of these stones
    maps: NDArray[np.int64]  # [symmetry, cell]
    back: NDArray[np.int64]  # [symmetry, cell]: the inverse


def geometry_of(rules: Rules) -> Geometry:
    group = symmetries(rules.rows, rules.cols)
    images = np.zeros((len(group), -(-rules.cells // 8), 256), np.int64)
    for number, symmetry in enumerate(group):
        for cell, to in enumerate(symmetry.cells):
            images[number, cell // 8] |= (np.arange(256) >> cell % 8 & 1) << to
    return Geometry(
        rules.cells,
        runs_of(rules),
        lines_through(rules.winning_lines, rules),
        lines_through(rules.losing_lines, rules),
        images,
        np.array([each.cells for each in group], np.int64),
        np.array([each.inverse.cells for each in group], np.int64),
    )


def lines_through(lines: tuple[int, ...], rules: Rules) -> LinesThrough:
    """These lines of a game, listed for each cell that they go through."""
    through = [[line for line in lines if line >> cell & 1] for cell in range(rules.cells)]
    table = np.zeros((rules.cells, max(map(len, through)) + 1), np.int64)
    for cell, each in enumerate(through):
        table[cell, : len(each)] = each
    return table


@kernel
def smallest_image(own: int, other: int, images: NDArray[np.int64]) -> tuple[int, int, int]:
    """The stones as their smallest image shows them, and the symmetry that leads to it."""
    best_own, best_other, best = own, other, 0
    for symmetry in range(1, len(images)):
        own_image = 0
        for byte in range(images.shape[1]):
            own_image |= images[symmetry, byte, own >> 8 * byte & 255]
        if own_image <= best_own:
            other_image = 0
            for byte in range(images.shape[1]):
                other_image |= images[symmetry, byte, other >> 8 * byte & 255]
            if own_image < best_own or other_image < best_other:
                best_own, best_other, best = own_image, other_image, symmetry
    return best_own, best_other, best


@kernel
def smallest_images(boards: NDArray[np.int64], images: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same for many positions [position, (own, other)]."""
    small = np.empty_like(boards)
    for i in range(len(boards)):
        small[i, 0], small[i, 1], _ = smallest_image(boards[i, 0], boards[i, 1], images)
    return small
