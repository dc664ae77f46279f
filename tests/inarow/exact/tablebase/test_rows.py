"""Row operations against numpy, and the two that walk over sets against the sets themselves."""

from itertools import combinations

import numpy as np
import pytest

from gridlab.core.jit import kernel
from gridlab.inarow.exact.tablebase import solve as rows
from gridlab.inarow.exact.tablebase.layout import DEAD, Scores, before

# What kernels call, compiled by itself.
min_into, min_into_at, transpose = kernel(rows.min_into), kernel(rows.min_into_at), kernel(rows.transpose)
put, put_lines = kernel(rows.put), kernel(rows.put_lines)
min_over_one_more, min_over_sets_without = kernel(rows.min_over_one_more), kernel(rows.min_over_sets_without)
QUESTIONS = rows.room_for_questions()
SMALL = [(cells, size, length) for cells in range(1, 6) for size in range(cells + 1) for length in (1, 3)]


def random_scores(number: int, seed: int = 0) -> Scores:
    return np.random.default_rng(seed).integers(-100, 101, number).astype(np.int8)


def sets_of(cells: int, size: int) -> list[int]:
    """Ascending, as rows stand."""
    return sorted(sum(1 << cell for cell in each) for each in combinations(range(cells), size))


def test_single_rows() -> None:
    target, source = random_scores(40), random_scores(40, 1)
    lowered = target.copy()
    min_into(lowered, 5, source, 7, 20)
    expected = target.copy()
    expected[5:25] = np.minimum(target[5:25], source[7:27])
    assert np.array_equal(lowered, expected)
    masks = -(source > 0).astype(np.int8)
    covered = target.copy()
    put(covered, 2, np.int8(-100), masks, 3, 30)
    assert np.array_equal(covered[2:32], np.where(masks[3:33], -100, target[2:32]))
    assert np.array_equal(covered[32:], target[32:])
    lines = np.where(source > 50, 100, np.where(source < -50, -100, 0)).astype(np.int8)
    for dead in (0, DEAD):
        marked = target.copy()
        put_lines(marked, 0, lines, 0, 40, dead)
        assert np.array_equal(marked, np.where(lines == 0, target, dead or lines))


def test_pairs_of_columns() -> None:
    target, source = random_scores(12), random_scores(12, 1)
    to, origin = np.array([0, 2, 3], np.uint16), np.array([5, 1, 0], np.uint16)
    lowered = target.copy()
    min_into_at(lowered, 4, source, 2, to, origin, 1, 3)
    assert lowered[6] == min(target[6], source[3])
    assert lowered[7] == min(target[7], source[2])
    assert np.array_equal(np.delete(lowered, [6, 7]), np.delete(target, [6, 7]))


def test_a_step_back_is_what_the_scores_say() -> None:
    every = np.arange(-100, 101).astype(np.int8)
    stepped = every.copy()
    rows.step_back(stepped)
    assert stepped.tolist() == [before([score]) for score in every.tolist()]


def test_dead_slots_take_the_score_before_them() -> None:
    scores = np.array([DEAD, 5, DEAD, DEAD, -3, DEAD], np.int8)
    rows.fill_dead(scores, DEAD)
    assert scores.tolist() == [0, 5, 5, 5, -3, -3]


def test_a_matrix_turned() -> None:
    matrix = random_scores(35)
    turned = np.zeros(40, np.int8)
    transpose(matrix, 5, 7, turned[2:])
    assert np.array_equal(turned[2:37].reshape(7, 5), matrix.reshape(5, 7).T)


@pytest.mark.parametrize(("cells", "size", "length"), SMALL)
def test_rows_are_lowered_by_all_sets_with_one_more(cells: int, size: int, length: int) -> None:
    here, there = sets_of(cells, size), sets_of(cells, size + 1)
    target, source = random_scores(len(here) * length), random_scores(len(there) * length, 1)
    lowered = target.copy()
    min_over_one_more(lowered, source, cells, size, length, QUESTIONS)
    expected, above = target.reshape(-1, length).copy(), source.reshape(-1, length)
    for row, part in enumerate(here):
        for other, whole in enumerate(there):
            if part & whole == part:
                expected[row] = np.minimum(expected[row], above[other])
    assert np.array_equal(lowered.reshape(-1, length), expected)


@pytest.mark.parametrize(("cells", "size", "length"), SMALL)
def test_rows_without_a_cell_are_lowered(cells: int, size: int, length: int) -> None:
    here, there = sets_of(cells, size), sets_of(cells - 1, size)
    target, source = random_scores(len(here) * length), random_scores(len(there) * length, 1)
    for cell in range(cells):
        lowered = target.copy()
        min_over_sets_without(cell, lowered, source, cells, size, length, QUESTIONS)
        expected = target.reshape(-1, length).copy()
        for row, whole in enumerate(here):
            if not whole >> cell & 1:
                squeezed = whole & (1 << cell) - 1 | whole >> cell + 1 << cell
                expected[row] = np.minimum(expected[row], source.reshape(-1, length)[there.index(squeezed)])
        assert np.array_equal(lowered.reshape(-1, length), expected)
