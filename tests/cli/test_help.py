"""Help and errors of every command: whole sentences, every option described, and the way to the right help."""

import io
import json
import re
import subprocess
import sys
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
    "the document", "where all goes", "end of input leaves", "tell what it is", "tell of games", "is said",
    "come in at", "stop alive", "is worth more.", "held to the truth", "hold players", "goes on",
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


NAMED_OTHERWISE = {
    "objective": "--target", "form": "--format", "open_page": "--open", "rules": "--game", "settings": "--setting",
    "number": "--games",
}  # fmt: skip


def test_descriptions_stand_in_the_order_of_the_parameters() -> None:
    """Where the last paragraph of a docstring has another order, options would go to the wrong parameters."""
    for name, command in every_command():
        for each in command.params:
            if each.param_type_name == "option":
                usual = f"--{each.name.replace('_', '-')}"
                spelt = {part for option in each.opts for part in option.split("/")}
                assert {usual, NAMED_OTHERWISE.get(each.name)} & spelt, f"{name}: {each.name} is {each.opts}"


def test_python_without_docstrings_has_the_same_options(gridlab: Run) -> None:
    words = ("tablebase", "build", "--help")
    done = subprocess.run([sys.executable, "-OO", "-m", "gridlab", *words], capture_output=True, text=True, check=True)
    listed = gridlab(*words)[1].partition("Options:")[2]
    assert listed == done.stdout.partition("Options:")[2] != ""


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


@pytest.mark.parametrize(
    ("board", "reading", "shown"),
    [
        ("[2,1,0,0,1,2,2,1,2]", "2 = X, 1 = O", "XO./.OX/XOX"),
        ("[1,2,0,0,2,1,1,2,1]", "1 = X, 2 = O", "XO./.OX/XOX"),
        ("[1,2,0,0,0,0,0,0,0]", "1 = X, 2 = O", "XO./.../..."),
    ],
)
def test_the_reading_of_a_list_is_told(gridlab: Run, board: str, reading: str, shown: str) -> None:
    out = gridlab("show", "tictactoe", board)[1]
    assert f"\nread with  {reading}\nboard      {shown}\n" in out
    found = json.loads(gridlab("show", "tictactoe", board, "--json")[1])
    assert (found["board"], found["reading"]) == (shown, reading)
    assert "read with" not in gridlab("show", "tictactoe", shown)[1]
    assert "reading" not in json.loads(gridlab("show", "tictactoe", shown, "--json")[1])


@pytest.mark.compiled
def test_other_commands_tell_the_reading_on_stderr(gridlab: Run) -> None:
    board = "[2,0,0,0,0,0,0,0,0]"
    said = "the list of cells was read with 2 = X, 1 = O\n"
    assert said in gridlab("solve", "tictactoe", board)[2]
    assert gridlab("solve", "tictactoe", board, "--quiet")[2] == ""
    assert said in gridlab("tablebase", "probe", "squava", str([2, *[0] * 24]))[2]
    assert "read with" not in gridlab("tablebase", "probe", "2048:2x2", "[[2, 0], [0, 2]]")[2]


def test_a_board_with_minus_signs(gridlab: Run) -> None:
    rows = ["X X X X X", "− − − − −", "− − O − −", "− O − − −", "− − − − −"]
    out = gridlab("show", "tictactoe5", "\n".join(rows))[1]
    assert "board      XXXXX/...../..O../.O.../.....\n" in out


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["grade", "tictactoe", "command=./nothere"], 2, "./nothere cannot be started: there is no such file"),
        (
            ["match", "tictactoe", "random", "command=./nothere"],
            2,
            "./nothere cannot be started: there is no such file",
        ),
        (["exam", "sit", "tictactoe-v1", "command=./nothere"], 2, "./nothere cannot be started: there is no such file"),
        (["grade", "tictactoe", "./bot --fast"], 2, "if it is a program, write 'command=./bot --fast'"),
        (["grade", "./bot"], 2, "gridlab grade tictactoe random; a program of your own is command=./bot"),
        (
            ["match", "random", "perfect"],
            2,
            "a game and two players are needed: gridlab match tictactoe random perfect",
        ),
        (["match", "tictactoe", "a", "b", "c"], 2, "a match is between two players, not 3"),
        (["grade", "random", "perfect"], 2, "'random' is not a game; name one of tictactoe"),
    ],
)
def test_what_is_wrong_with_players_is_told_before_anything_is_played(
    gridlab: Run, words: list[str], code: int, sentence: str
) -> None:
    found, out, err = gridlab(*words)
    assert (found, out) == (code, "")
    assert sentence in err


@pytest.mark.compiled
def test_the_game_comes_first_or_is_named(gridlab: Run) -> None:
    asked = ("random", "perfect", "--games", "2", "--seed", "1", "--quiet", "--workers", "1")
    assert gridlab("match", "tictactoe", *asked)[:2] == gridlab("match", *asked, "--game", "tictactoe")[:2]


@pytest.mark.compiled
def test_the_ending_says_the_format(gridlab: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    gridlab("2048", "generate", "-g", "1", "-d", "2", "--max-moves", "5", "--seed", "1", "-o", "f.csv", "--quiet")
    code, out, err = gridlab("2048", "export", "f.csv", "-o", "q.npz")
    assert (code, out, "\n1 game\n" in f"\n{err}") == (0, "q.npz\n", True)
    assert gridlab("2048", "verify", "q.npz", "--max-moves", "5")[0] == 0
    code, _, err = gridlab("2048", "export", "f.csv")
    assert (code, "say what to write: --format with one of json, jsonl" in err) == (2, True)
    code, _, err = gridlab("2048", "export", "f.csv", "-o", "q.xls")
    assert (code, "q.xls does not say its format; end the name in .jsonl" in err) == (2, True)
    gridlab("terminals", "build", "tictactoe", "-o", "wins", "--quiet")
    assert gridlab("terminals", "export", "wins", "-o", "wins.csv", "--quiet")[0] == 0
    assert (tmp_path / "wins.csv").read_text().startswith("packed,board,ply")
    assert "wins.txt does not say its format" in gridlab("terminals", "export", "wins", "-o", "wins.txt")[2]


def test_q_leaves_a_game(gridlab: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for line in ("q\n", "resign\nq\n"):
        monkeypatch.setattr("sys.stdin", io.StringIO(line))
        code, out, _ = gridlab("play", "tictactoe", "--against", "nobody")
        assert (code, out.endswith("goodbye\n")) == (0, True)
