"""After the tour: what it says to type next runs as printed, and README says the same and is true."""

import re
import tomllib
from pathlib import Path

import pytest

from gridlab.tour.run import next_commands
from tests.cli.parsing import parse
from tests.typed import health_of_the_web_lab, outcome

ROOT = Path(__file__).parent.parent.parent
README, MAKEFILE = ((ROOT / name).read_text() for name in ("README.md", "Makefile"))
SERVE, PLAY, GRADE = (each.command for each in next_commands())


@pytest.mark.compiled
def test_the_web_lab_is_served() -> None:
    assert health_of_the_web_lab(SERVE) == 200


@pytest.mark.compiled
def test_a_game_is_played() -> None:
    code, said = outcome(PLAY, "22\n")
    assert code == 0, said
    assert "O plays" in said


@pytest.mark.compiled
def test_a_player_is_graded() -> None:
    code, said = outcome(GRADE)
    assert code == 0, said
    assert re.search(r"^all +431 +\d+\.\d%", said, re.MULTILINE), said


def test_readme_says_what_the_tour_says() -> None:
    shown = re.findall(r"^    (\S.*)$", README, re.MULTILINE)
    assert shown == [each.command for each in next_commands(".venv/bin/gridlab")]


def test_readme_has_a_command_for_every_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (table,) = re.findall(r"^\| result .*?\n\n", README, re.MULTILINE | re.DOTALL)
    rows = table.strip().splitlines()[2:]
    commands = [re.search(r"\| `([^`]+)` \|$", row) for row in rows]
    assert all(commands), "each row ends with a command"
    for command in (each[1] for each in commands if each):
        program, _, arguments = command.partition(" ")
        if program == "gridlab":
            parse(arguments)
        elif program == "python":
            assert (ROOT / arguments.split()[0]).is_file()
        else:
            assert re.search(rf"^{arguments}:", MAKEFILE, re.MULTILINE)


def test_readme_lists_the_extras_that_there_are() -> None:
    (table,) = re.findall(r"^\| extra .*?\n\n", README, re.MULTILINE | re.DOTALL)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert sorted(re.findall(r"^\| `([a-z]+)`", table, re.MULTILINE)) == sorted(extras)


def test_the_tour_is_set_up_with_the_web_lab_and_plots() -> None:
    """What that installs, and that it is enough, `make test-long` sees in a fresh clone."""
    assert re.search(r"^\.venv/\.tour:(?:.*\n\t)+@\$\(UV\).* --extra web --extra plots$", MAKEFILE, re.MULTILINE)
