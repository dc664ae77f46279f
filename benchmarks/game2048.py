"""2048: moves and evaluations per CPU second at each depth, win rates, table, cut-off, the reference.

python benchmarks/game2048.py [GAMES]      games of the longest row, 200 unless told; one worker, CPU time
"""

import sys
import time

import numpy as np
from numpy.typing import NDArray

from gridlab.arena.statistics import wilson
from gridlab.core.bits import streams
from gridlab.core.run import stop_flag
from gridlab.game2048.evaluate import evaluate
from gridlab.game2048.kernels import Boards, row_tables, unpack
from gridlab.game2048.players import ExpectimaxPlayer
from gridlab.game2048.rules import Rules2048
from gridlab.game2048.search.evaluators import find_evaluator
from gridlab.game2048.search.expectimax import PlainSearch, new_expectimax
from gridlab.game2048.search.play import Limits, begin, play_batch, value_boards

RULES = Rules2048()
STRENGTH = [  # player, share of the games asked for
    ("random", 1.0),
    ("expectimax evaluator=spec depth=1", 1.0),
    ("expectimax evaluator=spec depth=2", 1.0),
    ("expectimax evaluator=spec depth=3", 1.0),
    ("expectimax evaluator=spec depth=4", 1.0),
    ("expectimax evaluator=spec depth=4 sample=4", 1.0),
    ("expectimax evaluator=rows depth=1", 1.0),
    ("expectimax evaluator=rows depth=2", 1.0),
    ("expectimax evaluator=rows depth=3", 1.0),
    ("expectimax evaluator=rows depth=4", 1.0),
    ("expectimax evaluator=rows depth=5", 0.5),
    ("expectimax evaluator=rows depth=6", 0.1),
]
SPEED = [("spec", 3), ("spec", 4), ("rows", 3), ("rows", 4), ("rows", 5), ("rows", 6), ("rows", 7)]
REPEATS = 3
TABLES = [("spec", 4), ("rows", 3), ("rows", 4), ("rows", 5), ("rows", 6), ("rows", 7)]


def strength(games: int) -> None:
    print("strength, one worker: mean score, games that reach 2048 and 4096 with 95 % intervals, moves per CPU second")
    for player, share in STRENGTH:
        number = max(2, round(games * share))
        found = evaluate(player, games=number, seed=1, workers=1)
        interval = found.mean_score_interval
        assert interval is not None
        rates = "; ".join(f"{tile} {rate(found.max_tiles >= tile)}" for tile in (2048, 4096, 8192))
        spread = f"{interval.low:,.0f} to {interval.high:,.0f}"
        print(f"  {player:<42} {number:>5,} games {found.mean_score:>8,.0f} ({spread});", end=" ")
        print(f"{rates}; {found.moves_per_second:>9,.0f} moves/s", flush=True)


def rate(reached: NDArray[np.bool_]) -> str:
    low, high = wilson(int(reached.sum()), len(reached))
    return f"{reached.mean():.1%} ({low:.1%} to {high:.1%})"


def some_boards(number: int) -> Boards:
    """Boards from games of the evaluator rows at depth 3, stopped at random moments."""
    policy, states, boards = (
        ExpectimaxPlayer(RULES, "rows", 3).kernel_policy(),
        streams(9, number),
        np.empty(number, np.uint64),
    )
    for game, limit in enumerate(np.random.default_rng(9).integers(200, 1500, number).tolist()):
        ends = play_batch(policy, RULES, states[game : game + 1], stop_flag(), Limits(limit))
        boards[game] = ends.boards[0]
    return boards


def search_time(
    name: str, depth: int, boards: Boards, table: int = 0, cutoff: float = 0.0
) -> tuple[float, float, float]:
    """CPU seconds (the least of some runs), evaluations and answers of the table, a board."""
    plain = ExpectimaxPlayer(RULES, name, depth, cutoff=cutoff).kernel_policy()
    search = new_expectimax(plain.evaluator, plain.settings, 1 << table if table else 0)
    found, states, spent = np.empty((len(boards), 4)), streams(1, len(boards)), []
    for _ in range(REPEATS):
        begin(search)
        search.counts[:] = 0
        begun = time.process_time()
        value_boards(search, boards, found, row_tables(), states, stop_flag())
        spent.append(time.process_time() - begun)
    evaluated, answered = search.counts.tolist()
    return min(spent) / len(boards), evaluated / len(boards), answered / len(boards)


def speed(boards: Boards) -> None:
    print("search alone, on boards of games, no table: boards evaluated are counted as if each were looked at")
    for name, depth in SPEED:
        chosen = boards if depth < 6 else boards[:100] if depth < 7 else boards[:10]
        spent, evaluated, _ = search_time(name, depth, chosen)
        print(
            f"  {name} depth {depth}: {spent * 1e6:>10,.1f} µs a move, {evaluated:>12,.0f} evaluations a move,"
            f" {evaluated / spent / 1e6:>6,.0f} million evaluations a second"
        )


def tables(boards: Boards) -> None:
    print("the transposition table (2^12, 2^16 entries a level) and the cut-off at 0.0001: CPU time, ratio to neither")
    for name, depth in TABLES:
        chosen = boards if depth < 6 else boards[:100] if depth < 7 else boards[:10]
        plain = search_time(name, depth, chosen)[0]
        ratios = [search_time(name, depth, chosen, table)[0] / plain for table in (12, 16)]
        cut = search_time(name, depth, chosen, 0, 0.0001)[0] / plain
        print(f"  {name} depth {depth}: table 2^12 {ratios[0]:.2f}, 2^16 {ratios[1]:.2f}; cut-off {cut:.2f}")


def by_reference(boards: Boards) -> None:
    print("the reference implementation on the same boards")
    for name, depth, number in (("spec", 2, 100), ("spec", 3, 20), ("spec", 4, 2), ("rows", 3, 10)):
        search = PlainSearch(RULES, find_evaluator(name).board(RULES), depth, dead=find_evaluator(name).dead)
        plain = [unpack(board) for board in boards[:number].tolist()]
        begun = time.process_time()
        for board in plain:
            search.move_values(board)
        slow = (time.process_time() - begun) / number
        fast = search_time(name, depth, boards)[0]
        print(f"  {name} depth {depth}: {slow * 1e3:,.1f} ms a move; the kernel is {slow / fast:,.0f} times as fast")


def main() -> None:
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    boards = some_boards(1000)
    speed(boards)
    tables(boards)
    by_reference(boards)
    strength(games)


if __name__ == "__main__":
    main()
