"""Nonsense in every argument of every command."""

import shutil
import signal
from pathlib import Path

import numpy as np
import pytest

from tests.attacks.commands import EXAMPLES, NONSENSE, TOO_LONG_HERE, commands, parameters, snapshot
from tests.attacks.harness import Attacker
from tests.conftest import in_long_runs

pytestmark = pytest.mark.compiled
PATIENCE = 2.0  # seconds, after which a command that likes its arguments is interrupted


def test_every_command_is_attacked() -> None:
    assert {name for name, _ in commands()} == {*EXAMPLES, *TOO_LONG_HERE}


def attack(attacker: Attacker, lab: Path, words: list[str]) -> None:
    """A command ends in the way in which commands end, and what it was not told to write it leaves alone."""
    before = snapshot(lab)
    ending = attacker.attack(*words, cwd=lab, signals=[(PATIENCE, signal.SIGINT)], seconds=PATIENCE + 10)
    assert ending.seconds < PATIENCE + 1.5, f"does not stop: {ending}"
    after = snapshot(lab)
    told = {word.removeprefix("./") for word in words}
    told |= {f"{word}.index" for word in told}  # belongs to the file, and goes with it
    changed = {name for name in before if before[name] != after.get(name)} - told
    assert not changed, f"{changed} changed by {ending}"
    assert not [name for name in after if name.endswith(".part") or name.endswith(".lock")], ending


@pytest.mark.parametrize("dismantled", [False, *in_long_runs(True)])
def test_examples_work(attacker: Attacker, inputs: Path, tmp_path: Path, dismantled: bool) -> None:
    """An attack on a command that fails anyway shows nothing."""
    lab = tmp_path / "lab"
    shutil.copytree(inputs, lab, symlinks=True)
    for name, words in EXAMPLES.items():
        if not name.startswith("train"):
            ending = attacker.run(*name.split(), *words, cwd=lab, dismantled=dismantled)
            assert (ending.code, ending.flaw) == (0, ""), ending


def test_some_nonsense(attacker: Attacker, lab: Path, random: np.random.Generator) -> None:
    every = [each for each in parameters() if not each.command.startswith("train")]
    for _ in range(30):
        folder = lab.with_name("attacked")
        shutil.copytree(lab, folder, symlinks=True)
        parameter = every[random.integers(len(every))]
        attack(attacker, folder, parameter.with_value(NONSENSE[random.integers(len(NONSENSE))]))
        shutil.rmtree(folder)


@pytest.mark.long
@pytest.mark.parametrize("name", EXAMPLES)
def test_all_nonsense(attacker: Attacker, lab: Path, name: str) -> None:
    failures = []
    for parameter in (each for each in parameters() if each.command == name):
        for value in NONSENSE[: 1 if parameter.flag else None]:
            folder = lab.with_name("attacked")
            shutil.copytree(lab, folder, symlinks=True)
            try:
                attack(attacker, folder, parameter.with_value(value))
            except AssertionError as failure:
                failures.append(str(failure))
            shutil.rmtree(folder)
    assert not failures, "\n\n".join(failures)
