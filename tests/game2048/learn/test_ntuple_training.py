"""A training from command to file: repeated, resumed, interrupted, refused."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from gridlab.core.errors import BadNotation, CorruptFile, FileTrouble
from gridlab.game2048.learn.ntuple import Learner, NTupleTraining, tally_of, train_ntuple
from gridlab.game2048.learn.ntuple_file import read_network
from gridlab.game2048.learn.ntuple_kernels import TALLY
from gridlab.game2048.rules import Rules2048
from tests.conftest import Run, in_long_runs

pytestmark = pytest.mark.compiled

PROGRAM = """
from gridlab.__main__ import main
from gridlab.core import progress
progress.FIRST_LINE = progress.NEXT_LINE = 0.2
main()
"""
SMALL = {"rules": "2048:3x3", "tuples": "tetrominoes", "workers": 1, "seed": 5}


def train(path: Path, **more: object) -> NTupleTraining:
    return train_ntuple(out=path, **{**SMALL, **more})  # type: ignore[arg-type]


def weights(path: Path) -> np.ndarray:
    return read_network(path).weights


def test_one_worker_repeats_exactly(tmp_path: Path) -> None:
    for name in ("a", "b"):
        assert train(tmp_path / name, games=300).done
    train(tmp_path / "c", games=300, seed=6)
    assert (weights(tmp_path / "a") == weights(tmp_path / "b")).all()
    assert (weights(tmp_path / "a") != weights(tmp_path / "c")).any()
    assert read_network(tmp_path / "a").head.learnt.workers == 1


def test_without_a_seed_it_is_seed_0(tmp_path: Path) -> None:
    for name, seed in (("none", None), ("zero", 0), ("one", 1)):
        train(tmp_path / name, games=20, seed=seed)
    files = [(tmp_path / name).read_bytes() for name in ("none", "zero", "one")]
    assert files[0] == files[1] != files[2]


def test_a_training_goes_on_as_if_never_stopped(tmp_path: Path) -> None:
    train(tmp_path / "whole", games=300)
    train(tmp_path / "parts", games=110)
    done = train(tmp_path / "parts", games=300, resume=True, tuples=None, seed=None)
    assert (done.done, done.learnt.games) == (True, 300)
    assert (weights(tmp_path / "parts") == weights(tmp_path / "whole")).all()
    one, other = (read_network(tmp_path / f"{name}.training", "training") for name in ("whole", "parts"))
    assert (one.sums == other.sums).all()
    assert (one.states() == other.states()).all()


@pytest.mark.usefixtures("drawn")
def test_the_same_training_makes_the_same_files_stopped_or_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the byte, network and picture; when and how often it was stopped hangs on the clock."""
    train(tmp_path / "whole", games=4000)
    monkeypatch.setattr("gridlab.learn.run.SAVE_EVERY", 0.02)  # between any two games
    learn, calls = Learner._learn_for_a_while, list[int]()

    def interrupted(self: Learner, workers: int, shown: object) -> None:
        learn(self, workers, shown)
        calls.append(self.learnt.games)
        if len(calls) % 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(Learner, "_learn_for_a_while", interrupted)
    while not train(tmp_path / "parts", games=4000, resume=bool(calls)).done:
        pass
    assert len(calls) > 2
    assert any(each % 16 for each in calls)
    for ending in ("", ".png"):
        assert (tmp_path / f"whole{ending}").read_bytes() == (tmp_path / f"parts{ending}").read_bytes()
    one, other = (read_network(tmp_path / f"{name}.training", "training").head.learnt for name in ("whole", "parts"))
    assert one.seconds > 0  # for whoever goes on with a plan in minutes
    assert one.without_times() == other.without_times()


def test_times_are_kept_where_the_plan_is_in_minutes(tmp_path: Path) -> None:
    train(tmp_path / "a", minutes=0.02)
    assert read_network(tmp_path / "a").head.learnt.seconds > 1


@pytest.mark.parametrize("method", ["_state", "_settle", "save"])
def test_an_error_saves_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    """Wherever it comes from: the bar, the end of a while, the disk or the picture."""
    train(tmp_path / "whole", games=300)

    def fail(self: Learner) -> str:
        if self.learnt.games:
            raise RuntimeError("nobody has thought of this")
        return ""

    monkeypatch.setattr(Learner, method, fail)
    with pytest.raises(RuntimeError):
        train(tmp_path / "a", games=300)
    monkeypatch.undo()
    assert read_network(tmp_path / "a.training", "training").head.learnt.games > 0
    assert train(tmp_path / "a", games=300, resume=True).done
    assert (weights(tmp_path / "a") == weights(tmp_path / "whole")).all()


def test_killed_while_it_draws_it_draws_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A training to go on from that has learnt all is not all: the picture was still to come."""

    def fail(*curve_and_path: object) -> None:
        raise RuntimeError("the process is killed")

    monkeypatch.setattr("gridlab.game2048.learn.ntuple.plot_curve", fail)
    with pytest.raises(RuntimeError):
        train(tmp_path / "a", games=100)
    drawn = list[Path]()
    monkeypatch.setattr("gridlab.game2048.learn.ntuple.plot_curve", lambda curve, path: drawn.append(path))
    assert train(tmp_path / "a", games=100, resume=True).done
    assert drawn == [tmp_path / "a.png"]


@pytest.mark.parametrize("since", [[1], [0] * 60, [10**9] * len(np.zeros(TALLY))])
def test_games_since_the_last_point_that_cannot_be_are_refused(since: list[int], tmp_path: Path) -> None:
    with pytest.raises(CorruptFile, match="does not say how the games since the last point"):
        tally_of(since, tmp_path)


def test_nothing_left_to_learn_changes_nothing(tmp_path: Path) -> None:
    train(tmp_path / "a", games=100)
    before = (tmp_path / "a").read_bytes()
    assert train(tmp_path / "a", games=100, resume=True).done
    assert (tmp_path / "a").read_bytes() == before


def test_workers_share_the_work(tmp_path: Path) -> None:
    done = train(tmp_path / "a", games=500, workers=2)
    assert (done.learnt.games, done.learnt.workers) == (500, 2)
    assert len(read_network(tmp_path / "a.training", "training").states()) == 2
    assert "by 2 workers" in str(done)


@pytest.mark.usefixtures("drawn")
@pytest.mark.parametrize("rate", ["td", "tc"])
def test_learning_pays(tmp_path: Path, rate: str) -> None:
    curve = train(tmp_path / "a", games=3000, rate=rate).learnt.curve
    assert curve[-1].mean_score > 1.5 * curve[0].mean_score
    assert curve[-1].tile_rates["128"] > 0.7
    assert (tmp_path / "a.png").stat().st_size > 10_000


def test_a_training_settles_once_and_repeats_exactly(tmp_path: Path) -> None:
    """After a share of its games the steps are small; stopped before or after that and resumed, nothing changes."""
    settings = {"settings": ("settle=0.5",), "games": 1500}
    whole = train(tmp_path / "whole", **settings)
    assert (whole.learnt.games, whole.learnt.settled, whole.done) == (1500, True, True)
    train(tmp_path / "large steps", games=1500)
    assert (weights(tmp_path / "whole") != weights(tmp_path / "large steps")).any()

    class Stopped(Exception):
        """In the place of a crash."""

    def take_until(self: Learner) -> int:
        return 0 if self.taken >= stop else take(self)

    def save_until(self: Learner) -> None:
        save(self)
        if stop <= self.learnt.games:
            raise Stopped

    take, save = Learner._take, Learner.save
    for stop in (100, 750, 900):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Learner, "_take", take_until)
            patch.setattr(Learner, "save", save_until)
            with pytest.raises(Stopped):
                train(tmp_path / f"{stop}", **settings)
        assert train(tmp_path / f"{stop}", games=1500, resume=True).done
        assert (weights(tmp_path / f"{stop}") == weights(tmp_path / "whole")).all()


def test_ctrl_c_when_it_is_time_to_settle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left to do then is done when it goes on, and the rest comes to what it would have come to."""
    settings = {"settings": ("settle=0.5",), "games": 400}
    train(tmp_path / "whole", **settings)
    learn = Learner._learn_for_a_while

    def interrupted(self: Learner, workers: int, shown: object) -> None:
        learn(self, workers, shown)
        raise KeyboardInterrupt

    monkeypatch.setattr(Learner, "_learn_for_a_while", interrupted)
    stopped = train(tmp_path / "stopped", **settings)
    assert (stopped.done, stopped.learnt.games, stopped.learnt.settled) == (False, 200, False)
    monkeypatch.undo()
    assert train(tmp_path / "stopped", games=400, resume=True).done
    assert (weights(tmp_path / "stopped") == weights(tmp_path / "whole")).all()


def test_optimistic_weights(tmp_path: Path) -> None:
    """A board is worth what was said, before anything is learnt of it."""
    train(tmp_path / "a", games=1, optimistic=4800)
    found = weights(tmp_path / "a")
    assert np.median(found) == pytest.approx(4800 / 48)  # six tuples in eight images


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"preset": "day"}, "not a preset"),
        ({"rate": "adam"}, "not a kind of rate"),
        ({"trace": 1.5}, "trace 1.5 is out of range"),
        ({"step": 0.0}, "step 0 is out of range"),
        ({"settings": ("settle=0",)}, "settle"),
        ({"games": 5, "minutes": 1.0}, "name one of them"),
        ({"games": 0}, "teach nothing"),
        ({"minutes": float("nan")}, "takes a number or None as minutes, not nan"),
        ({"minutes": 0.0}, "not enough to learn anything"),
        ({"rules": Rules2048(5, 5)}, "up to 4x4 cells"),
        ({"seed": -1}, "seed"),
    ],
)
def test_what_cannot_be_learnt(tmp_path: Path, settings: dict[str, object], reason: str) -> None:
    with pytest.raises(BadNotation, match=reason):
        train(tmp_path / "a", **settings)
    assert list(tmp_path.iterdir()) == []


def test_another_training_is_not_touched(tmp_path: Path) -> None:
    train(tmp_path / "a", games=20)
    with pytest.raises(FileTrouble, match="--resume goes on from it"):
        train(tmp_path / "a", games=20)
    for settings, reason in (
        ({"seed": 6}, "was begun with seed 5, not 6"),
        ({"rate": "td"}, "was begun with rate tc, not td"),
        ({"tuples": "pentominoes"}, "was begun with other tuples"),
    ):
        with pytest.raises(BadNotation, match=reason):
            train(tmp_path / "a", games=30, resume=True, **settings)
    with pytest.raises(FileTrouble, match=r"a training for 2048:3x3, not for 2048$"):
        train(tmp_path / "a", games=30, resume=True, rules="2048")
    with pytest.raises(FileTrouble, match="no such file"):
        train(tmp_path / "b", games=30, resume=True)


def test_the_command(gridlab: Run, tmp_path: Path) -> None:
    path = tmp_path / "three.ntuple"
    command = ("train", "2048", "--rules", "2048:3x3", "--games", "400", "--workers", "1", "--out", str(path))
    code, out, _ = gridlab(*command, "--trace", "0.3", "--json", "--quiet")
    found = json.loads(out)
    assert (code, found["games"], found["trace"], found["done"]) == (0, 400, 0.3, True)
    code, out, _ = gridlab("2048", "evaluate", f"ntuple file={path}", "--rules", "2048:3x3", "--games", "50", "--json")
    assert (code, json.loads(out)["player"]) == (0, f"ntuple file={path}")
    search = f"expectimax evaluator=ntuple:{path} depth=3"
    code, out, _ = gridlab("2048", "evaluate", search, "--rules", "2048:3x3", "--games", "20", "--json")
    assert (code, json.loads(out)["games"]) == (0, 20)
    code, _, err = gridlab("2048", "evaluate", search.replace("3", "4"), "--rules", "2048:3x3")
    assert (code, "1, 3, 5 and 7 end with one" in err) == (2, True)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, *in_long_runs(signal.SIGTERM)])
def test_ctrl_c_saves_whole(tmp_path: Path, number: int) -> None:
    """And what was saved goes on to what it would have become."""
    words = ["train", "2048", "--rules", "2048:3x3", "--tuples", "tetrominoes", "--workers", "1", "--seed", "5"]
    command = [sys.executable, "-c", PROGRAM, *words, "--games", "1000000", "--out", "a.ntuple"]
    running = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stderr is not None
    while "mean score" not in running.stderr.readline():
        assert running.poll() is None
    begun = time.monotonic()
    running.send_signal(number)
    out, err = running.communicate(timeout=60)
    assert (running.returncode, time.monotonic() - begun < 15) == (130, True), err  # with a picture drawn
    assert "to continue: the same command with --resume --out a.ntuple" in err
    games = read_network(tmp_path / "a.ntuple").head.learnt.games
    assert f"{games:,} games" in out
    train(tmp_path / "a.ntuple", games=games + 100, resume=True)
    train(tmp_path / "b.ntuple", games=games + 100)
    assert (tmp_path / "a.ntuple").read_bytes() == (tmp_path / "b.ntuple").read_bytes()
