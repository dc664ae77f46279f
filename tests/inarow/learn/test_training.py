"""Short trainings: the same every time, resumed without a seam, better than chance."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from gridlab.arena.match import play_match
from gridlab.inarow.learn import training
from gridlab.inarow.learn.dqn import TRAINING, Learner, begin, go_on, learn_all
from gridlab.inarow.learn.features import SQUAVA
from gridlab.inarow.learn.settings import PRESETS, SelfPlay, TrainingSettings, settings_of
from gridlab.learn.run import Asked

pytestmark = pytest.mark.compiled

GUIDE = replace(PRESETS["guide"], episodes=20, target_update=10, checkpoint=10, batch=32)
TAUGHT = replace(
    PRESETS["best"], episodes=20, together=5, checkpoint=10, target_update=10, batch=32, steps=0.5,
    course=SelfPlay(50, 12, 0.1, 0.5),
)  # fmt: skip


def trained(
    settings: TrainingSettings, folder: Path, workers: int, stop_after: int = 1000, resume: bool = False
) -> Learner:
    learner = go_on(SQUAVA, Asked(), folder, "cpu") if resume else begin(SQUAVA, settings, 3, folder, "cpu")
    rounds: list[object] = []
    learn_all(learner, folder, workers, tell=rounds.append, stopped=lambda: len(rounds) == stop_after)
    return learner


@pytest.mark.parametrize("settings", [GUIDE, TAUGHT], ids=["guide", "taught"])
def test_the_same_seed_gives_the_same_file_however_it_is_made(settings: TrainingSettings, tmp_path: Path) -> None:
    """By one worker, by two, and by one that was interrupted and went on."""
    for name, workers in (("one", 1), ("two", 2)):
        trained(settings, tmp_path / name, workers)
    trained(settings, tmp_path / "parts", 1, stop_after=2)
    trained(settings, tmp_path / "parts", 2, resume=True)
    files = [(tmp_path / name / TRAINING).read_bytes() for name in ("one", "two", "parts")]
    assert files[0] == files[1] == files[2]
    assert {path.name for path in (tmp_path / "one").glob("weights-*")} >= {
        "weights-000003.safetensors", "weights-000010.safetensors", "weights-000020.safetensors",
    }  # fmt: skip


@pytest.mark.parametrize("settings", [GUIDE, TAUGHT], ids=["guide", "taught"])
@pytest.mark.parametrize("at", [10, 20])
def test_an_error_in_a_milestone_saves_first(settings: TrainingSettings, at: int, tmp_path: Path) -> None:
    """In the middle or at the very end: what was learnt is there to go on from, is measured then, comes to the same."""

    def measure(path: Path) -> dict[str, float]:
        if path.name == failing:
            raise RuntimeError("nobody has thought of this")
        return {"random": len(path.name) / 100}

    failing = ""
    learn_all(begin(SQUAVA, settings, 3, tmp_path / "whole", "cpu"), tmp_path / "whole", 1, measure)
    failing = f"weights-{at:06}.safetensors"
    with pytest.raises(RuntimeError):
        learn_all(begin(SQUAVA, settings, 3, tmp_path / "parts", "cpu"), tmp_path / "parts", 1, measure)
    failing = ""
    learner = go_on(SQUAVA, Asked(), tmp_path / "parts", "cpu")
    assert learner.episode == at
    assert learn_all(learner, tmp_path / "parts", 1, measure)
    names = {path.name for path in (tmp_path / "whole").glob("*.safetensors")}
    assert names == {path.name for path in (tmp_path / "parts").glob("*.safetensors")} > {TRAINING}
    for name in names:
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "parts" / name).read_bytes(), name


def test_an_error_that_tells_or_draws_saves_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("nobody has thought of this")

    with pytest.raises(RuntimeError):
        learn_all(begin(SQUAVA, GUIDE, 3, tmp_path, "cpu"), tmp_path, 1, tell=fail)
    learner = go_on(SQUAVA, Asked(), tmp_path, "cpu")
    assert learner.episode == 3
    monkeypatch.setattr("gridlab.inarow.learn.dqn.plot_curve", fail)
    with pytest.raises(RuntimeError):
        learn_all(learner, tmp_path, 1)
    assert go_on(SQUAVA, Asked(), tmp_path, "cpu").episode == 20


def test_an_error_in_a_round_leaves_what_was_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trained(GUIDE, tmp_path, 1, stop_after=2)
    before = (tmp_path / TRAINING).read_bytes()

    def fail(self: Learner, moves: object) -> None:
        raise RuntimeError("nobody has thought of this")

    monkeypatch.setattr(Learner, "goal", fail)
    monkeypatch.setattr(Learner, "ready", lambda self: True)
    with pytest.raises(RuntimeError):
        trained(GUIDE, tmp_path, 1, resume=True)
    assert (tmp_path / TRAINING).read_bytes() == before


@pytest.mark.parametrize("name", ["bob's", 'a "b" c', "new\nline", "back\\slash", "$HOME `x`", "ünï"])
def test_a_training_goes_where_it_was_told_whatever_the_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "GAMES", 2)
    done = training.train(out=tmp_path / name, preset="guide", episodes=2, workers=1, seed=1)
    assert set(done.rates) == set(training.OPPONENTS)
    assert (tmp_path / name / "weights-000002.safetensors").exists()


def test_without_a_seed_it_is_seed_0(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "GAMES", 2)
    for name, seed in (("none", None), ("zero", 0), ("one", 1)):
        training.train(out=tmp_path / name, preset="guide", episodes=2, workers=1, seed=seed)
    files = [(tmp_path / name / TRAINING).read_bytes() for name in ("none", "zero", "one")]
    assert files[0] == files[1] != files[2]


def test_another_seed_gives_another_network(tmp_path: Path) -> None:
    one, other = (Learner(SQUAVA, GUIDE, seed, torch.device("cpu")) for seed in (1, 2))
    assert not torch.equal(one.network.hidden1.weight, other.network.hidden1.weight)


def test_the_target_follows_when_it_is_due(tmp_path: Path) -> None:
    learner = trained(replace(GUIDE, episodes=25, target_update=20, checkpoint=25), tmp_path, 1)
    names = [name for name in learner.network.state_dict() if "weight" in name]
    assert any(not torch.equal(learner.network.state_dict()[n], learner.target.state_dict()[n]) for n in names)
    learner.update_target()
    assert all(torch.equal(learner.network.state_dict()[n], learner.target.state_dict()[n]) for n in names)


@pytest.mark.usefixtures("drawn")
def test_win_rates_are_written_into_the_curve(tmp_path: Path) -> None:
    learner = begin(SQUAVA, settings_of("guide", 10), 0, tmp_path, "cpu")
    learn_all(learner, tmp_path, 1, measure=lambda path: {"random": float(path.exists())})
    assert [row["episode"] for row in learner.curve if row.get("random") == 1.0] == [1, 7, 10]
    assert (tmp_path / "curve.png").stat().st_size > 10_000


@pytest.mark.long
def test_a_short_training_learns_something_real(tmp_path: Path) -> None:
    """Games that were not learnt from: the values are nearer to the results than a guess, and random is beaten."""
    settings = replace(
        PRESETS["best"], episodes=1000, together=100, checkpoint=1000, batch=128, steps=0.4,
        course=SelfPlay(150, 14, 0.1, 0.5),
    )  # fmt: skip
    learner = trained(settings, tmp_path, 2)
    assert learner.curve[-1]["loss"] < 0.25  # a guess of the mean has 0.5 and more
    weights = tmp_path / "weights-001000.safetensors"
    played = play_match(f"dqn checkpoint='{weights}'", "random", SQUAVA, 100, "random:2", seed=1, workers=1)
    assert played.a_score_interval.low > 0.8
    fresh = Learner(SQUAVA, settings, 9, torch.device("cpu"))
    fresh.save_weights(tmp_path / "fresh.safetensors")
    better = play_match(
        f"dqn checkpoint='{weights}'", f"dqn checkpoint='{tmp_path / 'fresh.safetensors'}'", SQUAVA, 100, "random:4",
        seed=1, workers=1,
    )  # fmt: skip
    assert better.a_score_interval.low > 0.5
    assert np.isfinite(learner.curve[-1]["loss"])
