"""What gridlab claims to be fast at, each as a ratio: to packages that do the same, and to its own references.

python benchmarks/claims.py [--only WORD] [--seconds S] [--json FILE]

All contenders of a claim take turns in one process, on one core, and are timed in CPU seconds; each is credited with
its best round. Compiling and setting up are outside the clock. A package that is not installed is left out; `make
bench` measures in an environment that has them all.
"""

import argparse
import importlib.metadata
import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from contenders import environments, game2048, in_a_row, in_jax
from contenders.run import Contender, Run

ROUNDS = 3


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


CLAIMS = (
    Claim("every position of tic-tac-toe counted", "runs", {
        "gridlab, up to symmetry too": in_a_row.census_once,
        "OpenSpiel": in_a_row.all_states_of_openspiel,
        "reference implementation, up to symmetry too": in_a_row.census_by_hand,
    }),
    Claim("all terminal wins of 5x5:5, sorted, checksummed, written", "records", {
        "gridlab, plies 9 to 13": in_a_row.terminals(13),
        "reference implementation, ply 9, in memory": in_a_row.terminals_by_hand,
    }),
    Claim("tic-tac-toe, every position solved", "runs", {
        "gridlab, distances too, as a file": in_a_row.tablebase("3x3:3"),
        "OpenSpiel, value iteration": in_a_row.value_iteration_of_openspiel,
    }),
    Claim("4x4:4, every position solved", "runs", {
        "gridlab, as a file": in_a_row.tablebase("4x4:4"),
        "reference implementation, in memory (NumPy)": in_a_row.retrograde_by_hand,
    }),
    Claim("tic-tac-toe solved from the start", "runs", {
        "gridlab": in_a_row.solve("3x3:3"),
        "OpenSpiel, alpha-beta": in_a_row.alpha_beta_of_openspiel("tic_tac_toe"),
        "easyAI, negamax": in_a_row.negamax_of_easyai,
    }),
    Claim("3x4:3 solved from the start", "runs", {
        "gridlab": in_a_row.solve("3x4:3"),
        "OpenSpiel, alpha-beta": in_a_row.alpha_beta_of_openspiel("mnk(m=4,n=3,k=3)"),
    }),
    Claim("Monte Carlo tree search of 5x5:4, random playouts", "playouts", {
        "gridlab": in_a_row.playouts,
        "OpenSpiel, in C++": in_a_row.playouts_of_openspiel,
    }),
    Claim("steps of tic-tac-toe, vectorised", "steps", {
        "gridlab": environments.vector("gridlab/InARow-v0", opponent=None),
        "pgx": in_jax.pgx("tic_tac_toe"),
        "OpenSpiel, one game, a loop in Python": environments.loop_of_openspiel("tic_tac_toe"),
    }),
    Claim("steps of tic-tac-toe, agents in turn", "steps", {
        "gridlab, for PettingZoo": environments.agents_in_turn(environments.our_agents),
        "PettingZoo, tictactoe_v3": environments.agents_in_turn(environments.their_agents),
    }),
    Claim("steps of 2048, vectorised", "steps", {
        "gridlab": environments.vector("gridlab/2048-v0"),
        "pgx": in_jax.pgx("2048"),
        "jumanji": in_jax.jumanji,
        "OpenSpiel, one game, a loop in Python": environments.loop_of_openspiel("2048"),
    }),
    Claim("expectimax of 2048, evaluator spec, depth 3", "moves", {
        "gridlab": game2048.expectimax,
        "reference implementation": game2048.expectimax_by_hand,
    }),
    Claim("learning an n-tuple network, four 6-tuples, temporal coherence", "moves", {
        "gridlab": game2048.learning,
        "reference implementation": game2048.learning_by_hand,
    }),
    Claim("2048 on 2x3 solved", "runs", {
        "gridlab": game2048.small_board,
        "reference implementation": game2048.small_board_by_hand,
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
