"""Moves taken out of columns, each seen through a symmetry of the board: one kernel for a whole batch."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import int64
from gridlab.core.jit import inner, kernel
from gridlab.core.splitmix import FIRST, S27, S30, S31, SECOND, STEP, below, plus, times
from gridlab.games.game2048.images import Mirror, Shape, image, image_of, symmetries
from gridlab.games.game2048.kernels import FIFTEEN, FOUR, Boards, largest_exponent, slide_rows, transpose
from gridlab.games.game2048.row_tables import RowTables

PHASES = ("opening", "middle", "late", "end")  # no 256 yet, no 1024, no 4096, and what comes then
MIDDLE, LATE, END = 8, 10, 12  # the binary logarithms of the tiles that begin a phase
NO_CHANCE = np.uint64(0)  # instead of what symmetries are drawn from


class Columns(NamedTuple):
    """The moves of a file, [move] each, and its final scores, [game]."""

    boards: Boards
    scores: NDArray[np.int64]
    directions: NDArray[np.uint8]
    final_scores: NDArray[np.int64]


class Samples(NamedTuple):
    """Moves for training: [sample] each."""

    boards: Boards  # packed
    cells: NDArray[np.uint8]  # [sample, 16]: the binary logarithm of each tile, 0 for none; 15 beside a smaller board
    directions: NDArray[np.int64]  # up, down, left, right
    legal: NDArray[np.bool_]  # [sample, direction]
    scores: NDArray[np.int64]  # before the move
    remaining: NDArray[np.int64]  # points from here to the end of the game
    phases: NDArray[np.int64]


def new_samples(number: int) -> Samples:
    return Samples(
        np.empty(number, np.uint64), np.empty((number, 16), np.uint8), np.empty(number, np.int64),
        np.empty((number, 4), np.bool_), np.empty(number, np.int64), np.empty(number, np.int64),
        np.empty(number, np.int64),
    )  # fmt: skip


@kernel
def take(
    chosen: NDArray[np.int64],  # [sample, 4]: the move in its columns, its game, where it goes, what it is known by
    columns: Columns,
    found: Samples,
    key: np.uint64,  # 0 for boards as they are, else symmetries are drawn from it and from what a move is known by
    rows: RowTables,
    mirror: Mirror,
    shape: Shape,
) -> None:
    """Fill in samples."""
    boards, scores, directions, finals = columns
    for i in range(len(chosen)):
        move, game, place = chosen[i, 0], chosen[i, 1], chosen[i, 2]
        board, direction = boards[move], int64(directions[move]) & 3
        if key != NO_CHANCE:
            symmetry = below(mixed(key, chosen[i, 3]), symmetries(shape))
            board, direction = image(board, symmetry, mirror, shape), image_of(direction, symmetry)
        found.boards[place], turned = board, transpose(board)
        up, down = slide_rows(turned, rows.slides)
        left, right = slide_rows(board, rows.slides)
        legal = found.legal[place]
        legal[0], legal[1], legal[2], legal[3] = up != turned, down != turned, left != board, right != board
        found.directions[place], found.scores[place] = direction, scores[move]
        found.remaining[place] = finals[game] - scores[move]
        largest = largest_exponent(board ^ rows.walls)
        for cell in range(16):
            found.cells[place, cell] = board & FIFTEEN
            board >>= FOUR
        found.phases[place] = int(largest >= MIDDLE) + int(largest >= LATE) + int(largest >= END)


@inner
def mixed(key: np.uint64, number: int) -> np.uint64:
    """Random bits that hang on both numbers alone (the step of SplitMix64)."""
    state = plus(key, times(np.uint64(number), STEP))
    state = times(state ^ state >> S30, FIRST)
    state = times(state ^ state >> S27, SECOND)
    return state ^ state >> S31  # type: ignore[no-any-return]
