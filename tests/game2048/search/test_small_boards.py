"""Evaluators, search and whole games on boards smaller than 4x4: kernels against the reference, to the last bit."""

import numpy as np
import pytest

from gridlab.core.bits import streams
from gridlab.core.run import stop_flag
from gridlab.game2048.evaluate import evaluate
from gridlab.game2048.kernels import row_tables, transpose
from gridlab.game2048.players import ExpectimaxPlayer, RandomPlayer2048
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import DIRECTIONS, Board, Rules2048, empty_cells, place
from gridlab.game2048.search.evaluators import EVALUATORS, expected, static
from gridlab.game2048.search.expectimax import PlainSearch, SearchSettings, new_expectimax
from gridlab.game2048.search.play import Limits, has_kernel_policy, record_game, value_boards
from tests.game2048.test_walls import SMALL, some_boards

SNAKES = {  # the top left of the matrix of spec, in powers of 4, as a sum over tiles of 2
    "2 . ./. . ./. . .": 15, ". 2 ./. . ./. . .": 14, ". . 2/. . ./. . .": 13, ". . ./. . 2/. . .": 10,
    ". . ./. 2 ./. . .": 9, ". . ./2 . ./. . .": 8, ". . ./. . ./2 . .": 7, ". . ./. . ./. . 2": 5,
}  # fmt: skip


@pytest.mark.parametrize(("text", "power"), SNAKES.items())
def test_spec_by_hand(text: str, power: int) -> None:
    """One tile: the matrix, 8 empty cells, 6 lines of 2 steps, each of which can be read as level, and the corner."""
    rules = Rules2048(3, 3)
    corner = 20_000 if power == 13 else 0
    levels = {". 2 ./. . ./. . .": 11, ". . ./. . 2/. . .": 11, ". . ./. 2 ./. . .": 10, ". . ./2 . ./. . .": 11}
    wanted = 2 * 4**power + 400_000 + 10_000 * levels.get(text, 12) + corner
    assert EVALUATORS["spec"].board(rules)(Position2048.parse(text, rules).tiles) == wanted


def boards_of(rules: Rules2048, number: int, seed: int) -> list[Board]:
    boards = some_boards(rules, number, seed)
    return [boards[i] for i in np.random.default_rng(seed).permutation(len(boards))[:number]]


def packed(boards: list[Board], rules: Rules2048) -> np.ndarray:
    return np.array([Position2048(board, 0, rules).packed for board in boards], np.uint64)


@pytest.mark.parametrize("rules", SMALL, ids=str)
@pytest.mark.parametrize("name", EVALUATORS)
def test_evaluations(name: str, rules: Rules2048) -> None:
    arrays, evaluator = EVALUATORS[name].arrays(rules), EVALUATORS[name].board(rules)
    values, gains, _, shape = arrays
    for board in [(0,) * rules.cells, (2,) + (0,) * (rules.cells - 1), *boards_of(rules, 60, 2)]:
        number = packed([board], rules)[0]
        turned = np.uint64(transpose(number))
        assert static(number, turned, values, shape) == evaluator(board)
        if cells := empty_cells(board):
            total = sum(9 * evaluator(place(board, cell, 2)) + evaluator(place(board, cell, 4)) for cell in cells)
            assert expected(number, turned, values, gains, shape, 9, 1) == float(total) / (10 * len(cells))


@pytest.mark.parametrize("rules", [*SMALL, Rules2048(3, 3, 0.5)], ids=str)
@pytest.mark.parametrize("name", EVALUATORS)
@pytest.mark.parametrize(
    ("depth", "number"),
    [(1, 20), (2, 8), pytest.param(3, 8, marks=pytest.mark.compiled), pytest.param(4, 2, marks=pytest.mark.compiled),
     *(pytest.param(*each, marks=pytest.mark.long) for each in [(3, 20), (4, 6), (5, 2)])],
)  # fmt: skip
def test_values_equal_the_reference(name: str, depth: int, number: int, rules: Rules2048) -> None:
    boards = [board for board in boards_of(rules, 400, depth) if board.count(0) <= max(1, 6 - depth)][:number]
    found = np.empty((len(boards), 4))
    search = new_expectimax(EVALUATORS[name].arrays(rules), SearchSettings(depth, *rules.odds, 0, 0.0), 1 << 8)
    value_boards(search, packed(boards, rules), found, row_tables(rules), streams(1, len(boards)), stop_flag())
    plain = PlainSearch(rules, EVALUATORS[name].board(rules), depth, dead=EVALUATORS[name].dead)
    for board, values in zip(boards, found.tolist(), strict=True):
        wanted = plain.move_values(board)
        assert values == [wanted.get(direction, -np.inf) for direction in DIRECTIONS]


class Hidden:
    """A player without its policy, so that Python plays the game; and its moves by the plain search."""

    def __init__(self, rules: Rules2048, name: str, depth: int) -> None:
        self.search = PlainSearch(rules, EVALUATORS[name].board(rules), depth, dead=EVALUATORS[name].dead)

    def move(self, position: Position2048, random: np.random.Generator) -> str:
        return str(self.search.choose(position.tiles))


@pytest.mark.parametrize("rules", SMALL, ids=str)
@pytest.mark.parametrize("name", EVALUATORS)
def test_games_of_the_kernel_are_games_of_plain_python(name: str, rules: Rules2048) -> None:
    """The same seed, the same tiles, the same moves, to the end of the game."""
    player, limits = ExpectimaxPlayer(rules, name, 1), Limits(120)
    assert has_kernel_policy(player, rules)
    for number in range(2):
        fast = record_game(player, rules, 5, number, stop_flag(), limits)
        slow = record_game(Hidden(rules, name, 1), rules, 5, number, stop_flag(), limits)
        assert fast.boards.tolist() == slow.boards.tolist()
        assert fast.directions.tolist() == slow.directions.tolist()
        assert (fast.final_board, fast.final_score) == (slow.final_board, slow.final_score)


@pytest.mark.parametrize("rules", [Rules2048(2, 2), Rules2048(3, 3)], ids=str)
def test_tiles_of_evaluations_are_no_walls(rules: Rules2048) -> None:
    found = evaluate("random", rules, 50, workers=1)
    assert found.max_tiles.max() <= 2 << rules.cells
    stopped = record_game(RandomPlayer2048(rules), rules, 1, 0, stop_flag(), Limits(exponent=4))
    last = Position2048.unpack(stopped.final_board, rules=rules)
    assert last.over or last.max_tile == 16
