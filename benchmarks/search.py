"""Search: nodes to solve and per CPU second; what ordering and the table save at a fixed depth; forced wins by
proof-number search and by alpha-beta; playouts per second. benchmarks/claims.py has some of it beside OpenSpiel.

python benchmarks/search.py
"""

import time
from collections import Counter
from typing import NamedTuple

import numpy as np

from gridlab.games import game
from gridlab.inarow.position import Position
from gridlab.inarow.rules import Rules
from gridlab.inarow.search.alpha_beta import AlphaBetaSearch, Bounds, OutOfBudget, solve
from gridlab.inarow.search.depth_limited import NodeCounts, best_move, heuristics_of, new_depth_table
from gridlab.inarow.search.geometry import END
from gridlab.inarow.search.mcts import search as mcts
from gridlab.inarow.search.mcts import states_of
from gridlab.inarow.search.proof_number import prove, prove_win
from gridlab.inarow.solution import Budget

SQUAVA = game("squava")
OPENINGS = (12, 2, 7, 6, 0, 1)  # one of each symmetry class
ENTRIES = 1 << 22
RESULTS = {-1: "lost", 0: "drawn", 1: "won"}


def forget(bounds: Bounds) -> None:
    pass


def fresh(rules: Rules) -> AlphaBetaSearch:
    """A search whose empty table is in memory before the clock starts."""
    search = AlphaBetaSearch(rules, entries=ENTRIES)
    for column in search.table:
        column.fill(0)
    return search


def openings() -> None:
    """Win, draw or loss after each opening of Squava, without any table made before."""
    print(f"squava, value after each opening class, one table of {ENTRIES:,} entries for all")
    search = fresh(SQUAVA)
    total = 0.0
    for cell in OPENINGS:
        before, begun = search.nodes, time.process_time()
        value = search.value(Position(SQUAVA).play(cell), forget)
        spent = time.process_time() - begun
        total += spent
        effort(f"X on cell {cell}, {RESULTS[-int(np.sign(value.low))]} for X", search.nodes - before, spent)
    effort("all six", search.nodes, total)


def small_games() -> None:
    """The start alone, and the start with each of its moves, which is what `solve` answers."""
    print("value and distance")
    for name in ("4x4:4", "4x4:3", "3x4:3"):
        rules = game(name)
        search = fresh(rules)
        begun = time.process_time()
        score = search.score(Position(rules), forget).low
        spent = time.process_time() - begun
        plies = END - abs(score) if score else rules.cells
        effort(f"{name} start, {RESULTS[int(np.sign(score))]} in {plies}", search.nodes, spent)
        search = fresh(rules)
        begun = time.process_time()
        solve(Position(rules), search=search)
        effort(f"{name} all moves and a line", search.nodes, time.process_time() - begun)


def effort(name: str, nodes: int, seconds: float) -> None:
    print(f"  {name:<28} {nodes:>11,} nodes {seconds:>8.4f} s of CPU {nodes / seconds:>10,.0f} nodes per CPU second")


def random_positions(rules: Rules, number: int) -> list[Position]:
    """Ongoing positions of 4 to 10 stones."""
    random = np.random.default_rng(0)
    found: list[Position] = []
    while len(found) < number:
        position = Position(rules)
        for _ in range(int(random.integers(4, 11))):
            if moves := position.moves():
                position = position.play(int(random.choice(moves)))
        if position.outcome() is None:
            found.append(position)
    return found


def fixed_depths() -> None:
    """Nodes with and without the order of moves, on random positions of Squava, a fresh table for each."""
    positions = random_positions(SQUAVA, 200)
    print(f"squava, fixed depth, means over {len(positions)} random positions of 4 to 10 stones")
    for depth in (2, 3, 4, 5):
        ordered, spent = look(positions, depth, True)
        plain, spent_plain = look(positions, depth, False)
        print(
            f"  depth {depth}: {ordered.nodes / len(positions):>8,.0f} nodes a move with ordering,"
            f" {plain.nodes / len(positions):>8,.0f} without: {1 - ordered.nodes / plain.nodes:>4.0%} saved;"
            f" {ordered.hits / ordered.nodes:.1%} answered by the table;"
            f" {spent:.2f} ms of CPU a move with ordering, {spent_plain:.2f} without"
        )
    print("  claim of the usual description of this player, for comparison: 60-80 % of nodes pruned by ordering")


def look(positions: list[Position], depth: int, ordered: bool) -> tuple[NodeCounts, float]:
    """Nodes and hits in all, and milliseconds a move; the making of a table is not counted."""
    heuristics = heuristics_of(SQUAVA)
    nodes, hits, seconds = 0, 0, 0.0
    for position in positions:
        table = new_depth_table()
        begun = time.process_time()
        _, _, counts = best_move(position, depth, heuristics, table, ordered)
        seconds += time.process_time() - begun
        nodes, hits = nodes + counts.nodes, hits + counts.hits
    return NodeCounts(nodes, hits), seconds / len(positions) * 1000


def starts() -> None:
    """Is the empty board a forced win? Proof-number search, and alpha-beta with ten times its nodes and a minute."""
    print("does the first player win by force?")
    for name in ("4x4:4", "4x5:4", "5x5:4", "5x6:4", "6x6:4", "7x7:4", "squava"):
        rules = game(name)
        begun = time.process_time()
        proof = prove_win(0, 0, rules)
        effort(f"{name} {proof.result}, proof-number", proof.nodes, time.process_time() - begun)
        asked, spent = is_won(fresh(rules), Position(rules), 10 * proof.nodes)
        effort(f"{name} {WON[asked.won]}, alpha-beta", asked.nodes, spent)


class Asked(NamedTuple):
    """What alpha-beta says of a win, and at what cost."""

    won: bool | None
    nodes: int


WON = {None: "unknown", True: "proved", False: "refuted"}


def is_won(search: AlphaBetaSearch, position: Position, limit: int) -> tuple[Asked, float]:
    before, begun = search.nodes, time.process_time()
    search.allow(limit)
    try:
        won: bool | None = search.reaches(position, 1)
    except OutOfBudget:
        won = None
    return Asked(won, search.nodes - before), time.process_time() - begun


def positions_decided() -> None:
    """The same for random positions: how many each method decides within a million nodes, and the nodes in all."""
    limit, number = 1_000_000, 40
    print(f"{number} random positions of 4 to 10 stones, at most {limit:,} nodes each")
    for name in ("5x5:4", "6x6:4", "7x7:4", "7x7:5", "squava"):
        rules = game(name)
        results: Counter[str] = Counter()
        decided, nodes, seen, ours, theirs = 0, 0, 0, 0.0, 0.0
        for position in random_positions(rules, number):
            begun = time.process_time()
            proof = prove(position, Budget(limit))
            ours += time.process_time() - begun
            results[proof.result] += 1
            nodes += proof.nodes
            asked, spent = is_won(AlphaBetaSearch(rules), position, limit)
            decided, seen, theirs = decided + (asked.won is not None), seen + asked.nodes, theirs + spent
        print(f"  {name}: proof-number {results['proved']} proved, {results['refuted']} refuted", end=", ")
        print(f"{nodes:,} nodes, {ours:.1f} s of CPU", end="; ")
        print(f"alpha-beta {decided} decided, {seen:,} nodes, {theirs:.1f} s")


def playouts() -> None:
    """Playouts from the empty board, and what the openings of Squava are."""
    number = 200_000
    print(f"Monte Carlo tree search, {number:,} playouts from the start")
    for name in ("5x5:4", "squava", "7x7:4"):
        for careful in (True, False):
            for proofs in (True, False):
                begun = time.process_time()
                mcts(Position(game(name)), number, proofs=proofs, careful=careful, states=np.array([1], np.uint64))
                rate = number / (time.process_time() - begun)
                kind = f"{'careful' if careful else 'random'} playouts, proofs {'on' if proofs else 'off'}"
                print(f"  {name:<7} {kind:<29} {rate:>10,.0f} playouts per CPU second")
    cross = {cell for cell in range(25) if 2 in divmod(cell, 5)}
    for number in (200, 500, 2000, 20_000):
        shares = []
        for careful, proofs in ((False, False), (False, True), (True, False), (True, True)):
            random = np.random.default_rng(1)
            moves = [
                mcts(Position(SQUAVA), number, proofs=proofs, careful=careful, states=states_of(random)).best
                for _ in range(200)
            ]
            shares.append(f"{sum(move in cross for move in moves) / 200:.1%}")
        print(
            f"  squava, {number:,} playouts, openings that lose: random {shares[0]}, with proofs {shares[1]};", end=" "
        )
        print(f"careful {shares[2]}, with proofs {shares[3]}")


def main() -> None:
    small = game("3x3:3")
    solve(Position(small))  # compiled before the clock starts
    best_move(Position(small), 2, heuristics_of(small), new_depth_table())
    openings()
    small_games()
    fixed_depths()
    prove_win(0, 0, small)
    starts()
    positions_decided()
    mcts(Position(small), 10, states=np.array([1], np.uint64))
    playouts()


if __name__ == "__main__":
    main()
