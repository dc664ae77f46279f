"""The command line as a user meets it: data, errors, exit codes, speed."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.attacks.commands import EXAMPLES
from tests.conftest import Python, Run

ROOT = Path(__file__).parents[2]
ALL = [tuple(words.split()) for words in (*EXAMPLES, "tour", "warm")]
COUNTS = ["legal", "ongoing", "x_wins", "o_wins", "draws"]
ILLEGAL = ["illegal", "two_winners", "play_after_win", "no_last_move"]


@pytest.mark.compiled
def test_census_as_json(gridlab: Run) -> None:
    code, out, _ = gridlab("census", "tictactoe", "--json")
    report = json.loads(out)
    assert code == 0
    assert list(report) == ["rules", "plies", "totals", "games"]
    assert [ply["ply"] for ply in report["plies"]] == list(range(10))
    assert list(report["plies"][5]) == [
        "ply", "crosses", "noughts", "empty", "arrangements", *COUNTS, "canonical", *ILLEGAL,
    ]  # fmt: skip
    assert list(report["totals"]) == ["arrangements", *COUNTS, "canonical", *ILLEGAL]
    assert [report["totals"][reason] for reason in ILLEGAL] == [568, 156, 412, 0]
    assert list(report["totals"]["canonical"]) == COUNTS
    assert (report["totals"]["arrangements"], report["totals"]["legal"]) == (6046, 5478)
    assert report["totals"]["canonical"]["legal"] == 765
    assert report["rules"] == "3x3:3"


@pytest.mark.compiled
def test_census_for_people(gridlab: Run) -> None:
    code, out, err = gridlab("census", "tictactoe", "--quiet", "--workers", "1")
    assert (code, err) == (0, "")
    assert "6,046 - 568 that no game leads to = 5,478 legal positions\n   412 play on" in out
    assert "all                      6,046  5,478    4,520     626     316     16" in out


@pytest.mark.compiled
@pytest.mark.parametrize("option", ["-o", "--out", "--output"])
def test_states_to_a_file(gridlab: Run, tmp_path: Path, option: str) -> None:
    target = tmp_path / "new" / "states.csv"
    code, out, err = gridlab("states", "3x3:3", "--canonical", option, str(target))
    lines = target.read_text().splitlines()
    assert (code, out) == (0, "")
    assert f"{target}: 765 positions" in err
    assert lines[0] == "ply,crosses,noughts,board,outcome"
    assert len(lines) == 766
    assert all(line.count(",") == 4 for line in lines)


@pytest.mark.compiled
def test_states_to_the_terminal(gridlab: Run) -> None:
    code, out, _ = gridlab("states", "tictactoe")
    assert code == 0
    assert len(out.splitlines()) == 5479
    assert "5,7,24,XXX/OO./...,x_wins" in out


def test_lines(gridlab: Run) -> None:
    code, out, _ = gridlab("lines", "tictactoe5")
    assert code == 0
    assert out.startswith("12 winning lines of 5x5:5, from 8 base masks\n")
    report = json.loads(gridlab("lines", "squava", "--json")[1])
    assert (report["winning"]["count"], report["losing"]["count"]) == (28, 48)


def test_a_position_is_shown(gridlab: Run) -> None:
    code, out, _ = gridlab("show", "tictactoe", "X.O/.X./O..", "--play", "33")
    assert code == 0
    assert " 1 [X] .  O    0  1  2\n 2  . [X] .    3  4  5" in out
    assert "outcome    x_wins" in out
    report = json.loads(gridlab("show", "tictactoe", "--play", "22 11", "--json")[1])
    assert (report["board"], report["legal"], report["to_move"]) == ("O../.X./...", True, "X")
    assert report["moves"] == ["12", "13", "21", "23", "31", "32", "33"]
    assert (report["canonical"], report["symmetry"], report["orbit"]) == (".../.X./..O", "rotate 180", 4)


def test_a_position_that_no_game_leads_to_is_answered_with_one(gridlab: Run) -> None:
    code, out, _ = gridlab("show", "tictactoe", "XXX/OOO/...")
    assert code == 1
    assert "legal      no: both players have completed a line" in out
    assert "o_wins" not in out
    report = json.loads(gridlab("show", "tictactoe", "XXX/OOO/...", "--json")[1])
    assert (report["outcome"], report["to_move"], report["moves"]) == (None, None, [])


@pytest.mark.parametrize("crosses", ["0b101100001", "353", "0x161"])
def test_a_position_as_two_binary_numbers(gridlab: Run, crosses: str) -> None:
    code, out, _ = gridlab("show", "tictactoe", "--crosses", crosses, "--noughts", "0b000010110")
    assert code == 0
    assert "crosses    101100001 = 353, 4 stones\nnoughts    000010110 = 22, 3 stones\n" in out
    assert "board      XOO/.OX/X.X" in out
    assert "bit of each cell\n" in out


@pytest.mark.parametrize(
    ("crosses", "noughts", "reason"),
    [
        ("3", "1", "a cell holds both X and O"),
        ("0b1111111111", "0", "there are stones outside the board"),
        ("0b111", "0b111000", "both players have completed a line"),
        ("0b101100001", "0b010010010", "play went on after the game was over"),
        ("7", "0", "there are too many crosses"),
    ],
)
def test_binary_numbers_that_are_no_position(gridlab: Run, crosses: str, noughts: str, reason: str) -> None:
    code, out, _ = gridlab("show", "tictactoe", "--crosses", crosses, "--noughts", noughts)
    assert (code, reason in out) == (1, True)
    report = json.loads(gridlab("show", "tictactoe", "--crosses", crosses, "--noughts", noughts, "--json")[1])
    assert (report["legal"], reason in report["reason"]) == (False, True)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("outcome", "number"),
    [("all", 5478), ("ongoing", 4520), ("x", 626), ("o", 316), ("draw", 16), ("not-won", 4536)],
)
def test_states_of_an_outcome(gridlab: Run, outcome: str, number: int) -> None:
    code, out, _ = gridlab("states", "tictactoe", "--outcome", outcome)
    assert (code, len(out.splitlines())) == (0, number + 1)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["census", "chess"], "'chess' is not a game; name one of tictactoe"),
        (["census", "5x5:9"], "the winning length 9 does not fit; 1 to 5 would"),
        (["census", "6x6:4"], "takes boards of up to 25 cells"),
        (["states", "8x8:5"], "64 cells are too many"),
        (["lines", "3x3"], "'3x3' is not a game"),
        (["census"], "Missing argument 'GAME'"),
        (["census", "tictactoe", "--workers", "0"], "'0' is not a whole number from 1 to 1024"),
        (["census", "tictactoe", "--what"], "No such option: --what"),
        (["show", "tictactoe", "X.O/.X."], "has 2 rows; this game has 3"),
        (["show", "tictactoe", "X.O/.X/O.X"], "row 2 of the board, '.X', has 2 cells; this game has 3"),
        (["show", "tictactoe", "X.O/.Z./O.X"], "a board holds X, O and . (or _ or -), not 'Z'"),
        (["show", "tictactoe", "X../.../...", "--play", "11"], "11 is occupied in X../.../..."),
        (["show", "tictactoe", "--play", "44"], "'44' is not a cell of a 3x3 board; cells are 11 (top left) to 33"),
        (["show", "tictactoe", "XXX/OO./...", "--play", "33"], "the game is over (x_wins)"),
        (["dance"], "No such command 'dance'"),
        pytest.param(["states", "4x5:5", "--quiet"], "738,011,991 legal positions", marks=pytest.mark.compiled),
        pytest.param(["states", "3x3:3", "-o", "/dev/null/x.csv"], "cannot write", marks=pytest.mark.compiled),
    ],
)
def test_wrong_use_is_one_sentence_and_exit_code_two(gridlab: Run, arguments: list[str], sentence: str) -> None:
    code, out, err = gridlab(*arguments)
    said = [line for line in err.splitlines() if line != "compiling, first run only"]
    assert (code, out) == (2, "")
    assert len(said) == 1
    assert said[0].startswith("error: ")
    assert sentence in said[0]


@pytest.mark.parametrize("words", [(), *sorted({each[:i] for each in ALL for i in range(1, len(each) + 1)})])
def test_help_of_every_command_and_group_by_its_short_name(gridlab: Run, words: tuple[str, ...]) -> None:
    code, out, err = gridlab(*words, "-h")
    assert (code, err) == (0, "")
    assert out.startswith(f"Usage: {' '.join(['gridlab', *words])} [")
    assert gridlab(*words, "--help")[1] == out


@pytest.mark.parametrize("script", ["generate_dataset.py", "tools/analyze_dataset.py", "tools/packages.py"])
def test_a_script_names_itself_in_its_help(script: str) -> None:
    for option in ("-h", "--help"):
        done = subprocess.run([sys.executable, ROOT / script, option], capture_output=True, text=True, check=True)
        assert done.stdout.lower().startswith(f"usage: {Path(script).name} [")


def test_a_script_refuses_under_its_own_name() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "tools/analyze_dataset.py"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: Missing argument 'FILE'; see analyze_dataset.py --help\n"


def test_the_help_of_2048_names_all_it_does(gridlab: Run) -> None:
    assert "measure players; make, check" in " ".join(gridlab("2048", "--help")[1].split())
    assert "datasets of games" in " ".join(gridlab("--help")[1].split())


def test_without_arguments_help_is_shown(gridlab: Run) -> None:
    code, out, _ = gridlab()
    assert code == 0
    assert "census" in out


def test_a_reader_that_leaves_is_no_error() -> None:
    program = f"{sys.executable} -m gridlab states 2x3:2 | head -n 1"
    done = subprocess.run(program, shell=True, capture_output=True, text=True, check=True)
    assert done.stdout == "ply,crosses,noughts,board,outcome\n"
    assert "Error" not in done.stderr


@pytest.mark.compiled
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_is_exit_code_130() -> None:
    """The listing of 4x4:4, 9,722,011 lines, is stopped when its first lines have come."""
    command = [sys.executable, "-m", "gridlab", "states", "4x4:4"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        assert run.stdout.readline() == b"ply,crosses,noughts,board,outcome\n"
        run.send_signal(signal.SIGINT)
        run.stdout.read()
        assert run.wait(10) == 130
        assert run.stderr.read().splitlines()[-1] == b"interrupted"


@pytest.mark.parametrize("words", [["--help"], ["show", "tictactoe"], ["lines", "squava"], ["games", "verify", "g"]])
def test_commands_without_kernels_need_no_compiler(python: Python, tmp_path: Path, words: list[str]) -> None:
    game = {"rules": "3x3:3", "x": "a", "o": "b", "seed": 0, "opening": 0, "result": "x_wins", "reason": "played"}
    (tmp_path / "g").write_text(json.dumps({**game, "moves": [11, 21, 12, 22, 13]}) + "\n")
    done = python(
        f"import os, sys; os.chdir({str(tmp_path)!r}); from gridlab.cli import run; assert run({words}) == 0;"
        "print([name for name in ('numba', 'numpy') if name in sys.modules])"
    )
    assert done.stdout.endswith("[]\n"), done.stderr
