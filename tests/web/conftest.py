"""A server for the tests of the web lab, with a folder of small data, and a real browser where there is one."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from gridlab.arena.match import play_match, play_tournament
from gridlab.game2048.datasets.generate import generate, play
from gridlab.game2048.datasets.settings import make_settings
from gridlab.game2048.learn.ntuple import train_ntuple
from gridlab.games import game
from gridlab.games.tablebases import tables_of
from gridlab.inarow.datasets.terminals.build import build_terminals
from gridlab.inarow.exact.tablebase.build import build_tablebase

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
START = 60.0  # seconds in which a server must answer


def soon() -> float:
    """A second, and more where others keep the cores busy."""
    return 1.0 + 0.5 * max(0.0, os.getloadavg()[0] / (os.cpu_count() or 1) - 1)


class Server:
    """`gridlab serve` in a process of its own."""

    def __init__(self, folder: Path, port: int = 0, *options: str, before: str = "") -> None:
        """`before` is what a shell does first, such as `ulimit -n 256`."""
        words = [sys.executable, "-m", "gridlab", "serve", "--port", str(port), "--folder", str(folder), *options]
        if before:
            words = ["sh", "-c", f'{before}; exec "$@"', "sh", *words]
        self.process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=dict(os.environ))
        assert self.process.stderr is not None
        line = self.process.stderr.readline()
        found = re.search(r"http://[^ ]+:(\d+)/", line)
        assert found, line + self.process.stderr.read()
        self.address, self.port = found.group(0).rstrip("/"), int(found.group(1))
        self._wait()

    def _wait(self) -> None:
        give_up = time.monotonic() + START
        while True:
            try:
                httpx.get(f"{self.address}/health", timeout=5).raise_for_status()
                return
            except httpx.HTTPError:
                assert time.monotonic() < give_up, "the server does not answer"
                time.sleep(0.05)

    def stop(self) -> int:
        self.process.terminate()
        code = self.process.wait(20)
        assert self.process.stderr is not None
        self.process.stderr.close()
        return code


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a little of everything."""
    folder = tmp_path_factory.mktemp("lab")
    build_tablebase(game("tictactoe"), folder / "tables" / "tictactoe.tb")
    build_terminals(game("tictactoe"), folder / "wins")
    shipped = tables_of(game("2048:2x2")).shipped(game("2048:2x2"))
    shutil.copy(shipped, folder / "tables" / "2048-2x2.tb")
    play_match("random", "heuristic", "tictactoe", 6, workers=1).save(folder / "games" / "match.jsonl")
    play_tournament(["random", "heuristic", "alpha-beta depth=2"], "tictactoe", out=folder / "cup", games=4, workers=1)
    train_ntuple("2048:3x3", folder / "nets" / "three.ntuple", games=400, tuples="tetrominoes", workers=1)
    generate(
        "2048", folder / "games" / "train.jsonl", 3, settings=make_settings(seed=1, depth=2, max_moves=30), workers=1
    )
    small = make_settings(seed=1, player="random", rules="2048:3x2")
    (folder / "games" / "small.jsonl").write_bytes(play(0, small).line())
    return folder


@pytest.fixture(scope="session")
def server(data: Path) -> Iterator[Server]:
    running = Server(data)
    yield running
    running.stop()


@pytest.fixture
def api(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=f"{server.address}/api/v1", timeout=60) as client:
        yield client


Ask = Callable[..., Any]


@pytest.fixture
def ask(api: httpx.Client) -> Ask:
    """ask("/values", game="tictactoe") or ask("/game", {"game": …}) -> what the server says."""

    def asked(path: str, body: Any = None, **parameters: Any) -> Any:
        answer = api.get(path, params=parameters) if body is None else api.post(path, json=body)
        assert answer.is_success, answer.text
        return answer.json()

    return asked


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """The system's Chromium; Playwright brings none of its own here. While it lives, nobody else can run a loop."""
    from playwright.sync_api import Error, expect, sync_playwright

    expect.set_options(timeout=20_000)  # a busy machine answers later
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip("there is no Chromium on this machine; `apt-get install chromium` gives one")
    with sync_playwright() as playwright:
        try:
            found = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        except Error as error:
            pytest.skip(f"{path} does not start: {error.message.splitlines()[0]}")
        yield found
        found.close()


@pytest.fixture
def page(browser: Any, server: Server) -> Iterator[Any]:
    """A page of the lab in a fresh context; what it complains of fails the test."""
    context = browser.new_context(base_url=server.address, viewport={"width": 1200, "height": 900})
    opened = context.new_page()
    opened.set_default_timeout(20_000)
    complaints: list[str] = []
    opened.on("pageerror", lambda error: complaints.append(str(error)))

    def hear(message: Any) -> None:
        if message.type == "error" and "Failed to load resource" not in message.text:  # a refusal, which the page tells
            complaints.append(message.text)

    opened.on("console", hear)
    yield opened
    context.close()
    assert not complaints
