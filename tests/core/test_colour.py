"""Colour: when there is any, that it changes nothing but colours, and that it can be read."""

import io
import os
import re

import pytest

from gridlab import Position, cli
from gridlab.core import draw
from gridlab.core import draw as colour
from gridlab.core.draw import boards, has_colour
from gridlab.games import game
from tests.conftest import Python
from tests.screen import screen

ESCAPE = re.compile(r"\x1b\[([\d;]+)m(.*?)\x1b\[0m")
LEVELS = (0, 95, 135, 175, 215, 255)


@pytest.fixture
def coloured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.mark.skipif(os.name == "nt", reason="terminals of POSIX")
@pytest.mark.parametrize(
    ("environment", "terminal", "pipe"),
    [
        ({}, True, False),
        ({"NO_COLOR": "1"}, False, False),
        ({"NO_COLOR": ""}, True, False),  # said, but empty: no-color.org
        ({"TERM": "dumb"}, False, False),
        ({"FORCE_COLOR": "1"}, True, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, True, True),
    ],
)
def test_who_gets_colours(
    environment: dict[str, str], terminal: bool, pipe: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with screen() as shown:
        assert has_colour(shown.stream) == terminal
    assert has_colour(io.StringIO()) == pipe


def test_stones_values_and_the_last_move(coloured: None) -> None:
    drawn = draw.cells_text(["X", "+3", "O", "-12", "=", ".", "[", ".", "+1"], 3, [8]).replace("[ ", ". ")
    found = ESCAPE.findall(boards(f"X is to move and wins\n{drawn}\nbest line: 33", last=(0, 2)))
    assert found == [
        (colour.FIRST, "X"),
        (colour.FIRST, "X"), (colour.WON, "+3"), (f"{colour.SECOND};{colour.LAST}", "O"),
        (colour.LOST, "-12"), (colour.DRAWN, "="),
        (f"{colour.WON};{colour.BEST}", "[+1]"),
    ]  # fmt: skip


def test_tiles_are_painted_as_wide_as_they_are(coloured: None) -> None:
    drawn = draw.tiles_text([2, 0, 131072, 0, 16, 2048], 3)
    assert ESCAPE.findall(boards(drawn)) == [
        ("48;5;230;38;5;16", "     2"),
        ("48;5;53;38;5;231", "131072"),
        ("48;5;209;38;5;16", "    16"),
        ("48;5;76;38;5;16", "  2048"),
    ]
    for table in ("    4    16    3", "2 4 8", " 2  .  .  .", "   4"):
        assert boards(table) == table, "no tiles"


@pytest.mark.parametrize(
    "words",
    [
        ["show", "4x4:4-3", "X.O./.X../O..X/...."],
        ["solve", "3x3:3", "X.O/.X./O.."],
        ["lines", "3x3:3"],
        ["tablebase", "probe", "2048:2x2", "2 ./. 4"],
    ],
)
def test_nothing_but_colours_is_added(
    words: list[str], capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert cli.run(words) == 0
    plain = capfd.readouterr().out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert cli.run(words) == 0
    painted = capfd.readouterr().out
    assert "\x1b" not in plain
    assert len(ESCAPE.findall(painted)) > 1
    assert re.sub(r"\x1b\[[\d;]+m", "", painted) == plain
    if words[0] != "lines":
        assert cli.run([*words, "--json"]) == 0
        assert "\x1b" not in capfd.readouterr().out, "machines get none"


def test_texts_themselves_have_none(coloured: None) -> None:
    position = Position.parse("X.O/.X./...", game("3x3:3"))
    assert "\x1b" not in str(position) + position.draw() + position._repr_svg_()


def test_a_real_pipe_has_none(python: Python) -> None:
    program = "from gridlab.cli import run; run(['show', '3x3:3', 'X.O/.X./...']); run(['show', 'nonsense'])"
    done = python(program, TERM="xterm-256color", NO_COLOR="")
    assert "\x1b" not in done.stdout + done.stderr
    assert "\x1b" in python(program, FORCE_COLOR="1", NO_COLOR="").stdout


def test_what_is_suspicious_is_marked_by_more_than_colour(coloured: None) -> None:
    text = "Total games: 1\n⚠️ no move goes up\nwrong: the index\nextra learn: missing torch\nwrongly"
    assert [line for _, line in ESCAPE.findall(colour.flags(text))] == text.splitlines()[1:4]


def luminance(number: int) -> float:
    """Of one of the 256 colours, as WCAG has it."""
    cube = number - 16
    parts = (cube // 36, cube // 6 % 6, cube % 6)
    levels = [LEVELS[part] for part in parts] if number < 232 else [8 + 10 * (number - 232)] * 3
    linear = [each / 255 / 12.92 if each <= 10 else ((each / 255 + 0.055) / 1.055) ** 2.4 for each in levels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: int, other: int) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_colours_can_be_read_on_black_and_on_white() -> None:
    black, white = 16, 231
    styles = (colour.FIRST, colour.SECOND, colour.WON, colour.LOST, colour.DRAWN, colour.ERROR, colour.WARNING)
    for style in styles:
        number = int(style.rpartition(";")[2])
        assert min(contrast(number, black), contrast(number, white)) > 3.9, style
    for ground, text in colour.TILES:
        assert contrast(ground, text) > 5, (ground, text)
    assert contrast(black, white) == pytest.approx(21)
