"""What the tests share: a way to run the command line, and strategies that plant structure."""

import logging
import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from gridlab import cli
from gridlab.games import game
from gridlab.inarow.exact.tablebase.build import build_tablebase
from gridlab.inarow.exact.tablebase.probe import Tablebase

os.environ.pop("FORCE_COLOR", None)  # of whoever runs the tests
settings.register_profile("gridlab", deadline=None, derandomize=True)
settings.load_profile("gridlab")

Run = Callable[..., tuple[int, str, str]]
Table = Callable[[str], Tablebase]
Python = Callable[..., subprocess.CompletedProcess[str]]


def in_long_runs(*values: object) -> list[Any]:
    """Cases of a test that tell little more than others and take long: run by `make test-long`."""
    return [pytest.param(each, marks=pytest.mark.long) for each in values]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Without compiled kernels the tests that need their speed are left out, whatever was asked for.

    Those that share a server, a browser, a cluster or a page's programs come first: a process of the tests that has run
    out of its own takes over the last of another, so that each of these is started once. So do whole pages, which take
    long.
    """
    items.sort(
        key=lambda item: (
            item.path.parent.name not in ("web", "cluster")
            and item.path.name != "test_docs.py"
            and item.path.suffix != ".md"
        )
    )
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        left_out = [item for item in items if item.get_closest_marker("compiled") or item.path.suffix == ".md"]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


@pytest.fixture(autouse=True)
def _not_hushed() -> None:
    """--quiet of an earlier command in this process is forgotten."""
    logging.getLogger("gridlab").setLevel(logging.NOTSET)


@pytest.fixture
def gridlab(capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Run a command in this process: gridlab("census", "3x3:3") -> exit code, stdout, stderr."""

    def run(*arguments: str) -> tuple[int, str, str]:
        code = cli.run(arguments)
        out, err = capfdbinary.readouterr()
        return code, out.decode(), err.decode()

    return run


@pytest.fixture
def python() -> Python:
    """Run a Python program in a fresh process."""

    def run(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | environment,
        )

    return run


@pytest.fixture(scope="session")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    """The tablebase of a game, built once a run whatever the number of test processes: table("4x4:3")."""
    base: Path = tmp_path_factory.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "tables"
    shared.mkdir(exist_ok=True)

    @cache
    def open_table(name: str) -> Tablebase:
        path = shared / f"{name.replace(':', '_')}.tb"
        try:
            path.with_suffix(".building").mkdir()  # whoever makes it first builds; the others wait for the file
            build_tablebase(game(name), path)
        except FileExistsError:
            give_up = time.monotonic() + 300
            while not path.exists():
                assert time.monotonic() < give_up, f"the process that builds {name} has failed"
                time.sleep(0.05)
        return Tablebase(path)

    return open_table
