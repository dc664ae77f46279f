"""`gridlab 2048` and `gridlab play 2048` on the command line."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from gridlab.game2048.datasets.verify import verify
from tests.conftest import Run


@pytest.mark.compiled
def test_evaluate_as_json(gridlab: Run) -> None:
    arguments = ["2048", "evaluate", "expectimax evaluator=spec depth=2", "--games", "5", "--seed", "1", "--json"]
    code, out, _ = gridlab(*arguments, "--workers", "1", "--quiet")
    found = json.loads(out)
    assert code == 0
    assert {"games", "mean_score", "mean_score_interval", "tile_rates", "moves_per_second"} <= set(found)
    assert found["games"] == 5
    assert found["mean_score_interval"][0] < found["mean_score"] < found["mean_score_interval"][1]
    again = json.loads(gridlab(*arguments, "--workers", "2", "--quiet")[1])
    assert {**found, "moves_per_second": 0} == {**again, "moves_per_second": 0}


def test_evaluate_for_people(gridlab: Run) -> None:
    code, out, _ = gridlab("2048", "evaluate", "random", "--games", "4", "--rules", "2048:3x3:0.5", "--quiet")
    assert code == 0
    assert out.startswith("2048:3x3:0.5, 4 games, seed 0\nrandom\nmean score ")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["clever"], "'clever' is not a player; there are random, expectimax"),
        (["random", "--rules", "4x4"], "'4x4' is not a game of 2048"),
        (["random", "--games", "0"], "Invalid value for '--games'"),
        (["random", "--seed", "-3"], "'-3' is not a whole number from 0"),
    ],
)
def test_wrong_use_is_one_sentence(gridlab: Run, arguments: list[str], sentence: str) -> None:
    code, out, err = gridlab("2048", "evaluate", *arguments)
    assert (code, out) == (2, "")
    assert sentence in err
    assert "Traceback" not in err


@pytest.mark.compiled
def test_play_until_the_input_ends() -> None:
    command = [sys.executable, "-m", "gridlab", "play", "2048", "--seed", "1"]
    done = subprocess.run(command, input="left\nvalues\nhint\n", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("goodbye\n")
    assert "the best move is " in done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.compiled
def test_games_played_are_recorded(gridlab: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "games" / "mine.jsonl"
    command = ["play", "2048", "--against", "expectimax depth=1", "--seed", "1"]
    typed = "auto\nundo\nundo\nauto\nnew\nauto\nnew\nleft\nup\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    code, _, err = gridlab(*command, "--out", str(path))
    assert code == 0, err
    found = verify(path)
    assert (found.sound, found.games) == (True, 2)
    for name, complaint in (("mine.txt", "end it in .jsonl"), ("", "it is a folder")):
        code, _, err = gridlab(*command, "--out", str(tmp_path / name))
        assert (code, complaint in err) == (2, True)
    command[1] = "2048:5x5"
    code, _, err = gridlab(*command, "--out", str(path))
    assert (code, "cannot be recorded" in err) == (2, True)
