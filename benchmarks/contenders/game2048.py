"""2048: expectimax, learning an n-tuple network, solving a small board; ours and the references (`by_hand`)."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from contenders.run import Run, once
from gridlab.core.run import stop_flag


def boards_of_games() -> Any:
    from gridlab.core.bits import streams
    from gridlab.game2048.players import ExpectimaxPlayer
    from gridlab.game2048.rules import Rules2048
    from gridlab.game2048.search.play import Limits, play_batch

    policy, limit = ExpectimaxPlayer(Rules2048(), "rows", 2).kernel_policy(), Limits(400)
    return play_batch(policy, Rules2048(), streams(9, 200), stop_flag(), limit).boards


def expectimax() -> Run:
    from gridlab.core.bits import streams
    from gridlab.game2048.kernels import row_tables
    from gridlab.game2048.players import ExpectimaxPlayer
    from gridlab.game2048.rules import Rules2048
    from gridlab.game2048.search.expectimax import new_expectimax
    from gridlab.game2048.search.play import begin, value_boards

    boards = boards_of_games()
    plain = ExpectimaxPlayer(Rules2048(), "spec", 3).kernel_policy()
    search = new_expectimax(plain.evaluator, plain.settings, 0)
    found, rows, states = np.empty((len(boards), 4)), row_tables(), streams(1, len(boards))

    def run() -> int:
        begin(search)
        value_boards(search, boards, found, rows, states, stop_flag())
        return len(boards)

    run()
    return run


def expectimax_by_hand() -> Run:
    from gridlab.game2048.kernels import unpack
    from gridlab.game2048.rules import Rules2048
    from gridlab.game2048.search.evaluators import find_evaluator
    from gridlab.game2048.search.expectimax import PlainSearch

    rules, spec = Rules2048(), find_evaluator("spec")
    search = PlainSearch(rules, spec.board(rules), 3, dead=spec.dead)
    boards = [unpack(board) for board in boards_of_games()[:5].tolist()]

    def run() -> int:
        for board in boards:
            search.move_values(board)
        return len(boards)

    return run


def learning() -> Run:
    from gridlab.core.bits import streams
    from gridlab.game2048.kernels import row_tables
    from gridlab.game2048.learn.ntuple_kernels import MOVES, TALLY, Recipe, learn_games, new_path
    from gridlab.game2048.rules import Rules2048
    from gridlab.game2048.search.ntuple import new_network, parse_tuples

    rules = Rules2048()
    network = new_network(parse_tuples("4x6", rules), rules)
    sums, recipe = np.zeros(2 * len(network.weights), np.float32), Recipe(1.0, 0.5, 0, *rules.odds)
    path, states, tally = new_path(network), streams(1, 1), np.zeros(TALLY, np.int64)

    def run() -> int:
        before = int(tally[MOVES])
        learn_games(100, network, sums, recipe, row_tables(rules), path, states, 0, tally, stop_flag())
        return int(tally[MOVES]) - before

    for _ in range(20):  # a network that has learnt a little is spread over its tables, and slower
        run()
    return run


def learning_by_hand() -> Run:
    from tests.game2048.learn.ntuple_reference import PlainNetwork, learn_backwards

    from gridlab.game2048.rules import Rules2048
    from gridlab.game2048.search.ntuple import new_network, parse_tuples

    rules = Rules2048()
    tuples = parse_tuples("4x6", rules)
    weights = new_network(tuples, rules).weights
    plain, board = PlainNetwork(rules, tuples, weights), (1, 2, 3, 4, 5, 1, 0, 2, 1, 0, 0, 1, 0, 0, 0, 1)

    def run() -> int:
        plain.move_values(board)
        learn_backwards([(board, 4)], plain, weights, None, 0.0, 0.5)  # type: ignore[arg-type]
        return 1

    return run


def small_board() -> Run:
    from gridlab.game2048.exact.build import build_tablebase2048
    from gridlab.game2048.rules import Rules2048

    def build() -> None:
        with tempfile.TemporaryDirectory() as folder:
            build_tablebase2048(Rules2048(2, 3), Path(folder) / "t.tb", workers=1)

    return once(build)


def small_board_by_hand() -> Run:
    from tests.game2048.exact.reference import solve

    from gridlab.game2048.rules import Rules2048

    return once(lambda: solve(Rules2048(2, 3)))
