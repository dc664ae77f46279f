"""Monte Carlo tree search for 2048: held to a reference implementation in plain Python, and better than chance."""

import math

import numpy as np
import pytest

from gridlab.core.bits import Stream
from gridlab.core.run import stop_flag
from gridlab.game2048 import rules as reference
from gridlab.game2048.evaluate import evaluate
from gridlab.game2048.kernels import pack_board, row_tables
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import DIRECTIONS, Board, Rules2048
from gridlab.game2048.search.mcts import choose, new_mcts
from gridlab.players.registry import make_player

BOARDS = {
    "2048": (2, 2, 4, 8, 0, 0, 2, 4, 0, 0, 0, 2, 0, 0, 0, 0),
    "2048:3x3": (2, 4, 2, 4, 8, 4, 2, 0, 2),
    "2048:2x2": (2, 2, 4, 2),
}


class PlainMcts:
    """The same search by dictionaries."""

    def __init__(self, rules: Rules2048, state: int, exploration: float) -> None:
        self.rules, self.stream, self.exploration = rules, Stream(state), exploration
        self.nodes: dict[Board, dict[str, list[float]]] = {}  # direction -> visits, points

    def values(self, board: Board, playouts: int) -> dict[str, float]:
        self.nodes = {board: {}}
        for _ in range(playouts):
            self.playout(board)
        return {direction: points / visits for direction, (visits, points) in self.nodes[board].items()}

    def playout(self, board: Board) -> None:
        way = []
        while True:
            legal = reference.legal_moves(self.rules, board)
            if not legal:
                total = 0
                break
            direction = self.promising(self.nodes[board], legal)
            after, points = reference.move(self.rules, board, direction)
            tried = self.nodes[board].setdefault(direction, [0, 0])
            tried[0] += 1
            way.append((tried, points))
            board = reference.spawn(self.rules, after, self.stream)
            if board not in self.nodes:
                self.nodes[board] = {}
                total = self.play_out(board)
                break
        for tried, points in reversed(way):
            total += points
            tried[1] += total

    def promising(self, node: dict[str, list[float]], legal: list[str]) -> str:
        for direction in legal:
            if direction not in node:
                return direction
        visits = sum(each[0] for each in node.values())
        mean = sum(each[1] for each in node.values()) / visits

        def worth(direction: str) -> float:
            tried, points = node[direction]
            return points / tried + self.exploration * mean * math.sqrt(math.log(visits) / tried)

        return max(legal, key=worth)

    def play_out(self, board: Board) -> int:
        total = 0
        while legal := reference.legal_moves(self.rules, board):
            direction = legal[(self.stream.draw() >> 32) * len(legal) >> 32]
            after, points = reference.move(self.rules, board, direction)
            total += points
            board = reference.spawn(self.rules, after, self.stream)
        return total


@pytest.mark.parametrize("text", BOARDS)
@pytest.mark.parametrize("exploration", [0.0, 0.3, 2.0])
def test_it_equals_its_reference(text: str, exploration: float) -> None:
    rules, board = Rules2048.parse(text), BOARDS[text]
    for seed in (1, 2):
        policy, found = new_mcts(20, exploration, rules.odds), np.empty(4)
        packed, state = np.uint64(pack_board(board, rules)), np.array([seed], np.uint64)
        direction = choose(policy, packed, found, row_tables(rules), state, 0, stop_flag())
        wanted = PlainMcts(rules, seed, exploration).values(board, 20)
        assert {name: found[i] for i, name in enumerate(DIRECTIONS) if name in wanted} == pytest.approx(wanted)
        assert found[direction] == max(wanted.values())
        assert int(policy.tree.visits[0].sum()) == 20


def test_without_a_move_there_is_none() -> None:
    found = np.empty(4)
    dead = np.uint64(pack_board((2, 4, 2, 4, 4, 2, 4, 2, 2, 4, 2, 4, 4, 2, 4, 2), Rules2048()))
    state = np.zeros(1, np.uint64)
    assert choose(new_mcts(10, 0.3, (9, 1)), dead, found, row_tables(), state, 0, stop_flag()) == -1
    assert (found == -np.inf).all()


def test_a_search_that_is_stopped_gives_nothing() -> None:
    stop, board = stop_flag(), np.uint64(pack_board(BOARDS["2048"], Rules2048()))
    stop[0] = 1
    assert choose(new_mcts(10, 0.3, (9, 1)), board, np.empty(4), row_tables(), np.zeros(1, np.uint64), 0, stop) == -1


def test_the_player() -> None:
    player = make_player("mcts playouts=30 exploration=0.5", Rules2048())
    assert str(player) == "mcts playouts=30 exploration=0.5"
    position = Position2048(BOARDS["2048"])
    values = player.values(position, np.random.default_rng(1))  # type: ignore[attr-defined]
    assert list(values) == position.moves()
    assert player.move(position, np.random.default_rng(1)) == max(values, key=values.__getitem__)


@pytest.mark.compiled
def test_it_plays_better_than_chance() -> None:
    found = evaluate("mcts playouts=30", games=4, seed=1, workers=1)
    assert found.mean_score > 4 * evaluate("random", games=100, seed=1, workers=1).mean_score
    again = evaluate("mcts playouts=30", games=4, seed=1, workers=2)
    assert (again.scores == found.scores).all()
