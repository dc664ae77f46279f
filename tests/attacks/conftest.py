"""What attacks share: a server that runs commands, and chance whose seed is told."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gridlab.inarow.learn.networks import SHIPPED
from tests.attacks.commands import INPUTS
from tests.attacks.games2048 import make_samples
from tests.attacks.harness import TRIED, Attacker


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of the variants of an attack the first and the last run with `make check`, all of them with `make test-long`."""
    variants: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.path.parent == Path(__file__).parent and not item.get_closest_marker("long"):
            variants.setdefault(f"{item.path}::{getattr(item, 'originalname', item.name)}", []).append(item)
    for every in variants.values():
        for item in every[1:-1]:
            item.add_marker(pytest.mark.long)


@pytest.fixture(scope="session")
def attacker() -> Iterator[Attacker]:
    attacker = Attacker("h5py", "matplotlib.backends.backend_agg", "pandas", "pyarrow.parquet")
    yield attacker
    attacker.close()


@pytest.fixture
def random() -> np.random.Generator:
    """Another seed for each run if GRIDLAB_ATTACK_SEED says so; pytest shows it with what fails."""
    seed = int(os.environ.get("GRIDLAB_ATTACK_SEED", "0"))
    sys.stderr.write(f"GRIDLAB_ATTACK_SEED={seed}\n")
    return np.random.default_rng(seed)


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with sound files of games of 2048, the same in every run."""
    before, os.environ["SOURCE_DATE_EPOCH"] = os.environ.get("SOURCE_DATE_EPOCH"), "1767787200"
    try:
        return make_samples(tmp_path_factory.mktemp("samples"))
    finally:
        os.environ.pop("SOURCE_DATE_EPOCH") if before is None else os.environ.update(SOURCE_DATE_EPOCH=before)


@pytest.fixture(scope="session")
def inputs(attacker: Attacker, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small sound file of every kind, and names that lead nowhere; to be copied."""
    folder = tmp_path_factory.mktemp("inputs")
    for command in INPUTS.values():
        assert attacker.run(*command, cwd=folder).code == 0
    (folder / "bare").mkdir()
    for layer in (folder / "wins").glob("layer_*.bin"):
        shutil.copy(layer, folder / "bare")
    (folder / "input.txt").write_text("3\nX.O\n.X.\nO..\nX\n")
    shutil.copy(SHIPPED, folder / "net.safetensors")
    (folder / "loop").symlink_to("loop")
    (folder / "folder").mkdir()
    return folder


@pytest.fixture
def lab(inputs: Path, tmp_path: Path) -> Path:
    """A copy of those files, to be attacked."""
    folder = tmp_path / "lab"
    shutil.copytree(inputs, folder, symlinks=True)
    return folder


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker of pytest-xdist hands over what it has tried."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["tried"] = [[*key, number] for key, number in TRIED.items()]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    for module, kind, number in getattr(node, "workeroutput", {}).get("tried", []):
        TRIED[module, kind] += number


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How much was tried."""
    for (module, kind), number in sorted(TRIED.items()):
        terminalreporter.write_line(f"{module}: {number:,} {kind}")
