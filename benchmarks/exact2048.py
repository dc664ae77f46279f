"""Small boards of 2048 solved: what the table of 3x3 takes, what a question takes, what following a player takes.

python benchmarks/exact2048.py [GAME] [--file FILE]      2048:3x3; FILE is built first if it is not there; one worker

The plain way to solve 3x3, sorted vectors and binary search in C++, took 69 s of CPU and 0.64 GB on one core.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np
from tests.game2048.exact.reference import solve

from gridlab.core.run import size_text
from gridlab.game2048.exact.build import build_tablebase2048
from gridlab.game2048.exact.policy import follow_player
from gridlab.game2048.exact.probe import Tablebase2048
from gridlab.game2048.exact.sampling import draw_boards
from gridlab.game2048.rules import Rules2048

PLAIN_SECONDS = 69.0  # of CPU, for 3x3
FOLLOWED = ("random", "expectimax depth=1", "expectimax depth=3")
BUILD = """
import resource, sys, time
from gridlab.game2048.exact.build import build_tablebase2048
build_tablebase2048("2048:2x2", sys.argv[2] + ".warm", workers=1)  # compiled before the clock starts
begun = time.process_time()
build_tablebase2048(sys.argv[1], sys.argv[2], workers=1)
print(time.process_time() - begun, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10)
"""


def build(rules: Rules2048, path: Path) -> None:
    """In a process of its own, so that its memory can be told."""
    done = subprocess.run(
        [sys.executable, "-c", BUILD, str(rules), str(path)], capture_output=True, text=True, check=True
    )
    seconds, memory = (float(each) for each in done.stdout.split())
    path.with_name(f"{path.name}.warm").unlink()
    print(f"built: {seconds:.1f} s of CPU, at most {size_text(int(memory))} of memory", end="")
    print(f"; {PLAIN_SECONDS / seconds:.1f} times as fast as the plain way" if rules == Rules2048(3, 3) else "")


def describe(table: Tablebase2048) -> None:
    layers, size = table.file.directory.layers, table.file.path.stat().st_size
    boards, afterstates = sum(each.boards for each in layers), sum(each.afterstates for each in layers)
    print(
        f"{table.rules}: {boards:,} boards to move up to symmetry, {afterstates:,} after a move, {len(layers):,} layers"
    )
    print(f"file: {size_text(size)}, {size / afterstates:.2f} bytes a board after a move; best play {table.mean:,.4f}")


def probes(path: Path, number: int = 2000) -> None:
    """Single questions: cold, a layer unpacked for each, and warm."""
    table = Tablebase2048(path)
    positions = draw_boards(table, number, np.random.default_rng(1))
    table = Tablebase2048(path)
    cold = []
    for position in positions[:50]:
        table._layers.clear()
        begun = time.perf_counter()
        table.probe(position)
        cold.append(time.perf_counter() - begun)
    one = [each for each in positions if sum(each.tiles) == sum(positions[0].tiles)]
    warm = []
    for _ in range(2000):
        begun = time.perf_counter()
        table.probe(one[0])
        warm.append(time.perf_counter() - begun)
    print(f"a probe: {np.median(warm) * 1e6:.1f} µs warm, {np.median(cold) * 1e3:.2f} ms with a layer to unpack")


def follow(rules: Rules2048) -> None:
    for player in FOLLOWED:
        begun = time.process_time()
        found = follow_player(player, rules, workers=1)
        spent = time.process_time() - begun
        print(
            f"followed: {player}: {found.mean_score:,.4f}, {found.followed.boards:,} boards, {spent:.1f} s of CPU",
            flush=True,
        )


def by_reference() -> None:
    """The reference implementation, on 2x3."""
    rules = Rules2048(2, 3)
    begun = time.process_time()
    solve(rules)
    slow = time.process_time() - begun
    with tempfile.TemporaryDirectory() as folder:
        begun = time.process_time()
        build_tablebase2048(rules, Path(folder) / "t.tb", workers=1)
        fast = time.process_time() - begun
    print(f"2048:2x3: {slow:.1f} s by the reference, {fast:.2f} s by kernels, {slow / fast:,.0f} times as fast")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("game", nargs="?", default="2048:3x3")
    parser.add_argument("--file", type=Path)
    chosen = parser.parse_args()
    rules = Rules2048.parse(chosen.game)
    with tempfile.TemporaryDirectory() as folder:
        path = chosen.file or Path(folder) / "t.tb"
        if not path.exists():
            build(rules, path)
        describe(Tablebase2048(path))
        probes(path)
    by_reference()
    follow(rules)
    print(f"at most {size_text(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10)} of memory since")


if __name__ == "__main__":
    main()
