"""Order, bounds and stopping; Ctrl-C is a real signal to a real process."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

import numpy as np
import pytest

from gridlab.core import run as workers
from gridlab.core.run import stop_flag, working
from tests.conftest import Python

SPINNING = """
from gridlab.core.jit import kernel
from gridlab.core.run import stop_flag; from gridlab.core.bits import stopped
from gridlab.core.run import {imports}

@kernel
def spin(stop):
    rounds = 0
    while not stopped(stop):
        rounds += 1
    return rounds

stop = stop_flag()
spin(stop_flag() + 1)  # compiled before the clock starts
try:
    print("spinning", flush=True)
    {call}
except KeyboardInterrupt:
    print("stopped", stop[0], flush=True)
"""
BUSY = """
import time
from gridlab.core.run import in_order

if __name__ == "__main__":
    try:
        print("spinning", flush=True)
        list(in_order(time.sleep, [60, 60, 60], workers=2, processes=True))
    except KeyboardInterrupt:
        print("stopped", flush=True)
"""


PLANTED = "import sys; from pathlib import Path; Path({witness!r}).open('a').write(' '.join(sys.orig_argv))\n"
HERE = """
import os, subprocess, sys
from gridlab.core.run import in_order

def job(number):
    program = [sys.executable, "-c", "import planted; print(planted.NAME)"]  # such as a bot with files beside it
    return number, os.environ.get("PYTHONSAFEPATH"), subprocess.run(program, capture_output=True, text=True).stdout

if __name__ == "__main__":
    print(list(in_order(job, range(2), workers=2, processes=True)), os.environ.get("PYTHONSAFEPATH"))
"""


@pytest.mark.parametrize("own", [None, "1"])
def test_workers_import_nothing_from_the_current_folder(tmp_path: Path, own: str | None) -> None:
    """A folder of downloads may hold a file of the name of any module; what jobs start sees the folder as ever."""
    folder, script, witness = tmp_path / "downloads", tmp_path / "script.py", tmp_path / "was-here"
    folder.mkdir()
    script.write_text(HERE)
    for name in ("multiprocessing", "numpy", "loky", "gridlab", "cloudpickle", "signal", "random", "types"):
        (folder / f"{name}.py").write_text(PLANTED.format(witness=str(witness)))
    (folder / "planted.py").write_text("NAME = 'seen'\n")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    done = subprocess.run(
        [sys.executable, str(script)], cwd=folder, capture_output=True, text=True, check=False,
        env=environment | ({} if own is None else {"PYTHONSAFEPATH": own}),
    )  # fmt: skip
    seen = "seen\n" if own is None else ""
    assert done.stdout == f"{[(number, own, seen) for number in range(2)]} {own}\n", done.stderr
    assert not witness.exists(), witness.read_text()


def test_results_come_in_the_order_of_the_jobs() -> None:
    def slow_first(job: int) -> int:
        time.sleep(0.05 if job == 0 else 0)
        return job * job

    assert list(workers.in_order(slow_first, range(20), workers=4)) == [job * job for job in range(20)]


def test_processes_can_answer_in_the_order_in_which_they_end() -> None:
    assert sorted(workers.as_done(abs, range(-6, 0), workers=2)) == [1, 2, 3, 4, 5, 6]
    with pytest.raises(TypeError):
        list(workers.as_done(len, [1]))  # type: ignore[arg-type]


def test_processes_give_the_same() -> None:
    assert list(workers.in_order(abs, range(-6, 0), workers=2, processes=True)) == [6, 5, 4, 3, 2, 1]


def test_no_more_jobs_are_begun_than_the_window_holds() -> None:
    begun: list[int] = []

    def jobs() -> Iterator[int]:
        for job in range(100):
            begun.append(job)
            yield job

    results = workers.in_order(abs, jobs(), workers=2)
    assert next(results) == 0
    assert len(begun) <= 5
    results.close()


def test_a_failure_reaches_the_caller_and_stops_the_others() -> None:
    stop = stop_flag()
    begun, ended = threading.Event(), threading.Event()

    def job(number: int) -> None:
        if number == 0:
            begun.wait(5)
            raise ZeroDivisionError
        begun.set()
        while not stop[0]:
            time.sleep(0.01)
        ended.set()

    with pytest.raises(ZeroDivisionError):
        list(workers.in_order(job, range(2), workers=2, stop=stop))
    assert ended.wait(5)


class JustInTime(Future[int]):
    """Done in the moment between the end of a step and the next look."""

    def result(self, timeout: float | None = None) -> int:
        if timeout is not None:
            self.set_result(7)
            raise TimeoutError
        return super().result()


def test_a_job_done_between_two_looks_is_not_lost() -> None:
    assert workers._result(JustInTime(), stop_flag()) == 7


def test_a_timeout_of_the_job_itself_reaches_the_caller() -> None:
    def job(number: int) -> None:
        raise TimeoutError("the job's own")

    with pytest.raises(TimeoutError, match="the job's own"):
        list(workers.in_order(job, [1]))


def test_a_budget_sets_the_flag_and_the_result_still_comes() -> None:
    stop = stop_flag()

    def count() -> int:
        rounds = 0
        while not stop[0]:
            rounds += 1
        return rounds

    begun = time.monotonic()
    assert workers.call(count, stop, seconds=0.2) > 0
    assert time.monotonic() - begun < 5


def test_a_call_without_budget_ends_by_itself() -> None:
    stop = stop_flag()
    assert workers.call(lambda: int(np.arange(10).sum()), stop, None) == 45
    assert stop[0] == 0


@pytest.mark.compiled
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize(
    "program",
    [
        SPINNING.format(imports="call", call="call(lambda: spin(stop), stop)"),
        SPINNING.format(imports="in_order", call="list(in_order(spin, [stop] * 5, 2, stop))"),
        BUSY,
    ],
    ids=["call", "in_order", "processes"],
)
def test_ctrl_c_ends_long_work_at_once(program: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(program)
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        watchdog = threading.Timer(60, run.kill)
        watchdog.daemon = True
        watchdog.start()
        assert run.stdout.readline() == "spinning\n"
        run.send_signal(signal.SIGINT)
        begun = time.monotonic()
        assert run.stdout.readline().startswith("stopped")
        assert run.wait(10) == 0
        assert time.monotonic() - begun < 3
        assert "Traceback" not in run.stderr.read()
        watchdog.cancel()


UNGUARDED = """
from gridlab.core.run import in_order

class Squares:
    def __init__(self, add):
        self.add = add

    def __call__(self, number):
        return number * number + self.add

print(list(in_order(Squares(1), range(5), workers=2, processes=True)))
"""


def test_a_script_needs_no_guard_and_its_classes_travel(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(UNGUARDED)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.stdout == "[1, 2, 5, 10, 17]\n"
    assert done.stderr == ""


def test_what_cannot_be_sent_is_known_before(tmp_path: Path) -> None:
    assert workers.can_travel("text", lambda: 1) == ""
    with (tmp_path / "file").open("w") as file:
        assert workers.can_travel("text", file).startswith("TextIOWrapper: ")


ORPHANS = """
import os, signal, time
from gridlab.core.run import in_order

def show_and_sleep(number):
    os.write(1, b"%d\\n" % os.getpid())  # in one piece: two workers write
    time.sleep(60)

list(in_order(show_and_sleep, range(2), workers=2, processes=True))
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_workers_do_not_outlive_a_parent_that_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(ORPHANS)
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        pids = [int(run.stdout.readline()) for _ in range(2)]
        run.kill()
        run.wait()
        end = time.monotonic() + 5
        while any(alive(pid) for pid in pids):
            assert time.monotonic() < end, "a worker lives on"
            time.sleep(0.05)


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits for its parent to notice does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_whoever_waits_for_work_is_stopped_by_the_flag_of_its_own_thread() -> None:
    """A search inside a player inside a match: the flag of the match stops it all."""
    outer, inner = stop_flag(), stop_flag()

    def spin() -> None:
        while not inner[0]:
            time.sleep(0.005)

    def player() -> str:
        try:
            workers.call(spin, inner)
        except KeyboardInterrupt:
            return "stopped"
        return "went on"

    threading.Timer(0.15, lambda: outer.__setitem__(0, 1)).start()
    with working(outer):
        assert player() == "stopped"
    assert inner[0]


def grow(job: int) -> int:
    """One job takes 360 MB and keeps them, as a worker does that compiles; long enough for whoever looks at memory."""
    if job == 1:
        sys.modules["numpy"].__dict__["kept_by_tests"] = np.ones(45_000_000)
        time.sleep(1.05)
    return os.getpid()


def test_a_worker_may_grow() -> None:
    """Where psutil is installed loky starts workers anew that have grown by 300 MB, and warns."""
    pytest.importorskip("psutil")
    assert len(set(workers.in_order(grow, range(3), processes=True, workers=1))) == 1


TRACKERS = """
import os
from gridlab.core.run import in_order

if list(in_order(abs, [-1], workers=1, processes=True)) == [1]:
    from loky.backend import resource_tracker as of_loky
    from multiprocessing import resource_tracker as of_python

    for each in (of_loky, of_python):
        print(os.readlink(f"/proc/{each._resource_tracker._pid}/fd/2"))
"""


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the files of other processes are shown by Linux")
def test_trackers_say_nothing_to_users(python: Python) -> None:
    """After a signal they may find that what they were told makes no sense, and print a traceback."""
    assert python(TRACKERS).stdout.split() == ["/dev/null", "/dev/null"]
