"""Two of everything at once: one writes, the other is refused; what is written is whole."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gridlab.core.files import locked_folder
from tests.attacks.commands import snapshot
from tests.attacks.harness import Attacker

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


TOGETHER = {  # what belongs together, and is written together or not at all
    "exam make": ("exam make 3x3:3 --positions 10 --seed 1 -o a.jsonl", ("a.jsonl", "a.key.jsonl")),
    "exam print": ("exam print tictactoe-v1 -o a.html --answers b.html", ("a.html", "b.html")),
    "best-first": ("best-first input.txt --steps a.txt --output b.txt", ("a.txt", "b.txt")),
    "best-first, refused": ("best-first broken.txt --steps a.txt --output b.txt", ("a.txt", "b.txt")),
    "2048 split": (
        "2048 split games.jsonl --train 0.5 --val 0.25 --test 0.25 -o .",
        ("training_games.jsonl", "validation_games.jsonl", "test_games.jsonl"),
    ),
}


@pytest.mark.parametrize("name", TOGETHER)
def test_files_that_belong_together_are_never_of_two_writers(tmp_path: Path, attacker: Attacker, name: str) -> None:
    """While somebody else writes one of them, none of them is touched."""
    import fcntl

    (tmp_path / "input.txt").write_text("3\n...\n...\n...\nX\n")
    (tmp_path / "broken.txt").write_text("no board")
    games = ["2048", "generate", "-g", "8", "-d", "2", "--max-moves", "9", "--seed", "1", "-o", "games.jsonl"]
    assert attacker.run(*games, cwd=tmp_path).code == 0
    words, files = TOGETHER[name]
    for file in files:
        (tmp_path / file).write_text("old")
    for held in files:
        before = {path: data for path, data in snapshot(tmp_path).items() if not path.endswith(".index")}
        with (tmp_path / f".{held}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            ending = attacker.attack(*words.split(), cwd=tmp_path)
        (tmp_path / f".{held}.lock").unlink()
        assert ending.code == 2, ending
        assert "another process is writing" in ending.err, ending
        assert f"{held}; wait for it" in ending.err, ending
        assert {path: data for path, data in snapshot(tmp_path).items() if not path.endswith(".index")} == before


def test_a_split_does_not_come_between_a_folder_and_who_builds_there(tmp_path: Path, attacker: Attacker) -> None:
    games = ["2048", "generate", "-g", "8", "-d", "2", "--max-moves", "9", "--seed", "1", "-o", "games.jsonl"]
    assert attacker.run(*games, cwd=tmp_path).code == 0
    with locked_folder(tmp_path / "out"):
        words = "2048 split games.jsonl --train 0.5 --val 0.25 --test 0.25 -o out"
        ending = attacker.attack(*words.split(), cwd=tmp_path)
        assert ending.code == 2, ending
        assert "another process is writing out; wait for it" in ending.err, ending
        assert list(snapshot(tmp_path / "out")) == [".lock"]
