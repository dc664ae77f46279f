"""Two of everything at once: one writes, the other is refused; what is written is whole."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.compiled, pytest.mark.skipif(os.name == "nt", reason="locks of POSIX")]

PAIRS = {
    "generate": ("2048 generate -g 30 -d 3 --seed 1 -o g.jsonl", "2048 generate -g 30 -d 3 --seed 2 -o g.jsonl"),
    "terminals": ("terminals build 4x4:4 --out w", "terminals build 3x4:3 --out w"),
    "tablebase": ("tablebase build 4x4:3 --out t.tb", "tablebase build 3x4:3 --out t.tb"),
    "tournament": (
        "tournament random 'mcts playouts=3000' --game 3x3:3 --games 60 --out cup",
        "tournament random 'mcts playouts=3001' --game 3x3:3 --games 60 --out cup",
    ),
    "exam": (
        "exam sit tictactoe-v1 'mcts playouts=20000' --workers 1 -o z.jsonl",
        "exam sit tictactoe-v1 'mcts playouts=20000' --workers 1 --seed 3 -o z.jsonl",
    ),
    "states": ("states 4x4:4 --out s.csv", "states 4x4:3 --out s.csv"),
    "n-tuple training": (
        "train 2048 --rules 2048:2x3 --games 20000 --workers 1 --out a.ntuple",
        "train 2048 --rules 2048:2x3 --games 20000 --workers 1 --seed 3 --out a.ntuple",
    ),
    "training": (
        "train squava --preset guide --episodes 100 --workers 1 --out dqn",
        "train squava --preset guide --episodes 100 --workers 1 --seed 3 --out dqn",
    ),
}
SLOW = ("training", "states")


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=pytest.mark.long) if each in SLOW else each for each in PAIRS]
)
def test_two_at_once(tmp_path: Path, name: str) -> None:
    runs = [
        subprocess.Popen(
            ["/bin/sh", "-c", f"exec {sys.executable} -m gridlab {words}"],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for words in PAIRS[name]
    ]
    endings = [(*run.communicate(timeout=300), run.returncode) for run in runs]
    codes = sorted(code for _, _, code in endings)
    assert codes == [0, 2], endings
    refused = next(err for _, err, code in endings if code == 2)
    assert "Traceback" not in refused
    assert "another process is writing" in refused.splitlines()[-1], refused
    assert not [path for path in tmp_path.rglob("*") if path.name.endswith((".part", ".lock", ".journal"))]
