"""The network and what it costs: evaluations, training steps, episodes, searches with and without it.

Run by `make bench`; the figures stand in docs/learning-squava.md. CPU times, one core unless said otherwise. With
GRIDLAB_TABLEBASE=squava.tb also how often the sign of the network is right; more checkpoints may be named for that.
"""

import importlib
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch

from gridlab.core.run import in_order, stop_flag
from gridlab.games import game
from gridlab.inarow.exact.tablebase.probe import Tablebase
from gridlab.inarow.exact.tablebase.sampling import draw_positions
from gridlab.inarow.learn.dqn import Learner
from gridlab.inarow.learn.episodes import EpisodeSetup, play_episodes
from gridlab.inarow.learn.judge import load_judge, random_boards
from gridlab.inarow.learn.settings import PRESETS, Samples, SelfPlay, play_samples
from gridlab.inarow.position import Position
from gridlab.inarow.search.depth_limited import best_move, heuristics_of, new_depth_table
from gridlab.inarow.search.geometry import Geometry, geometry_of
from gridlab.inarow.search.leaves import BestMove, best_of_all, best_pruned

SQUAVA = game("squava")
JUDGE = load_judge("", SQUAVA)
PHASES = {"random": 0, "heuristic": 600, "self-play": 2300}  # an episode of each
GROUP = 5
RUNS = 5


def cpu(work: Callable[[], Any], repeats: int = 1) -> float:
    """CPU seconds of one run, on average; the first, which compiles, is not counted."""
    work()
    begun = time.process_time()
    for _ in range(repeats):
        work()
    return (time.process_time() - begun) / repeats


def evaluations() -> None:
    print("evaluations per CPU second, features and network")
    boards = random_boards(SQUAVA, 4096)
    for size in (1, 25, 512, 4096):
        rate = size / cpu(lambda size=size: JUDGE.values(boards[:size]), 4096 // size)  # type: ignore[misc]
        print(f"  in batches of {size:>4}: {rate:>8,.0f}")
    rate = len(boards) / cpu(lambda: JUDGE.blended(boards, 0.0), 20)
    print(f"  heuristic alone:   {rate:>10,.0f}")


def steps() -> None:
    print("gradient steps")
    for preset in ("guide", "best"):
        settings = PRESETS[preset]
        learner = Learner(SQUAVA, settings, 0, torch.device("cpu"))
        setup = EpisodeSetup(learner.judge, PRESETS["guide"], 0)
        while not learner.ready():
            learner.replay.add(play_episodes(setup, range(20)))
        print(f"  batch of {settings.batch:>3}: {1000 * cpu(learner.step, 20):.1f} ms of CPU")


def episodes() -> None:
    print(f"games: the phases of guide, and best; by one worker, and by two; least wall time of {RUNS} runs")
    setup = EpisodeSetup(JUDGE, PRESETS["guide"], 0)
    self_play, geometry = PRESETS["best"].course, geometry_of(SQUAVA)
    assert self_play is not None
    playing = partial(play_games, self_play, geometry)
    for name, first in PHASES.items():
        faster(
            name, partial(play_episodes, setup), [range(first + GROUP * i, first + GROUP * (i + 1)) for i in range(4)]
        )
    faster("best", playing, [range(20 * i, 20 * (i + 1)) for i in range(4)])
    spent, number = cpu(lambda: playing(range(200))), len(playing(range(200)).own)
    print(f"  preset best: {200 / spent:,.0f} games and {number / spent:,.0f} positions per CPU second")


def play_games(self_play: SelfPlay, geometry: Geometry, games: range) -> Samples:
    return play_samples(self_play, 0, games, geometry, stop_flag())


def faster(name: str, play: Callable[[range], Any], groups: list[range]) -> None:
    """Groups of games by one worker and by two, in turn."""
    play(groups[0])
    runs = [[wall(play, groups, workers) for workers in (1, 2)] for _ in range(RUNS)]
    one, two = (min(each) for each in zip(*runs, strict=True))
    number = sum(map(len, groups))
    print(f"  {name:<10} {number / one:>6.1f} a second, {number / two:>6.1f} with two workers: {one / two:.2f} times")


def wall(play: Callable[[range], Any], groups: list[range], workers: int) -> float:
    begun = time.perf_counter()
    list(in_order(play, groups, workers))
    return time.perf_counter() - begun


def searches() -> None:
    print("a move, means over random positions of 4 to 10 stones; CPU time")
    for depth, number in ((2, 100), (3, 50), (4, 20), (5, 8), (6, 4)):
        positions = importlib.import_module("search").random_positions(SQUAVA, number)  # beside this file
        for name, search in (("every leaf", every_leaf), ("pruned", pruned)):
            measure(f"depth {depth}, {name}", search, positions, depth)
        alpha_beta(positions, depth)
    for name, other in (("the start", 0), ("X in a corner", 1)):
        print(f"  depth 4 from {name}: {1000 * cpu(lambda other=other: JUDGE.best(0, other, 4, 0.6)):.0f} ms")  # type: ignore[misc]
    print("  the published guide: 60-80 % of nodes pruned, 40-70 % of lookups answered by its table")


def every_leaf(position: Position, depth: int) -> BestMove:
    return best_of_all(*seats(position), depth, JUDGE.geometry, JUDGE.evaluation(0.6))


def pruned(position: Position, depth: int) -> BestMove:
    return best_pruned(*seats(position), depth, JUDGE.geometry, JUDGE.evaluation(0.6), JUDGE.guess(0.6))


def measure(name: str, search: Callable[[Position, int], BestMove], positions: list[Position], depth: int) -> None:
    """Time, leaves and what was left out of them."""
    spent, found = [], []
    for position in positions:
        begun = time.process_time()
        found.append(search(position, depth))
        spent.append(time.process_time() - begun)
    leaves, judged, edges, met = (
        sum(getattr(each, column) for each in found) for column in ("leaves", "judged", "edges", "met")
    )
    print(f"  {name}: {1000 * np.mean(spent):.0f} ms, {1000 * max(spent):.0f} at most", end="; ")
    print(f"{leaves / len(found):,.0f} leaves, {1 - judged / leaves:.1%} pruned", end="; ")
    print(f"{met / edges:.0%} of {edges / len(found):,.0f} moves lead to a position met before", end="; ")
    print(f"{sum(each.rounds for each in found) / len(found):.0f} rounds")


def alpha_beta(positions: list[Position], depth: int) -> None:
    """The same without a network."""
    heuristics, table, nodes, hits = heuristics_of(SQUAVA), new_depth_table(), 0, 0
    begun = time.process_time()
    for position in positions:
        counts = best_move(position, depth, heuristics, table)[2]
        nodes, hits = nodes + counts.nodes, hits + counts.hits
    spent = time.process_time() - begun
    print(f"  depth {depth}, alpha-beta without it: {nodes / spent:,.0f} nodes per CPU second", end="; ")
    print(f"{hits / nodes:.1%} answered by the table; {1000 * spent / len(positions):.2f} ms a move")


def seats(position: Position) -> tuple[int, int]:
    return position.own, position.other


def signs(tablebase: str, checkpoints: list[str]) -> None:
    """How often a value has the sign of the truth, on positions of every ply drawn uniformly up to symmetry."""
    table, random = Tablebase(tablebase), np.random.default_rng(123)
    boards = np.concatenate([draw_positions(SQUAVA, ply, 300, random) for ply in range(4, 22)])
    truth, plies = np.sign(table.probe_many(boards)), np.bitwise_count(boards).sum(axis=1)
    boards = np.where((plies % 2 == 1)[:, None], boards[:, ::-1], boards)[truth != 0]
    plies, truth = plies[truth != 0], truth[truth != 0]
    print(f"sign right on {len(truth):,} won or lost positions, {np.mean(truth > 0):.1%} of them won")
    judges = {"shipped": JUDGE} | {path: load_judge(path, SQUAVA) for path in checkpoints}
    opinions = {"heuristic": JUDGE.blended(boards, 0.0)} | {name: each.values(boards) for name, each in judges.items()}
    for name, values in opinions.items():
        right = np.sign(values) == truth
        parts = [f"{right[(plies >= low) & (plies < low + 6)].mean():.1%}" for low in (4, 10, 16)]
        print(f"  {name}: {right.mean():.1%}; plies 4-9, 10-15, 16-21: {', '.join(parts)}")


def main() -> None:
    JUDGE.best(0, 0, 3, 0.6)  # compiled before the clock starts
    best_move(Position(SQUAVA), 2, heuristics_of(SQUAVA), new_depth_table())
    evaluations()
    steps()
    episodes()
    searches()
    if tablebase := os.environ.get("GRIDLAB_TABLEBASE"):
        signs(tablebase, sys.argv[1:])


if __name__ == "__main__":
    main()
