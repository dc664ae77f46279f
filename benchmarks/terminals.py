"""Terminal wins of 5x5:5: records per CPU second of one middle layer, step by step, beside the reference.

python benchmarks/terminals.py [PLY] [--build]      --build: the whole dataset, into a temporary folder here
"""

import hashlib
import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import numpy as np
from tests.inarow.exact.reference import terminal_wins

from gridlab.core.run import stop_flag
from gridlab.games import game
from gridlab.inarow.datasets.terminals.build import build_terminals
from gridlab.inarow.exact.terminals import count_shards, make_shard, prepare, stones_at, walk_shard

RULES = game("tictactoe5")


def steps(ply: int) -> None:
    begun = time.process_time()
    found = len(terminal_wins(RULES, 9))
    reference = found / (time.process_time() - begun)
    make_shard(
        prepare(RULES, 9, 1), stop_flag(), count_shards(prepare(RULES, 9, 1), 9, 1)[0]
    )  # compiled before the clock starts
    clock = time.process_time
    seconds = dict.fromkeys(("tables", "counting", "making", "sorting", "SHA-256"), 0.0)
    begun = clock()
    tables = prepare(RULES, ply, 1)
    seconds["tables"] = clock() - begun
    begun = clock()
    shards = count_shards(tables, ply, 1)
    seconds["counting"] = clock() - begun
    room = np.zeros(max(shard.won + shard.lost for shard in shards), dtype=np.uint64)
    digest, stop = hashlib.sha256(), stop_flag()
    for shard in shards:
        records = room[: shard.won + shard.lost]
        moments = [clock()]
        walk_shard(shard, *stones_at(ply), tables, records, stop)
        moments.append(clock())
        records.sort()
        moments.append(clock())
        digest.update(records.data.cast("B"))
        moments.append(clock())
        for name, first, last in zip(("making", "sorting", "SHA-256"), moments, moments[1:], strict=False):
            seconds[name] += last - first
    total = sum(shard.won + shard.lost for shard in shards)
    print(f"reference implementation  ply 9: {reference:,.0f} records per CPU second")
    for name, spent in seconds.items():
        print(f"{name:<14} ply {ply}: {total / spent:,.0f} records per CPU second ({spent:.2f} s)")
    generation = total / (seconds["counting"] + seconds["making"])
    print(f"generation     counting and making: {generation:,.0f} records per CPU second")
    print(f"ratio          {generation / reference:,.0f}")


def disk(folder: Path, megabytes: int = 1024) -> None:
    path = folder / "rate.bin"
    block = os.urandom(1 << 20)
    begun = time.perf_counter()
    with path.open("wb") as file:
        for _ in range(megabytes):
            file.write(block)
        os.fsync(file.fileno())
    print(f"disk           {megabytes / (time.perf_counter() - begun):,.0f} MiB per second, written and synced")
    path.unlink()


def whole(folder: Path) -> None:
    begun, cpu = time.perf_counter(), time.process_time()
    made = build_terminals(RULES, folder, progress=True)
    records = sum(layer.records for layer in made.layers)
    print(f"whole dataset  {records:,} records in {time.perf_counter() - begun:.1f} s", end="")
    print(f", {time.process_time() - cpu:.1f} s of CPU")


def main() -> None:
    plies = [int(argument) for argument in sys.argv[1:] if argument.isdigit()]
    steps(plies[0] if plies else 17)
    with tempfile.TemporaryDirectory(dir=".") as folder:
        disk(Path(folder))
        if "--build" in sys.argv:
            whole(Path(folder))


if __name__ == "__main__":
    main()
