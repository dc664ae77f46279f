"""The front of the command line: help by what people want, version, completion, the doctor."""

import json
import logging
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gridlab import __version__, cli
from gridlab.cli import SECTIONS
from gridlab.core.progress import bar
from gridlab.core.run import remedy
from gridlab.tour import doctor
from tests.attacks.commands import commands as every_command
from tests.conftest import Run
from tests.screen import screen


def complete(words: str, position: int) -> list[str]:
    """What bash would offer."""
    environment = os.environ | {"_GRIDLAB_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(position)}
    program = "import sys; from gridlab.__main__ import main; sys.argv = ['gridlab']; main()"
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    return done.stdout.split()


def test_every_command_has_its_section_and_one_plain_line(gridlab: Run) -> None:
    code, out, _ = gridlab("--help")
    assert code == 0
    for title, commands in SECTIONS.items():
        assert f"\n{title}:\n" in out
        for name, (_, line) in commands.items():
            assert f"  {name} " in out
            assert f"{line}\n" in out, "a line that is not broken"
    known = {each.name for each in cli.app.registered_commands} | {each.name for each in cli.app.registered_groups}
    assert known == {name for commands in SECTIONS.values() for name in commands}


def test_h_is_help_everywhere(gridlab: Run) -> None:
    every = [name.split() for name, _ in every_command()]
    groups = [[name] for name in {words[0] for words in every if len(words) > 1}]
    for words in ([], *groups, *every):
        code, out, _ = gridlab(*words, "-h")
        assert (code, out.startswith(" ".join(["Usage: gridlab", *words]))) == (0, True), words


def test_warnings_stand_above_the_bar_and_colour_is_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the house logs, and what it refuses, on a terminal and elsewhere."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    with screen() as terminal:
        monkeypatch.setattr(sys, "stderr", terminal.stream)
        assert cli.run(["census", "nonsense"]) == 2
        with bar(10, "counting", "things", shown=True):
            cli.Warnings().emit(logging.makeLogRecord({"msg": "take %s", "args": ("care",)}))
        monkeypatch.undo()
    assert "\x1b[1;38;5;196merror:\x1b[0m 'nonsense' is not a game" in terminal.text
    assert "\x1b[38;5;130mtake care\x1b[0m" in terminal.text
    assert terminal.lines[1] == "take care"


def test_version(gridlab: Run) -> None:
    assert gridlab("--version")[:2] == (0, f"gridlab {__version__}\n")


def test_completion_of_commands_games_and_players() -> None:
    assert complete("gridlab ta", 1) == ["tablebase"]
    assert complete("gridlab census tic", 2) == ["tictactoe", "tictactoe4", "tictactoe5"]
    assert "alpha-beta" in complete("gridlab match al", 2)
    assert "ntuple" in complete("gridlab 2048 evaluate nt", 3)


@pytest.mark.compiled
def test_the_doctor_finds_all_well(gridlab: Run) -> None:
    code, out, _ = gridlab("doctor")
    assert code == 0
    assert f"gridlab {__version__}, Python " in out
    assert "file game2048/learn/shipped/2048.ntuple: " in out
    assert out.endswith("all is well\n")
    found = json.loads(gridlab("doctor", "--json")[1])
    assert found["sound"]
    assert {each["name"] for each in found["extras"]} >= {"export", "learn", "onnx", "web"}


def test_the_doctor_names_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    real = doctor._version
    monkeypatch.setattr(doctor, "_version", lambda name: "missing" if name == "torch" else real(name))
    missing = {each.name: each.state for each in doctor.extras()}
    assert missing["learn"] == f"missing torch: {remedy('learn')}"
    assert missing["web"] == "there"


def test_the_doctor_names_files_that_are_altered_or_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shutil.copy(doctor.PACKAGE / doctor.SUMS, tmp_path)
    (tmp_path / "game2048" / "learn" / "shipped").mkdir(parents=True)
    (tmp_path / "game2048" / "learn" / "shipped" / "2048.ntuple").write_bytes(b"no network")
    monkeypatch.setattr(doctor, "PACKAGE", tmp_path)
    flaws = {each.file: each.flaw for each in doctor.shipped()}
    assert flaws.pop("game2048/learn/shipped/2048.ntuple") == "altered: install gridlab again"
    assert set(flaws.values()) == {"missing: install gridlab again"}


def test_checksums_are_those_of_the_files() -> None:
    assert (doctor.PACKAGE / doctor.SUMS).read_text() == doctor.sums(), "python -m gridlab.tour.doctor makes them again"


def test_memory_that_runs_out_in_an_import_is_told(monkeypatch: pytest.MonkeyPatch, gridlab: Run) -> None:
    def run_out(*_: object) -> None:
        try:
            raise MemoryError
        except MemoryError as error:
            raise RuntimeError("Error calling __set_name__") from error

    monkeypatch.setattr("gridlab.tour.doctor.check_up", run_out)
    code, _, err = gridlab("doctor")
    assert (code, err.startswith("error: there is not enough memory for this")) == (2, True)
