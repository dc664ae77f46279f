"""Networks on disk: what goes in comes out, and what is wrong is refused with a reason."""

import json
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load, save

from gridlab.core.errors import CorruptFile, FileTrouble
from gridlab.inarow.learn import networks as checkpoint
from gridlab.inarow.learn.dqn import TRAINING, Learner, begin, go_on, learn_all
from gridlab.inarow.learn.features import SQUAVA
from gridlab.inarow.learn.judge import load_judge
from gridlab.inarow.learn.networks import SHIPPED, read
from gridlab.inarow.learn.settings import SelfPlay, settings_of
from gridlab.learn.run import Asked
from tests.inarow.learn.test_features import BOARDS


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Learner, bytes]:
    """One that has seen a few games of random play, and its file."""
    folder = tmp_path_factory.mktemp("trained")
    made = begin(SQUAVA, settings_of("guide", 100), 5, folder, "cpu")
    calls: list[int] = []

    def twice() -> bool:
        calls.append(1)
        return len(calls) == 2

    assert learn_all(made, folder, 1, stopped=twice) is False
    return made, (folder / TRAINING).read_bytes()


@pytest.fixture
def learner(trained: tuple[Learner, bytes], tmp_path: Path) -> Learner:
    """The same, with its file in the folder of the test."""
    (tmp_path / TRAINING).write_bytes(trained[1])
    return trained[0]


def test_a_round_trip(learner: Learner, tmp_path: Path) -> None:
    other = go_on(SQUAVA, Asked(), tmp_path, "cpu")
    for name, each in learner.network.state_dict().items():
        assert torch.equal(each, other.network.state_dict()[name])
        assert torch.equal(learner.target.state_dict()[name], other.target.state_dict()[name])
    one, two = learner.optimiser.state_dict()["state"], other.optimiser.state_dict()["state"]
    assert all(torch.equal(one[i][key], two[i][key]) for i in one for key in one[i])
    for name in learner.replay.moves._fields:
        assert np.array_equal(getattr(learner.replay.kept(), name), getattr(other.replay.kept(), name))
    assert (other.episode, other.steps, other.curve) == (learner.episode, learner.steps, learner.curve)
    assert learner.steps > 0


def test_the_facts_of_a_file(learner: Learner, tmp_path: Path) -> None:
    facts = read(tmp_path / TRAINING, "5x5:4-3").facts
    assert (facts.rules, facts.seed, facts.episode) == ("5x5:4-3", 5, learner.episode)
    assert facts.settings["batch"] == 64
    assert facts.behaviour >= 1


def test_weights_alone_are_enough_to_play(learner: Learner, tmp_path: Path) -> None:
    path = tmp_path / "weights.safetensors"
    learner.save_weights(path)
    assert path.stat().st_size < 1_500_000
    full, half = load_judge(tmp_path / TRAINING, SQUAVA), load_judge(path, SQUAVA)
    assert np.allclose(full.values(BOARDS), half.values(BOARDS), atol=0.01)
    with pytest.raises(FileTrouble, match="holds another network"):
        begin_from(path, tmp_path)


def begin_from(path: Path, folder: Path) -> Learner:
    (folder / "again").mkdir()
    (folder / "again" / TRAINING).write_bytes(path.read_bytes())
    return go_on(SQUAVA, Asked(), folder / "again", "cpu")


def changed(path: Path, **facts: object) -> None:
    """Rewrite what a file says of itself."""
    content = path.read_bytes()
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    about = json.loads(header["__metadata__"]["gridlab"]) | facts
    path.write_bytes(save(load(content), {"gridlab": json.dumps(about)}))


def test_other_games_are_refused(learner: Learner, tmp_path: Path) -> None:
    changed(tmp_path / TRAINING, rules="5x5:4")
    with pytest.raises(FileTrouble, match="is a network for 5x5:4, not for 5x5:4-3; name one for this game"):
        read(tmp_path / TRAINING, "5x5:4-3")


def test_foreign_networks_are_refused(learner: Learner, tmp_path: Path) -> None:
    path = tmp_path / "foreign.safetensors"
    tensors = {f"network.{name}": each for name, each in learner.network.state_dict().items()}
    checkpoint.write(path, tensors | {"network.hidden1.weight": torch.zeros(3, 3)}, {"rules": "5x5:4-3"})
    with pytest.raises(FileTrouble, match=r"another network: hidden1.weight is \(3, 3\), and \(512, 512\) is needed"):
        load_judge(path, SQUAVA)
    checkpoint.write(path, tensors | {"network.more": torch.zeros(1)}, {"rules": "5x5:4-3"})
    with pytest.raises(FileTrouble, match="another network: it also has 'more'"):
        load_judge(path, SQUAVA)
    path.write_bytes(save({"a": torch.zeros(1)}))
    with pytest.raises(FileTrouble, match="is not a checkpoint of gridlab of a kind known here"):
        load_judge(path, SQUAVA)


@pytest.mark.parametrize("place", [-100, 200_000, 10, 0])
def test_damaged_files_are_refused(learner: Learner, tmp_path: Path, place: int) -> None:
    path = tmp_path / TRAINING
    content = bytearray(path.read_bytes())
    content[place] ^= 0x55
    path.write_bytes(content)
    with pytest.raises(FileTrouble):
        read(path, "5x5:4-3")
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(CorruptFile, match="is not a whole safetensors file"):
        read(path, "5x5:4-3")


def test_pickles_are_not_executed(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return Path.mkdir, (tmp_path / "sprung",)  # type: ignore[return-value]

    (tmp_path / "trap.pt").write_bytes(pickle.dumps(Trap()))
    with pytest.raises(CorruptFile):
        load_judge(tmp_path / "trap.pt", SQUAVA)
    assert not (tmp_path / "sprung").exists()


def test_missing_files_and_taken_folders(learner: Learner, tmp_path: Path) -> None:
    with pytest.raises(FileTrouble, match=r"cannot read the checkpoint .*none: no such file or directory; gridlab"):
        read(tmp_path / "none", "5x5:4-3")
    with pytest.raises(FileTrouble, match="is there already; --resume goes on from it"):
        begin(SQUAVA, learner.settings, 5, tmp_path, "cpu")


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (Asked({"preset": "best"}), "was begun with preset guide, not best; leave preset out to go on with it"),
        (Asked({"shaping": True}), "was begun with shaping off, not on; leave shaping out"),
        (Asked({"double": True}), "was begun with double off, not on; leave double out"),
        (Asked(seed=6), "was begun with seed 5, not 6; leave seed out"),
        (Asked({"episodes": 5}), "has learnt from 15 episodes already; ask for more than these, or for none"),
        (Asked({"episodes": 15}), "has learnt from 15 episodes already"),
    ],
)
def test_other_settings_are_refused_by_name(learner: Learner, tmp_path: Path, asked: Asked, sentence: str) -> None:
    with pytest.raises(FileTrouble, match=sentence):
        go_on(SQUAVA, asked, tmp_path, "cpu")


def test_a_training_goes_on_as_it_was_begun(learner: Learner, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    begun = replace(learner.settings, batch=32, shaping=True, course=SelfPlay(50, 12, 0.1, 0.5))
    changed(tmp_path / TRAINING, settings=begun.as_dict())
    again = go_on(SQUAVA, Asked(), tmp_path, "cpu")
    assert (again.settings, again.seed) == (begun, 5)
    same = Asked({"preset": "guide", "episodes": 100, "shaping": True, "double": False}, 5)
    assert go_on(SQUAVA, same, tmp_path, "cpu").settings == begun
    assert not caplog.messages
    assert go_on(SQUAVA, Asked({"episodes": 120}), tmp_path, "cpu").settings == replace(begun, episodes=120)
    assert any("was begun for 100 episodes, and goes on to 120" in each for each in caplog.messages)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({}, "it does not say by which preset"),
        ({"preset": "guide", "batch": 0}, "Expected `int` >= 1"),
        ({"preset": "guide", "memory": 1 << 50}, "Expected `int` <= 4000000"),
        ({"preset": "guide", "magic": 1}, "it has a setting 'magic'"),
        ({"preset": "guide", "course": {"playouts": 5}}, "training to go on from: Expected"),
    ],
)
def test_settings_that_are_none(learner: Learner, tmp_path: Path, settings: object, sentence: str) -> None:
    changed(tmp_path / TRAINING, settings=settings)
    with pytest.raises(CorruptFile, match=sentence):
        go_on(SQUAVA, Asked(), tmp_path, "cpu")


def test_another_behaviour_is_told(learner: Learner, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    changed(tmp_path / TRAINING, behaviour=0)
    read(tmp_path / TRAINING, "5x5:4-3")
    assert any("was made by results version 0" in each for each in caplog.messages)


def test_the_shipped_network_is_of_modest_size() -> None:
    assert SHIPPED.stat().st_size < 1_500_000
    assert read(SHIPPED, "5x5:4-3").facts.settings["preset"] == "best"
