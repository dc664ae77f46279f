"""Matches, tournaments, grades and play on the command line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Run

pytestmark = pytest.mark.compiled


def test_match(gridlab: Run, tmp_path: Path) -> None:
    path = str(tmp_path / "games.jsonl")
    code, out, _ = gridlab(
        "match", "perfect", "random", "--game", "tictactoe", "--games", "6", "--seed", "1", "--workers", "1",
        "--out", path, "--json", "--quiet",
    )  # fmt: skip
    found = json.loads(out)
    assert code == 0
    assert (found["a"], found["b"], found["games"], found["b_wins"]) == ("perfect", "random", 6, 0)
    assert found["a_wins"] + found["draws"] == 6
    assert found["a_score_interval"][0] <= found["a_score"] <= found["a_score_interval"][1]
    code, out, _ = gridlab("games", "verify", path, "--json")
    assert (code, json.loads(out)["games"]) == (0, 6)
    lines = Path(path).read_text().replace('"result": "draw"', '"result": "o_wins"').replace("x_wins", "o_wins")
    Path(path).write_text(lines)
    assert gridlab("games", "verify", path)[0] == 1


@pytest.mark.parametrize("text", ["perfect tablebase='{}'", 'perfect "tablebase={}"', "perfect tablebase={}"])
def test_games_are_not_written_over_what_a_player_reads(gridlab: Run, tmp_path: Path, text: str) -> None:
    table = tmp_path / ("my t.tb" if "'" in text or '"' in text else "t.tb")
    assert gridlab("tablebase", "build", "2x2:2", "--out", str(table), "--quiet")[0] == 0
    held = table.read_bytes()
    player, written = text.format(table), ["--game", "2x2:2", "--games", "2", "--out", str(table)]
    code, _, err = gridlab("match", "random", player, *written)
    assert (code, "which is being read" in err, table.read_bytes() == held) == (2, True, True), err
    code, _, err = gridlab("exam", "sit", "tictactoe-v1", player, "--out", str(table))
    assert (code, "which is being read" in err, table.read_bytes() == held) == (2, True, True), err


def test_tournament_and_grade(gridlab: Run) -> None:
    code, out, _ = gridlab(
        "tournament", "random", "perfect", "--game", "3x3:3", "--games", "4", "--seed", "1", "--workers", "1",
        "--json", "--quiet",
    )  # fmt: skip
    assert code == 0
    assert "elo" in out
    code, out, _ = gridlab(
        "grade", "perfect", "--game", "3x3:3", "--positions", "20", "--seed", "1", "--workers", "1", "--json", "--quiet"
    )
    found = json.loads(out)
    assert (code, found["positions"], found["accuracy"], sum(found["blunders"].values())) == (0, 20, 1.0, 0)


def test_wrong_players_are_refused(gridlab: Run) -> None:
    code, _, err = gridlab("match", "clever", "random", "--game", "tictactoe", "--games", "2")
    assert (code, err.count("\n")) == (2, 1)
    assert err.startswith("error: 'clever' is not a player; there are random, heuristic, alpha-beta, perfect, command")


def test_play_until_the_input_ends() -> None:
    command = [sys.executable, "-m", "gridlab", "play", "tictactoe", "--against", "perfect", "--seed", "1"]
    done = subprocess.run(command, input="22\nvalues\nhint\n", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "X" in done.stdout
    assert "Traceback" not in done.stderr
