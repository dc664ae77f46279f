"""Evaluators and expectimax of 2048: by hand, and kernels against the reference implementation, to the last bit."""

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from gridlab.core.bits import Stream, streams
from gridlab.core.run import stop_flag
from gridlab.game2048.kernels import ZERO, row_tables, transpose
from gridlab.game2048.players import ExpectimaxPlayer
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import DIRECTIONS, Board, Rules2048, empty_cells, legal_moves, move, place
from gridlab.game2048.search.evaluators import EVALUATORS, corner_may_change, expected, static, tile_at_corner
from gridlab.game2048.search.expectimax import PlainSearch, SearchSettings, new_expectimax
from gridlab.game2048.search.play import choose, value_boards

RULES = Rules2048()
EMPTY_ROW = "/. . . ."
BY_HAND = {
    # 16 empty cells 800,000; 8 lines of 3 steps, all level, 24 × 10,000; the largest "tile" 0 stands in the corner
    ". . . ." + 3 * EMPTY_ROW: 1_040_000,
    # 2 × 4^15 = 2,147,483,648; 15 × 50,000; 24 × 10,000; corner 0 is not 2
    "2 . . ." + 3 * EMPTY_ROW: 2_148_473_648,
    # 4 × 4^12 = 67,108,864; 750,000; 240,000; corner 4 × 10,000
    ". . . 4" + 3 * EMPTY_ROW: 68_138_864,
    # 4,294,967,296 + 536,870,912 + 536,870,912 + 33,554,432 = 5,402,263,552; 12 × 50,000;
    # row 0 falls, rises, falls: 2, other rows 9, columns 12: 23 × 10,000; |2-1| + |1-3| + |3-1| = 5: -5,000
    "4 2 8 2" + 3 * EMPTY_ROW: 5_403_088_552,
    # 17,179,869,184 + 268,435,456 + 268,435,456 + 131,072 + 2,097,152 = 17,718,968,320; 11 × 50,000;
    # rows 2 + 2 + 3 + 3, columns 3 + 2 + 3 + 3: 21 × 10,000; 4-16: 2, 2-8: 2, 16 over 2: 3: -7,000; corner 160,000
    "16 . 4 16/2 8 . ." + 2 * EMPTY_ROW: 17_719_881_320,
}


@pytest.mark.parametrize(("text", "value"), BY_HAND.items())
def test_spec_by_hand(text: str, value: int) -> None:
    position = Position2048.parse(text)
    assert EVALUATORS["spec"].board(RULES)(position.tiles) == value
    assert static_by_kernel("spec", position.tiles) == value


CHOSEN = {
    # left puts 4 × 4^15 at the top left; right 4 × 4^12 at the top right, with 2.2/15 × 4^15 to come; up is not a move
    "2 2 . ." + 3 * EMPTY_ROW: "left",
    # 8 × 4^15 by up; nothing else puts an 8 anywhere, and left is not a move
    "4 2 . ./4 . . ." + 2 * EMPTY_ROW: "up",
    # up and left are no moves; right keeps 8 × 4^14 + 4 × 4^13 + 2 × 4^12 > 2.4 × 10^9, down all but loses it:
    # what a new tile brings is at most 4 × 4^15 / 13 on average, 0.33 × 10^9
    "8 4 2 ." + 3 * EMPTY_ROW: "right",
}


@pytest.mark.parametrize(("text", "direction"), CHOSEN.items())
def test_directions_at_depth_2_by_hand(text: str, direction: str) -> None:
    position = Position2048.parse(text)
    assert PlainSearch(RULES, EVALUATORS["spec"].board(RULES), 2).choose(position.tiles) == direction
    assert DIRECTIONS[int(by_kernel("spec", [position.tiles], 2)[0].argmax())] == direction


def test_equal_directions_go_to_the_first() -> None:
    assert PlainSearch(RULES, lambda board: 0, 2).choose(Position2048.parse("2 . . ." + 3 * EMPTY_ROW).tiles) == "down"


EQUAL = {  # boards that are mirror images of themselves: `rows` sees no difference, and the first is played
    "8 2 4 2/8 4 . ./8 4 . ./8 2 4 2": ("up", "down"),
    "4 2 . 4/2 8 . 2/. . 2 8/4 2 8 4": ("up", "left"),
    ". . 2 ./8 . 4 2/8 8 . ./4 8 8 .": ("up", "right"),
    ". 4 . 2/8 . . ./. 4 . 4/8 . 8 .": ("down", "left"),
    "2 8 . ./8 2 2 4/. 2 4 ./. 4 . .": ("down", "right"),
    ". 4 4 ./. 2 2 ./. 8 8 ./. 2 2 .": ("left", "right"),
}


@pytest.mark.parametrize(("text", "equal"), EQUAL.items())
@pytest.mark.parametrize("depth", [1, 2, 3, pytest.param(5, marks=pytest.mark.compiled)])
def test_the_first_of_equal_directions_is_played(text: str, equal: tuple[str, str], depth: int) -> None:
    position = Position2048.parse(text)
    player = ExpectimaxPlayer(RULES, "rows", depth)
    values = player.values(position, np.random.default_rng(0))
    assert values[equal[0]] == values[equal[1]] == max(values.values())
    assert player.move(position, np.random.default_rng(0)) == equal[0]
    found = np.empty(4)
    chosen = choose(
        player.kernel_policy(), np.uint64(position.packed), found, row_tables(), streams(0, 1), 0, stop_flag()
    )
    assert DIRECTIONS[chosen] == equal[0]


def test_there_is_no_direction_on_a_dead_board() -> None:
    board, found = np.uint64(Position2048.parse("2 4 2 4/4 2 4 2/2 4 2 4/4 2 4 2").packed), np.empty(4)
    for depth in (1, 2, 3, 5):
        player = ExpectimaxPlayer(RULES, "rows", depth)
        assert choose(player.kernel_policy(), board, found, row_tables(), streams(0, 1), 0, stop_flag()) == -1
        assert (found == -np.inf).all()


# ---- kernels against the reference implementation


def random_boards(number: int, most_empty: int, seed: int) -> list[Board]:
    """Boards with 0 to so many empty cells and mostly small tiles, some of the largest."""
    random, found = np.random.default_rng(seed), []
    for _ in range(number):
        tiles = 1 << np.minimum(random.geometric(random.choice([0.2, 0.4]), 16), 15)
        tiles[random.permutation(16)[: random.integers(most_empty + 1)]] = 0
        found.append(tuple(tiles.tolist()))
    return found


def packed(boards: list[Board]) -> NDArray[np.uint64]:
    return np.array([Position2048(board).packed for board in boards], np.uint64)


def static_by_kernel(name: str, board: Board) -> int:
    evaluator, number = EVALUATORS[name].arrays(RULES), packed([board])[0]
    return static(number, np.uint64(transpose(number)), evaluator.values, evaluator.shape)


def by_kernel(
    name: str, boards: list[Board], depth: int, sample: int = 0, cutoff: float = 0.0, entries: int = 0,
    rules: Rules2048 = RULES,
) -> NDArray[np.float64]:  # fmt: skip
    found, settings = np.empty((len(boards), 4)), SearchSettings(depth, *rules.odds, sample, cutoff)
    search = new_expectimax(EVALUATORS[name].arrays(rules), settings, entries)
    value_boards(search, packed(boards), found, row_tables(), streams(5, len(boards)), stop_flag())
    return found


def by_reference(
    name: str, boards: list[Board], depth: int, sample: int = 0, cutoff: float = 0.0, rules: Rules2048 = RULES
) -> NDArray[np.float64]:
    found, evaluate = np.full((len(boards), 4), -np.inf), cached(name)
    for number, (board, state) in enumerate(zip(boards, streams(5, len(boards)).tolist(), strict=True)):
        search = PlainSearch(rules, evaluate, depth, sample, cutoff, Stream(state), EVALUATORS[name].dead)
        for direction, value in search.move_values(board).items():
            found[number, DIRECTIONS.index(direction)] = value
    return found


@cache
def cached(name: str) -> Callable[[Board], int]:
    return cache(EVALUATORS[name].board(RULES))


@pytest.mark.parametrize("name", EVALUATORS)
def test_evaluations(name: str) -> None:
    for board in random_boards(500, 16, seed=1):
        assert static_by_kernel(name, board) == EVALUATORS[name].board(RULES)(board)


def test_the_corner() -> None:
    for board in [*random_boards(500, 16, seed=2), (0,) * 16, (0, 0, 0, 2) + (0,) * 12, (2,) * 16, (4, 0) * 8]:
        number = packed([board])[0]
        assert tile_at_corner(number, np.uint64(12), ZERO) == (board[3] if board[3] == max(board) else 0)
        assert corner_may_change(number) == (max(board) <= 4)


@pytest.mark.parametrize("name", EVALUATORS)
def test_the_mean_over_new_tiles_without_trying_them(name: str) -> None:
    """Sums of gains against one new tile after the other, also where a new tile is the largest."""
    evaluator, evaluate = EVALUATORS[name].arrays(RULES), EVALUATORS[name].board(RULES)
    sparse: list[Board] = [(0,) * 16, (0, 0, 0, 2) + (0,) * 12, (4, 2) + (0,) * 14, (2,) * 8 + (0,) * 8]
    for board in random_boards(300, 16, seed=3) + sparse:
        if cells := empty_cells(board):
            total = sum(9 * evaluate(place(board, cell, 2)) + evaluate(place(board, cell, 4)) for cell in cells)
            number = packed([board])[0]
            arrays = evaluator.values, evaluator.gains, evaluator.shape
            assert expected(number, np.uint64(transpose(number)), *arrays, 9, 1) == float(total) / (10 * len(cells))


@pytest.mark.parametrize("name", EVALUATORS)
@pytest.mark.parametrize(("depth", "number", "most_empty"), [(1, 200, 16), (2, 60, 16), (3, 6, 3), (4, 2, 2)])
def test_values_equal_the_reference(name: str, depth: int, number: int, most_empty: int) -> None:
    boards = random_boards(number, most_empty, seed=depth)
    assert np.array_equal(by_kernel(name, boards, depth), by_reference(name, boards, depth))


@pytest.mark.compiled
@pytest.mark.parametrize("name", EVALUATORS)
@pytest.mark.parametrize(
    ("depth", "number", "most_empty"), [(1, 300, 16), (2, 60, 14), (3, 40, 5), (4, 10, 4), (5, 4, 2), (6, 2, 1)]
)
def test_values_equal_the_reference_on_many_boards(name: str, depth: int, number: int, most_empty: int) -> None:
    boards = random_boards(number, most_empty, seed=10 + depth)
    wanted = by_reference(name, boards, depth)
    for entries in (0, 16, 1 << 12):  # a table of any size changes nothing, one shared by all boards neither
        assert np.array_equal(by_kernel(name, boards, depth, entries=entries), wanted)


@pytest.mark.long
@pytest.mark.parametrize("name", EVALUATORS)
@pytest.mark.parametrize(
    ("depth", "number", "most_empty"), [(1, 2000, 16), (2, 1000, 14), (3, 4000, 8), (4, 2000, 5), (5, 40, 4)]
)
def test_values_equal_the_reference_on_thousands_of_boards(name: str, depth: int, number: int, most_empty: int) -> None:
    boards = random_boards(number, most_empty, seed=20 + depth)
    wanted = by_reference(name, boards, depth)
    for entries in (0, 16, 1 << 12):
        assert np.array_equal(by_kernel(name, boards, depth, entries=entries), wanted)


@pytest.mark.compiled
@pytest.mark.parametrize("depth", [5, 6, 7, 8])
def test_the_table_changes_no_value_of_a_deep_search(depth: int) -> None:
    boards = random_boards(30 if depth < 7 else 5, 3, seed=30)
    assert np.array_equal(by_kernel("rows", boards, depth), by_kernel("rows", boards, depth, entries=1 << 10))


COUNTS = {  # depth and entries a level -> boards evaluated, boards answered by the table, of the 40 boards below
    (3, 4096): (4504, 0),  # a board does not come twice below one new tile
    (4, 4096): (34_876, 0),
    (5, 0): (139_507, 0),
    (5, 64): (108_603, 1182),
    (5, 4096): (102_419, 1340),
    (6, 0): (1_160_959, 0),
    (6, 4096): (836_511, 1340),
}


@pytest.mark.compiled
@pytest.mark.parametrize(("asked", "counts"), COUNTS.items())
def test_how_many_boards_are_evaluated_and_answered(asked: tuple[int, int], counts: tuple[int, int]) -> None:
    boards, (depth, entries) = random_boards(40, 4, seed=30), asked
    search = new_expectimax(EVALUATORS["rows"].arrays(RULES), SearchSettings(depth, 9, 1, 0, 0.0), entries)
    value_boards(search, packed(boards), np.empty((40, 4)), row_tables(), streams(5, 40), stop_flag())
    assert tuple(search.counts.tolist()) == counts


def evaluated(board: Board, depth: int, last: int = 1) -> int:
    """How many boards are evaluated, as docs/formats/2048-datasets.md says; `last` counts the moves so far."""
    moves = legal_moves(RULES, board)
    if depth == 1 and last > 1:
        return 4  # before the last move: all directions, legal or not
    if not moves:
        return 0 if depth <= 2 else 1
    if depth == 1:
        return len(moves)
    found = 0
    for direction in moves:
        after = move(RULES, board, direction)[0]
        tiles = [place(after, cell, tile) for cell in empty_cells(after) for tile in (2, 4)]
        found += len(tiles) if depth == 2 else sum(evaluated(each, depth - 2, last + 1) for each in tiles)
    return found


@pytest.mark.compiled
@pytest.mark.parametrize(("depth", "number"), [(1, 60), (2, 60), (3, 40), (4, 20), (5, 6), (6, 2)])
def test_the_count_is_what_the_format_page_says(depth: int, number: int) -> None:
    """Without a transposition table; on boards so full that some of those ahead have no move."""
    for board in random_boards(number, 2, seed=31):
        search = new_expectimax(EVALUATORS["spec"].arrays(RULES), SearchSettings(depth, 9, 1, 0, 0.0), 0)
        value_boards(search, packed([board]), np.empty((1, 4)), row_tables(), streams(5, 1), stop_flag())
        assert search.counts[0] == evaluated(board, depth)


@pytest.mark.compiled
@pytest.mark.parametrize(("depth", "number"), [(2, 300), (3, 100), (4, 30), (5, 3)])
def test_sampled_cells_equal_the_reference(depth: int, number: int) -> None:
    boards = random_boards(number, 8, seed=40)
    found = by_kernel("spec", boards, depth, sample=2)
    assert np.array_equal(found, by_reference("spec", boards, depth, sample=2))
    assert not np.array_equal(found, by_kernel("spec", boards, depth))


@pytest.mark.compiled
@pytest.mark.parametrize("cutoff", [0.02, 0.3])
@pytest.mark.parametrize(("depth", "number"), [(3, 40), (4, 10), (5, 8)])
def test_improbable_boards_are_cut_off_as_by_the_reference(depth: int, number: int, cutoff: float) -> None:
    boards = random_boards(number, 4, seed=50)
    found = by_kernel("rows", boards, depth, cutoff=cutoff)
    assert np.array_equal(found, by_reference("rows", boards, depth, cutoff=cutoff))
    assert not np.array_equal(found, by_kernel("rows", boards, depth))


@pytest.mark.compiled
@pytest.mark.parametrize("fours", [0.0, 0.25, 1.0])
def test_other_odds(fours: float) -> None:
    rules = Rules2048(fours=fours)
    for depth, number in ((2, 50), (3, 20), (4, 5)):
        boards = random_boards(number, 4, seed=60)
        found = by_kernel("spec", boards, depth, rules=rules)
        assert np.array_equal(found, by_reference("spec", boards, depth, rules=rules))


def test_a_dead_board_in_the_search_is_worth_its_evaluation() -> None:
    """After right a new 4 leaves no move; a new 2 can merge with the 2 below it."""
    board = Position2048.parse("8 16 4 ./2 4 8 16/4 8 16 32/8 16 32 64")
    after = board.play("right")
    assert (board.moves(), after.tiles[:4]) == (["up", "right"], (0, 8, 16, 4))
    dead, alive = place(after.tiles, 0, 4), place(after.tiles, 0, 2)
    assert (legal_moves(RULES, dead), legal_moves(RULES, alive)) == ([], ["up", "down"])
    evaluate = EVALUATORS["spec"].board(RULES)
    best = max(evaluate(move(RULES, alive, direction)[0]) for direction in ("up", "down"))
    wanted = (9 * float(best) + float(evaluate(dead))) / 10
    assert PlainSearch(RULES, evaluate, 3).move_values(board.tiles)["right"] == wanted
    assert by_kernel("spec", [board.tiles], 3)[0, DIRECTIONS.index("right")] == wanted


def test_a_dead_board_costs_the_evaluator_rows_dear() -> None:
    board = Position2048.parse("8 16 4 ./2 4 8 16/4 8 16 32/8 16 32 64")
    dead, alive = (place(board.play("right").tiles, 0, tile) for tile in (4, 2))
    evaluate, loss = EVALUATORS["rows"].board(RULES), EVALUATORS["rows"].dead
    best = max(evaluate(move(RULES, alive, direction)[0]) for direction in ("up", "down"))
    wanted = (9 * float(best) + float(evaluate(dead) - loss)) / 10
    assert loss > 1_000_000
    assert by_kernel("rows", [board.tiles], 3)[0, DIRECTIONS.index("right")] == wanted
