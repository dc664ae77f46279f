"""One worker and two, for every kind of job: threads, processes, a cluster; what the cluster costs; memory.

python benchmarks/scale.py                 all of it
python benchmarks/scale.py --only speed    or: overhead, memory; --size 1 is a short look

The cluster is a scheduler and two workers of one thread each, processes on this machine. Seconds are of the clock, the
least of some rounds, after one that only warms up; a speed-up is one worker by two of the same kind.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.cluster.processes import DaskCluster, family

import gridlab
from gridlab.arena.assess import find_questions
from gridlab.core.cluster import Cluster, Tasks, on_cluster
from gridlab.core.draw import table
from gridlab.core.run import in_order
from gridlab.game2048.datasets.settings import make_settings
from gridlab.inarow.search.geometry import geometry_of

ROUNDS = 2
GAMES = (250, 1000, 4000)  # of a dataset, whose memory is measured
PEAK = """
import re, sys
from pathlib import Path
from gridlab import cli
code = cli.run(sys.argv[1:])
sys.stderr.write(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
sys.exit(code)
"""


class Kind(NamedTuple):
    """A kind of job, and what shares it out on one machine."""

    name: str
    here: str
    run: Callable[[int | None], Any]  # with so many workers here, or None on a cluster


class Spent(NamedTuple):
    """Seconds of the clock, and of CPU by all who took part."""

    wall: float
    cpu: float


def kinds(size: int) -> list[Kind]:
    """Each takes about a second of CPU for size 1, or less."""
    squava, questions = gridlab.game("squava"), find_questions(gridlab.game("tictactoe"), 1000, seed=1)
    return [
        Kind("2048 evaluate, expectimax depth=3", "threads", lambda workers: gridlab.evaluate(
            "expectimax depth=3", games=64 * size, workers=workers)),
        Kind("2048 generate -d 3", "threads", lambda workers: generate(128 * size, workers)),
        Kind("match, mcts and alpha-beta", "processes", lambda workers: gridlab.play_match(
            "mcts playouts=3000", "alpha-beta depth=5", squava, 64 * size, "random:4", workers=workers)),
        Kind("grade, mcts", "processes", lambda workers: gridlab.grade(
            f"mcts playouts={3000 * size}", "tictactoe", questions=questions, workers=workers)),
        Kind("train squava, its games", "threads", lambda workers: samples(240 * size, workers)),
    ]  # fmt: skip


def generate(games: int, workers: int | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        gridlab.generate(
            "2048", Path(folder) / "games.jsonl", games, settings=make_settings(seed=1, depth=3), workers=workers
        )


def samples(games: int, workers: int | None) -> None:
    from gridlab.inarow.learn.dqn import _play_samples
    from gridlab.inarow.learn.settings import PRESETS

    self_play, geometry = PRESETS["best"].course, geometry_of(gridlab.game("squava"))
    assert self_play is not None
    rounds = [range(first, first + 20) for first in range(0, games, 20)]
    list(in_order(partial(_play_samples, self_play, 1, geometry), rounds, workers, travels=True))


def clock(run: Callable[[], object]) -> float:
    """The least of some rounds, after one to warm up."""
    run()
    spent = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        run()
        spent.append(time.perf_counter() - begun)
    return min(spent)


@contextmanager
def cluster_of(workers: int) -> Iterator[DaskCluster]:
    with tempfile.TemporaryDirectory() as folder:
        cluster = DaskCluster(Path(folder))
        try:
            cluster.start(workers)
            while len(looked_at(cluster.address)) < workers:
                time.sleep(0.1)
            yield cluster
        finally:
            cluster.close()


def looked_at(address: str) -> list[Any]:
    found = Cluster(address)
    try:
        return list(found.workers())
    finally:
        found.close()


def speed(size: int) -> None:
    """Seconds of every kind by one worker and two; then CPU seconds, which hang less on who else uses the machine."""
    here: dict[str, list[Spent]] = {}
    there: dict[str, list[Spent]] = {}
    found = kinds(size)
    for each in found:
        here[each.name] = [measure(partial(each.run, workers)) for workers in (1, 2)]
    for workers in (1, 2):
        with cluster_of(workers) as cluster, on_cluster(cluster.address):
            for each in found:
                there.setdefault(each.name, []).append(measure(partial(each.run, None), cluster))
    rows, costs = [], []
    for each in found:
        (one, two), (far, both) = here[each.name], there[each.name]
        rows.append((each.name, each.here, *_gain(one, two), *_gain(far, both)))
        costs.append((each.name, *(f"{spent.cpu:.2f}" for spent in (one, two, far, both))))
    places = ("1 worker here, s", "2 workers", "gain", "1 of a cluster, s", "2 of a cluster", "gain")
    print(table(("of the clock", "by", *places), rows))
    print()
    print(table(("of CPU", *(each for each in places if each != "gain")), costs))


def _gain(one: Spent, two: Spent) -> tuple[str, str, str]:
    return f"{one.wall:.2f}", f"{two.wall:.2f}", f"{one.wall / two.wall:.2f}"


def measure(run: Callable[[], object], cluster: DaskCluster | None = None) -> Spent:
    """The least of some rounds, after one to warm up."""
    run()
    spent = []
    for _ in range(ROUNDS):
        begun, used = time.perf_counter(), cpu_seconds(cluster)
        run()
        spent.append(Spent(time.perf_counter() - begun, cpu_seconds(cluster) - used))
    return Spent(min(each.wall for each in spent), min(each.cpu for each in spent))


def cpu_seconds(cluster: DaskCluster | None) -> float:
    """What this process has used, its children that have ended, and the processes of a cluster."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    total = time.process_time() + ended.ru_utime + ended.ru_stime
    for process in cluster.processes if cluster else []:
        for pid in family(process.pid):
            words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            total += (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    return total


def nothing(job: int) -> int:
    return job


def overhead() -> None:
    """What a job costs that does nothing: on the way alone, and among others in a batch."""
    with cluster_of(2) as started, on_cluster(started.address) as cluster:
        assert cluster is not None
        trip = min(cluster.round_trip() for _ in range(5))
        batched = clock(lambda: list(in_order(nothing, range(20_000), processes=True))) / 20_000
        executor = Tasks(cluster.client)
        alone = clock(lambda: [each.result() for each in [executor.submit(nothing, job) for job in range(500)]]) / 500
    here = clock(lambda: list(in_order(nothing, range(20_000), 2))) / 20_000
    loky = clock(lambda: list(in_order(nothing, range(20_000), 2, processes=True))) / 20_000
    print(f"there and back        {1000 * trip:.2f} ms")
    print(f"a batch among others  {1000 * alone:.2f} ms")
    print(f"a job in a batch      {1000 * batched:.3f} ms")
    print(f"a job for threads     {1000 * here:.3f} ms")
    print(f"a job for processes   {1000 * loky:.3f} ms")


def memory() -> None:
    """The peak of the command that makes a dataset, by its number of games: here, and with a cluster of two workers."""
    rows = []
    with cluster_of(2) as cluster:
        for games in GAMES:
            peaks = [peak(games, words) for words in ([], ["--cluster", cluster.address])]
            rows.append((f"{games:,}", *(f"{each / 1024:.0f}" for each in peaks)))
    print(table(("games", "MiB here", "MiB with a cluster"), rows))


def peak(games: int, words: list[str]) -> int:
    """KiB of one run, by the kernel's account of its memory alone; `ru_maxrss` would count this process's before it."""
    with tempfile.TemporaryDirectory() as folder:
        asked = ["2048", "generate", "-g", str(games), "-d", "2", "--seed", "1", "--quiet", "-o", "games.jsonl", *words]
        done = subprocess.run(
            [sys.executable, "-c", PEAK, *asked], cwd=folder, check=True, capture_output=True, text=True
        )
    return int(done.stderr.split()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=4, help="how much work there is to be shared out")
    parser.add_argument("--only", choices=("speed", "overhead", "memory"))
    asked = parser.parse_args()
    parts: dict[str, Callable[[], None]] = {"speed": partial(speed, asked.size), "overhead": overhead, "memory": memory}
    for name, part in parts.items():
        if asked.only in (None, name):
            print(f"\n{name}")
            part()


if __name__ == "__main__":
    main()
