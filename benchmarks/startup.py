"""How long small commands take: cold, with nothing compiled, and warm; `gridlab warm` and where its time goes.

python benchmarks/startup.py [--baseline SRC] [--repeat N] [--only TEXT] [--no-cold]

--baseline  a source tree to measure beside this one, each command in turn: ratios mean this one to that one
--repeat    runs of each warm command, 5 unless told; the least counts
--only      commands that contain this text
"""

import argparse
import json
import os
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent.parent / "src"
COMMANDS = [
    "--help",
    "show tictactoe X.O/.X./O.X",
    "lines tictactoe",
    "games verify games.jsonl",
    "census tictactoe",
    "states tictactoe -o states.csv",
    "solve tictactoe",
    "solve 4x4:3 --prove",
    "best-first start.txt",
    "match random random --game tictactoe --games 2",
    "match mcts 'alpha-beta depth=4' --game tictactoe --games 2",
    "grade random --game tictactoe --positions 10",
    "play tictactoe",
    "tablebase probe squava X..../...../...../...../.....",
    "tablebase build tictactoe -o t.tb",
    "terminals build tictactoe -o wins",
    "2048 evaluate random --games 2",
    "2048 generate -g 1 -d 2 --max-moves 50 --seed 1 -o new.jsonl",
    "play 2048 --seed 1",
]
FILES = {
    "start.txt": "3\nX..\n.O.\n...\nX\n",
    "games.jsonl": '{"rules": "3x3:3", "x": "a", "o": "b", "seed": 0, "opening": 0, '
    '"moves": [11, 21, 12, 22, 13], "result": "x_wins", "reason": "played"}\n',
}


class Spent(NamedTuple):
    """Seconds."""

    wall: float
    cpu: float


def run(command: str, source: Path, cache: Path) -> Spent:
    """One command in a fresh process and a fresh folder; with its children."""
    environment = os.environ | {"PYTHONPATH": str(source.resolve()), "NUMBA_CACHE_DIR": str(cache)}
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            (Path(folder) / name).write_text(text)
        before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        done = subprocess.run(
            [sys.executable, "-m", "gridlab", *shlex.split(command)],
            env=environment,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        wall, after = time.monotonic() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode > 1:
        raise SystemExit(f"gridlab {command}: {done.stderr}")
    return Spent(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def least(runs: list[Spent]) -> Spent:
    return Spent(min(each.wall for each in runs), min(each.cpu for each in runs))


@contextmanager
def fresh_cache() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def cold_and_warm(command: str, sources: list[Path], repeat: int, cold: bool) -> list[tuple[Spent | None, Spent]]:
    """For each source tree; warm runs take turns, so that a busy machine is busy for all."""
    with fresh_cache() as folder:
        caches = [folder / str(number) for number in range(len(sources))]
        first = [run(command, source, cache) for source, cache in zip(sources, caches, strict=True)]
        rounds = [[run(command, *each) for each in zip(sources, caches, strict=True)] for _ in range(repeat)]
    return [(first[i] if cold else None, least([each[i] for each in rounds])) for i in range(len(sources))]


def cells(spent: Spent | None) -> str:
    return f"{spent.wall:>7.2f} {spent.cpu:>7.2f}" if spent else f"{'':>7} {'':>7}"


def table(commands: list[str], sources: list[Path], repeat: int, cold: bool) -> None:
    print(f"{'':<60}   cold: wall, CPU   warm: wall, CPU seconds" + ("   CPU to baseline" if sources[1:] else ""))
    for command in commands:
        (first, warm), *others = cold_and_warm(command, sources, repeat, cold)
        ratios = "".join(
            f"   {'' if first is None or old is None else f'{first.cpu / old.cpu:.2f}':>5} {warm.cpu / now.cpu:>5.2f}"
            for old, now in others
        )
        print(f"{command:<60}  {cells(first)}   {cells(warm)}{ratios}", flush=True)


def warming() -> None:
    """`gridlab warm` with nothing compiled, job by job, and once more."""
    with fresh_cache() as cache:
        environment = os.environ | {"PYTHONPATH": str(HERE), "NUMBA_CACHE_DIR": str(cache)}
        done = subprocess.run(
            [sys.executable, "-m", "gridlab", "warm", "--json"],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        facts = json.loads(done.stdout)
        again = run("warm", HERE, cache)
        size = sum(file.stat().st_size for file in cache.rglob("*") if file.is_file())
    spent = sum(job["seconds"] for job in facts["jobs"])
    print(
        f"gridlab warm: {facts['seconds']:.1f} s, {spent:.1f} s of CPU, {facts['kernels']} kernels, {size / 1e6:.1f} MB"
    )
    for job in facts["jobs"]:
        print(f"  {job['seconds']:>6.1f} s of CPU, {job['compiled']:>3} kernels  {job['job']}")
    print(f"and once more: {again.wall:.1f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--baseline", type=Path)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--no-cold", action="store_true")
    chosen = parser.parse_args()
    sources = [HERE, chosen.baseline] if chosen.baseline else [HERE]
    print(f"python benchmarks/{' '.join([Path(__file__).name, *sys.argv[1:]])}")
    commands = [command for command in COMMANDS if chosen.only in command]
    table(commands, sources, chosen.repeat, not chosen.no_cold)
    if not chosen.only and not chosen.no_cold:
        warming()


if __name__ == "__main__":
    main()
