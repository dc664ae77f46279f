"""Evaluators of 2048 boards as arrays: a board is worth the sum of what its rows and columns are worth.

    value(board) = rows[0][row 0] + … + rows[3][row 3] + columns[0][column 0] + … + corner bonus

All numbers are integers, so a sum is the same in any order and exact. That makes the chance layer above the leaves
cheap: a new tile changes one row and one column, so the sum over all new tiles is a sum of looked-up *gains*

    gain[row] = Σ over its empty cells   twos · (value[row with a 2] - value[row]) + fours · (value[row with a 4] - …)

and the expectation over n empty cells is (Σ gains + (twos + fours) · n · value) / ((twos + fours) · n): one division.
"""

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.errors import BadPlayer
from gridlab.core.jit import kernel
from gridlab.games.game2048.kernels import (
    FIFTEEN,
    FOUR,
    ONE,
    ROW,
    S16,
    S32,
    S48,
    THREE,
    TWO,
    UNITS,
    ZERO,
    count,
    empties,
    transpose,
)  # fmt: skip
from gridlab.games.game2048.reference import Board
from gridlab.games.game2048.row_tables import ROWS, line_table, row_tables
from gridlab.games.game2048.rules import Rules2048
from gridlab.search.game2048 import rows_evaluator, spec_evaluator

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
    rows = [partial(spec_evaluator.placed_row_values, weights=weights) for weights in spec_evaluator.SNAKE]
    kinds = [*(line_table(rules, each) for each in rows), line_table(rules, spec_evaluator.column_values)]
    return assemble(kinds, (1, 4, 0), rules, spec_evaluator.CORNER)


@cache
def rows_arrays(rules: Rules2048) -> Evaluator:
    return assemble([line_table(rules, rows_evaluator.line_values)], (0, 0, 0), rules, dead=rows_evaluator.DEAD)


def spec_board(rules: Rules2048) -> Evaluate:
    if not rules.packed:
        raise BadPlayer(
            f"the evaluator spec knows boards of up to 4x4 cells, not {rules}; evaluator=rows knows every board"
        )
    return lambda board: spec_evaluator.spec(board, rules.cols)


EVALUATORS = {
    "spec": EvaluatorDefinition("the published description's five parts, literally", spec_board, spec_arrays),
    "rows": EvaluatorDefinition(
        "order, room and merges in every line; much stronger",
        lambda rules: lambda board: rows_evaluator.rows(board, rules.cols),
        rows_arrays,
        rows_evaluator.DEAD,
    ),
}


def find_evaluator(name: str) -> EvaluatorDefinition:
    if name not in EVALUATORS:
        raise BadPlayer(f"{name!r} is not an evaluator; there are {', '.join(EVALUATORS)}")
    return EVALUATORS[name]


def assemble(
    kinds: Sequence[NDArray[np.int64]],
    places: tuple[int, int, int],
    rules: Rules2048,
    corner: int = 0,
    dead: int = 0,
) -> Evaluator:
    """The arrays of an evaluator from the values of each kind of line; `places` are in kinds."""
    slides, _, walls = row_tables(rules)
    added = [gains(values, *rules.odds) for values in kinds]
    slid = [slid_values(values, slides) for values in kinds]
    rows, first, columns = (np.uint64(each * ROWS) for each in places)
    tables = np.concatenate(kinds), np.concatenate(added), np.concatenate(slid)
    top_right = np.uint64(4 * (rules.cols - 1))
    return Evaluator(*tables, Shape(rows, first, columns, corner, dead, top_right, walls))


def slid_values(values: NDArray[np.int64], slides: NDArray[np.uint32]) -> NDArray[np.int64]:
    return np.stack([values[slides & 0xFFFF], values[slides >> 16]], axis=1).ravel()


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
    cells = empties(board)
    odds = (twos + fours) * count(cells)
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
        turned_unit = transpose(unit)
        total += twos * static(board | unit, turned | turned_unit, values, shape)
        total += fours * static(board | unit << ONE, turned | turned_unit << ONE, values, shape)
    return total  # type: ignore[return-value]
