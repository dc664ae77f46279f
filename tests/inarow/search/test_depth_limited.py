"""The player that looks some plies ahead: its evaluation and its search against plain Python."""

import numpy as np
import pytest

from gridlab.games import game
from gridlab.inarow.position import Position
from gridlab.inarow.rules import Rules
from gridlab.inarow.search.depth_limited import (
    DECIDED,
    TRAP,
    best_move,
    evaluate,
    evaluation_of,
    heuristics_of,
    middle_of,
    new_depth_table,
    promise,
)

GAMES = ["3x3:3", "3x4:4-3", "3x3:-3", "5x5:4-3"]


def random_positions(rules: Rules, number: int, seed: int = 0) -> list[Position]:
    random = np.random.default_rng(seed)
    found: list[Position] = []
    while len(found) < number:
        position = Position(rules)
        for _ in range(int(random.integers(rules.cells))):
            if moves := position.moves():
                position = position.play(int(random.choice(moves)))
        if position.outcome() is None:
            found.append(position)
    return found


def seats(position: Position) -> tuple[int, int]:
    return position.own, position.other


def plain_evaluation(rules: Rules, own: int, other: int) -> int:
    def points(mine: int, theirs: int) -> int:
        total = 10 * (mine & middle_of(rules)).bit_count()
        for line in rules.winning_lines:
            if not line & theirs and line & mine:
                total += {1: 200, 2: 20, 3: 2}.get((rules.win or 0) - (line & mine).bit_count(), 0)
        for line in rules.losing_lines:
            if not line & theirs and line & mine and (line & mine).bit_count() == (rules.lose or 0) - 1:
                total -= 100
        return total

    return points(own, other) - points(other, own)


def minimax(position: Position, depth: int) -> int:
    """Without a window, a table or an order."""
    outcome = position.outcome()
    if outcome:
        decided = DECIDED - position.ply
        return 0 if outcome.winner is None else decided if outcome.winner == position.to_move else -decided
    if depth == 0:
        return plain_evaluation(position.rules, *seats(position))
    return max(-minimax(position.play(cell), depth - 1) for cell in position.moves())


@pytest.mark.parametrize("name", GAMES)
def test_the_evaluation(name: str) -> None:
    rules = game(name)
    tables = evaluation_of(rules)
    for position in random_positions(rules, 40):
        own, other = seats(position)
        assert evaluate(own, other, tables) == plain_evaluation(rules, own, other)
        assert evaluate(own, other, tables) == -evaluate(other, own, tables)


def test_the_figures_of_the_evaluation() -> None:
    """Squava: three of an open four 200, two 20, one 2; two of an open three cost 100; the middle nine 10 each."""
    rules = game("squava")
    assert middle_of(rules) == sum(1 << cell for cell in (6, 7, 8, 11, 12, 13, 16, 17, 18))
    tables = evaluation_of(rules)
    assert evaluate(1, 0, tables) == 3 * 2
    assert evaluate(1 << 12, 0, tables) == 10 + 2 * sum(line >> 12 & 1 for line in rules.winning_lines)
    assert evaluate(0b11, 0, tables) == plain_evaluation(rules, 0b11, 0)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_search_finds_what_minimax_finds(name: str, depth: int) -> None:
    rules = game(name)
    tables, table = heuristics_of(rules), new_depth_table(1 << 10)
    for position in random_positions(rules, 8 if depth < 3 else 3, seed=depth):
        cell, score, counts = best_move(position, depth, tables, table)
        assert score == minimax(position, min(depth, rules.cells - position.ply))
        assert -minimax(position.play(cell), min(depth, rules.cells - position.ply) - 1) == score
        assert counts.nodes > 0
        assert best_move(position, depth, tables, new_depth_table(1 << 10), ordered=False)[1] == score


def test_a_sooner_win_is_better() -> None:
    rules = game("tictactoe")
    position = Position.parse("XX./OO./...", rules)
    cell, score, _ = best_move(position, 5, heuristics_of(rules), new_depth_table())
    assert (cell, score) == (2, DECIDED - 5)


@pytest.mark.parametrize(("text", "stones"), [("5x5:4-3", 2), ("5x5:5-4", 3), ("6x6:5-2", 1)])
def test_a_trap_is_a_losing_line_one_stone_short_whatever_its_length(text: str, stones: int) -> None:
    heuristics = heuristics_of(game(text))
    cell, nearly = stones, (1 << stones) - 1  # the opponent's stones stand on the first cells of the top row
    assert promise(0, nearly, cell, heuristics) == heuristics.centre[cell] + TRAP
    assert promise(0, nearly >> 1, cell, heuristics) == heuristics.centre[cell]
