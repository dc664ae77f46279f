"""What gridlab claims to be fast at, each as a ratio: to packages that do the same, and to its own readable twins.

python benchmarks/claims.py [--only WORD] [--seconds S] [--json FILE]

All contenders of a claim take turns in one process, on one core, and are timed in CPU seconds; each is credited with
its best round. Compiling and setting up are outside the clock. A package that is not installed is left out; `make
bench` measures in an environment that has them all.
"""

import argparse
import importlib
import importlib.metadata
import json
import os
import random
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import numpy as np

from gridlab.core.stop import stop_flag
from gridlab.games import game
from gridlab.games.mnk.position import Position

ROUNDS = 3
GAMES = 1024  # side by side in a vectorised environment
STEPS = 20  # of all of them between two looks at the clock

Run = Callable[[], int]  # does something once and tells how many units that were
Contender = Callable[[], Run]  # sets it up


@dataclass(frozen=True)
class Claim:
    """One thing that can be done in several ways; the first is ours."""

    name: str
    unit: str
    contenders: dict[str, Contender]


@dataclass(frozen=True)
class Rate:
    """What one contender has reached."""

    claim: str
    unit: str
    by: str
    per_second: float
    ratio: float  # of ours to this


def once(work: Callable[[], object]) -> Run:
    """Something that is done as a whole; once before the clock starts, which compiles it."""

    def run() -> int:
        work()
        return 1

    run()
    return run


# ---- in-a-row games


def census_once() -> Run:
    from gridlab.exact.census import census

    return once(lambda: census(game("tictactoe")))


def census_by_hand() -> Run:
    from gridlab.exact.reference import census_by_play

    return once(lambda: census_by_play(game("tictactoe")))


def all_states_of_openspiel() -> Run:
    pyspiel: Any = importlib.import_module("pyspiel")
    states: Any = importlib.import_module("open_spiel.python.algorithms.get_all_states")
    wanted = {"include_terminals": True, "include_chance_states": False, "to_string": str}
    return once(lambda: states.get_all_states(pyspiel.load_game("tic_tac_toe"), **wanted))


def terminals(last: int) -> Contender:
    def set_up() -> Run:
        from gridlab.datasets.terminals.build import build_terminals

        def run() -> int:
            with tempfile.TemporaryDirectory() as folder:
                made = build_terminals(game("tictactoe5"), Path(folder) / "wins", range(9, last + 1), workers=1)
                return sum(layer.records for layer in made.layers)

        run()
        return run

    return set_up


def terminals_by_hand() -> Run:
    from gridlab.exact.reference import terminal_wins

    return lambda: len(terminal_wins(game("tictactoe5"), 9))


def tablebase(name: str) -> Contender:
    def set_up() -> Run:
        from gridlab.exact.census import census
        from gridlab.exact.tablebase.build import build_tablebase

        rules, counts = game(name), census(game(name))

        def build() -> None:
            with tempfile.TemporaryDirectory() as folder:
                build_tablebase(rules, Path(folder) / "t.tb", workers=1, counts=counts)

        return once(build)

    return set_up


def retrograde_by_hand() -> Run:
    from gridlab.exact.reference import retrograde

    return once(lambda: retrograde(game("4x4:4")))


def value_iteration_of_openspiel() -> Run:
    pyspiel: Any = importlib.import_module("pyspiel")
    iteration: Any = importlib.import_module("open_spiel.python.algorithms.value_iteration")
    return once(lambda: iteration.value_iteration(pyspiel.load_game("tic_tac_toe"), -1, 0.01))


def solve(name: str) -> Contender:
    def set_up() -> Run:
        from gridlab.search.mnk.alpha_beta import solve

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
    from gridlab.search.mnk.mcts import search

    position, number = Position(game("5x5:4")), 20_000

    def run() -> int:
        search(position, number, np.array([1], np.uint64), False, False)
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


# ---- environments: random legal actions, drawing them included


def vector(name: str, **settings: Any) -> Contender:
    def set_up() -> Run:
        gymnasium: Any = importlib.import_module("gymnasium")
        importlib.import_module("gridlab.environments")
        env = gymnasium.make_vec(name, GAMES, **settings)
        env.reset(seed=1)

        def run() -> int:
            for _ in range(STEPS):
                env.step(env.random_actions())
            return GAMES * STEPS

        run()
        return run

    return set_up


def pgx(name: str) -> Contender:
    def set_up() -> Run:
        library: Any = importlib.import_module("pgx")
        wrappers: Any = importlib.import_module("pgx.experimental")
        env = library.make(name)
        step = wrappers.auto_reset(env.step, env.init)
        return in_jax(
            lambda key: env.init(key),
            lambda state, action, key: step(state, action, key),
            lambda state: state.legal_action_mask,
        )

    return set_up


def jumanji() -> Run:
    library: Any = importlib.import_module("jumanji")
    wrappers: Any = importlib.import_module("jumanji.wrappers")
    env = wrappers.AutoResetWrapper(library.make("Game2048-v1"))
    return in_jax(
        lambda key: env.reset(key)[0],
        lambda state, action, key: env.step(state, action)[0],
        lambda state: state.action_mask,
    )


def in_jax(begin: Callable[[Any], Any], step: Callable[[Any, Any, Any], Any], legal: Callable[[Any], Any]) -> Run:
    """Many games side by side, a step of all of them compiled as one, drawing the actions included."""
    jax: Any = importlib.import_module("jax")

    def turn(states: Any, key: Any) -> Any:
        draws, chances = jax.random.split(key)
        odds = jax.numpy.where(legal(states), 0.0, -1e9)
        return jax.vmap(step)(states, jax.random.categorical(draws, odds, axis=-1), jax.random.split(chances, GAMES))

    compiled, keys = jax.jit(turn), jax.random.split(jax.random.PRNGKey(1), STEPS)
    states = jax.jit(jax.vmap(begin))(jax.random.split(jax.random.PRNGKey(0), GAMES))

    def run() -> int:
        nonlocal states
        for key in keys:
            states = compiled(states, key)
        jax.block_until_ready(states)
        return GAMES * STEPS

    run()
    return run


def loop_of_openspiel(name: str) -> Contender:
    def set_up() -> Run:
        pyspiel: Any = importlib.import_module("pyspiel")
        loaded = pyspiel.load_game(name)

        def run() -> int:
            state, steps = loaded.new_initial_state(), 0
            while not state.is_terminal():
                if state.is_chance_node():
                    actions, odds = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(random.choices(actions, odds)[0])
                else:
                    state.apply_action(random.choice(state.legal_actions()))
                    steps += 1
            return steps

        return run

    return set_up


def agents_in_turn(make: Callable[[], Any]) -> Contender:
    """A game as PettingZoo plays it."""

    def set_up() -> Run:
        env = make()

        def run() -> int:
            env.reset(seed=1)
            steps = 0
            for _ in env.agent_iter():
                seen, _, over, cut, _ = env.last()
                env.step(None if over or cut else int(random.choice(np.flatnonzero(seen["action_mask"]))))
                steps += not (over or cut)
            return steps

        run()
        return run

    return set_up


def our_agents() -> Any:
    importlib.import_module("gridlab.environments")
    return importlib.import_module("pettingzoo").make("aec", "gridlab/InARow-v0")


def their_agents() -> Any:
    return importlib.import_module("pettingzoo.classic.tictactoe_v3").env()


# ---- 2048


def boards_of_games() -> Any:
    from gridlab.core.splitmix import streams
    from gridlab.games.game2048.rules import Rules2048
    from gridlab.players.game2048 import ExpectimaxPlayer
    from gridlab.search.game2048.play import Limits, play_batch

    chooser, limit = ExpectimaxPlayer(Rules2048(), "rows", 2).chooser(), Limits(400)
    return play_batch(chooser, Rules2048(), streams(9, 200), stop_flag(), limit).boards


def expectimax() -> Run:
    from gridlab.core.splitmix import streams
    from gridlab.games.game2048.row_tables import row_tables
    from gridlab.games.game2048.rules import Rules2048
    from gridlab.players.game2048 import ExpectimaxPlayer
    from gridlab.search.game2048.expectimax import new_expectimax
    from gridlab.search.game2048.play import begin, value_boards

    boards = boards_of_games()
    plain = ExpectimaxPlayer(Rules2048(), "spec", 3).chooser()
    search = new_expectimax(plain.evaluator, plain.settings, 0)
    found = np.empty((len(boards), 4))

    def run() -> int:
        begin(search)
        value_boards(search, boards, found, row_tables(), streams(1, len(boards)), stop_flag())
        return len(boards)

    run()
    return run


def expectimax_by_hand() -> Run:
    from gridlab.games.game2048.kernels import unpack
    from gridlab.games.game2048.rules import Rules2048
    from gridlab.search.game2048.evaluators import find_evaluator
    from gridlab.search.game2048.reference import PlainSearch

    rules, spec = Rules2048(), find_evaluator("spec")
    search = PlainSearch(rules, spec.board(rules), 3, dead=spec.dead)
    boards = [unpack(board) for board in boards_of_games()[:5].tolist()]

    def run() -> int:
        for board in boards:
            search.move_values(board)
        return len(boards)

    return run


def learning() -> Run:
    from gridlab.core.splitmix import streams
    from gridlab.games.game2048.row_tables import row_tables
    from gridlab.games.game2048.rules import Rules2048
    from gridlab.games.game2048.tuples import parse_tuples
    from gridlab.learn.ntuple.kernels import MOVES, TALLY, Recipe, learn_games, new_path
    from gridlab.search.game2048.ntuple import new_network

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
    from gridlab.games.game2048.rules import Rules2048
    from gridlab.games.game2048.tuples import parse_tuples
    from gridlab.learn.ntuple.reference import learn_backwards
    from gridlab.search.game2048.ntuple import new_network
    from gridlab.search.game2048.ntuple_reference import PlainNetwork

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
    from gridlab.exact.game2048.build import build_tablebase2048
    from gridlab.games.game2048.rules import Rules2048

    def build() -> None:
        with tempfile.TemporaryDirectory() as folder:
            build_tablebase2048(Rules2048(2, 3), Path(folder) / "t.tb", workers=1)

    return once(build)


def small_board_by_hand() -> Run:
    from gridlab.exact.game2048.reference import solve
    from gridlab.games.game2048.rules import Rules2048

    return once(lambda: solve(Rules2048(2, 3)))


CLAIMS = (
    Claim("every position of tic-tac-toe counted", "times", {
        "gridlab, up to symmetry too": census_once,
        "OpenSpiel": all_states_of_openspiel,
        "readable twin, up to symmetry too": census_by_hand,
    }),
    Claim("all terminal wins of 5x5:5, sorted, checksummed, written", "records", {
        "gridlab, plies 9 to 13": terminals(13),
        "readable twin, ply 9, in memory": terminals_by_hand,
    }),
    Claim("tic-tac-toe, every position solved", "times", {
        "gridlab, distances too, as a file": tablebase("3x3:3"),
        "OpenSpiel, value iteration": value_iteration_of_openspiel,
    }),
    Claim("4x4:4, every position solved", "times", {
        "gridlab, as a file": tablebase("4x4:4"),
        "readable twin, in memory (NumPy)": retrograde_by_hand,
    }),
    Claim("tic-tac-toe solved from the start", "times", {
        "gridlab": solve("3x3:3"),
        "OpenSpiel, alpha-beta": alpha_beta_of_openspiel("tic_tac_toe"),
        "easyAI, negamax": negamax_of_easyai,
    }),
    Claim("3x4:3 solved from the start", "times", {
        "gridlab": solve("3x4:3"),
        "OpenSpiel, alpha-beta": alpha_beta_of_openspiel("mnk(m=4,n=3,k=3)"),
    }),
    Claim("Monte Carlo tree search of 5x5:4, random playouts", "playouts", {
        "gridlab": playouts,
        "OpenSpiel, in C++": playouts_of_openspiel,
    }),
    Claim("steps of tic-tac-toe, vectorised", "steps", {
        "gridlab": vector("gridlab/InARow-v0", opponent=None),
        "pgx": pgx("tic_tac_toe"),
        "OpenSpiel, one game, a loop in Python": loop_of_openspiel("tic_tac_toe"),
    }),
    Claim("steps of tic-tac-toe, agents in turn", "steps", {
        "gridlab, for PettingZoo": agents_in_turn(our_agents),
        "PettingZoo, tictactoe_v3": agents_in_turn(their_agents),
    }),
    Claim("steps of 2048, vectorised", "steps", {
        "gridlab": vector("gridlab/2048-v0"),
        "pgx": pgx("2048"),
        "jumanji": jumanji,
        "OpenSpiel, one game, a loop in Python": loop_of_openspiel("2048"),
    }),
    Claim("expectimax of 2048, evaluator spec, depth 3", "moves", {
        "gridlab": expectimax,
        "readable twin": expectimax_by_hand,
    }),
    Claim("learning an n-tuple network, four 6-tuples, temporal coherence", "moves", {
        "gridlab": learning,
        "readable twin": learning_by_hand,
    }),
    Claim("2048 on 2x3 solved", "times", {
        "gridlab": small_board,
        "readable twin": small_board_by_hand,
    }),
)  # fmt: skip


def measure(claim: Claim, seconds: float) -> list[Rate]:
    """All contenders in turn, some rounds; the best round of each."""
    running: dict[str, Run] = {}
    for by, set_up in claim.contenders.items():
        try:
            running[by] = set_up()
        except ImportError as error:
            print(f"{by}: not measured, {error}")
    best = dict.fromkeys(running, 0.0)
    for _ in range(ROUNDS):
        for by, run in running.items():
            best[by] = max(best[by], rate_of(run, seconds))
    ours = next(iter(best.values()))
    return [Rate(claim.name, claim.unit, by, rate, ours / rate) for by, rate in best.items()]


def show(claim: Claim, seconds: float) -> list[Rate]:
    """Measure a claim and print what came of it."""
    print(f"{claim.name}: {claim.unit} per CPU second, and how many times as many gridlab does")
    found = measure(claim, seconds)
    for rate in found:
        print(f"  {rate.by:<42} {rate.per_second:>16,.1f} {rate.ratio:>12,.1f}", flush=True)
    return found


def rate_of(run: Run, seconds: float) -> float:
    """Units per CPU second, over at least so many of them."""
    done, begun = 0, time.process_time()
    while (spent := time.process_time() - begun) < seconds:
        done += run()
    return done / spent


def versions() -> dict[str, str]:
    """Of everything that was measured."""
    names = ("gridlab", "numba", "open-spiel", "pgx", "jax", "jumanji", "pettingzoo", "easyai")
    return {name: importlib.metadata.version(name) for name in names if _is_there(name)}


def _is_there(name: str) -> bool:
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="the claims with this word in their name")
    parser.add_argument("--seconds", type=float, default=1.0, help="of CPU that a contender has in a round")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    chosen = parser.parse_args()
    found: list[Rate] = []
    for claim in CLAIMS:
        if chosen.only in claim.name:
            found += show(claim, chosen.seconds)
    if chosen.json:
        rows = [vars(rate) for rate in found]
        chosen.json.write_text(json.dumps({"versions": versions(), "rates": rows}))


if __name__ == "__main__":
    main()
