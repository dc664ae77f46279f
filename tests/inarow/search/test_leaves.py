"""Minimax with all leaves at once, against plain minimax and the alpha-beta player."""

import numpy as np
import pytest

from gridlab.games import game
from gridlab.inarow.position import Position
from gridlab.inarow.rules import Rules
from gridlab.inarow.search.depth_limited import (
    DECIDED,
    best_move,
    evaluate_many,
    evaluation_of,
    heuristics_of,
    new_depth_table,
)
from gridlab.inarow.search.geometry import Geometry, geometry_of, smallest_image
from gridlab.inarow.search.leaves import Boards, Values, value_moves
from tests.inarow.search.test_depth_limited import GAMES, random_positions, seats


def mixed(own: int, other: int) -> float:
    """A number that hangs on every stone and is not symmetric."""
    return (own * 7919 + other * 104_729) % 10_007 / 10.0 - 500


def evaluate_mixed(boards: Boards) -> Values:
    return np.array([mixed(own, other) for own, other in boards.tolist()])


def plain(position: Position, depth: int, geometry: Geometry) -> float:
    """Without merging, tactics or levels; a leaf is judged as its smallest image shows it."""
    outcome = position.outcome()
    if outcome:
        decided = DECIDED - position.ply
        return 0 if outcome.winner is None else decided if outcome.winner == position.to_move else -decided
    if depth == 0:
        own, other, _ = smallest_image(*seats(position), geometry.images)
        return mixed(int(own), int(other))
    return max(-plain(position.play(cell), depth - 1, geometry) for cell in position.moves())


def boards_of(positions: list[Position]) -> Boards:
    return np.array([seats(position) for position in positions], np.int64)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_every_listed_move_has_its_minimax_value(name: str, depth: int) -> None:
    rules = game(name)
    geometry, positions = geometry_of(rules), random_positions(rules, 8 if depth < 3 else 3, seed=depth)
    found = value_moves(boards_of(positions), depth, geometry, evaluate_mixed)
    for number, position in enumerate(positions):
        cells, values = found.of(number)
        deep = min(depth, rules.cells - position.ply)
        truth = {cell: -plain(position.play(cell), deep - 1, geometry) for cell in position.moves()}
        assert values.tolist() == [truth[cell] for cell in cells.tolist()]
        cell, value = found.best(number)
        assert value == truth[cell] == max(truth.values())
        assert set(cells.tolist()) == set(truth) or value == DECIDED - position.ply - 1


@pytest.mark.parametrize("name", GAMES)
def test_with_the_heuristic_it_agrees_with_alpha_beta(name: str) -> None:
    rules = game(name)
    heuristics, evaluation, geometry = heuristics_of(rules), evaluation_of(rules), geometry_of(rules)
    positions = random_positions(rules, 10, seed=9)
    for depth in (1, 2):
        found = value_moves(
            boards_of(positions), depth, geometry, lambda boards: evaluate_many(boards, evaluation).astype(np.float64)
        )
        for number, position in enumerate(positions):
            assert found.best(number)[1] == best_move(position, depth, heuristics, new_depth_table(1 << 10))[1]


def test_leaves_are_merged() -> None:
    """Two plies from the empty 3x3 board: 72 sequences, 12 positions up to symmetry."""
    rules = game("tictactoe")
    seen: list[Boards] = []

    def evaluate(boards: Boards) -> Values:
        seen.append(boards)
        return np.zeros(len(boards))

    found = value_moves(np.zeros((1, 2), np.int64), 2, geometry_of(rules), evaluate)
    assert (found.leaves, found.edges, len(seen)) == (12, 9 + 3 * 8, 1)
    assert found.met == 9 - 3 + 3 * 8 - 12


@pytest.mark.compiled
def test_leaves_of_squava_merge_to_pairs_of_pairs() -> None:
    """Four plies with n cells free: at most C(n,2)·C(n-2,2) positions, as many if nothing is decided or symmetric."""
    rules: Rules = game("squava")
    position = Position.parse("X.O../...../..X../...../.O.X.", rules)
    found = value_moves(boards_of([position]), 4, geometry_of(rules), lambda boards: np.zeros(len(boards)))
    free = 20
    most = free * (free - 1) // 2 * (free - 2) * (free - 3) // 2
    assert 0.5 * most < found.leaves <= most


def test_a_decided_game_needs_no_evaluation() -> None:
    rules = game("tictactoe")

    def evaluate(boards: Boards) -> Values:
        raise AssertionError

    win = boards_of([Position.parse("XX./OO./...", rules)])
    assert value_moves(win, 3, geometry_of(rules), evaluate).best(0) == (2, DECIDED - 5)
    last = boards_of([Position.parse("XOX/XOO/OX.", rules)])
    assert value_moves(last, 4, geometry_of(rules), evaluate).best(0) == (8, 0.0)
