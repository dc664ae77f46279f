"""Tables of lines, made for all rows at once, against the readable functions: every one of the 65,536 rows."""

import pytest

from gridlab.game2048.kernels import ROWS, exponents_of_rows, unpack
from gridlab.game2048.rules import Board
from gridlab.game2048.search import evaluators as rows_evaluator
from gridlab.game2048.search import evaluators as spec_evaluator

TILES = [unpack(row, 4) for row in range(ROWS)]


def column_value(line: Board) -> int:
    """What a column adds; its empty cells are counted by the rows."""
    spec = spec_evaluator
    return spec.monotonicity(line) * spec.MONOTONE + spec.smoothness(line) * spec.SMOOTH


def test_rows_of_spec() -> None:
    rows, empty = exponents_of_rows(), spec_evaluator.EMPTY
    wanted = [column_value(line) for line in TILES]
    assert spec_evaluator.column_values(rows).tolist() == wanted
    with_room = [value + line.count(0) * empty for value, line in zip(wanted, TILES, strict=True)]
    assert spec_evaluator.row_values(rows).tolist() == with_room


@pytest.mark.parametrize("weights", spec_evaluator.SNAKE)
def test_places_of_spec(weights: tuple[int, ...]) -> None:
    wanted = [sum(tile * weight for tile, weight in zip(line, weights, strict=True)) for line in TILES]
    assert spec_evaluator.matrix_values(exponents_of_rows(), weights).tolist() == wanted


OTHER = rows_evaluator.Weights(1.5, 100.25, 3.0, 2.5, 40.0, 1.75, 7.5, 1000.0)


@pytest.mark.parametrize("weights", [rows_evaluator.WEIGHTS, OTHER], ids=["shipped", "others"])
def test_lines_of_rows(weights: rows_evaluator.Weights) -> None:
    found = rows_evaluator.line_values(exponents_of_rows(), weights)
    assert found.tolist() == [rows_evaluator.line_value(line, weights) for line in TILES]
