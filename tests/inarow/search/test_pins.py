"""What must not drift: how many nodes each search visits, which of equal moves it takes, what its table keeps.

The numbers are those of the first version of each search. A small table makes the rule by which entries are replaced
count: another rule gives other numbers.
"""

import numpy as np
import pytest

from gridlab.games import game
from gridlab.inarow.position import Position
from gridlab.inarow.search.alpha_beta import AlphaBetaSearch, solve
from gridlab.inarow.search.best_first import Start, best_first
from gridlab.inarow.search.depth_limited import best_move, heuristics_of, new_depth_table
from gridlab.inarow.search.mcts import search
from gridlab.inarow.search.proof_number import prove

LATE = ("squava", "X...O/.X.../..O../...../O...X")
SMALL = ("4x4:3", "X.../.O../..../....")
OPEN = ("5x5:4", "X..../.O.../..X../...O./X....")
EVEN = ("3x3:3", ".../.X./...")


def position_of(where: tuple[str, str]) -> Position:
    return Position.parse(where[1], game(where[0]))


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("where", "entries", "nodes", "line"),
    [
        (LATE, 1 << 22, 58_006, (3, 1, 9, 7, 21, 5, 11, 10, 16)),
        (LATE, 1 << 8, 197_795, (3, 1, 9, 7, 21, 5, 11, 10, 16)),
        (SMALL, 1 << 22, 268, (1, 2, 8, 4, 6, 11, 9, 3, 10)),
        (SMALL, 1 << 8, 269, (1, 2, 8, 4, 6, 11, 9, 3, 10)),
    ],
)
def test_alpha_beta(where: tuple[str, str], entries: int, nodes: int, line: tuple[int, ...]) -> None:
    position = position_of(where)
    searched = AlphaBetaSearch(position.rules, entries)
    found = solve(position, search=searched)
    assert (searched.nodes, found.line) == (nodes, line)


@pytest.mark.parametrize(
    ("where", "depth", "entries", "found"),
    [
        (LATE, 1, 1 << 16, (9, 200, 20, 0)),
        (LATE, 3, 1 << 16, (9, 232, 2319, 0)),
        pytest.param(LATE, 5, 1 << 16, (9, 450, 22634, 1005), marks=pytest.mark.compiled),
        pytest.param(LATE, 5, 1 << 4, (9, 450, 29380, 11), marks=pytest.mark.compiled),
        (OPEN, 3, 1 << 16, (8, 380, 549, 0)),
        pytest.param(OPEN, 5, 1 << 16, (8, 999_990, 5117, 304), marks=pytest.mark.compiled),
        pytest.param(OPEN, 5, 1 << 4, (8, 999_990, 7549, 17), marks=pytest.mark.compiled),
        (EVEN, 5, 1 << 16, (0, 0, 453, 36)),  # four corners are as good: the first is taken
        (EVEN, 5, 1 << 4, (0, 0, 496, 5)),
    ],
)
def test_depth_limited(where: tuple[str, str], depth: int, entries: int, found: tuple[int, ...]) -> None:
    position = position_of(where)
    cell, score, counts = best_move(position, depth, heuristics_of(position.rules), new_depth_table(entries))
    assert (cell, score, *counts) == found


@pytest.mark.parametrize(
    ("where", "nodes", "size", "line"),
    [
        (LATE, 680, 174, (9, 7, 19, 14, 21, 1, 11, 3, 16)),
        (SMALL, 23, 41, (1, 2, 8, 4, 6, 11, 9, 3, 12)),
        (OPEN, 281, 217, (8, 1, 7, 2, 9)),
    ],
)
def test_proof_number(where: tuple[str, str], nodes: int, size: int, line: tuple[int, ...]) -> None:
    found = prove(position_of(where))
    assert (found.nodes, found.size, found.line) == (nodes, size, line)


@pytest.mark.parametrize(
    ("where", "visits"),
    [
        (SMALL, [(1, 11), (2, 4), (3, 4), (4, 4), (6, 12), (7, 14), (8, 12), (9, 14), (10, 2), (11, 10), (12, 4),
                 (13, 9), (14, 2), (15, 4)]),
        (LATE, [(1, 6), (2, 13), (3, 2), (5, 20), (7, 6), (8, 9), (9, 63), (10, 12), (11, 16), (13, 2), (14, 24),
                (15, 55), (16, 12), (17, 2), (18, 23), (19, 31), (21, 154), (22, 48), (23, 2)]),
    ],
)  # fmt: skip
def test_monte_carlo(where: tuple[str, str], visits: list[tuple[int, int]]) -> None:
    found = search(position_of(where), 500, states=np.array([7], np.uint64))
    assert [(move.cell, move.visits) for move in found.moves] == visits


@pytest.mark.parametrize(
    ("start", "expansions", "line"),
    [
        (Start(3, 1, 16, "X"), 21, (2, 1, 7, 3, 5, 6, 8)),
        (Start(4, 1, 2, "O"), 91, (6, 2, 15, 8, 9, 10, 12, 4, 3)),
        (Start(4, 0, 0, "X"), 58, (0, 1, 6, 2, 9, 13, 3, 14, 12)),
    ],
)
def test_best_first(start: Start, expansions: int, line: tuple[int, ...]) -> None:
    found = best_first(start)
    assert (found.expansions, found.line) == (expansions, line)
