"""Datasets of 2048 games: games and moves per second by depth and workers, and megabytes per second by format.

python benchmarks/datasets2048.py [GAMES]      40 by default
"""

import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from gridlab.game2048.datasets.files import export_games, index_of, read_games
from gridlab.game2048.datasets.generate import generate, play
from gridlab.game2048.datasets.moves import Games
from gridlab.game2048.datasets.settings import make_settings
from gridlab.game2048.datasets.verify import statistics, verify

GAMES = int(sys.argv[1]) if len(sys.argv) > 1 else 40
PLAIN_C = 32.0  # µs of CPU a move of a plain C player at depth 4


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds of CPU, in all threads, and of the wall clock."""
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - cpu, time.perf_counter() - wall


def making(folder: Path) -> None:
    print(f"{GAMES} games made, checked and written")
    for depth, evaluator in ((2, "spec"), (3, "spec"), (4, "spec"), (5, "spec"), (4, "rows")):
        for workers in (1, 2) if depth == 4 else (1,):
            path = folder / f"{depth}{evaluator}.jsonl"
            settings = make_settings(seed=1, depth=depth, evaluator=evaluator)
            play(0, settings)  # compiled, and its tables made, before the clock starts
            cpu, wall = timed(partial(generate, "2048", path, GAMES, settings=settings, workers=workers))
            found = statistics(read_games(path))
            print(
                f"  {evaluator} depth {depth}, {workers} worker(s): {GAMES / wall:6.1f} games and"
                f" {found.samples / wall:8,.0f} moves a second; {1e6 * cpu / found.samples:6.1f} µs of CPU a move"
                f" ({1e6 * cpu / found.samples / PLAIN_C:.2f} of a plain C player at depth 4);"
                f" {found.wins / found.games:.0%} reach 2048"
            )


def reading(folder: Path) -> None:
    source = folder / "4spec.jsonl"
    size = source.stat().st_size / 1e6
    print(f"a file of {size:.1f} MB, JSON lines")
    verify(source)
    report("verify", size, timed(lambda: verify(source))[0])
    report("stats", size, timed(lambda: statistics(read_games(source)))[0])
    for form in ("csv", "parquet", "hdf5", "npz", "json"):
        cpu, _ = timed(partial(export_games, source, form, folder / f"out.{form}"))
        made = folder / f"out.{form}"
        report(f"export to {form}, {made.stat().st_size / 1e6:.1f} MB", size, cpu)
    for form, ending in (("csv", "csv"), ("parquet", "parquet"), ("hdf5", "h5"), ("npz", "npz")):
        table = (folder / f"out.{form}").rename(folder / f"back.{ending}")
        report(f"read from {form}, as JSON lines", size, timed(partial(count, table))[0])
    index_of(source).unlink()
    report("index built", size, timed(lambda: Games(source))[0])
    games, random = Games(source), np.random.default_rng(0)
    first, _ = timed(lambda: next(games.batches(256, random, symmetries=True)))
    rest, _ = timed(lambda: sum(len(boards) for boards, _ in games.batches(256, random, symmetries=True)))
    print(f"  first batch of 256 after {first:.3f} s; {games.samples / rest:,.0f} samples a second with symmetries")


def count(path: Path) -> int:
    return sum(1 for _ in read_games(path))


def report(name: str, size: float, cpu: float) -> None:
    print(f"  {name:<34} {size / cpu:8.1f} MB per CPU second")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        making(Path(folder))
        reading(Path(folder))


if __name__ == "__main__":
    main()
