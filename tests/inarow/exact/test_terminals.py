"""Terminal wins: records against reverse generation and against play, counts against the census."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gridlab.core.errors import TooLarge
from gridlab.core.jit import kernel
from gridlab.games import game
from gridlab.games.grid import symmetries
from gridlab.inarow.exact import terminals as by_rim
from gridlab.inarow.exact.census import census
from gridlab.inarow.exact.terminals import candidates, count_shards, first_ply, layer, prepare, rim_of
from gridlab.inarow.position import Position
from gridlab.inarow.rules import Rules
from tests.conftest import in_long_runs
from tests.inarow.exact.by_play import terminals_by_play
from tests.inarow.exact.reference import terminal_wins
from tests.laws import all_rules

compare_readings = kernel(by_rim.compare_readings)  # what kernels call, compiled by itself


def records(rules: Rules, ply: int, workers: int | None = None) -> list[int]:
    tables = prepare(rules, ply)
    shards = layer(tables, count_shards(tables, ply), workers)
    return [record for records in shards for record in records.tolist()]


def packed(boards: set[tuple[int, ...]], rules: Rules) -> list[int]:
    return sorted(Position.of_values(board, rules).packed for board in boards)


@pytest.mark.parametrize("rules", [rules for rules in all_rules(4, 4) if rules.cells <= 4], ids=str)
def test_every_record_of_the_smallest_games(rules: Rules) -> None:
    for ply in range(first_ply(rules), rules.cells + 1):
        assert records(rules, ply) == packed(terminal_wins(rules, ply), rules)


@pytest.mark.compiled
@pytest.mark.parametrize(
    "text", ["3x3:3", "3x3:3-2", "3x3:-3", "2x4:3", "4x2:3", "1x8:3", "8x1:4-2", "2x3:2", "3x2:3-1", "1x1:1", "3x3:1"]
)
def test_every_record_of_small_games(text: str) -> None:
    rules = Rules.parse(text)
    for ply in range(first_ply(rules), rules.cells + 1):
        assert records(rules, ply) == packed(terminal_wins(rules, ply), rules)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("text", "ply"),
    [
        ("5x5:5", 9),
        ("5x5:4-3", 5),
        ("3x4:3", 8),
        ("4x3:3", 7),
        pytest.param("13x2:3", 5, marks=pytest.mark.long),
        ("1x27:3", 5),
        pytest.param("4x7:3", 5, marks=pytest.mark.long),  # 28 cells
        pytest.param("1x30:4", 7, marks=pytest.mark.long),
        pytest.param("5x5:5", 10, marks=pytest.mark.long),
        pytest.param("5x5:5", 11, marks=pytest.mark.long),
        pytest.param("4x8:4", 7, marks=pytest.mark.long),  # 32 cells fill a record
    ],
)
def test_layers_equal_reverse_generation(text: str, ply: int) -> None:
    rules = Rules.parse(text)
    assert records(rules, ply) == packed(terminal_wins(rules, ply), rules)


@pytest.mark.compiled
@pytest.mark.parametrize("text", ["4x4:4-3", "3x5:4", "5x3:3-2", "3x4:-3", *in_long_runs("4x4:4", "4x4:3", "4x4:-3")])
def test_whole_games_equal_what_play_reaches(text: str) -> None:
    rules = Rules.parse(text)
    reached = terminals_by_play(rules)
    for ply in range(first_ply(rules), rules.cells + 1):
        assert records(rules, ply) == reached[ply].tolist(), ply


def counted_plies() -> list[object]:
    games = ["3x3:3", "3x4:3", "4x4:3", "4x4:4", "4x4:4-3", "4x5:4-3"]
    small: list[object] = [(text, ply) for text in games for ply in range(first_ply(game(text)), game(text).cells + 1)]
    large = [("5x5:5", ply) for ply in range(9, 26)] + [("5x5:4-3", ply) for ply in range(5, 26)]
    return [*small, *(pytest.param(*each, marks=pytest.mark.long) for each in large)]


counted_once = cache(census)
prepared_once = cache(prepare)


@pytest.mark.compiled
@pytest.mark.parametrize(("text", "ply"), counted_plies())
def test_as_many_as_the_census_counts(text: str, ply: int) -> None:
    rules = game(text)
    shards = count_shards(prepared_once(rules, rules.cells), ply)
    won, lost = sum(shard.won for shard in shards), sum(shard.lost for shard in shards)
    expected = counted_once(rules).plies[ply].canonical
    assert ((won, lost) if ply % 2 else (lost, won)) == (expected.x_wins, expected.o_wins)


def test_the_candidates_of_reverse_generation() -> None:
    assert sum(candidates(game("5x5:5"), ply) for ply in range(9, 26)) == 4_347_348_732


def test_first_plies() -> None:
    assert [first_ply(game(text)) for text in ("5x5:5", "squava", "3x3:3", "3x3:-3", "3x3:1")] == [9, 5, 5, 5, 1]


def test_boards_that_do_not_fit_are_told_so() -> None:
    with pytest.raises(TooLarge, match="33 cells do not fit a record of 64 bits; up to 32 do"):
        prepare(Rules(3, 11, 3), 5)


@given(st.sampled_from([(3, 3), (4, 4), (5, 5), (3, 4), (4, 3), (2, 5), (1, 9), (5, 4)]), st.data())
def test_readings_decide_what_the_first_cells_decide(shape: tuple[int, int], data: st.DataObject) -> None:
    """The lanes against tuples: a smaller image refuses, ties are exactly the equal ones."""
    rules = Rules(*shape, 1)
    rim = rim_of(rules)
    prefix = reading_length(rules)
    marks = data.draw(st.lists(st.integers(0, 2), min_size=rim.rim_cells, max_size=rim.rim_cells))
    crosses, noughts = (sum(1 << i for i, mark in enumerate(marks) if mark == value) for value in (1, 2))
    board = Position(rules, int(rim.rim_stones[crosses]), int(rim.rim_stones[noughts])).values
    images = [symmetry.values(board)[:prefix] for symmetry in symmetries(*shape)]
    ties = compare_readings(crosses, noughts, rim.readings, rim.lanes)
    if min(images) < images[0]:
        assert ties == -1
    else:
        assert ties == sum(1 << i for i, image in enumerate(images) if i and image == images[0])


def reading_length(rules: Rules) -> int:
    """How many cells a reading shows: the place of cell 0 in the identity's lane tells."""
    rim = rim_of(rules)
    return int(rim.readings[1, 0] & rim.lanes.identity).bit_length() // 2 + 1


@pytest.mark.parametrize(("rows", "cols"), [(3, 3), (4, 4), (5, 5), (3, 5), (1, 12), (6, 2)])
def test_rim_and_inside_are_the_board(rows: int, cols: int) -> None:
    rules = Rules(rows, cols, 1)
    rim = rim_of(rules)
    assert int(rim.rim_stones[-1]) | int(rim.inside_stones[-1]) == rules.board
    assert int(rim.rim_stones[-1]) & int(rim.inside_stones[-1]) == 0
    head = int(rim.rim_stones[((1 << rim.head) - 1) << rim.rim_cells - rim.head])
    assert head == rules.board & ~(rules.board >> rim.head)  # the last cells


def test_subsets_by_size_are_all_subsets() -> None:
    rim = rim_of(Rules(4, 4, 4))
    for whole in range(16):
        for size in range(5):
            listed = rim.subsets[rim.starts[whole, size] : rim.starts[whole, size + 1]].tolist()
            assert listed == [part for part in range(16) if part & ~whole == 0 and part.bit_count() == size]


@pytest.mark.compiled
def test_workers_do_not_change_the_records() -> None:
    assert records(game("5x5:5"), 11, workers=1) == records(game("5x5:5"), 11, workers=5)
