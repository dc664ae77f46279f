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

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import lowest_cell, popcount
from gridlab.core.jit import inner, kernel
from gridlab.core.splitmix import States, below, below_by_lower_half, draw
from gridlab.games.game2048.reference import Board
from gridlab.games.game2048.rules import Rules2048

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
def largest_exponent(board: np.uint64) -> int:
    """The binary logarithm of the largest tile of a board without walls."""
    largest = ZERO
    while board != ZERO:
        largest = max(largest, board & FIFTEEN)
        board >>= FOUR
    return np.int64(largest)  # type: ignore[return-value]
