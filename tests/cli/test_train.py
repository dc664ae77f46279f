"""Training, inspection and export on the command line."""

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gridlab.core import progress
from gridlab.inarow.learn import training
from tests.conftest import Run

pytestmark = pytest.mark.compiled
PROGRAM = """
from gridlab.__main__ import main
from gridlab.inarow.learn import training
training.GAMES = 4
main()
"""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Win rates of fewer games, and no picture of them."""
    monkeypatch.setattr(training, "GAMES", 4)
    monkeypatch.setattr("gridlab.inarow.learn.dqn.plot_curve", lambda *_: None)


def test_train_inspect_export(gridlab: Run, tmp_path: Path) -> None:
    folder = tmp_path / "dqn"
    code, out, _ = gridlab(
        "train", "squava", "--method", "dqn", "--preset", "guide", "--episodes", "10", "--seed", "1", "--workers", "1",
        "--out", str(folder), "--json", "--quiet",
    )  # fmt: skip
    found = json.loads(out)
    assert (code, found["episode"], found["episodes"]) == (0, 10, 10)
    assert 0 <= found["random"] <= 1
    weights = str(folder / "weights-000010.safetensors")
    code, out, _ = gridlab("train", "inspect", "X.O../...../..X../...../....O", "--checkpoint", weights, "--json")
    opinion = json.loads(out)
    assert code == 0
    assert opinion["features"]["own middle"] == pytest.approx(1 / 9, abs=1e-5)
    assert len(opinion["features"]) == 35
    assert [opinion["features"][f"cell {cell}"] for cell in (11, 13, 33, 55)] == [1, -1, 1, -1]
    assert len(opinion["moves"]) == 21
    assert abs(opinion["value"]) <= 1
    code, out, _ = gridlab("train", "inspect", "X.O../...../..X../...../....O", "--depth", "3", "--json")
    searched = json.loads(out)["search"]
    assert (code, searched["depth"], searched["best"]) == (0, 3, searched["moves"][0])
    assert 0 < searched["judged"] < searched["leaves"]
    code, out, _ = gridlab("train", "export", weights, "--onnx")
    assert code == 0
    assert "onnxruntime differs from torch by at most" in out
    assert (folder / "weights-000010.onnx").stat().st_size > 2_700_000


def test_a_training_is_not_rewritten_by_going_on(gridlab: Run, tmp_path: Path) -> None:
    """Trained with seed 5 and without shaping, it stays so, whatever is asked; nothing new is learnt from no games."""
    start = ("train", "squava", "--out", str(tmp_path / "dqn"), "--workers", "1")
    assert gridlab(*start, "--preset", "guide", "--episodes", "12", "--seed", "5", "--quiet")[0] == 0
    before = (tmp_path / "dqn" / "training.safetensors").read_bytes()
    for said, sentence in (
        (("--shaping",), "was begun with shaping off, not on"),
        (("--seed", "0"), "was begun with seed 5, not 0"),
        (("--preset", "best"), "was begun with preset guide, not best"),
        (("--episodes", "5"), "has learnt from 12 episodes already"),
    ):
        code, _, err = gridlab(*start, "--resume", *said)
        assert (code, sentence in err) == (2, True), err
    code, out, err = gridlab(*start, "--resume")
    assert (code, "12 of 12 episodes" in out) == (0, True), err
    assert (tmp_path / "dqn" / "training.safetensors").read_bytes() == before
    code, out, _ = gridlab(*start, "--resume", "--no-shaping", "--seed", "5", "--episodes", "14", "--json", "--quiet")
    assert (code, json.loads(out)["episodes"]) == (0, 14)


def test_without_a_terminal_lines_tell_how_it_goes(
    gridlab: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "FIRST_LINE", 0.0)
    start = ("train", "squava", "--preset", "guide", "--episodes", "20", "--double", "--workers", "1", "--out")
    code, _, err = gridlab(*start, str(tmp_path / "told"))
    assert code == 0
    assert re.search(r"3/20 \[.* episodes/s, random, ε 0\.99", err), err
    code, _, err = gridlab(*start, str(tmp_path / "quiet"), "--quiet")
    assert (code, err) == (0, "")
    told, quiet = ((tmp_path / name / "training.safetensors").read_bytes() for name in ("told", "quiet"))
    assert told == quiet
    assert b'\\"double\\": true' in told


def test_the_default_preset_is_the_one_that_works(
    gridlab: Run, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    code, _, _ = gridlab("train", "squava", "--episodes", "2", "--workers", "1", "--out", str(tmp_path / "dqn"))
    assert code == 0
    assert any("nothing was learnt: a step takes 512 moves" in each for each in caplog.messages)
    assert b'\\"preset\\": \\"best\\"' in (tmp_path / "dqn" / "training.safetensors").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("train", "squava", "--episodes", "0"), "'0' is not a whole number from 1"),
        (("train", "squava", "--method", "sarsa"), "'sarsa' is not"),
        (("train", "chess"), "No such command 'chess'"),
        (("train", "squava", "--resume", "--out", "nowhere"), "cannot read the checkpoint nowhere"),
        (("train", "inspect", "XXXX./O..O./.O.../...../....."), "the game is over"),
        (("train", "export", "none.safetensors", "--onnx"), "'none.safetensors' cannot be read"),
        (("match", "dqn", "random", "--game", "5x5:4", "--games", "2"), "the network has learnt 5x5:4-3 (squava)"),
        (("match", "dqn-minimax blend=2", "random", "--game", "squava", "--games", "2", "--workers", "1"), "blend=2.0"),
        (("match", "dqn checkpoint=x", "random", "--game", "squava", "--games", "2", "--workers", "1"), "checkpoint x"),
    ],
)
def test_wrong_use_is_told_in_a_sentence(gridlab: Run, arguments: tuple[str, ...], sentence: str) -> None:
    code, _, err = gridlab(*arguments)
    assert code == 2
    assert sentence in err
    assert "Traceback" not in err


def test_the_shipped_player_plays(gridlab: Run) -> None:
    code, out, _ = gridlab(
        "match", "dqn-minimax depth=2", "random", "--game", "squava", "--games", "4", "--seed", "1", "--workers", "1",
        "--json", "--quiet",
    )  # fmt: skip
    assert code == 0
    assert json.loads(out)["a_score"] >= 0.75


def test_an_interrupt_saves_and_says_how_to_go_on(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-c",
        PROGRAM,
        "train",
        "squava",
        "--preset",
        "guide",
        "--episodes",
        "400",
        "--setting",
        "checkpoint=10",
        "--workers",
        "1",
        "--out",
        "dqn",
    ]
    running = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 60
    saved = tmp_path / "dqn" / "training.safetensors"
    while not saved.exists() and time.monotonic() < end and running.poll() is None:
        time.sleep(0.05)  # the first checkpoint comes after 10 random games
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    assert "of 400 episodes" in out
    assert "to continue: the same command with --resume --out dqn" in err
    assert saved.exists()
