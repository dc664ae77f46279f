"""Layers of 2048 boards: all with one sum of tiles, up to symmetry.

A move keeps the sum of the tiles, and a new tile adds 2 or 4. So the boards *to move* of a layer come from those *after
a move* of the two layers below, and these are all that has to be kept:

    after a move, sum s - 2  --- a new 2 --->  to move, sum s  --- a move --->  after a move, sum s
    after a move, sum s - 4  --- a new 4 --->

Upwards every layer is made of the two below it; downwards a board after a move is worth the mean over its new tiles of
the best move there, and values of the two layers above are all that is needed:

    value(after) = mean over new tiles of  best(board)      best(board) = max over moves of  points + value(after move)

Every image of a board is worth the same, so the smallest stands for all. Sets of boards are hash tables with open
addressing: an array of a power of two of places, 0 where none stands.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.jit import inner, kernel
from gridlab.core.splitmix import times
from gridlab.core.stop import Stop, stopped
from gridlab.games.game2048.images import Mirror, Shape, mirror_table, shape_of, smallest_image
from gridlab.games.game2048.kernels import (
    ONE,
    S32,
    UNITS,
    ZERO,
    Boards,
    count,
    empties,
    moved,
    points_of,
    transpose,
)
from gridlab.games.game2048.row_tables import RowTables, row_tables
from gridlab.games.game2048.rules import Rules2048

Values = NDArray[np.float64]

SPREAD = np.uint64(0x9E3779B97F4A7C15)
LEAST_PLACES = 1 << 10
LOOK_AROUND = 1023  # boards between two looks at the stop flag, less one


class Board2048(NamedTuple):
    """What kernels need to know of a game: its rows, its symmetries, and which tile ends it."""

    rows: RowTables
    mirror: Mirror
    shape: Shape
    goal: np.uint64  # the exponent of the tile to be reached in every cell, 0 if points are wanted


def board_of(rules: Rules2048, tile: int = 0) -> Board2048:
    """The game for kernels; with `tile` a board that has it is won, and nothing comes after it."""
    goal = UNITS * np.uint64(tile.bit_length() - 1) if tile else ZERO
    return Board2048(row_tables(rules), mirror_table(rules), shape_of(rules), goal)


@inner
def place_of(board: np.uint64, places: int) -> int:
    """Where a board would stand in a table of a power of two of places, if nothing stands there."""
    return np.int64(times(board, SPREAD) >> S32) & places - 1  # type: ignore[return-value]


@inner
def find(board: np.uint64, keys: Boards) -> int:
    """The place of a board, or the empty one where it would stand."""
    place = place_of(board, len(keys))
    while keys[place] != ZERO and keys[place] != board:
        place = place + 1 & len(keys) - 1
    return place


@inner
def has_tile(board: np.uint64, goal: np.uint64) -> bool:
    """Whether one of the cells holds the exponent that `goal` has in each."""
    return empties(board ^ goal) != ZERO  # type: ignore[no-any-return]


@kernel
def larger(keys: Boards) -> Boards:
    """The same set with twice the places."""
    found = np.zeros(2 * len(keys), np.uint64)
    for i in range(len(keys)):
        if keys[i] != ZERO:
            found[find(keys[i], found)] = keys[i]
    return found


@kernel
def with_new_tiles(twos_on: Boards, fours_on: Boards, mirror: Mirror, shape: Shape, stop: Stop) -> Boards:
    """The boards to move that come of boards after a move by a new 2, and of others by a new 4; in no order."""
    keys, number = np.zeros(LEAST_PLACES, np.uint64), 0
    for four in range(2):
        afters = fours_on if four else twos_on
        for i in range(len(afters)):
            if i & LOOK_AROUND == 0 and stopped(stop):
                return keys[:0]
            cells = empties(afters[i])
            while cells != ZERO:
                unit = cells & (~cells + ONE)
                cells ^= unit
                board = smallest_image(afters[i] | unit << np.uint64(four), mirror, shape)
                place = find(board, keys)
                if keys[place] == ZERO:
                    keys[place] = board
                    number += 1
            if 2 * (number + 16) > len(keys):
                keys = larger(keys)
    return listed(keys, number)


@kernel
def after_moves(boards: Boards, game: Board2048, stop: Stop) -> tuple[Boards, int]:
    """The boards after each move of some boards, in no order, and how many of these have no move left.

    A board with the tile that was to be reached is left out.
    """
    (slides, _, _), mirror, shape, goal = game
    keys, number, over = np.zeros(LEAST_PLACES, np.uint64), 0, 0
    for i in range(len(boards)):
        if i & LOOK_AROUND == 0 and stopped(stop):
            return keys[:0], 0
        board, turned, dead = boards[i], transpose(boards[i]), True
        for direction in range(4):
            after = moved(board, turned, direction, slides)
            if after == board:
                continue
            dead = False
            if goal != ZERO and has_tile(after, goal):
                continue
            after = smallest_image(after, mirror, shape)
            place = find(after, keys)
            if keys[place] == ZERO:
                keys[place] = after
                number += 1
        over += dead
        if 2 * (number + 4) > len(keys):
            keys = larger(keys)
    return listed(keys, number), over


@kernel
def listed(keys: Boards, number: int) -> Boards:
    """The members of a set as a list."""
    found, filled = np.empty(number, np.uint64), 0
    for i in range(len(keys)):
        if keys[i] != ZERO:
            found[filled] = keys[i]
            filled += 1
    return found


# ---- values


@kernel
def table_of(boards: Boards, values: Values) -> tuple[Boards, Values]:
    """A hash table of boards and their values."""
    places = LEAST_PLACES
    while places < 2 * len(boards):
        places *= 2
    keys, found = np.zeros(places, np.uint64), np.zeros(places, np.float64)
    for i in range(len(boards)):
        place = find(boards[i], keys)
        keys[place], found[place] = boards[i], values[i]
    return keys, found


@kernel
def sums_over_tiles(
    twos_on: Boards, fours_on: Boards, keys: Boards, values: Values, game: Board2048, twos: Values, fours: Values,
    stop: Stop,
) -> None:  # fmt: skip
    """What boards of one layer are worth, summed over the cells on which a new 2, or a new 4, makes them.

    `keys` and `values` are the table of the layer's boards after a move. A board to move is worked out once.
    """
    known, worth, number = np.zeros(LEAST_PLACES, np.uint64), np.zeros(LEAST_PLACES), 0
    for four in range(2):
        afters, sums = (fours_on, fours) if four else (twos_on, twos)
        for i in range(len(afters)):
            if i & LOOK_AROUND == 0 and stopped(stop):
                return
            cells, total = empties(afters[i]), 0.0
            while cells != ZERO:
                unit = cells & (~cells + ONE)
                cells ^= unit
                board = smallest_image(afters[i] | unit << np.uint64(four), game.mirror, game.shape)
                place = find(board, known)
                if known[place] == ZERO:
                    known[place], worth[place] = board, best_value(board, keys, values, game)
                    number += 1
                total += worth[place]
            sums[i] = total
            if 2 * (number + 16) > len(known):
                grown = larger(known)
                again = np.zeros(len(grown))
                for j in range(len(known)):
                    if known[j] != ZERO:
                        again[find(known[j], grown)] = worth[j]
                known, worth = grown, again


@kernel
def best_value(board: np.uint64, keys: Boards, values: Values, game: Board2048) -> float:
    """What a board is worth to whoever moves; 0 if there is no move."""
    (slides, points, _), mirror, shape, goal = game
    turned, best = transpose(board), 0.0
    for direction in range(4):
        after = moved(board, turned, direction, slides)
        if after == board:
            continue
        if goal == ZERO:
            value = values[find(smallest_image(after, mirror, shape), keys)] + points_of(board, direction, points)
        elif has_tile(after, goal):
            value = 1.0
        else:
            value = values[find(smallest_image(after, mirror, shape), keys)]
        best = max(best, value)
    return best


@kernel
def means(afters: Boards, twos: Values, fours: Values, odds: tuple[int, int]) -> Values:
    """The value of boards after a move from the sums over their new tiles."""
    found = np.empty(len(afters))
    for i in range(len(afters)):
        cells = (odds[0] + odds[1]) * count(empties(afters[i]))
        found[i] = (odds[0] * twos[i] + odds[1] * fours[i]) / cells
    return found
