"""Boards smaller than 4x4, which have walls: kernels against the reference, all of 2x2, samples of others."""

from itertools import product

import numpy as np
import pytest

from gridlab.core.bits import Stream, streams
from gridlab.game2048 import kernels
from gridlab.game2048 import rules as reference
from gridlab.game2048.kernels import ROWS, row_tables
from gridlab.game2048.rules import Board, Rules2048
from tests.conftest import in_long_runs

SMALL = [Rules2048(rows, cols) for rows in range(2, 5) for cols in range(2, 5) if rows * cols < 16]


def some_boards(rules: Rules2048, number: int, seed: int = 1) -> list[Board]:
    """Boards of any tiles; of 2x2 every one there is."""
    tiles = [0] + [1 << exponent for exponent in range(1, 15)]
    if rules.cells == 4:
        return list(product(tiles, repeat=4))
    random = np.random.default_rng(seed)
    exponents = random.integers(0, 15, (number, rules.cells)) * (random.random((number, 1)) < random.random())
    few = random.integers(0, 4, (number, rules.cells))
    return [tuple(tiles[each] for each in row) for row in [*exponents.tolist(), *few.tolist()]]


def test_the_walls() -> None:
    assert [kernels.walls_of(Rules2048(*sides)) for sides in ((4, 4), (3, 3), (4, 2), (2, 4))] == [
        0, 0xFFFF_F000_F000_F000, 0xFF00_FF00_FF00_FF00, 0xFFFF_FFFF_0000_0000,
    ]  # fmt: skip


def test_all_rows_with_walls() -> None:
    """Every row of every length; the walls stand still."""
    tables = row_tables(Rules2048(3, 3))
    for row in range(ROWS):
        cells = next((cells for cells in range(4, 0, -1) if row >> 4 * (cells - 1) & 15 != 15), 0)
        walls, tiles = row >> 4 * cells << 4 * cells, kernels.unpack(row, cells)
        slid, points = reference.slide(tiles, largest=16384)
        back, points_back = reference.slide(tiles[::-1], largest=16384)
        if 32768 not in tiles:  # a wall among tiles is on no board
            assert tables.slides[row] & 0xFFFF == kernels.pack(slid) | walls
            assert tables.slides[row] >> 16 == kernels.pack(back[::-1]) | walls
            assert tables.points[row] == points == points_back


@pytest.mark.parametrize("rules", SMALL, ids=str)
def test_moves_equal_the_reference(rules: Rules2048) -> None:
    tables, boards = row_tables(rules), some_boards(rules, 200)
    step = 97 if len(boards) > 10_000 else 1
    for tiles in boards[::step]:
        packed = kernels.pack_board(tiles, rules)
        board = np.uint64(packed)
        assert kernels.unpack_board(packed, rules) == tiles
        assert kernels.count(kernels.empties(board)) == tiles.count(0)
        assert (2 << kernels.largest_exponent(board ^ tables.walls)) // 2 == max(*tiles, 1)
        for number, direction in enumerate(reference.DIRECTIONS):
            after, points = reference.move(rules, tiles, direction)
            assert int(kernels.move(board, number, tables.slides)) == kernels.pack_board(after, rules)
            assert kernels.points_of(board, number, tables.points) == points


@pytest.mark.compiled
@pytest.mark.parametrize("every", [13, *in_long_runs(1)])
def test_moves_of_2x2_boards(every: int) -> None:
    rules = Rules2048(2, 2)
    tables = row_tables(rules)
    for tiles in some_boards(rules, 0)[::every]:
        board = np.uint64(kernels.pack_board(tiles, rules))
        for number, direction in enumerate(reference.DIRECTIONS):
            after, points = reference.move(rules, tiles, direction)
            assert int(kernels.move(board, number, tables.slides)) == kernels.pack_board(after, rules)
            assert kernels.points_of(board, number, tables.points) == points


@pytest.mark.parametrize("rules", SMALL, ids=str)
def test_games_move_by_move_as_the_reference_plays_them(rules: Rules2048) -> None:
    tables, states = row_tables(rules), streams(3, 3)
    plain = [Stream(state) for state in states.tolist()]
    for game in range(3):
        board = np.uint64(kernels.start(tables.walls, *rules.odds, states, game))
        tiles = reference.start(rules, plain[game])
        while legal := reference.legal_moves(rules, tiles):
            direction = legal[tiles.count(0) % len(legal)]
            after = np.uint64(kernels.move(board, reference.DIRECTIONS.index(direction), tables.slides))
            board = np.uint64(kernels.spawn(after, *rules.odds, states, game))
            tiles = reference.spawn(rules, reference.move(rules, tiles, direction)[0], plain[game])
            assert kernels.unpack_board(int(board), rules) == tiles
