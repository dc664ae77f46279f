"""Help and errors of every command: whole sentences, every option described, and the way to the right help."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from gridlab.cli import SECTIONS, app
from tests.attacks.commands import commands as every_command
from tests.cli.test_front import complete
from tests.conftest import Run

ROOT = Path(__file__).parents[2]
CUT = re.compile(r"(…|\.\.\.)$", re.MULTILINE)
STIFF = (
    "the document", "where all goes", "end of input leaves", "tell what it is", "tell of games", "is said", "come in at",
    "stop alive", "is worth more.", "held to the truth", "hold players", "goes on",
)  # fmt: skip


def groups(group: Any = None, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every group of commands, the first of all included."""
    group = group or typer.main.get_command(app)
    yield path
    for name, each in group.commands.items():
        if hasattr(each, "commands"):
            yield from groups(each, (*path, name))


EVERY = [*groups(), *(tuple(name.split()) for name, _ in every_command())]


@pytest.mark.parametrize("width", [80, 120])
def test_no_help_is_cut_or_stiff(gridlab: Run, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERMINAL_WIDTH", str(width))
    for words in EVERY:
        code, out, err = gridlab(*words, "--help")
        usage, _, described = out.partition("\n\n")
        assert (code, err) == (0, ""), words
        assert usage.startswith(" ".join(["Usage: gridlab", *words])), words
        assert not CUT.search(re.sub(r"[A-Z]\.\.\.$", "", described, flags=re.MULTILINE)), f"{words}\n{out}"
        assert max(map(len, out.splitlines())) <= width, words
        plain = " ".join(out.lower().split())
        assert not [each for each in STIFF if each in plain], f"{words}\n{out}"


def test_every_parameter_of_every_command_is_described() -> None:
    for name, command in every_command():
        assert command.help, name
        for each in command.params:
            text = (each.help or "").strip()
            assert text, f"{name}: {each.name} is not described"
            assert text[0].isupper() or text[0].isdigit() or text.split()[0].islower(), f"{name} {each.name}: {text}"
            assert text.endswith((".", ")")), f"{name}, {each.name}: {text}"


def test_an_option_is_spelt_alike_everywhere() -> None:
    """What is written is named by --out, what is played by --game, or by GAME in first place."""
    for name, command in every_command():
        options = {spelling for each in command.params for spelling in each.opts}
        assert {"-o", "--out", "--output"} <= options or not {"-o", "--out", "--output"} & options, name
        assert "--game" in options or "--rules" not in options, name
        places = [each.metavar or "" for each in command.params if each.param_type_name == "argument"]
        assert not any("GAME" in each for each in places[1:]), name


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_wrong_use_points_to_the_help_of_the_command(gridlab: Run, words: tuple[str, ...]) -> None:
    code, out, err = gridlab(*words, "--no-such-option")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.endswith(f"; see {' '.join(['gridlab', *words])} --help\n")


def test_a_choice_is_listed_in_one_line(gridlab: Run) -> None:
    code, _, err = gridlab("states", "tictactoe", "--outcome", "never")
    assert code == 2
    assert "\\" not in err
    assert err.endswith("; see gridlab states --help\n")


def test_the_page_of_commands_has_the_order_of_the_help() -> None:
    page = (ROOT / "docs" / "commands.md").read_text()
    titles = re.findall(r"^## (.*)$", page, re.MULTILINE)
    assert titles[: len(SECTIONS)] == list(SECTIONS)
    for title, listed in SECTIONS.items():
        section = page.partition(f"## {title}\n")[2].partition("\n## ")[0]
        rows = [cell for row in section.splitlines() if row.startswith("| `") for cell in [row.split(" | ")[0]]]
        named = [name for row in rows for name in re.findall(r"`gridlab ([\w-]+)", row)]
        assert list(dict.fromkeys(named)) == list(listed), title


def test_exams_are_completed() -> None:
    assert "squava-v1" in complete("gridlab exam sit squ", 3)
    assert complete("gridlab exam mark squ", 3) == complete("gridlab exam show squ", 3) != []


def test_a_game_and_then_its_players_are_completed() -> None:
    assert "tictactoe" in complete("gridlab grade tic", 2)
    assert complete("gridlab match 2048 nt", 3) == ["ntuple"]
