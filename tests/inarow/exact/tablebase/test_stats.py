"""What a tablebase says of its game."""

import json
from pathlib import Path

import pytest

from gridlab.inarow.exact.tablebase.verify import stats
from tests.conftest import Run, Table


def test_tictactoe(table: Table) -> None:
    """Counted by hand where a hand can: after one move nothing is decided, after two 48 positions are lost for O."""
    found = stats(table("3x3:3"))
    assert [(ply.wins, ply.draws, ply.losses) for ply in found.plies[:3]] == [(0, 1, 0), (0, 9, 0), (48, 24, 0)]
    assert sum(ply.wins + ply.draws + ply.losses for ply in found.plies) == 4520
    assert sum(ply.canonical for ply in found.plies) == 627
    distances = found.distances
    assert sum(distances["win"].values()) == sum(ply.wins for ply in found.plies)
    assert all(distance % 2 for distance in distances["win"])
    assert not any(distance % 2 for distance in distances["loss"])
    assert "longest win" in str(found)


@pytest.mark.compiled
def test_on_the_command_line(gridlab: Run, table: Table, tmp_path: Path) -> None:
    path = str(table("3x3:3").file.path)
    code, out, _ = gridlab("tablebase", "stats", path, "--json")
    assert code == 0
    assert json.loads(out)["plies"][2] == {
        "ply": 2,
        "wins": 48,
        "draws": 24,
        "losses": 0,
        "canonical": 12,
        "longest_win": 5,
        "longest_loss": 0,
    }
    pytest.importorskip("matplotlib")
    code, out, err = gridlab("tablebase", "stats", path, "--plot")
    assert (code, err) == (0, f"{path}.png\n")
    assert "By distance in plies" in out
    assert Path(f"{path}.png").read_bytes().startswith(b"\x89PNG")
    code, _, _ = gridlab("tablebase", "stats", path, "--out", str(tmp_path / "t.svg"))
    assert (code, "<svg" in (tmp_path / "t.svg").read_text()) == (0, True)
    code, _, err = gridlab("tablebase", "stats", path, "--out", str(tmp_path / "t.txt"))
    assert (code, "not a name for a picture" in err) == (2, True)
