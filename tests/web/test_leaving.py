"""A server that is told to end, whatever it does: within a second, with one line."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from tests.web.conftest import Server, soon

pytestmark = [pytest.mark.compiled, pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")]

LONG = {"game": "7x7:6", "seconds": 200}
MATCH = {"game": "7x7:5", "a": "alpha-beta depth=8", "b": "mcts playouts=200000", "games": 100}


class Listener:
    """A client that reads a stream to its end."""

    def __init__(self, server: Server, method: str, path: str, **more: object) -> None:
        self.heard, self.begun = 0, threading.Event()
        self._thread = threading.Thread(target=self._listen, args=(server, method, path, more), daemon=True)
        self._thread.start()
        assert self.begun.wait(30)

    def _listen(self, server: Server, method: str, path: str, more: dict[str, object]) -> None:
        try:
            with httpx.stream(method, server.address + path, timeout=60, **more) as answer:  # type: ignore[arg-type]
                for _ in answer.iter_bytes():
                    self.heard += 1
                    self.begun.set()
        except httpx.HTTPError:
            self.begun.set()


def begin_job(server: Server, kind: str, asked: dict[str, object]) -> str:
    answer = httpx.post(f"{server.address}/api/v1/jobs/{kind}", json=asked, timeout=30)
    assert answer.status_code == 202, answer.text
    return str(answer.json()["id"])


def events_of_a_job(server: Server) -> None:
    Listener(server, "GET", f"/api/v1/jobs/{begin_job(server, 'solve', LONG)}/events")


def a_move_on_its_way(server: Server) -> None:
    asked = {"game": "7x7:6", "x": "mcts playouts=200000", "reply": True}
    Listener(server, "POST", "/api/v1/play", json=asked)


def jobs_that_run_and_jobs_that_wait(server: Server) -> None:
    jobs = [begin_job(server, *(("match", MATCH) if number % 2 else ("solve", LONG))) for number in range(14)]
    for job in (*jobs[:2], *jobs[-2:]):  # the last two wait: twelve run at the same time
        Listener(server, "GET", f"/api/v1/jobs/{job}/events")


def jobs_that_nobody_listens_to(server: Server) -> None:
    for _ in range(14):
        begin_job(server, "solve", LONG)


def connections_at_rest(server: Server) -> None:
    for _ in range(3):
        kept = httpx.Client()
        kept.get(f"{server.address}/health")
        server.kept.append(kept)  # type: ignore[attr-defined]


def nothing(server: Server) -> None:
    pass


WORK = [nothing, events_of_a_job, a_move_on_its_way, jobs_that_run_and_jobs_that_wait, jobs_that_nobody_listens_to,
        connections_at_rest]  # fmt: skip
SIGNALS = [[signal.SIGINT], [signal.SIGTERM], [signal.SIGHUP], [signal.SIGINT, signal.SIGINT]]
CASES = [(work, [signal.SIGINT]) for work in WORK] + [(events_of_a_job, each) for each in SIGNALS[1:]]
NAMES = [f"{work.__name__} {'+'.join(number.name for number in signals)}" for work, signals in CASES]


@pytest.fixture
def running(data: Path) -> Iterator[Server]:
    server = Server(data)
    server.kept = []  # type: ignore[attr-defined]
    yield server
    if server.process.poll() is None:
        server.process.kill()
        server.process.communicate()
    for each in server.kept:  # type: ignore[attr-defined]
        each.close()


def end(server: Server, signals: list[signal.Signals]) -> tuple[int, str, float]:
    begun = time.monotonic()
    for number in signals:
        server.process.send_signal(number)
        time.sleep(0.1)
    server.process.wait(20)
    seconds = time.monotonic() - begun
    _, said = server.process.communicate(timeout=5)
    return server.process.returncode, said, seconds


@pytest.mark.parametrize(("work", "signals"), CASES, ids=NAMES)
def test_it_ends_within_a_second(
    running: Server, work: Callable[[Server], None], signals: list[signal.Signals]
) -> None:
    work(running)
    time.sleep(0.3)
    code, said, seconds = end(running, signals)
    assert (code, said) == (130, "interrupted\n")
    assert seconds < soon()


def test_a_stream_comes_to_its_end(running: Server) -> None:
    """Whoever listens is told that the job was cancelled, rather than cut off."""
    job = begin_job(running, "solve", LONG)
    told: list[str] = []

    def listen() -> None:
        with httpx.stream("GET", f"{running.address}/api/v1/jobs/{job}/events", timeout=30) as answer:
            told.extend(line for line in answer.iter_lines() if line)

    listener = threading.Thread(target=listen)
    listener.start()
    while not told and listener.is_alive():
        time.sleep(0.05)
    end(running, [signal.SIGTERM])
    listener.join(10)
    assert '"state": "cancelled"' in told[-1]


@pytest.mark.parametrize("ignored", ["INT", "HUP"])
def test_a_signal_that_is_ignored_stays_so(data: Path, ignored: str) -> None:
    """As a shell begins what runs in the background, without SIGINT, and as nohup does; SIGTERM ends it as usual."""
    words = [sys.executable, "-m", "gridlab", "serve", "--port", "0", "--folder", str(data)]
    shell = ["sh", "-c", f'trap "" {ignored}; exec "$@"', "sh", *words]
    with subprocess.Popen(shell, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        address = process.stderr.readline().split()[3]
        try:
            wait_for_health(address)
            process.send_signal(getattr(signal, f"SIG{ignored}"))
            time.sleep(0.5)
            assert httpx.get(f"{address}health").is_success
            process.terminate()
            assert process.wait(10) == 130
            assert process.stderr.read() == "interrupted\n"
        finally:
            process.kill()


def wait_for_health(address: str) -> None:
    give_up = time.monotonic() + 60
    while True:
        try:
            httpx.get(f"{address}health", timeout=5).raise_for_status()
            return
        except httpx.HTTPError:
            assert time.monotonic() < give_up
            time.sleep(0.05)
