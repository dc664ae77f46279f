"""A game as searches take it: its lines through each cell, its symmetries, and the image that stands for all."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.jit import kernel
from gridlab.games.mnk.kernels import runs_of
from gridlab.games.mnk.rules import Rules
from gridlab.games.symmetry import symmetries
from gridlab.search.mnk.tactics import Lines, lines_through


class Board(NamedTuple):
    """A game as searches take it."""

    cells: int
    runs: NDArray[np.int64]
    winning: Lines
    losing: Lines
    images: NDArray[np.int64]  # [symmetry, byte of the bitboard, its value]: the image of these stones
    maps: NDArray[np.int64]  # [symmetry, cell]
    back: NDArray[np.int64]  # [symmetry, cell]: the inverse


def board_of(rules: Rules) -> Board:
    """The tables of a game."""
    group = symmetries(rules.rows, rules.cols)
    images = np.zeros((len(group), -(-rules.cells // 8), 256), np.int64)
    for number, symmetry in enumerate(group):
        for cell, to in enumerate(symmetry.cells):
            images[number, cell // 8] |= (np.arange(256) >> cell % 8 & 1) << to
    return Board(
        rules.cells,
        runs_of(rules),
        lines_through(rules, rules.winning_lines),
        lines_through(rules, rules.losing_lines),
        images,
        np.array([each.cells for each in group], np.int64),
        np.array([each.inverse.cells for each in group], np.int64),
    )


@kernel
def smallest_image(mine: int, theirs: int, images: NDArray[np.int64]) -> tuple[int, int, int]:
    """The stones as their smallest image shows them, and the symmetry that leads to it."""
    best_mine, best_theirs, best = mine, theirs, 0
    for symmetry in range(1, len(images)):
        image = 0
        for byte in range(images.shape[1]):
            image |= images[symmetry, byte, mine >> 8 * byte & 255]
        if image <= best_mine:
            other = 0
            for byte in range(images.shape[1]):
                other |= images[symmetry, byte, theirs >> 8 * byte & 255]
            if image < best_mine or other < best_theirs:
                best_mine, best_theirs, best = image, other, symmetry
    return best_mine, best_theirs, best
