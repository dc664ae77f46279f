"""Long commands tell how far they are: a bar on a terminal, a line now and then elsewhere, nothing with --quiet."""

import io
import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from gridlab import cli
from gridlab.core import progress
from gridlab.inarow.learn.networks import SHIPPED
from tests.attacks.commands import EXAMPLES, INPUTS, TOO_LONG_HERE, commands
from tests.screen import screen

pytestmark = pytest.mark.skipif(os.name == "nt", reason="terminals of POSIX")

# What each long command says it does; those that answer at once have no bar.
LONG = {
    "census": "census of 3x3:3",
    "states": "states of 3x3:3",
    "solve": "solving 3x3:3",
    "best-first": "searching",
    "match": "random – heuristic",
    "tournament": "tournament",
    "grade": "random",
    "games verify": "verifying records.jsonl",
    "terminals build": "building 3x3:3",
    "terminals verify": "verifying 3x3:3",
    "terminals export": "exporting 3x3:3",
    "terminals find": "searching 3x3:3",
    "terminals adopt": "adopting 3x3:3",
    "terminals merge": "merging 3x3:3",
    "tablebase build": "3x3:3 plies 1 and 0",
    "tablebase verify": "unpacking",
    "tablebase sample": "labelling",
    "tablebase export": "labelling",
    "2048 evaluate": "expectimax depth=1",
    "2048 generate": "Playing games",
    "2048 verify": "verifying games.jsonl",
    "2048 stats": "reading games.jsonl",
    "2048 export": "exporting games.jsonl",
    "2048 split": "sharing out",
    "exam make": "questions",
    "exam sit": "random",
    "train squava": "training, preset best",
    "train 2048": "learning 2048",
}
QUICK = {
    "doctor", "lines", "show", "play", "players", "terminals show", "terminals contains", "terminals plot",
    "tablebase probe", "tablebase stats", "2048 solve", "cluster", "train info", "train inspect", "train export",
    "train import", "exam list", "exam show", "exam mark", "exam print",
}  # fmt: skip
TRAINING = [name for name in LONG if name.startswith("train")]
AMOUNT = r" *[\d.]+[kMG]?/[\d.]+[kMG]? \[\d\d:\d\d<\d\d:\d\d, +[\d.]+[kM]?(s/ \S+|\S* \S+/s)"


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small sound file of every kind."""
    folder = tmp_path_factory.mktemp("inputs")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for words in INPUTS.values():
            assert cli.run([*words, "--quiet"]) == 0
    shutil.copytree(folder / "wins", folder / "bare", ignore=lambda *_: ["manifest.json", "README.md"])
    (folder / "input.txt").write_text("3\nX.O\n.X.\nO..\nX\n")
    shutil.copy(SHIPPED, folder / "net.safetensors")
    return folder


@pytest.fixture
def lab(inputs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(inputs, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GRIDLAB_TABLEBASE", raising=False)
    return tmp_path


def words_of(name: str) -> list[str]:
    return [*name.split(), *(word for word in EXAMPLES[name] if word != "--quiet")]


def walk(*names: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("name", [*names, *(pytest.param(each, marks=pytest.mark.long) for each in TRAINING)])


def test_every_command_is_long_or_quick() -> None:
    named = {name for name, _ in commands()}
    assert named <= LONG.keys() | QUICK | set(TOO_LONG_HERE)
    assert LONG.keys() <= named


@walk(*(name for name in LONG if name not in TRAINING))
def test_a_bar_stays_on_the_terminal(name: str, lab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "SHORT", 0.0)
    with screen() as terminal:
        monkeypatch.setattr(sys, "stderr", terminal.stream)
        assert cli.run(words_of(name)) == 0
        monkeypatch.undo()
    bars = [line for line in terminal.lines if "|" in line]
    whole = re.compile(re.escape(LONG[name]) + r": 100%\|█+\|" + AMOUNT)
    assert any(map(whole.match, bars)), terminal.lines
    assert all("100%|" in line for line in bars), "bars of parts, and what was not finished, are gone"


@walk(*(name for name in LONG if name not in TRAINING))
def test_lines_where_there_is_no_terminal(name: str, lab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "FIRST_LINE", 0.0)
    monkeypatch.setattr(sys, "stderr", log := io.StringIO())
    assert cli.run(words_of(name)) == 0
    said = log.getvalue()
    assert re.search(re.escape(LONG[name]) + ": 100%" + AMOUNT, said), said
    assert not re.search("[\r\x1b█]", said), said


@walk(
    "census", "tablebase build", "tablebase stats", "tablebase sample", "tablebase export", "2048 verify", "2048 stats",
    "2048 export", "2048 split", "games verify",
)  # fmt: skip
def test_quiet_is_quiet(name: str, lab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "FIRST_LINE", 0.0)
    monkeypatch.setattr(sys, "stderr", log := io.StringIO())
    assert cli.run([*words_of(name), "--quiet"]) == 0
    assert log.getvalue() == ""
