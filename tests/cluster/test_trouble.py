"""Workers and schedulers that die, strangers, Ctrl-C: nothing is lost, and what is wrong is said by name."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import gridlab as package
from gridlab.core.cluster import Cluster, Mismatch, Order, Tasks, carry_out, fingerprint, on_cluster
from gridlab.core.errors import ClusterTrouble
from gridlab.core.run import in_order
from tests.cluster import jobs
from tests.cluster.processes import DaskCluster, family, wait_for
from tests.conftest import Run

pytestmark = pytest.mark.compiled

MOMENT = "1700000000"
GENERATE = shlex.split("2048 generate -g 600 -d 2 --max-moves 100 --seed 9 --quiet -o games.jsonl")


@contextmanager
def opened(cluster: DaskCluster) -> Iterator[Cluster]:
    """For looking at a cluster from outside."""
    found = Cluster(cluster.address)
    try:
        yield found
    finally:
        found.close()


def tasks(cluster: DaskCluster) -> int:
    """What a scheduler still has to do, for whomever."""
    with opened(cluster) as found:
        return int(found.client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)))


Begin = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def begin() -> Iterator[Begin]:
    """Begin a command in a process of its own, which does not outlive the test."""
    begun: list[subprocess.Popen[str]] = []

    def start(*words: str, cwd: Path) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-m", "gridlab", *words],
            cwd=cwd, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "SOURCE_DATE_EPOCH": MOMENT},
        )  # fmt: skip
        begun.append(process)
        return process

    yield start
    for process in begun:
        if process.poll() is None:
            process.kill()
            process.communicate()


def test_a_visit(gridlab: Run, cluster: DaskCluster) -> None:
    code, out, _ = gridlab("cluster", cluster.address)
    assert code == 0
    assert out.splitlines()[-1].endswith("the same as here")
    assert "there and back in" in out


def test_a_worker_is_killed_and_all_work_is_done(cluster: DaskCluster) -> None:
    killed: list[int] = []
    results = []
    with on_cluster(cluster.address):
        for square, process in in_order(jobs.slow, range(16), processes=True):
            results.append(square)
            if not killed:
                killed.append(process)
                os.kill(process, signal.SIGKILL)
    assert results == [number * number for number in range(16)]


def test_a_result_that_has_arrived_counts(cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though the worker dies right after, and the scheduler says that the result is lost."""
    from distributed import Future

    fetch: Any = Future._result
    lost: list[object] = []

    async def fetch_and_lose(self: Any, raiseit: bool = True) -> object:
        result = await fetch(self, raiseit)
        self._state.lose()
        lost.append(self.key)
        return result

    monkeypatch.setattr(Future, "_result", fetch_and_lose)
    with on_cluster(cluster.address):
        assert [square for square, _ in in_order(jobs.slow, range(3), processes=True)] == [0, 1, 4]
    assert lost


def test_a_worker_dies_while_a_result_is_fetched(cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    from distributed import Future, KilledWorker

    fetch: Any = Future._result
    died: list[object] = []

    async def die_once(self: Any, raiseit: bool = True) -> object:
        if not died:
            died.append(self.key)
            worker: Any = SimpleNamespace(address="tcp://127.0.0.1:1")
            raise KilledWorker(self.key, worker, 1)
        return await fetch(self, raiseit)

    monkeypatch.setattr(Future, "_result", die_once)
    with on_cluster(cluster.address):
        assert [square for square, _ in in_order(jobs.slow, range(3), processes=True)] == [0, 1, 4]
    assert died


def test_the_round_trip_is_the_least_of_ten_that_came_back(
    cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers, clock = [], iter([0.0, 9.0, 10.0, 10.5, *range(20, 36)])
    answer = Cluster._answer
    monkeypatch.setattr(Cluster, "_answer", lambda self, future: answers.append(answer(self, future)))
    with opened(cluster) as found:
        monkeypatch.setattr(time, "perf_counter", lambda: next(clock))
        spent = found.round_trip()
    assert spent == 0.5
    assert len(answers) == 10
    assert next(clock, None) is None
    assert set(answers) <= {pid for process in cluster.processes for pid in family(process.pid)}


def test_a_job_that_always_dies_is_named(cluster: DaskCluster) -> None:
    with on_cluster(cluster.address):
        coming = in_order(jobs.deadly, range(8), processes=True)
        assert list(islice(coming, 3)) == [0, 1, 2]
        with pytest.raises(ClusterTrouble, match=r"^job 4, 3, ends every worker that begins it"):
            next(coming)


def test_the_error_of_a_job_comes_in_its_turn(cluster: DaskCluster) -> None:
    """After the results of the jobs before it, though a later job may have failed earlier: as on one machine."""
    for place in (nullcontext(), on_cluster(cluster.address)):
        with place:
            coming = in_order(jobs.unlucky, range(12), processes=True)
            assert list(islice(coming, 3)) == [0, 1, 2]
            with pytest.raises(ZeroDivisionError, match="job 3"):
                next(coming)


def test_a_stranger_is_refused_by_name(cluster: DaskCluster, gridlab: Run, tmp_path: Path) -> None:
    other = tmp_path / "src"
    shutil.copytree(Path(package.__file__).parent, other / "gridlab", ignore=shutil.ignore_patterns("__pycache__"))
    kernels = other / "gridlab" / "core" / "bits.py"
    kernels.write_text(kernels.read_text() + "# changed\n")
    started = cluster.start_worker({"PYTHONPATH": str(other)})
    try:
        with opened(cluster) as found:
            wait_for(lambda: any(each.flaws for each in found.workers()))
            (stranger,) = [each for each in found.workers() if each.flaws]
        code, out, err = gridlab("match", "random", "random", "--game", "tictactoe", "--cluster", cluster.address)
        assert (code, out) == (2, "")
        assert err.startswith(f"error: the worker {stranger.address} has sources ")
        assert err.endswith("install the same everywhere\n")
        code, out, _ = gridlab("cluster", cluster.address)
        assert code == 1
        assert "nothing was tried" in out
    finally:
        cluster.kill(started)


def test_a_stranger_that_comes_later_begins_nothing(cluster: DaskCluster) -> None:
    with opened(cluster) as found:
        order = Order("run", fingerprint()._replace(python="3.9.1"), {}, {}, b"")
        said = found._answer(Tasks(found.client).submit(carry_out, order))
    assert isinstance(said, Mismatch)
    assert said.flaws[0].startswith("has python 3.")


def test_ctrl_c_takes_back_what_is_queued(cluster: DaskCluster, begin: Begin, tmp_path: Path) -> None:
    words = "2048", "evaluate", "expectimax depth=8", "--games", "100", "--cluster", cluster.address, "--quiet"
    command = begin(*words, cwd=tmp_path)
    wait_for(lambda: tasks(cluster) >= 4)
    command.send_signal(signal.SIGINT)
    begun = time.monotonic()
    _, err = command.communicate()
    assert (command.returncode, err) == (130, "interrupted\n")
    assert time.monotonic() - begun < 8  # about one second where cores are free
    wait_for(lambda: tasks(cluster) == 0, seconds=5)
    begun = time.monotonic()  # what was being played, for minutes, was let go of too
    with on_cluster(cluster.address):
        assert [square for square, _ in in_order(jobs.slow, range(4), processes=True)] == [0, 1, 4, 9]
    assert time.monotonic() - begun < 10


def test_the_scheduler_is_gone_and_the_run_goes_on(
    cluster: DaskCluster, begin: Begin, gridlab: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = begin(*GENERATE, "--cluster", cluster.address, cwd=tmp_path)
    journal = tmp_path / ".games.jsonl.journal"
    wait_for(lambda: journal.exists() and journal.stat().st_size > 50_000)
    cluster.close()
    begun = time.monotonic()
    _, err = command.communicate()
    assert command.returncode == 2
    assert err.startswith(f"error: the scheduler at {cluster.address} is gone")
    assert time.monotonic() - begun < 10
    kept = journal.stat().st_size
    cluster.start(workers=1)
    command = begin(*GENERATE, "--cluster", cluster.address, "--resume", cwd=tmp_path)
    wait_for(lambda: not journal.exists() or journal.stat().st_size > kept)
    _, err = command.communicate()
    assert (command.returncode, err) == (0, "")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", MOMENT)
    assert gridlab(*GENERATE, "--workers", "1")[0] == 0
    assert (tmp_path / "games.jsonl").read_bytes() == (tmp_path / "here" / "games.jsonl").read_bytes()


def test_nobody_there(gridlab: Run, cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gridlab.core.cluster.CONNECTING", 0.5)
    code, _, err = gridlab("cluster", "tcp://127.0.0.1:9")
    assert code == 2
    assert err.startswith("error: no scheduler of a cluster answers at tcp://127.0.0.1:9")
    words = shlex.split("match random random --game tictactoe --workers 2 --cluster")
    code, _, err = gridlab(*words, cluster.address)
    assert code == 2
    assert err.startswith("error: --workers is for this machine")
