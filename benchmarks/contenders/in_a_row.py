"""In-a-row games: positions counted, terminal wins written, games solved and searched.

Ours, the reference implementations (`by_hand`), OpenSpiel and easyAI.
"""

import importlib
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from contenders.run import Contender, Run, once
from gridlab.games import game
from gridlab.inarow.position import Position


def census_once() -> Run:
    from gridlab.inarow.exact.census import census

    return once(lambda: census(game("tictactoe")))


def census_by_hand() -> Run:
    from tests.inarow.exact.reference import census_by_play

    return once(lambda: census_by_play(game("tictactoe")))


def all_states_of_openspiel() -> Run:
    pyspiel: Any = importlib.import_module("pyspiel")
    states: Any = importlib.import_module("open_spiel.python.algorithms.get_all_states")
    wanted = {"include_terminals": True, "include_chance_states": False, "to_string": str}
    return once(lambda: states.get_all_states(pyspiel.load_game("tic_tac_toe"), **wanted))


def terminals(last: int) -> Contender:
    def set_up() -> Run:
        from gridlab.inarow.datasets.terminals.build import build_terminals

        def run() -> int:
            with tempfile.TemporaryDirectory() as folder:
                made = build_terminals(game("tictactoe5"), Path(folder) / "wins", range(9, last + 1), workers=1)
                return sum(layer.records for layer in made.layers)

        run()
        return run

    return set_up


def terminals_by_hand() -> Run:
    from tests.inarow.exact.reference import terminal_wins

    return lambda: len(terminal_wins(game("tictactoe5"), 9))


def tablebase(name: str) -> Contender:
    def set_up() -> Run:
        from gridlab.inarow.exact.census import census
        from gridlab.inarow.exact.tablebase.build import build_tablebase

        rules, counts = game(name), census(game(name))

        def build() -> None:
            with tempfile.TemporaryDirectory() as folder:
                build_tablebase(rules, Path(folder) / "t.tb", counts=counts, workers=1)

        return once(build)

    return set_up


def retrograde_by_hand() -> Run:
    from tests.inarow.exact.reference import retrograde

    return once(lambda: retrograde(game("4x4:4")))


def value_iteration_of_openspiel() -> Run:
    pyspiel: Any = importlib.import_module("pyspiel")
    iteration: Any = importlib.import_module("open_spiel.python.algorithms.value_iteration")
    return once(lambda: iteration.value_iteration(pyspiel.load_game("tic_tac_toe"), -1, 0.01))


def solve(name: str) -> Contender:
    def set_up() -> Run:
        from gridlab.inarow.search.alpha_beta import solve

        return once(lambda: solve(Position(game(name)), value_only=True))

    return set_up


def alpha_beta_of_openspiel(name: str) -> Contender:
    def set_up() -> Run:
        pyspiel: Any = importlib.import_module("pyspiel")
        minimax: Any = importlib.import_module("open_spiel.python.algorithms.minimax")
        return once(lambda: minimax.alpha_beta_search(pyspiel.load_game(name)))

    return set_up


def negamax_of_easyai() -> Run:
    easy: Any = importlib.import_module("easyAI")
    games: Any = importlib.import_module("easyAI.games")

    return once(lambda: easy.Negamax(9)(games.TicTacToe([easy.AI_Player(None), easy.AI_Player(None)])))


def playouts() -> Run:
    from gridlab.inarow.search.mcts import search

    position, number = Position(game("5x5:4")), 20_000

    def run() -> int:
        search(position, number, proofs=False, careful=False, states=np.array([1], np.uint64))
        return number

    run()
    return run


def playouts_of_openspiel() -> Run:
    pyspiel: Any = importlib.import_module("pyspiel")
    loaded, number = pyspiel.load_game("mnk(m=5,n=5,k=4)"), 10_000
    bot = pyspiel.MCTSBot(loaded, pyspiel.RandomRolloutEvaluator(1, 1), 2.0, number, 1000, False, 1, False)

    def run() -> int:
        bot.step(loaded.new_initial_state())
        return number

    return run
