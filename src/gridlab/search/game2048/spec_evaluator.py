"""The evaluator `spec`: the published description's five parts, literally as printed.

Its matrix peaks at the top left and its corner bonus is paid at the top right; the matrix is larger by five orders of
magnitude, so the corner that counts is the top left. Empty neighbours, of which it says nothing, are skipped.
Smaller boards take the top left of the matrix, which is a snake still, and their own top right:

    4^15 4^14 4^13 |                            15 14 13
    4^8  4^9  4^10 | 4^11      on three columns  8  9 10
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gridlab.games.game2048.reference import Board
from gridlab.games.game2048.row_tables import Exponents

SNAKE = (
    (4**15, 4**14, 4**13, 4**12),
    (4**8, 4**9, 4**10, 4**11),
    (4**7, 4**6, 4**5, 4**4),
    (4**0, 4**1, 4**2, 4**3),
)
EMPTY, MONOTONE, SMOOTH, CORNER = 50_000, 10_000, 1_000, 10_000


def spec(board: Board, cols: int = 4) -> int:
    """The whole evaluation of a board of up to 4x4 cells, before any table is made of it."""
    rows = [board[first : first + cols] for first in range(0, len(board), cols)]
    lines = rows + [board[col::cols] for col in range(cols)]
    return (
        sum(tile * SNAKE[cell // cols][cell % cols] for cell, tile in enumerate(board))
        + board.count(0) * EMPTY
        + sum(monotonicity(line) for line in lines) * MONOTONE
        + sum(smoothness(line) for line in lines) * SMOOTH
        + (max(board) * CORNER if board[cols - 1] == max(board) else 0)
    )


def monotonicity(line: Board) -> int:
    """The steps of a line that do not fall, or those that do not rise, whichever are more."""
    steps = list(pairwise(line))
    return max(sum(one <= next for one, next in steps), sum(one >= next for one, next in steps))


def smoothness(line: Board) -> int:
    """Minus the differences between the logarithms of neighbours; an empty cell is no neighbour."""
    steps = [(one, next) for one, next in pairwise(line) if one and next]
    return -sum(abs(one.bit_length() - next.bit_length()) for one, next in steps)


def row_value(line: Board) -> int:
    """What a row adds besides its place in the matrix."""
    return line.count(0) * EMPTY + column_value(line)


def column_value(line: Board) -> int:
    """What a column adds; its empty cells are counted by the rows."""
    return monotonicity(line) * MONOTONE + smoothness(line) * SMOOTH


# ---- the same for many lines of one length at once; tests hold all of them to the functions above


def row_values(rows: Exponents) -> NDArray[np.int64]:
    return np.asarray((rows == 0).sum(axis=1) * EMPTY + column_values(rows))


def placed_row_values(rows: Exponents, weights: tuple[int, ...]) -> NDArray[np.int64]:
    """All that a row adds, at its place in the matrix."""
    return row_values(rows) + matrix_values(rows, weights)


def column_values(columns: Exponents) -> NDArray[np.int64]:
    one, next = columns[:, :-1], columns[:, 1:]
    monotone = np.maximum((one <= next).sum(axis=1), (one >= next).sum(axis=1))
    smooth = -(abs(one - next) * (one > 0) * (next > 0)).sum(axis=1)
    return np.asarray(monotone * MONOTONE + smooth * SMOOTH)


def matrix_values(rows: Exponents, weights: tuple[int, ...]) -> NDArray[np.int64]:
    """What a row adds by its place in the matrix, whose weights are given; a shorter one has the first of them."""
    tiles = np.where(rows > 0, 1 << rows, 0)
    return np.asarray(tiles @ np.array(weights[: rows.shape[1]]))
