"""Tablebases: slots per CPU second of one core for middle plies, probes per second, file size.

python benchmarks/tablebase.py [GAME] [--file FILE]      4x5:4 by default; FILE is built first if it is not there
"""

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np
from tests.inarow.exact.reference import retrograde

from gridlab.core.run import size_text, stop_flag
from gridlab.games import game
from gridlab.inarow.exact.census import census
from gridlab.inarow.exact.tablebase.build import build_tablebase
from gridlab.inarow.exact.tablebase.layout import halves, shape
from gridlab.inarow.exact.tablebase.probe import Tablebase
from gridlab.inarow.exact.tablebase.sampling import draw_positions
from gridlab.inarow.exact.tablebase.solve import crosses_move, new_counts, noughts_move
from gridlab.inarow.position import Position
from gridlab.inarow.rules import Rules

PIECE = 1 << 25  # slots solved for a figure


def slots(rules: Rules, table: Tablebase) -> None:
    """Solve a piece of the middle plies again, from the file, and time the kernels alone."""
    tables, stop = halves(rules), stop_flag()
    middle = max(table.file.plies, key=lambda ply: table.file.plies[ply].slots * table.file.plies[ply].crosses)
    for ply in (middle - 1, middle + 1):
        crosses, _, _, size = shape(rules.cells, ply)
        number, group = tables.count(crosses), table.file.plies[ply + 1].a_block
        last = max(group, min(number, PIECE // size) // group * group)
        scores = np.zeros(number * size, np.int8)
        after = table.file.range(ply + 1, range(min(last, number)))
        begun = time.process_time()
        noughts_move(ply, range(min(last, number)), scores, after, tables, new_counts(), stop)
        rate(f"O to move, ply {ply}", min(last, number) * size, time.process_time() - begun, "slots")
        crosses, _, _, size = shape(rules.cells, ply - 1)
        last = min(tables.count(crosses), max(1, PIECE // size))
        blocks = np.zeros(last * size, np.int8)
        begun = time.process_time()
        crosses_move(ply - 1, range(last), blocks, scores, tables, new_counts(), stop)
        rate(f"X to move, ply {ply - 1}", last * size, time.process_time() - begun, "slots")


def probes(table: Tablebase, number: int = 1000) -> None:
    """Single questions, cold (a block unpacked for nearly each) and warm, and many at once."""
    random = np.random.default_rng(0)
    plies = range(table.rules.cells // 4, 3 * table.rules.cells // 4)
    boards = np.concatenate([draw_positions(table.rules, ply, number // len(plies), random) for ply in plies])
    random.shuffle(boards)
    positions = [Position(table.rules, *board) for board in boards.tolist()]
    table.score(positions[0])
    for name in ("cold", "warm"):
        begun = time.process_time()
        for position in positions:
            table.score(position)
        rate(f"single, {name}", len(positions), time.process_time() - begun, "probes")
    begun = time.process_time()
    table.probe_many(np.repeat(boards, 100, axis=0))
    rate("many at once", 100 * len(boards), time.process_time() - begun, "probes")


def by_reference() -> float:
    """Positions per CPU second of the plain retrograde analysis."""
    rules = game("4x4:4")
    number = census(rules).counts.ongoing
    begun = time.process_time()
    retrograde(rules)
    return number / (time.process_time() - begun)


def rate(name: str, number: int, seconds: float, unit: str) -> None:
    print(f"{name:<20} {number / seconds:>13,.0f} {unit} per CPU second ({seconds / number * 1e6:.4g} µs each)")


def main() -> None:
    words = sys.argv[1:]
    rules = game(words[0]) if words and not words[0].startswith("-") else game("4x5:4")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(words[words.index("--file") + 1]) if "--file" in words else Path(folder) / "t.tb"
        build_tablebase(game("3x3:3"), Path(folder) / "compiled.tb")  # before the clock starts
        Tablebase(Path(folder) / "compiled.tb").probe(Position(game("3x3:3")))
        counts = census(rules)
        if not path.exists():
            begun, cpu = time.perf_counter(), time.process_time()
            build_tablebase(rules, path, counts=counts, progress=True)
            spent = time.process_time() - cpu
            print(f"{rules}: built in {time.perf_counter() - begun:.1f} s, {spent:.1f} s of CPU", end=", ")
            print(f"{counts.counts.ongoing / spent / by_reference():.1f} times as fast as the reference")
        size = path.stat().st_size
        print(f"{path.name}: {size_text(size)}, {counts.canonical.ongoing / size:.1f} positions up to symmetry a byte")
        slots(rules, Tablebase(path))
        probes(Tablebase(path))


if __name__ == "__main__":
    main()
