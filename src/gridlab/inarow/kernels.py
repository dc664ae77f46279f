"""In-a-row games for the compiler. Every rule set is one small array handed to the same kernels.

`runs_of(rules)` is int64[run, 5], a row for each direction and length, winning ones first:

    RESULT  +1 if the run wins, -1 if it loses          LENGTH  of the run
    STEP    distance between neighbours: 1, cols, cols+1, cols-1
    STARTS  the cells from which such a run stays on the board, so that none wraps round its edge
    LINE    the run that starts at cell 0; times a start bit it is the run from there

    stones & stones >> STEP & stones >> 2·STEP … & STARTS    the cells where completed runs start
"""

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import lowest_bit, popcount
from gridlab.core.jit import kernel
from gridlab.games.grid import MARKS, symmetries
from gridlab.inarow.rules import DIRECTIONS, Rules, starts

SLASH = ord("/")
EMPTY, CROSS, NOUGHT = MARKS.encode()

Int64s = NDArray[np.int64]  # what most kernels take: boards, tables, places

RESULT, LENGTH, STEP, STARTS, LINE = range(5)
NO_LAST_MOVE = 127  # an ending that no single move explains


def runs_of(rules: Rules) -> Int64s:
    """The rules as kernels take them: int64[run, 5]."""
    rows = [
        (result, length, step, sum(1 << row * rules.cols + col for row, col in begin), line)
        for result, length in ((1, rules.win), (-1, rules.lose))
        if length is not None
        for down, right in DIRECTIONS[: 1 if length == 1 else 4]
        if (begin := starts(rules.rows, rules.cols, length, down, right))
        for step in [down * rules.cols + right]
        for line in [sum(1 << step * place for place in range(length))]
    ]
    return np.array(rows, dtype=np.int64)


@kernel
def run_starts(stones: int, length: int, step: int, starts: int) -> int:
    """The cells where a run of `length` stones begins."""
    found = stones
    for _ in range(length - 1):
        found = stones & (found >> step)
    return found & starts


@kernel
def ending(stones: int, runs: Int64s) -> int:
    """How a player's stones end the game, if they do.

    0: no line. +n: they win, -n: they lose, by any of n last moves, the cells common to all their lines.
    NO_LAST_MOVE: they have lines, and no single move completed them all.
    """
    result = 0
    common = stones
    for run in range(len(runs)):
        found = run_starts(stones, runs[run, LENGTH], runs[run, STEP], runs[run, STARTS])
        if found != 0 and result == 0:
            result = runs[run, RESULT]
        while found != 0:
            start = lowest_bit(found)
            common &= runs[run, LINE] * start
            found ^= start
    if result != 0 and common == 0:
        return NO_LAST_MOVE
    return result * popcount(common)


def byte_tables(rules: Rules, weights: list[int]) -> Int64s:
    """What stones weigh in each image, a cell's weight for each: int64[symmetry, byte of the bitboard, its value]."""
    group = symmetries(rules.rows, rules.cols)
    tables = np.zeros((len(group), -(-rules.cells // 8), 256), dtype=np.int64)
    for number, symmetry in enumerate(group):
        for cell, to in enumerate(symmetry.cells):
            tables[number, cell // 8] += (np.arange(256) >> cell % 8 & 1) * weights[to]
    return tables


def image_keys(rules: Rules) -> Int64s:
    """Tables that turn stones into sort keys of their images: int64[symmetry, byte of the bitboard, its value].

    A key is the board as a number in base 3 with cell 0 its *highest* digit, so that comparing keys compares boards
    cell by cell from the top left. Crosses add their entries once, noughts twice: empty 0 < X 1 < O 2. Up to 39 cells.
    """
    return byte_tables(rules, [3 ** (rules.cells - 1 - cell) for cell in range(rules.cells)])


@kernel
def image_key(crosses: int, noughts: int, keys: Int64s) -> int:
    """The sort key of one image; `keys` is one symmetry of `image_keys`, [byte, value]."""
    key = 0
    for byte in range(len(keys)):
        key += keys[byte, crosses >> 8 * byte & 255] + 2 * keys[byte, noughts >> 8 * byte & 255]
    return key


@kernel
def is_canonical(crosses: int, noughts: int, keys: Int64s) -> bool:
    """Whether no image of the position comes before it; `keys` is [symmetry, byte, value], the identity first."""
    own = image_key(crosses, noughts, keys[0])
    for symmetry in range(1, len(keys)):  # noqa: SIM110 - kernels are plain loops
        if image_key(crosses, noughts, keys[symmetry]) < own:
            return False
    return True


@kernel
def first_illegal(boards: Int64s, cells: int, runs: Int64s) -> int:
    """The first of many boards [board, (crosses, noughts)] to which no game leads, or -1 if all are legal."""
    for i in range(len(boards)):
        crosses, noughts = boards[i, 0], boards[i, 1]
        surplus = popcount(crosses) - popcount(noughts)
        on_board = (crosses | noughts) >> cells == 0 and crosses & noughts == 0
        mover, other = (crosses, noughts) if surplus == 1 else (noughts, crosses)
        if not on_board or surplus not in (0, 1) or ending(other, runs) != 0 or ending(mover, runs) == NO_LAST_MOVE:
            return i
    return -1


@kernel
def smallest_images(boards: Int64s, keys: Int64s) -> Int64s:
    """The symmetry that leads each board [board, (crosses, noughts)] to its smallest image."""
    best = np.zeros(len(boards), np.int64)
    for i in range(len(boards)):
        smallest = image_key(boards[i, 0], boards[i, 1], keys[0])
        for symmetry in range(1, len(keys)):
            key = image_key(boards[i, 0], boards[i, 1], keys[symmetry])
            if key < smallest:
                smallest = key
                best[i] = symmetry
    return best


@kernel
def write_board(crosses: int, noughts: int, rows: int, cols: int, buffer: NDArray[np.uint8], place: int) -> int:
    """The board as X.O/.X./O.X."""
    for cell in range(rows * cols):
        if cell > 0 and cell % cols == 0:
            buffer[place] = SLASH
            place += 1
        buffer[place] = CROSS if crosses >> cell & 1 else NOUGHT if noughts >> cell & 1 else EMPTY
        place += 1
    return place
