"""N-tuple learning of 2048: moves per CPU second, against the reference, what prefetching gives; workers; players.

python benchmarks/ntuple.py                      learning: speed by tuples and rates, one worker, CPU time
python benchmarks/ntuple.py workers [MINUTES]    one worker and two for as long, and how well the network then plays
python benchmarks/ntuple.py players FILE         a network at depths 1, 3 and 5: mean score, tiles, moves per CPU second
"""

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np
from tests.game2048.learn import ntuple_reference as reference
from tests.game2048.learn.ntuple_reference import PlainNetwork

from gridlab.core.bits import streams
from gridlab.core.run import stop_flag
from gridlab.game2048.evaluate import evaluate
from gridlab.game2048.kernels import row_tables, unpack_board
from gridlab.game2048.learn.ntuple import train_ntuple
from gridlab.game2048.learn.ntuple_kernels import MOVES, TALLY, Recipe, learn_games, new_path
from gridlab.game2048.rules import Rules2048
from gridlab.game2048.search.ntuple import new_network, parse_tuples

RULES = Rules2048()
SPEEDS = [("4x6", "td"), ("4x6", "tc"), ("8x6", "tc"), ("17x4", "tc"), ("5x4", "tc")]
SECONDS = 20.0  # of CPU: what is measured is a network that has learnt a little, and is spread over its tables
BATCH = 100  # games
PLAYERS = {
    "ntuple file={}": 1000,
    "expectimax evaluator=ntuple:{} depth=3": 200,
    "expectimax evaluator=ntuple:{} depth=5": 20,
}


def speed() -> None:
    print(f"learning, one worker: moves per CPU second after {SECONDS:g} s, λ 0.5")
    for name, rate in SPEEDS:
        tuples = parse_tuples(name, RULES)
        network = new_network(tuples, RULES)
        sums = np.zeros(2 * len(network.weights) if rate == "tc" else 0, np.float32)
        recipe = Recipe(1.0 if rate == "tc" else 0.1, 0.5, 0, *RULES.odds)
        path, states, tally = new_path(network), streams(1, 1), np.zeros(TALLY, np.int64)
        rows, stop = row_tables(RULES), stop_flag()
        learn_games(1, network, sums, recipe, rows, path, states, 0, tally, stop)
        begun = time.process_time()
        while time.process_time() - begun < SECONDS:
            before, last = int(tally[MOVES]), time.process_time()
            learn_games(BATCH, network, sums, recipe, rows, path, states, 0, tally, stop)
            now = time.process_time()
        fast = (int(tally[MOVES]) - before) / (now - last)
        plain = PlainNetwork(RULES, tuples, network.weights)
        board = [(unpack_board(int(path.afterstates[0]), RULES), 4)]
        last, repeats = time.process_time(), 30
        for _ in range(repeats):
            plain.move_values(board[0][0])
            reference.learn_backwards(board, plain, network.weights, None, 0.0, 0.5)  # type: ignore[arg-type]
        slow = repeats / (time.process_time() - last)
        print(f"  {name:>5} {rate}  {fast:>10,.0f} moves/s, {fast / slow:,.0f} times the reference", flush=True)


def workers(minutes: float) -> None:
    print(f"{minutes:g} minutes of learning, then 500 games one move deep")
    with tempfile.TemporaryDirectory() as folder:
        for number in (1, 2):
            path = Path(folder) / f"{number}.ntuple"
            learnt = train_ntuple("2048", path, minutes=minutes, seed=1, workers=number).learnt
            found = evaluate(f"ntuple file={path}", games=500, seed=2)
            rate = learnt.moves / learnt.seconds
            print(f"  {number} workers: {rate:,.0f} moves/s, mean score {found.mean_score:,.0f}", flush=True)


def players(file: str) -> None:
    for text, games in PLAYERS.items():
        print(evaluate(text.format(file), games=games, seed=1, workers=1), flush=True)


if __name__ == "__main__":
    kind = sys.argv[1] if len(sys.argv) > 1 else "speed"
    if kind == "workers":
        workers(float(sys.argv[2]) if len(sys.argv) > 2 else 1.0)
    elif kind == "players":
        players(sys.argv[2])
    else:
        speed()
