"""Minimax over the leaves that matter: the value of plain minimax with every leaf judged, and fewer leaves."""

import numpy as np
import pytest

from gridlab.games import game
from gridlab.inarow.position import Position
from gridlab.inarow.search.depth_limited import DECIDED, evaluate_many, evaluation_of
from gridlab.inarow.search.geometry import geometry_of
from gridlab.inarow.search.leaves import BestMove, Boards, Values, best_of_all, best_pruned, value_moves
from tests.inarow.search.test_depth_limited import GAMES, random_positions, seats
from tests.inarow.search.test_leaves import evaluate_mixed


def nothing(boards: Boards) -> Values:
    return np.zeros(len(boards))


def check_moves(found: BestMove, truth: dict[int, float]) -> None:
    """The best move is one, and what is said of the others is true."""
    assert found.value == truth[found.cell] == max(truth.values())
    assert all(
        low <= truth[cell] <= high
        for cell, low, high in zip(found.cells.tolist(), found.low.tolist(), found.high.tolist(), strict=True)
    )
    assert found.judged <= found.leaves


@pytest.mark.parametrize(
    ("name", "depth"), [(name, depth) for name in GAMES for depth in (1, 2, 3)] + [("3x3:3", 4), ("3x3:3", 6)]
)
def test_the_value_is_that_of_plain_minimax(name: str, depth: int) -> None:
    """With a guess that says nothing, one that says the truth, and one that says the opposite."""
    rules = game(name)
    geometry, positions = geometry_of(rules), random_positions(rules, 6 if depth < 3 else 2, seed=depth)
    for position in positions:
        own, other = seats(position)
        cells, values = value_moves(np.array([[own, other]]), depth, geometry, evaluate_mixed).of(0)
        truth = dict(zip(cells.tolist(), values.tolist(), strict=True))
        for guess in (nothing, evaluate_mixed, lambda boards: -evaluate_mixed(boards)):
            check_moves(best_pruned(own, other, depth, geometry, evaluate_mixed, guess), truth)


@pytest.mark.compiled
@pytest.mark.parametrize("depth", [2, 3, 4, 5])
def test_on_many_positions_of_squava(depth: int) -> None:
    rules = game("squava")
    geometry, evaluation, judged, leaves = geometry_of(rules), evaluation_of(rules), 0, 0

    def noisy(boards: Boards) -> Values:
        """Ten times the heuristic and something that hangs on every stone."""
        own, other = boards.T
        return np.asarray(heuristic(boards) + (own * 7919 + other * 104_729) % 1_009, np.float64)

    def heuristic(boards: Boards) -> Values:
        return np.asarray(10.0 * evaluate_many(boards, evaluation), np.float64)

    for position in random_positions(rules, {2: 60, 3: 40, 4: 20, 5: 6}[depth], seed=depth):
        own, other = seats(position)
        plain = best_of_all(own, other, depth, geometry, noisy)
        found = best_pruned(own, other, depth, geometry, noisy, heuristic)
        check_moves(found, dict(zip(plain.cells.tolist(), plain.low.tolist(), strict=True)))
        assert (found.leaves, found.edges, found.met) == (plain.leaves, plain.edges, plain.met)
        judged, leaves = judged + found.judged, leaves + found.leaves
    assert judged < {2: 0.6, 3: 0.4, 4: 0.2, 5: 0.1}[depth] * leaves


def test_a_decided_game_needs_no_evaluation() -> None:
    rules = game("tictactoe")

    def evaluate(boards: Boards) -> Values:
        assert not len(boards)
        return np.empty(0)

    win = seats(Position.parse("XX./OO./...", rules))
    assert best_pruned(*win, 3, geometry_of(rules), evaluate, evaluate)[:2] == (2, DECIDED - 5)
    last = seats(Position.parse("XOX/XOO/OX.", rules))
    assert best_pruned(*last, 4, geometry_of(rules), evaluate, evaluate)[:2] == (8, 0.0)
