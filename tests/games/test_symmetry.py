from itertools import product

import pytest

from gridlab.games.grid import Symmetry, symmetries
from gridlab.inarow.rules import Rules
from tests.inarow import reference

BOARDS = [(1, 1), (1, 4), (2, 3), (3, 2), (3, 3), (4, 4), (5, 5), (7, 9)]


@pytest.mark.parametrize(("rows", "cols"), BOARDS)
def test_the_symmetries_are_a_group(rows: int, cols: int) -> None:
    group = symmetries(rows, cols)
    maps = {symmetry.cells for symmetry in group}
    assert len(group) == (8 if rows == cols else 4)
    assert group[0].cells == tuple(range(rows * cols))
    if rows > 1 and cols > 1:
        assert len(maps) == len(group)
    for first, second in product(group, group):
        assert tuple(second.cells[cell] for cell in first.cells) in maps


@pytest.mark.parametrize(("rows", "cols"), BOARDS)
def test_neighbours_stay_neighbours(rows: int, cols: int) -> None:
    def distance(a: int, b: int) -> int:
        return abs(a // cols - b // cols) + abs(a % cols - b % cols)

    for symmetry, cell in product(symmetries(rows, cols), range(rows * cols)):
        for other in range(rows * cols):
            assert distance(cell, other) == distance(symmetry.move(cell), symmetry.move(other))


@pytest.mark.parametrize(("rows", "cols"), BOARDS)
def test_the_inverse_leads_back(rows: int, cols: int) -> None:
    for symmetry in symmetries(rows, cols):
        assert all(symmetry.inverse.move(symmetry.move(cell)) == cell for cell in range(rows * cols))
        assert symmetry.inverse in symmetries(rows, cols)


def test_rotation_is_clockwise() -> None:
    assert _named("rotate 90").values((0, 1, 2, 3, 4, 5, 6, 7, 8)) == (6, 3, 0, 7, 4, 1, 8, 5, 2)


def test_values_and_stones_and_moves_go_the_same_way() -> None:
    for symmetry in symmetries(3, 3):
        for cell in range(9):
            board = tuple(int(at == cell) for at in range(9))
            assert symmetry.stones(1 << cell) == 1 << symmetry.move(cell)
            assert symmetry.values(board).index(1) == symmetry.move(cell)


@pytest.mark.parametrize(("rows", "cols"), BOARDS)
def test_unions_of_cycles_are_exactly_what_a_symmetry_keeps(rows: int, cols: int) -> None:
    for symmetry in symmetries(rows, cols):
        cycles = symmetry.cycles()
        assert sum(cycles) == (1 << rows * cols) - 1
        assert all(symmetry.stones(cycle) == cycle for cycle in cycles)
        if rows * cols <= 9:
            kept = sum(symmetry.stones(stones) == stones for stones in range(1 << rows * cols))
            assert kept == 2 ** len(cycles)


def test_the_smallest_image_is_that_of_flipped_and_transposed_rows() -> None:
    for board in product((0, 1, 2), repeat=6):
        images = [symmetry.values(board) for symmetry in symmetries(2, 3)]
        assert min(images) == reference.canonical(Rules(2, 3, 2), board)
    for board in product((0, 1, 2), repeat=9):
        images = [symmetry.values(board) for symmetry in symmetries(3, 3)]
        assert min(images) == reference.canonical(Rules(3, 3, 3), board)


def _named(name: str) -> Symmetry:
    return next(symmetry for symmetry in symmetries(3, 3) if symmetry.name == name)
