"""Evaluators of 2048 boards as arrays: a board is worth the sum of what its rows and columns are worth.

    value(board) = rows[0][row 0] + … + rows[3][row 3] + columns[0][column 0] + … + corner bonus

All numbers are integers, so a sum is the same in any order and exact. That makes the chance layer above the leaves
cheap: a new tile changes one row and one column, so the sum over all new tiles is a sum of looked-up *gains*

    gain[row] = Σ over its empty cells   twos · (value[row with a 2] - value[row]) + fours · (value[row with a 4] - …)

and the expectation over n empty cells is (Σ gains + (twos + fours) · n · value) / ((twos + fours) · n): one division.
"""

from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.errors import BadPlayer
from gridlab.core.jit import kernel
from gridlab.game2048 import kernels
from gridlab.game2048.kernels import FIFTEEN, FOUR, ONE, ROW, ROWS, S16, S32, S48, THREE, TWO, UNITS, ZERO, Exponents
from gridlab.game2048.rules import Board, Rules2048

# ---- The evaluator `rows`: our own, much stronger than the published one, and the same for every row and column
#
# A line of tiles is judged by the exponents e of its tiles (2 has 1, 4 has 2, …):
#
#     + empty    for each empty cell                     [2 . . 4] has two
#     + merge    for each pair of equal neighbours, empty cells between them left out    [4 . 4 2] has one
#     - weight   for each tile, times e to a power: few large tiles weigh less than many small ones
#     - order    times the smaller of what rises and what falls, in powers of e: no cost for a line that only does one
#     + edge     times e when the largest tile stands at an end of the line
#     - locked   for a line without an empty cell and without equal neighbours
#
# A board without a move loses DEAD besides, far more than any line can bring: the deeper a search, the more it sees of
# them, and without that they would look like any crowded board.
#
# The numbers were found by play: `python benchmarks/tune2048.py`.


DEAD = 3_000_000


class Weights(NamedTuple):
    """What the features of a line count."""

    empty: float
    merge: float
    weight: float
    weight_power: float
    order: float
    order_power: float
    edge: float
    locked: float


WEIGHTS = Weights(
    empty=3550.0, merge=8898.0, weight=164.0, weight_power=3.06, order=1062.0, order_power=2.38, edge=66.8,
    locked=13889.0,
)  # fmt: skip


def line_value(line: Board, weights: Weights = WEIGHTS) -> int:
    """What a line looks like, as a whole number, so that sums are exact in any order."""
    exponents = [tile.bit_length() - 1 for tile in line if tile]
    empty = len(line) - len(exponents)
    merges = equal_pairs(exponents)
    value: float = weights.empty * empty + weights.merge * merges
    value -= weights.weight * sum(each**weights.weight_power for each in exponents)
    value -= weights.order * disorder([max(tile.bit_length() - 1, 0) for tile in line], weights.order_power)
    if exponents and max(line) in (line[0], line[-1]):
        value += weights.edge * max(exponents)
    if not empty and not merges:
        value -= weights.locked
    return round(value)


def equal_pairs(exponents: list[int]) -> int:
    """How many neighbours are equal: [1, 1, 1] has two such pairs."""
    return sum(one == next for one, next in pairwise(exponents))


def disorder(exponents: list[int], power: float) -> float:
    """The smaller of all that rises along a line and all that falls."""
    steps: list[float] = [next**power - one**power for one, next in pairwise(exponents)]
    return min(sum(step for step in steps if step > 0), -sum(step for step in steps if step < 0))


def rows(board: Board, cols: int, weights: Weights = WEIGHTS) -> int:
    """The evaluation of a board of any size: the sum over its rows and columns."""
    across = [board[start : start + cols] for start in range(0, len(board), cols)]
    down = [board[col::cols] for col in range(cols)]
    return sum(line_value(line, weights) for line in across + down)


def line_values(lines: Exponents, weights: Weights = WEIGHTS) -> NDArray[np.int64]:
    """`line_value` of many lines of one length at once; tests hold all of them to it."""
    largest = lines.max(axis=1)
    empty = (lines == 0).sum(axis=1)
    close = kernels.squeezed(lines)
    merges = ((close[:, :-1] == close[:, 1:]) & (close[:, 1:] > 0)).sum(axis=1)
    steps = np.diff(powers(weights.order_power)[lines], axis=1)
    rises, falls = np.maximum(steps, 0).sum(axis=1), -np.minimum(steps, 0).sum(axis=1)
    at_an_end = np.maximum(lines[:, 0], lines[:, -1]) == largest
    value = weights.empty * empty + weights.merge * merges
    value -= weights.weight * powers(weights.weight_power)[lines].sum(axis=1)
    value -= weights.order * np.minimum(rises, falls)
    value += weights.edge * largest * at_an_end
    value -= weights.locked * ((empty == 0) & (merges == 0))
    return np.asarray(np.rint(value), np.int64)


def powers(power: float) -> NDArray[np.float64]:
    """Each exponent from 0 to 15 to a power, as Python takes it: that of numpy may differ in the last bit."""
    return np.array([float(exponent) ** power for exponent in range(16)])


# ---- The evaluator `spec`: the published description's five parts, literally as printed
#
# Its matrix peaks at the top left and its corner bonus is paid at the top right; the matrix is larger by five orders of
# magnitude, so the corner that counts is the top left. Empty neighbours, of which it says nothing, are skipped.
# Smaller boards take the top left of the matrix, which is a snake still, and their own top right:
#
#     4^15 4^14 4^13 |                            15 14 13
#     4^8  4^9  4^10 | 4^11      on three columns  8  9 10


SNAKE = ((4**15, 4**14, 4**13, 4**12), (4**8, 4**9, 4**10, 4**11), (4**7, 4**6, 4**5, 4**4), (4**0, 4**1, 4**2, 4**3))
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


# ---- the same for many lines of one length at once; tests hold all of them to the functions above


def row_values(rows: Exponents) -> NDArray[np.int64]:
    return np.asarray((rows == 0).sum(axis=1) * EMPTY + column_values(rows))


def column_values(columns: Exponents) -> NDArray[np.int64]:
    one, next = columns[:, :-1], columns[:, 1:]
    monotone = np.maximum((one <= next).sum(axis=1), (one >= next).sum(axis=1))
    smooth = -(abs(one - next) * (one > 0) * (next > 0)).sum(axis=1)
    return np.asarray(monotone * MONOTONE + smooth * SMOOTH)


def matrix_values(rows: Exponents, weights: tuple[int, ...]) -> NDArray[np.int64]:
    """What a row adds by its place in the matrix, whose weights are given; a shorter one has the first of them."""
    tiles = np.where(rows > 0, 1 << rows, 0)
    return np.asarray(tiles @ np.array(weights[: rows.shape[1]]))


# ---- Evaluators of 2048 boards as arrays: a board is worth the sum of what its rows and columns are worth


LineTable = NDArray[np.int64]  # [kind of line, row], one kind after the other
Evaluate = Callable[[Board], int]

EVEN = np.uint64(0x0F0F0F0F0F0F0F0F)
TOPS = np.uint64(0x8080808080808080)
BYTES = np.uint64(0x0101010101010101)
HIGH = np.uint64(0xCCCCCCCCCCCCCCCC)  # set in tiles from 16


class Shape(NamedTuple):
    """Where the kinds of lines stand in the tables, and what is no sum of lines."""

    row_step: np.uint64  # from the kind of one row to that of the next, in entries
    first_column: np.uint64
    column_step: np.uint64
    corner: int  # times the largest tile, if that stands at the top right
    dead: int  # what a board loses that has no move left
    top_right: np.uint64  # where the bits of that cell begin
    walls: np.uint64  # of the board


class Evaluator(NamedTuple):
    """What lines are worth, and whether the largest tile at the top right has a bonus."""

    values: LineTable  # of each row, for each kind of line
    gains: LineTable  # the same for what new tiles add
    slid: LineTable  # two for each row: its value when slid to the left, and to the right
    shape: Shape


class EvaluatorDefinition(NamedTuple):
    """An evaluator by name, as plain function and as arrays."""

    about: str
    board: Callable[[Rules2048], Evaluate]  # the plain evaluation
    arrays: Callable[[Rules2048], Evaluator]  # the same for boards of up to 4x4 cells
    dead: int = 0  # what a board loses that has no move left


@cache
def spec_arrays(rules: Rules2048) -> Evaluator:
    rows = [kernels.line_table(rules, partial(matrix_values, weights=weights)) for weights in SNAKE]
    shared = kernels.line_table(rules, row_values)  # what a row adds at any place
    kinds = [*(each + shared for each in rows), kernels.line_table(rules, column_values)]
    return assemble(kinds, (1, 4, 0), rules, CORNER)


@cache
def rows_arrays(rules: Rules2048) -> Evaluator:
    return assemble([kernels.line_table(rules, line_values)], (0, 0, 0), rules, dead=DEAD)


def spec_board(rules: Rules2048) -> Evaluate:
    if not rules.packed:
        raise BadPlayer(
            f"the evaluator spec knows boards of up to 4x4 cells, not {rules}; evaluator=rows knows every board"
        )
    return lambda board: spec(board, rules.cols)


EVALUATORS = {
    "spec": EvaluatorDefinition("the published description's five parts, literally", spec_board, spec_arrays),
    "rows": EvaluatorDefinition(
        "order, room and merges in every line; much stronger",
        lambda rules: lambda board: rows(board, rules.cols),
        rows_arrays,
        DEAD,
    ),
}


def find_evaluator(name: str) -> EvaluatorDefinition:
    if name not in EVALUATORS:
        raise BadPlayer(f"{name!r} is not an evaluator; there are {', '.join(EVALUATORS)}")
    return EVALUATORS[name]


def assemble(
    kinds: Sequence[NDArray[np.int64]], places: tuple[int, int, int], rules: Rules2048, corner: int = 0,
    dead: int = 0,
) -> Evaluator:  # fmt: skip
    """The arrays of an evaluator from the values of each kind of line; `places` are in kinds."""
    slides, _, walls = kernels.row_tables(rules)
    added = [gains(values, *rules.odds) for values in kinds]
    slid = [np.stack([values[slides & 0xFFFF], values[slides >> 16]], axis=1).ravel() for values in kinds]
    rows, first, columns = (np.uint64(each * ROWS) for each in places)
    tables = np.concatenate(kinds), np.concatenate(added), np.concatenate(slid)
    top_right = np.uint64(4 * (rules.cols - 1))
    return Evaluator(*tables, Shape(rows, first, columns, corner, dead, top_right, walls))


def gains(values: NDArray[np.int64], twos: int, fours: int) -> NDArray[np.int64]:
    """For each row, what new tiles add to its value, summed over its empty cells and weighted by their odds."""
    row = np.arange(ROWS)
    total = np.zeros(ROWS, np.int64)
    for cell in range(4):
        free = row[row >> 4 * cell & 15 == 0]
        two, four = values[free | 1 << 4 * cell], values[free | 2 << 4 * cell]
        total[free] += twos * two + fours * four - (twos + fours) * values[free]
    return total


@kernel
def static(board: np.uint64, turned: np.uint64, values: LineTable, shape: Shape) -> int:
    """What a board looks like; `turned` is its transpose."""
    total = look_up(board, turned, values, shape)
    if shape.corner != 0:
        total += shape.corner * tile_at_corner(board, shape.top_right, shape.walls)
    return total


@kernel
def look_up(board: np.uint64, turned: np.uint64, table: LineTable, shape: Shape) -> int:
    """The sum of the entries of all rows and columns."""
    across = look_up_lines(board, table, ZERO, shape.row_step)
    return across + look_up_lines(turned, table, shape.first_column, shape.column_step)


@kernel
def look_up_slid(lines: np.uint64, slid: LineTable, first: np.uint64, step: np.uint64) -> tuple[int, int]:
    """What four lines are worth once slid to the left, and to the right."""
    one, two = first + (lines & ROW) << ONE, first + step + (lines >> S16 & ROW) << ONE
    three, four = first + TWO * step + (lines >> S32 & ROW) << ONE, first + THREE * step + (lines >> S48) << ONE
    left = slid[one] + slid[two] + slid[three] + slid[four]
    right = slid[one | ONE] + slid[two | ONE] + slid[three | ONE] + slid[four | ONE]
    return left, right


@kernel
def look_up_lines(lines: np.uint64, table: LineTable, first: np.uint64, step: np.uint64) -> int:
    """The sum of the entries of four lines, whose kinds begin at `first` and so many entries apart."""
    return (  # type: ignore[no-any-return]
        table[first + (lines & ROW)]
        + table[first + step + (lines >> S16 & ROW)]
        + table[first + TWO * step + (lines >> S32 & ROW)]
        + table[first + THREE * step + (lines >> S48)]
    )


@kernel
def tile_at_corner(board: np.uint64, top_right: np.uint64, walls: np.uint64) -> int:
    """The tile at the top right if none is larger, else 0; all cells are compared at once, in bytes."""
    board ^= walls
    exponent = board >> top_right & FIFTEEN
    limit = TOPS | BYTES * exponent
    fits = limit - (board & EVEN) & (limit - (board >> FOUR & EVEN)) & TOPS
    return np.int64(ONE << exponent) if fits == TOPS and exponent != ZERO else np.int64(0)  # type: ignore[return-value]


@kernel
def corner_may_change(board: np.uint64) -> bool:
    """Whether a new tile can be the largest at the top right: only while no tile exceeds 4. Without walls."""
    return board & HIGH | board & board >> ONE & UNITS == ZERO  # type: ignore[no-any-return]


@kernel
def expected(
    board: np.uint64, turned: np.uint64, values: LineTable, gains: LineTable, shape: Shape, twos: int, fours: int
) -> float:
    """The mean of `static` over all new tiles of a board that has room for one."""
    cells = kernels.empties(board)
    odds = (twos + fours) * kernels.count(cells)
    if shape.corner != 0 and corner_may_change(board ^ shape.walls):
        return float(summed_one_by_one(board, turned, cells, values, shape, twos, fours)) / odds
    value = static(board, turned, values, shape)
    return float(odds * value + look_up(board, turned, gains, shape)) / odds


@kernel
def summed_one_by_one(
    board: np.uint64, turned: np.uint64, cells: np.uint64, values: LineTable, shape: Shape, twos: int, fours: int
) -> int:
    """`static` for a new tile on each of some cells, weighted by the odds and summed."""
    total = np.int64(0)
    while cells != ZERO:
        unit = cells & (~cells + ONE)
        cells ^= unit
        turned_unit = kernels.transpose(unit)
        total += twos * static(board | unit, turned | turned_unit, values, shape)
        total += fours * static(board | unit << ONE, turned | turned_unit << ONE, values, shape)
    return total  # type: ignore[return-value]
