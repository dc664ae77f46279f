"""A real Dask cluster for tests: a scheduler and workers, each a process of its own, on loopback alone."""

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent  # workers have to know the jobs of the tests
SETTINGS = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1"}  # deaths before a job is given up: tests are short
PATIENCE = 60.0  # seconds

Process = subprocess.Popen[bytes]


class DaskCluster:
    """Processes that are ours to start and to kill."""

    def __init__(self, folder: Path, scheme: str = "tcp", **environment: str) -> None:
        paths = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH", ""), str(ROOT)]))
        self.folder, self.scheme = folder, scheme
        self.environment = {**os.environ, "PYTHONPATH": paths, **SETTINGS, **environment}
        self.address, self.started = "", 0
        self.processes: list[Process] = []

    def start(self, workers: int) -> "DaskCluster":
        self.start_scheduler()
        for _ in range(workers):
            self.start_worker()
        return self

    def start_scheduler(self) -> Process:
        """A scheduler on a port that is free, or on that of the one before it."""
        place = self.folder / "scheduler.json"
        place.unlink(missing_ok=True)
        port = self.address.rpartition(":")[2] or "0"
        process = self._start(
            "scheduler", "--host", f"{self.scheme}://127.0.0.1", "--port", port, "--dashboard-address", "127.0.0.1:0",
            "--no-jupyter", "--scheduler-file", str(place),
        )  # fmt: skip
        wait_for(lambda: place.exists() and '"address"' in place.read_text())
        self.address = json.loads(place.read_text())["address"]
        return process

    def start_worker(self, environment: Mapping[str, str] | None = None) -> Process:
        """A worker of one thread, in a folder of its own; a nanny starts it again when it dies."""
        folder = self.folder / f"worker-{self.started}"
        folder.mkdir()
        return self._start(
            "worker", self.address, "--host", f"{self.scheme}://127.0.0.1", "--nworkers", "1", "--nthreads", "1",
            "--no-dashboard", "--memory-limit", "0", "--local-directory", str(folder),
            environment=environment, folder=folder,
        )  # fmt: skip

    def _start(self, *words: str, environment: Mapping[str, str] | None = None, folder: Path | None = None) -> Process:
        self.started += 1
        with (self.folder / f"{words[0]}-{self.started}.log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", *words], stdout=log, stderr=log, cwd=folder or self.folder,
                env={**self.environment, **(environment or {})}, start_new_session=True, preexec_fn=_die_with_parent,
            )  # fmt: skip
        self.processes.append(process)
        return process

    def kill(self, process: Process) -> None:
        """End a process and all it has started, at once."""
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        self.processes.remove(process)

    def close(self) -> None:
        for each in list(self.processes):
            self.kill(each)

    def files(self) -> list[Path]:
        """What workers were sent, and hold now."""
        return sorted(each for each in self.folder.glob("worker-*/**/gridlab-files/*") if each.is_file())


def _die_with_parent() -> None:
    """In a new process: it does not outlive a test that is killed, where the system can see to that."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def wait_for(condition: Callable[[], bool], seconds: float = PATIENCE) -> None:
    """Wait until a function says yes."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it has not come to pass"
        time.sleep(0.05)


def family(pid: int) -> list[int]:
    """A process and all it has started, as far as they live."""
    found, unseen = [], [pid]
    while unseen:
        each = unseen.pop()
        found.append(each)
        for task in Path(f"/proc/{each}/task").glob("*/children"):
            with suppress(OSError):
                unseen.extend(map(int, task.read_text().split()))
    return found
