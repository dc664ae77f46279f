"""2048 for the compiler: a 4x4 board in 64 bits, four a cell, row-major, cell 0 lowest.

    a cell holds the binary logarithm of its tile: 0 empty, 1 is 2, 2 is 4, … 15 is 32768
    a row is 16 bits: [2 4 . 2] = 0x1021            what becomes of each of the 65,536 rows is in row_tables.py

A smaller board lies at the top left of the 4x4 board, and the cells outside are walls, 15 each:

    2048:2x3      2 . 4 #      0xFFFF_FFFF_F000_F201      walls are never empty, so no tile appears there, and the
                  . . . #                                 row tables of such a board know that the 15s at the end of
                  # # # #                                 a row stay where they are: the kernels are the same for all
                  # # # #                                 boards

Columns are the rows of the transposed board. Every literal is a uint64, as a mixture with others is not one any more.
"""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import States, below, below_by_lower_half, draw, int64, lowest_cell, popcount, times
from gridlab.core.jit import inner, kernel
from gridlab.game2048.rules import LARGEST, Board, Rules2048

Boards = NDArray[np.uint64]

UP, DOWN, LEFT, RIGHT = range(4)
ZERO, ONE, TWO, THREE, FOUR = (np.uint64(each) for each in range(5))
S8, S12, S16, S24, S32, S48 = (np.uint64(each) for each in (8, 12, 16, 24, 32, 48))
ROW = np.uint64(0xFFFF)
FIFTEEN = np.uint64(15)
UNITS = np.uint64(0x1111111111111111)  # the lowest bit of every cell
SWAP_CELLS = np.uint64(0x0000F0F00000F0F0)
SWAP_BLOCKS = np.uint64(0x00000000FF00FF00)
EVEN_CELLS, ODD_CELLS = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0xF0F0F0F0F0F0F0F0)
EVEN_PAIRS, ODD_PAIRS = np.uint64(0x00FF00FF00FF00FF), np.uint64(0xFF00FF00FF00FF00)
EVEN_ROWS, ODD_ROWS = np.uint64(0x0000FFFF0000FFFF), np.uint64(0xFFFF0000FFFF0000)
SPREAD = np.uint64(0x9E3779B97F4A7C15)  # an odd number near 2^64 / golden ratio, for multiplicative hashing
NO_MOVE = -np.inf  # the value of a direction that is no move


def pack(tiles: Board) -> int:
    """Tiles as a number, four bits a cell: (2, 4, 0, 2) -> 0x1021."""
    return sum((tile.bit_length() - 1) << 4 * cell for cell, tile in enumerate(tiles) if tile)


def unpack(packed: int, cells: int = 16) -> Board:
    """The tiles of a packed row or board."""
    return tuple(1 << (packed >> 4 * cell & 15) if packed >> 4 * cell & 15 else 0 for cell in range(cells))


def walls_of(rules: Rules2048) -> int:
    """The empty board of some rules: 15 in each cell outside, 0 for 4x4."""
    inside = [row < rules.rows and col < rules.cols for row in range(4) for col in range(4)]
    return sum(15 << 4 * cell for cell in range(16) if not inside[cell])


def pack_board(tiles: Board, rules: Rules2048) -> int:
    """A board of up to 4x4 cells as a number, with its walls."""
    rows = (tiles[first : first + rules.cols] for first in range(0, rules.cells, rules.cols))
    return walls_of(rules) | sum(pack(row) << 16 * number for number, row in enumerate(rows))


def unpack_board(packed: int, rules: Rules2048) -> Board:
    """The tiles of a packed board, without its walls."""
    rows = (unpack(packed >> 16 * number, rules.cols) for number in range(rules.rows))
    return tuple(tile for row in rows for tile in row)


@kernel
def transpose(board: np.uint64) -> np.uint64:
    """Rows become columns: cells change places inside 2x2 blocks, then blocks do."""
    cells = (board ^ board >> S12) & SWAP_CELLS
    board = board ^ cells ^ cells << S12
    blocks = (board ^ board >> S24) & SWAP_BLOCKS
    return board ^ blocks ^ blocks << S24


@kernel
def mirror(board: np.uint64) -> np.uint64:
    """Left and right change places: the cells of each pair, then the pairs of each row."""
    board = (board & ODD_CELLS) >> FOUR | (board & EVEN_CELLS) << FOUR
    return (board & ODD_PAIRS) >> S8 | (board & EVEN_PAIRS) << S8


@kernel
def flip(board: np.uint64) -> np.uint64:
    """Top and bottom change places: the rows of each half, then the halves."""
    board = (board & ODD_ROWS) >> S16 | (board & EVEN_ROWS) << S16
    return board >> S32 | board << S32


@kernel
def slide_rows(board: np.uint64, slides: NDArray[np.uint32]) -> tuple[np.uint64, np.uint64]:
    """All rows slid to the left, and all slid to the right: one look-up a row gives both."""
    first, second = np.uint64(slides[board & ROW]), np.uint64(slides[board >> S16 & ROW])
    third, fourth = np.uint64(slides[board >> S32 & ROW]), np.uint64(slides[board >> S48])
    left = first & ROW | (second & ROW) << S16 | (third & ROW) << S32 | fourth << S48
    right = first >> S16 | second >> S16 << S16 | third >> S16 << S32 | fourth >> S16 << S48
    return left, right


@kernel
def move(board: np.uint64, direction: int, slides: NDArray[np.uint32]) -> np.uint64:
    """The board after a move, before a tile appears; the same board if the move is not legal."""
    if direction == LEFT:
        return slide_rows(board, slides)[0]
    if direction == RIGHT:
        return slide_rows(board, slides)[1]
    up, down = slide_rows(transpose(board), slides)
    return transpose(up if direction == UP else down)


@inner
def moved(board: np.uint64, turned: np.uint64, direction: int, slides: NDArray[np.uint32]) -> np.uint64:
    """The board after a move, its transpose being at hand."""
    if direction < LEFT:
        up, down = slide_rows(turned, slides)
        return transpose(up if direction == UP else down)
    left, right = slide_rows(board, slides)
    return left if direction == LEFT else right


@kernel
def points_of(board: np.uint64, direction: int, points: NDArray[np.int32]) -> int:
    """What a move brings."""
    lines = board if direction >= LEFT else transpose(board)
    total = np.int64(points[lines & ROW]) + points[lines >> S16 & ROW]
    return total + points[lines >> S32 & ROW] + points[lines >> S48]  # type: ignore[no-any-return]


@kernel
def empties(board: np.uint64) -> np.uint64:
    """The lowest bit of every empty cell."""
    filled = board | board >> TWO
    filled |= filled >> ONE
    return ~filled & UNITS


@kernel
def count(units: np.uint64) -> int:
    """How many cells a set of lowest bits holds; the highest of them, bit 60, leaves an int64 positive."""
    return popcount(np.int64(units))  # type: ignore[arg-type]


@kernel
def nth_unit(units: np.uint64, n: int) -> np.uint64:
    """The n-th of some cells, counted from 0: its lowest bit."""
    for _ in range(n):
        units &= units - ONE
    return ONE << np.uint64(lowest_cell(np.int64(units)))  # type: ignore[arg-type]


@kernel
def spawn(board: np.uint64, twos: int, fours: int, states: States, game: int) -> np.uint64:
    """The board with a new tile; one draw of the game's stream decides the cell and the tile."""
    free = empties(board)
    bits = draw(states, game)
    unit = nth_unit(free, below(bits, count(free)))
    is_four = below_by_lower_half(bits, twos + fours) < fours
    return board | (unit << ONE if is_four else unit)


@kernel
def start(walls: np.uint64, twos: int, fours: int, states: States, game: int) -> np.uint64:
    """A board with nothing but its walls and two new tiles."""
    return spawn(spawn(walls, twos, fours, states, game), twos, fours, states, game)


@kernel
def random_direction(board: np.uint64, slides: NDArray[np.uint32], states: States, game: int) -> int:
    """Any legal direction by a draw of the game's stream, -1 if there is none."""
    turned = transpose(board)
    up, down = slide_rows(turned, slides)
    left, right = slide_rows(board, slides)
    legal = int(up != turned) | int(down != turned) << 1 | int(left != board) << 2 | int(right != board) << 3
    if legal == 0:
        return -1
    for _ in range(below(draw(states, game), popcount(legal))):
        legal &= legal - 1  # without the lowest bit
    return lowest_cell(legal)


@kernel
def largest_exponent(board: np.uint64) -> int:
    """The binary logarithm of the largest tile of a board without walls."""
    largest = ZERO
    while board != ZERO:
        largest = max(largest, board & FIFTEEN)
        board >>= FOUR
    return np.int64(largest)  # type: ignore[return-value]


# ---- What becomes of each of the 65,536 rows of a board of up to 4x4 cells, as tables for kernels
#
# A row is 16 bits, four a cell, cell 0 lowest: the binary logarithm of its tile, its *exponent*. All rows are slid at
# once here, as arrays [row, cell] of exponents; tests hold every row to the reference implementation (rules.py).
#
# Boards smaller than 4x4 have walls, 15s at the end of a row, that stay where they are: [2 . 2 #] becomes [4 . . #] or
# [. . 4 #]. Rows and columns of all lengths stand in one table, each known by its walls.


Exponents = NDArray[np.int64]  # [row, cell]

ROWS = 1 << 16
SHIFTS = np.arange(0, 16, 4)  # of the cells of a row
STANDARD = Rules2048()


class RowTables(NamedTuple):
    """What becomes of each row, [row] each, and the walls of the board."""

    slides: NDArray[np.uint32]  # the row slid to the left in the lower half, slid to the right in the upper
    points: NDArray[np.int32]  # of a slide to either side
    walls: np.uint64  # the board without tiles


@cache
def row_tables(rules: Rules2048 = STANDARD) -> RowTables:
    """The tables of a board of up to 4x4 cells."""
    return RowTables(*_tables(rules.walled), np.uint64(walls_of(rules)))


@cache
def _tables(walled: bool) -> tuple[NDArray[np.uint32], NDArray[np.int32]]:
    """All rows slid at once, walls standing still."""
    rows = exponents_of_rows()
    left, right, points = rows.copy(), rows.copy(), np.zeros(ROWS, np.int32)
    for cells, chosen in by_length(walled):
        lines = rows[chosen, :cells]
        left[chosen, :cells], points[chosen] = slide_all(lines, LARGEST // 2 if walled else LARGEST)
        right[chosen, :cells] = slide_all(lines[:, ::-1], LARGEST // 2 if walled else LARGEST)[0][:, ::-1]
    slides = pack_rows(left) | pack_rows(right) << np.uint32(16)
    for table in (slides, points):
        table.flags.writeable = False
    return slides, points


def exponents_of_rows() -> Exponents:
    """What stands in the cells of every row: [row, 4]."""
    return np.arange(ROWS)[:, None] >> SHIFTS & 15


def by_length(walled: bool) -> list[tuple[int, NDArray[np.int64]]]:
    """The rows of each length: all have four cells where there are no walls."""
    if not walled:
        return [(4, np.arange(ROWS))]
    walls = np.cumprod(exponents_of_rows()[:, ::-1] == 15, axis=1).sum(axis=1)
    return [(cells, np.flatnonzero(walls == 4 - cells)) for cells in range(1, 5)]


def line_table(rules: Rules2048, value: Callable[[Exponents], NDArray[np.int64]]) -> NDArray[np.int64]:
    """For each row what a function of many lines of one length says of it; nothing but walls is 0."""
    table, rows = np.zeros(ROWS, np.int64), exponents_of_rows()
    for cells, chosen in by_length(rules.walled):
        table[chosen] = value(rows[chosen, :cells])
    return table


def slide_all(rows: Exponents, largest: int = LARGEST) -> tuple[Exponents, NDArray[np.int32]]:
    """Rows [row, cell] slid to the left, and the points of each."""
    slid, points = squeezed(rows), np.zeros(len(rows), np.int32)
    for cell in range(rows.shape[1] - 1):
        merges = (slid[:, cell] == slid[:, cell + 1]) & (slid[:, cell] > 0) & (1 << slid[:, cell] < largest)
        slid[merges, cell] += 1
        points[merges] += 1 << slid[merges, cell]
        slid[merges, cell + 1 : -1] = slid[merges, cell + 2 :]
        slid[merges, -1] = 0
    return slid, points


def squeezed(rows: Exponents) -> Exponents:
    """Rows without the gaps, empty cells at their ends: [0 1 0 2] -> [1 2 0 0]."""
    return np.take_along_axis(rows, np.argsort(rows == 0, axis=1, kind="stable"), axis=1)


def pack_rows(rows: Exponents) -> NDArray[np.uint32]:
    """Rows [row, 4] as numbers of 16 bits."""
    return np.asarray(np.bitwise_or.reduce(rows << SHIFTS, axis=1), np.uint32)


# ---- The images of a packed board under the symmetries of its shape, and the smallest of them, which stands for all
#
# 3 2 1 #      mirror: every row        turned over: the rows        transposed, on square boards alone
# . . . #      1 2 3 #                  . . . #                      3 . .
# . . . #                               3 2 1 #                      2 . .


Mirror = NDArray[np.uint16]  # [row]: from right to left, walls standing still

MIDDLE = np.uint64(0xFFFF0000)
BELOW = np.uint64(0xFFFF000000000000)  # the last row
MIRRORED, OVER, TRANSPOSED = 1, 2, 4


class Shape(NamedTuple):
    """What the symmetries of a board depend on."""

    rows: int
    square: bool


def shape_of(rules: Rules2048) -> Shape:
    return Shape(rules.rows, rules.rows == rules.cols)


@cache
def mirror_table(rules: Rules2048) -> Mirror:
    """Every row of a board of up to 4x4 cells, mirrored."""
    return _mirror(rules.walled)


@cache
def _mirror(walled: bool) -> Mirror:
    rows = exponents_of_rows()
    mirrored = rows.copy()
    for cells, chosen in by_length(walled):
        mirrored[chosen, :cells] = rows[chosen, :cells][:, ::-1]
    table = pack_rows(mirrored).astype(np.uint16)
    table.flags.writeable = False
    return table


@inner
def mirrored(board: np.uint64, mirror: Mirror) -> np.uint64:
    """Every row from right to left."""
    upper = np.uint64(mirror[board & ROW]) | np.uint64(mirror[board >> S16 & ROW]) << S16
    return upper | np.uint64(mirror[board >> S32 & ROW]) << S32 | np.uint64(mirror[board >> S48]) << S48


@inner
def turned_over(board: np.uint64, rows: int) -> np.uint64:
    """The rows from bottom to top."""
    first, second = board & ROW, board >> S16 & ROW
    if rows == 3:
        return board >> S32 & ROW | board & MIDDLE | first << S32 | board & BELOW
    if rows == 2:
        return second | first << S16 | board >> S32 << S32
    return board >> S48 | (board >> S32 & ROW) << S16 | second << S32 | first << S48


@inner
def smallest_image(board: np.uint64, mirror: Mirror, shape: Shape) -> np.uint64:
    """The smallest image of a board as a number."""
    aside, over = mirrored(board, mirror), turned_over(board, shape.rows)
    both = turned_over(aside, shape.rows)
    least = min(min(board, aside), min(over, both))
    if shape.square:
        least = min(least, min(min(transpose(board), transpose(aside)), min(transpose(over), transpose(both))))
    return least


@kernel
def smallest_images(boards: Boards, mirror: Mirror, shape: Shape) -> Boards:
    """Many boards at once."""
    found = np.empty(len(boards), np.uint64)
    for i in range(len(boards)):
        found[i] = smallest_image(boards[i], mirror, shape)
    return found


# ---- all images, by numbers


@inner
def symmetries(shape: Shape) -> int:
    """How many a board has. Each is three bits: 1 mirrored, then 2 turned over, then 4 transposed."""
    return 8 if shape.square else 4


@inner
def image(board: np.uint64, symmetry: int, mirror: Mirror, shape: Shape) -> np.uint64:
    """A board seen through a symmetry."""
    if symmetry & MIRRORED:
        board = mirrored(board, mirror)
    if symmetry & OVER:
        board = turned_over(board, shape.rows)
    return transpose(board) if symmetry & TRANSPOSED else board


@inner
def image_of(direction: int, symmetry: int) -> int:
    """Where a direction leads to on the image of a board."""
    if symmetry & (MIRRORED if direction >= LEFT else OVER):
        direction ^= 1
    return direction ^ 2 if symmetry & TRANSPOSED else direction


@kernel
def images_of_boards(boards: Boards, number: int, mirror: Mirror, shape: Shape) -> Boards:
    """The first so many images of each board: [board, image]."""
    found = np.empty((len(boards), number), np.uint64)
    for i in range(len(boards)):
        for symmetry in range(number):
            found[i, symmetry] = image(boards[i], symmetry, mirror, shape)
    return found


@cache
def mapped_directions(number: int) -> NDArray[np.int64]:
    """Where each direction leads to on the first so many images: [image, direction]."""
    return np.array([[image_of(direction, symmetry) for direction in range(4)] for symmetry in range(number)])


@inner
def place_of(board: np.uint64, places: int) -> int:
    """The place of a board in a hash table of a power of two of places, -1 if there is no table."""
    return np.int64(times(board, SPREAD) >> S32) & places - 1 if places > 0 else -1  # type: ignore[return-value]


@kernel
def first_of_best(values: NDArray[np.float64]) -> int:
    """The first of the best directions, -1 if none is a move."""
    best = -1
    for direction in range(4):
        if values[direction] != NO_MOVE and (best < 0 or values[direction] > values[best]):
            best = direction
    return best


# ---- Games of 2048 replayed by the rules, and many played side by side, in kernels
#
# boards[i]  --directions[i]-->  board  --one new 2 or 4-->  boards[i + 1], and after the last move the final board
# scores[i]  + its points                                =   scores[i + 1], and the final score


# ---- Games of 2048 played side by side: one move of each at a time, for players that look at many boards at once


@kernel
def begin_games(rows: RowTables, odds: tuple[int, int], states: States) -> Boards:
    """The first board of each stream of chance."""
    boards = np.empty(len(states), np.uint64)
    for game in range(len(states)):
        boards[game] = start(rows.walls, odds[0], odds[1], states, game)
    return boards


@kernel
def step_games(
    games: NDArray[np.int64],  # those that go on, by their numbers
    directions: NDArray[np.int8],  # one for each of them
    boards: Boards,
    scores: NDArray[np.int64],
    rows: RowTables,
    odds: tuple[int, int],
    states: States,
) -> int:
    """One move of each game, and a new tile; the place of the first direction that is no move, or -1."""
    for place in range(len(games)):
        game, direction = games[place], int64(directions[place])
        after = boards[game] if direction < 0 or direction > 3 else move(boards[game], direction, rows.slides)
        if after == boards[game]:
            return place
        scores[game] += points_of(boards[game], direction, rows.points)
        boards[game] = spawn(after, odds[0], odds[1], states, game)
    return -1


def can_move(boards: Boards, rows: RowTables) -> NDArray[np.bool_]:
    """Whether there is a move on each board."""
    found: NDArray[np.bool_] = (afterstates(boards, rows) != boards[:, None]).any(axis=1)
    return found


@kernel
def points_of_moves(boards: Boards, rows: RowTables) -> NDArray[np.int64]:
    """What each direction brings on each board: [board, direction]."""
    found = np.zeros((len(boards), 4), np.int64)
    for i in range(len(boards)):
        for direction in range(4):
            found[i, direction] = points_of(boards[i], direction, rows.points)
    return found


@kernel
def all_spawns(afterstates: Boards, odds: tuple[int, int]) -> tuple[Boards, NDArray[np.int64], NDArray[np.float64]]:
    """Every board that a new tile makes of boards after a move, of which of them, and how likely that is."""
    total = 0
    for i in range(len(afterstates)):
        total += 2 * count(empties(afterstates[i]))
    boards, owners = np.empty(total, np.uint64), np.empty(total, np.int64)
    chances, at = np.empty(total), 0
    for i in range(len(afterstates)):
        free = empties(afterstates[i])
        cells = count(free)
        while free != ZERO:
            unit = free & (~free + np.uint64(1))
            for tile in range(2):
                boards[at], owners[at] = afterstates[i] | unit << np.uint64(tile), i
                chances[at] = odds[tile] / ((odds[0] + odds[1]) * cells)
                at += 1
            free &= free - np.uint64(1)
    return boards, owners, chances


@kernel
def cells_after_moves(boards: Boards, rows: RowTables) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """What stands in the cells after each move, as binary logarithms: [board, direction, 16]; and which are legal."""
    cells, legal = np.empty((len(boards), 4, 16), np.uint8), np.empty((len(boards), 4), np.bool_)
    for i in range(len(boards)):
        for direction in range(4):
            after = move(boards[i], direction, rows.slides)
            legal[i, direction] = after != boards[i]
            for cell in range(16):
                cells[i, direction, cell] = after & FIFTEEN
                after >>= FOUR
    return cells, legal


# ---- Is a played game what it says? Every move replayed by the rules, in a kernel


SOUND, NOT_LEGAL, NO_SPAWN, CHANGED, WRONG_TILE, WRONG_SCORE = range(6)
REASONS = {
    NOT_LEGAL: "the move changes nothing, so it is not legal",
    NO_SPAWN: "no tile appeared after the move",
    CHANGED: "the next board is not the board after the move with one new tile",
    WRONG_TILE: "the new tile is neither 2 nor 4",
    WRONG_SCORE: "the score after the move is not the score before it and the tiles merged",
}


@kernel
def first_flaw(
    boards: Boards, directions: NDArray[np.int64], scores: NDArray[np.int64], last: np.uint64, total: int,
    rows: RowTables,
) -> tuple[int, int]:  # fmt: skip
    """The first move that the rules do not explain, from 0, or -1; and why. `last` and `total` are of the end."""
    for i in range(len(boards)):
        after = move(boards[i], directions[i], rows.slides)
        if after == boards[i]:
            return i, NOT_LEGAL
        following = boards[i + 1] if i + 1 < len(boards) else last
        reason = spawn_flaw(after, following)
        if reason != SOUND:
            return i, reason
        score = scores[i + 1] if i + 1 < len(boards) else total
        if scores[i] + points_of(boards[i], directions[i], rows.points) != score:
            return i, WRONG_SCORE
    return -1, SOUND


@kernel
def spawn_flaw(after: np.uint64, following: np.uint64) -> int:
    """Whether the one differs from the other by a new tile."""
    new = after ^ following
    if new == ZERO:
        return NO_SPAWN
    cell = ZERO
    while new >> cell & FIFTEEN == ZERO:
        cell += FOUR
    if new >> cell > FIFTEEN or after >> cell & FIFTEEN != ZERO:
        return CHANGED
    tile = new >> cell
    return SOUND if tile <= TWO else WRONG_TILE


@kernel
def afterstates(boards: Boards, rows: RowTables) -> Boards:
    """The boards after each move, before new tiles: [board, direction]; the same board where it is no move."""
    found = np.empty((len(boards), 4), np.uint64)
    for i in range(len(boards)):
        for direction in range(4):
            found[i, direction] = move(boards[i], direction, rows.slides)
    return found
