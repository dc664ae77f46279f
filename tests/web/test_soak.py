"""Memory of a server over time, and the judgement of tools/soak.py: what swings is flat, what leaks is not."""

import random
import socket
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest

from gridlab import Position, game
from gridlab.web.lab import LONG_SEARCHES
from tests.web.conftest import Server

TOOLS = Path(__file__).parents[2] / "tools"
HOUR, EVERY = 3600, 5
REQUESTS = 1600 / 60  # a second


@pytest.fixture
def soak(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(TOOLS)
    return import_module("soak")


def server(soak: Any, more: Callable[[float], float], files: Callable[[float], int] = lambda second: 50) -> Any:
    """An hour of a server: tables that come and go, of which one stays when all rest, and `more` MiB."""
    chance = random.Random(1)
    watched = soak.Watched("serve", None)
    ends = [end for end, rest in soak.hours(HOUR) if rest]
    for second in range(EVERY, HOUR + 1, EVERY):
        resting = any(end - soak.REST / 2 < second <= end for end in ends)
        tables = 1 if resting else chance.randrange(1, 5)
        memory = 150 + chance.uniform(0, 4) + soak.TABLE * tables + more(second)
        watched.samples.append(soak.Sample(second, memory, files(second)))
        if second in ends:
            watched.at_rest.append(watched.samples[-1])
    return watched


def test_an_hour_has_twelve_rests_at_whose_ends_the_server_is_looked_at(soak: Any) -> None:
    rests = [end for end, rest in soak.hours(HOUR) if rest]
    assert len(rests) == soak.RESTS
    assert rests[-1] == HOUR
    assert sorted(end for end, _ in soak.hours(HOUR)) == [end for end, _ in soak.hours(HOUR)]
    assert len(server(soak, lambda second: 0).at_rest) == soak.RESTS


def test_what_swings_is_flat(soak: Any) -> None:
    assert server(soak, lambda second: 0).flaw == ""
    assert server(soak, lambda second: 100 * min(1, second / (0.1 * HOUR))).flaw == ""  # caches fill at first


@pytest.mark.parametrize("leak", [300, 1000, 100_000])  # bytes a request
def test_a_leak_of_some_bytes_a_request_is_found(soak: Any, leak: int) -> None:
    flaw = server(soak, lambda second: leak * REQUESTS * second / 2**20).flaw
    assert flaw.startswith("serve, at rest, has grown by ")


def test_what_is_held_at_work_alone_is_found_too(soak: Any) -> None:
    watched = server(soak, lambda second: 0)
    late = [each._replace(memory=each.memory + 200) for each in watched.samples[-200:] if each not in watched.at_rest]
    watched.samples[-len(late) :] = late
    assert watched.flaw.startswith("the most that serve holds has grown by ")


def test_files_that_stay_open_are_found(soak: Any) -> None:
    assert "files more" in server(soak, lambda second: 0, lambda second: 50 + int(second / 600)).flaw


@pytest.mark.parametrize(
    ("closed_after", "late", "ending"),
    [
        (0.1, 0.0, "half sent, closed"),
        (0.9, 0.0, "half sent, open"),
        (0.9, 0.5, "half sent, closed"),  # the server was late with everything
        (9.0, 0.5, "half sent, open"),  # but not so late
    ],
)
def test_a_half_sent_request_that_is_not_closed_in_time_is_found(
    soak: Any, monkeypatch: pytest.MonkeyPatch, closed_after: float, late: float, ending: str
) -> None:
    monkeypatch.setattr(soak, "HALF_SENT", 0.5)
    monkeypatch.setattr(soak, "GIVE_UP", 2.0)
    monkeypatch.setattr(soak.Visitors, "_watch_health", lambda visitors: None)
    with socket.create_server(("127.0.0.1", 0)) as listening, ThreadPoolExecutor(1) as other:
        visitors = soak.Visitors(f"http://127.0.0.1:{listening.getsockname()[1]}/api/v1", 0)
        visitors.health.append((60.0, late))
        asked = other.submit(visitors._send_half, random.Random(1))
        connected, _ = listening.accept()
        asked_until = time.monotonic() + closed_after
        while time.monotonic() < asked_until and not asked.done():
            time.sleep(0.02)
        connected.close()
        asked.result()
    assert visitors.counts == {("be_rude", ending): 1}
    assert len(visitors.errors) == (ending == "half sent, open")


@pytest.mark.compiled
@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")
def test_long_searches_leave_so_many_tables_and_nothing_else(soak: Any, tmp_path: Path) -> None:
    """Searches of many positions, in many threads: each has a table, and four are kept for those who ask again."""
    boards = [str(Position(game("5x5:5")).play(cell)) for cell in range(24)]
    running = Server(tmp_path)

    def search(board: str) -> None:
        with httpx.Client(base_url=f"{running.address}/api/v1", timeout=60) as client:
            job = client.post("/jobs/solve", json={"game": "5x5:5", "board": board, "seconds": 0.3}).json()["id"]
            with client.stream("GET", f"/jobs/{job}/events") as events:
                for _ in events.iter_lines():
                    pass

    try:
        search(boards[0])
        first = soak.own_memory(running.process.pid) / 1024 - soak.TABLE
        for _ in range(2):
            with ThreadPoolExecutor(8) as clients:
                list(clients.map(search, boards))
        held = soak.own_memory(running.process.pid) / 1024 - first
    finally:
        running.stop()
    most = LONG_SEARCHES + 1  # and that of the question that a page asks of this game when it cannot search for long
    assert held < (most + 0.5) * soak.TABLE, f"{held:.0f} MiB"
