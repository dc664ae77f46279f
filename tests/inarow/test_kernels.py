"""Kernels against the reference: every set of cells of small boards, larger boards with planted lines."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlab.games import game
from gridlab.inarow import kernels
from gridlab.inarow.kernels import NO_LAST_MOVE, ending, image_key, image_keys, is_canonical, run_starts, runs_of
from gridlab.inarow.position import find_flaw
from gridlab.inarow.rules import Rules
from tests.conftest import in_long_runs
from tests.inarow import reference
from tests.laws import all_rules


def runs_by_walking(rules: Rules, stones: int) -> int:
    board = tuple(stones >> cell & 1 for cell in range(rules.cells))
    return reference.longest_run(rules, board, 1)


def ending_from(rules: Rules, stones: int, longest: dict[int, int]) -> int:
    """What `ending` means, from the longest run of a set and of the set without each of its stones."""

    def result(run: int) -> int:
        return 1 if rules.win and run >= rules.win else -1 if rules.lose and run >= rules.lose else 0

    if result(longest[stones]) == 0:
        return 0
    cells = [cell for cell in range(rules.cells) if stones >> cell & 1]
    last_moves = sum(result(longest[stones ^ 1 << cell]) == 0 for cell in cells)
    return result(longest[stones]) * last_moves or NO_LAST_MOVE


@pytest.mark.parametrize(("rows", "cols"), [(3, 3), (3, 4), (4, 3)])
def test_the_ending_of_every_set_of_a_small_board(rows: int, cols: int) -> None:
    board = Rules(rows, cols, 1)
    longest = {stones: runs_by_walking(board, stones) for stones in range(1 << rows * cols)}
    for rules in all_rules(4, 4):
        if (rules.rows, rules.cols) == (rows, cols):
            runs = runs_of(rules)
            wrong = [stones for stones in longest if ending(stones, runs) != ending_from(rules, stones, longest)]
            assert not wrong, f"{rules}: {wrong[:5]}"


@st.composite
def planted(draw: st.DrawFn) -> tuple[Rules, int]:
    """Large boards whose stones are a few lines, some extra cells, and perhaps one taken away."""
    rows, cols = draw(st.sampled_from([(5, 5), (7, 9), (9, 7), (6, 6), (2, 31), (21, 3), (1, 63), (8, 7)]))
    win = draw(st.integers(2, min(6, max(rows, cols))))
    lose = draw(st.none() | st.integers(1, win - 1))
    rules = Rules(rows, cols, win, lose)
    lines = draw(st.lists(st.sampled_from(rules.winning_lines + rules.losing_lines), max_size=3))
    extra = draw(st.lists(st.integers(0, rules.cells - 1), max_size=8))
    stones = sum({1 << cell for cell in extra})
    for line in lines:
        stones |= line
    return rules, stones & ~(1 << draw(st.integers(0, rules.cells - 1)))


@given(planted())
def test_the_ending_of_planted_lines_on_large_boards(case: tuple[Rules, int]) -> None:
    rules, stones = case
    near = [stones, *(stones ^ 1 << cell for cell in range(rules.cells) if stones >> cell & 1)]
    longest = {each: runs_by_walking(rules, each) for each in near}
    assert ending(stones, runs_of(rules)) == ending_from(rules, stones, longest)


@given(planted())
def test_runs_start_where_lines_start(case: tuple[Rules, int]) -> None:
    rules, stones = case
    assert rules.win is not None
    found = 0
    for result, length, step, starts, line in runs_of(rules).tolist():
        if result == 1:
            begin = run_starts(stones, length, step, starts)
            assert all(stones & line << cell == line << cell for cell in range(rules.cells) if begin >> cell & 1)
            found += begin.bit_count()
    assert found == sum(stones & line == line for line in rules.winning_lines)


@pytest.mark.parametrize(
    ("rows", "cols"),
    [(2, 2), (2, 3), (1, 5), (3, 3), pytest.param(3, 4, marks=[pytest.mark.compiled, pytest.mark.long])],
)
def test_every_board_is_canonical_exactly_when_it_is_its_smallest_image(rows: int, cols: int) -> None:
    rules = Rules(rows, cols, 1)
    keys = image_keys(rules)
    for board in product((0, 1, 2), repeat=rules.cells):
        crosses = sum(1 << cell for cell, value in enumerate(board) if value == 1)
        noughts = sum(1 << cell for cell, value in enumerate(board) if value == 2)
        assert is_canonical(crosses, noughts, keys) == (reference.canonical(rules, board) == board)


@given(st.sampled_from([(5, 5), (4, 8), (3, 13)]), st.data())
def test_keys_order_images_as_tuples(shape: tuple[int, int], data: st.DataObject) -> None:
    rules = Rules(*shape, 1)
    value = st.integers(0, 2)
    boards = [data.draw(st.tuples(*[value] * rules.cells)) for _ in range(2)]
    keys = []
    for board in boards:
        crosses = sum(1 << cell for cell, mark in enumerate(board) if mark == 1)
        noughts = sum(1 << cell for cell, mark in enumerate(board) if mark == 2)
        keys.append(int(image_key(crosses, noughts, image_keys(rules)[0])))
    assert (keys[0] < keys[1]) == (boards[0] < boards[1])
    assert (keys[0] == keys[1]) == (boards[0] == boards[1])


@pytest.mark.compiled
@pytest.mark.parametrize("text", ["3x3:3-2", *in_long_runs("3x3:3", "3x3:-3")])
def test_the_first_illegal_of_many_boards_is_the_first_with_a_flaw(text: str) -> None:
    rules = game(text)
    stones = np.arange(1 << rules.cells)
    boards = np.array([(crosses, noughts) for crosses in stones for noughts in stones], np.int64)
    flawed = [find_flaw(crosses, noughts, rules) is not None for crosses, noughts in boards.tolist()]
    legal = boards[~np.array(flawed)]
    runs = kernels.runs_of(rules)
    assert kernels.first_illegal(legal, rules.cells, runs) == -1
    found = [kernels.first_illegal(boards[i : i + 1], rules.cells, runs) == 0 for i in range(0, len(boards), 7)]
    assert found == flawed[::7]
