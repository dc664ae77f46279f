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

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import product
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import Stop, stopped
from gridlab.core.jit import inner, kernel
from gridlab.core.run import available_cores, in_order, interruptible, stop_flag
from gridlab.game2048 import kernels
from gridlab.game2048.kernels import FIFTEEN, FOUR, ONE, ROW, UNITS, ZERO, Boards, Mirror, RowTables, Shape
from gridlab.game2048.rules import Rules2048

Values = NDArray[np.float64]

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
    return Board2048(kernels.row_tables(rules), kernels.mirror_table(rules), kernels.shape_of(rules), goal)


@inner
def find(board: np.uint64, keys: Boards) -> int:
    """The place of a board, or the empty one where it would stand."""
    place = kernels.place_of(board, len(keys))
    while keys[place] != ZERO and keys[place] != board:
        place = place + 1 & len(keys) - 1
    return place


@inner
def has_tile(board: np.uint64, goal: np.uint64) -> bool:
    """Whether one of the cells holds the exponent that `goal` has in each."""
    return kernels.empties(board ^ goal) != ZERO  # type: ignore[no-any-return]


@kernel
def larger(keys: Boards) -> Boards:
    """The set with twice the places."""
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
        afterstates = fours_on if four else twos_on
        for i in range(len(afterstates)):
            if i & LOOK_AROUND == 0 and stopped(stop):
                return keys[:0]
            cells = kernels.empties(afterstates[i])
            while cells != ZERO:
                unit = cells & (~cells + ONE)
                cells ^= unit
                board = kernels.smallest_image(afterstates[i] | unit << np.uint64(four), mirror, shape)
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
        board, turned, dead = boards[i], kernels.transpose(boards[i]), True
        for direction in range(4):
            after = kernels.moved(board, turned, direction, slides)
            if after == board:
                continue
            dead = False
            if goal != ZERO and has_tile(after, goal):
                continue
            after = kernels.smallest_image(after, mirror, shape)
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
def larger_table(keys: Boards, values: Values) -> tuple[Boards, Values]:
    """The table with twice the places."""
    grown = larger(keys)
    again = np.zeros(len(grown))
    for i in range(len(keys)):
        if keys[i] != ZERO:
            again[find(keys[i], grown)] = values[i]
    return grown, again


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
        afterstates, sums = (fours_on, fours) if four else (twos_on, twos)
        for i in range(len(afterstates)):
            if i & LOOK_AROUND == 0 and stopped(stop):
                return
            cells, total = kernels.empties(afterstates[i]), 0.0
            while cells != ZERO:
                unit = cells & (~cells + ONE)
                cells ^= unit
                board = kernels.smallest_image(afterstates[i] | unit << np.uint64(four), game.mirror, game.shape)
                place = find(board, known)
                if known[place] == ZERO:
                    known[place], worth[place] = board, best_value(board, keys, values, game)
                    number += 1
                total += worth[place]
            sums[i] = total
            if 2 * (number + 16) > len(known):
                known, worth = larger_table(known, worth)


@kernel
def best_value(board: np.uint64, keys: Boards, values: Values, game: Board2048) -> float:
    """What a board is worth to whoever moves; 0 if there is no move."""
    (slides, points, _), mirror, shape, goal = game
    turned, best = kernels.transpose(board), 0.0
    for direction in range(4):
        after = kernels.moved(board, turned, direction, slides)
        if after == board:
            continue
        if goal == ZERO:
            gain = kernels.points_of(board, direction, points)
            value = gain + values[find(kernels.smallest_image(after, mirror, shape), keys)]
        elif has_tile(after, goal):
            value = 1.0
        else:
            value = values[find(kernels.smallest_image(after, mirror, shape), keys)]
        best = max(best, value)
    return best


@kernel
def means(afterstates: Boards, twos: Values, fours: Values, odds: tuple[int, int]) -> Values:
    """The value of boards after a move from the sums over their new tiles."""
    found = np.empty(len(afterstates))
    for i in range(len(afterstates)):
        cells = (odds[0] + odds[1]) * kernels.count(kernels.empties(afterstates[i]))
        found[i] = (odds[0] * twos[i] + odds[1] * fours[i]) / cells
    return found


# ---- What boards of 2048 look like, and what there is to choose on them, by kernels
#
# in a corner          one of the largest tiles stands in a corner
# along an edge        a line along an edge holds the largest tiles, falling from a corner: the first part of a snake
#
# 512 128 32
# 16   8  4      both
# .   2  .


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
    largest = np.uint64(kernels.largest_exponent(board ^ corners.walls))
    return kernels.empties(board ^ UNITS * largest) & corners.cells != ZERO  # type: ignore[no-any-return]


@inner
def along_an_edge(board: np.uint64, corners: Corners) -> bool:
    """Whether the largest tiles fall along an edge from a corner; they may be equal."""
    for side in range(4):
        image = kernels.mirrored(board, corners.mirror) if side & 1 else board
        if side & 2:
            image = kernels.turned_over(image, corners.shape.rows)
        if falls_first(image, corners.walls) or falls_first(kernels.transpose(image), kernels.transpose(corners.walls)):
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
        board, turned = boards[i], kernels.transpose(boards[i])
        legal, best, second, kept, some = 0, -1.0, -1.0, False, 0
        for direction in range(4):
            after = kernels.moved(board, turned, direction, slides)
            if after == board:
                continue
            value = 1.0
            if goal == ZERO:
                gain = kernels.points_of(board, direction, points)
                value = gain + values[find(kernels.smallest_image(after, mirror, shape), keys)]
            elif not has_tile(after, goal):
                value = values[find(kernels.smallest_image(after, mirror, shape), keys)]
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


# ---- A small board of 2048 solved: layers upwards from the starts, then their values downwards
#
# Each layer is shared out in slices, one for each worker; what is found does not hang on how many there are, as boards
# are sorted and every value is worked out by itself, in the same order of additions.


Found = TypeVar("Found")

FIRST_SUM, LAST_START = 4, 8  # of the tiles of a board to move, and of a start
ALONE = 1 << 12  # boards that one worker does as fast as several
NONE: Boards = np.empty(0, np.uint64)


class Layer(NamedTuple):
    """The boards with one sum of tiles, up to symmetry."""

    sum: int
    boards: int  # to move
    over: int  # of these, without a move
    afterstates: Boards  # after a move, ascending


class Starts(NamedTuple):
    """The boards on which games begin with one sum of tiles, up to symmetry, and how likely each is."""

    boards: Boards
    shares: Values


@cache
def starts_of(rules: Rules2048) -> dict[int, Starts]:
    """All starts by the sum of their tiles."""
    twos, fours = rules.odds
    weights, pairs = {2: twos, 4: fours}, rules.cells * (rules.cells - 1) // 2
    found: dict[int, dict[int, float]] = {}
    for first, second in product(range(rules.cells), repeat=2):
        for one, other in product(weights, repeat=2):
            share = weights[one] * weights[other] / (twos + fours) ** 2 / pairs
            if first < second and share:
                tiles = tuple(one if cell == first else other if cell == second else 0 for cell in range(rules.cells))
                by_board = found.setdefault(one + other, {})
                board = _smallest(kernels.pack_board(tiles, rules), rules)
                by_board[board] = by_board.get(board, 0.0) + share
    return {
        total: Starts(np.array(sorted(each), np.uint64), np.array([each[board] for board in sorted(each)]))
        for total, each in sorted(found.items())
    }


def _smallest(board: int, rules: Rules2048) -> int:
    game = board_of(rules)
    return int(kernels.smallest_images(np.array([board], np.uint64), game.mirror, game.shape)[0])


def boards_to_move(rules: Rules2048, total: int, below: Boards, two_below: Boards, workers: int = 1) -> Boards:
    """The boards of a layer from those after a move of the layers 2 and 4 below it, ascending."""
    game, (twos, fours) = board_of(rules), rules.odds
    with_two, with_four = below if twos else NONE, two_below if fours else NONE

    def spawn(part: float, end: float, stop: Stop) -> Boards:
        return with_new_tiles(_cut(with_two, part, end), _cut(with_four, part, end), game.mirror, game.shape, stop)

    found = shared_out(spawn, len(with_two) + len(with_four), workers)
    begins = starts_of(rules)
    return _together([*found, begins[total].boards] if total in begins else found)


def make_layers(
    rules: Rules2048, tile: int = 0, most: int = 0, workers: int | None = None, tell: Callable[[Layer], object] = id
) -> Iterator[Layer]:
    """Every layer from the starts on; with `most` up to that sum. With `tile` boards that have it are left out."""
    game, workers = board_of(rules, tile), workers or available_cores()
    below, two_below, total = NONE, NONE, FIRST_SUM
    while not most or total <= most:
        boards = boards_to_move(rules, total, below, two_below, workers)
        if not len(boards) and total > LAST_START and not len(below):
            return
        layer = after_layer(total, boards, game, workers)
        tell(layer)
        yield layer
        below, two_below, total = layer.afterstates, below, total + 2


def after_layer(total: int, boards: Boards, game: Board2048, workers: int) -> Layer:
    """A layer from its boards to move."""

    def play(part: float, end: float, stop: Stop) -> tuple[Boards, int]:
        return after_moves(_cut(boards, part, end), game, stop)

    found = shared_out(play, len(boards), workers)
    return Layer(total, len(boards), sum(over for _, over in found), _together(afterstates for afterstates, _ in found))


class Solver:
    """Values of layers, the last one first; the sums over new tiles of the two layers below wait here."""

    def __init__(self, rules: Rules2048, tile: int = 0, workers: int | None = None) -> None:
        self.rules, self.game = rules, board_of(rules, tile)
        self.workers = workers or available_cores()
        self.twos: dict[int, Values] = {}
        self.fours: dict[int, Values] = {}

    def values(self, total: int, afterstates: Boards) -> Values:
        """What the boards after a move of this layer are worth; both layers above have been `added`."""
        nothing = np.zeros(len(afterstates))
        twos, fours = self.twos.pop(total, nothing), self.fours.pop(total, nothing)
        return means(afterstates, twos, fours, self.rules.odds)

    def add(self, total: int, afterstates: Boards, values: Values, below: Boards, two_below: Boards) -> None:
        """Let the boards of the layers 2 and 4 below know what the boards of this one are worth."""
        twos, fours = self.rules.odds
        with_two, with_four = below if twos else NONE, two_below if fours else NONE
        keys, worth = table_of(afterstates, values)
        sums_two, sums_four = np.zeros(len(below)), np.zeros(len(two_below))

        def add_up(part: float, end: float, stop: Stop) -> None:
            sums_over_tiles(
                _cut(with_two, part, end), _cut(with_four, part, end), keys, worth, self.game,
                _cut(sums_two, part, end), _cut(sums_four, part, end), stop,
            )  # fmt: skip

        shared_out(add_up, len(with_two) + len(with_four), self.workers)
        self.twos[total - 2], self.fours[total - 4] = sums_two, sums_four


def start_value(rules: Rules2048, game: Board2048, total: int, afterstates: Boards, values: Values) -> float:
    """What the starts of a layer add to the mean over all starts."""
    if total not in starts_of(rules):
        return 0.0
    keys, worth = table_of(afterstates, values)
    boards, shares = starts_of(rules)[total]
    return float(sum(share * best_value(board, keys, worth, game) for board, share in zip(boards, shares, strict=True)))


def shared_out(work: Callable[[float, float, Stop], Found], number: int, workers: int) -> list[Found]:
    """`work(from, to, stop)` for parts of a whole, 0.0 to 1.0, by several threads if there is enough to do."""
    if workers == 1 or number < ALONE:
        return [interruptible(lambda stop: work(0.0, 1.0, stop))]
    stop, ends = stop_flag(), [part / workers for part in range(workers + 1)]
    return list(in_order(lambda part: work(ends[part], ends[part + 1], stop), range(workers), workers, stop))


def _cut(array: Values | Boards, part: float, end: float) -> np.ndarray:
    return array[round(part * len(array)) : round(end * len(array))]


def _together(parts: Iterable[Boards]) -> Boards:
    """Boards of several sets, each once, ascending."""
    parts = list(parts)
    return np.sort(parts[0]) if len(parts) == 1 else np.unique(np.concatenate(parts))
