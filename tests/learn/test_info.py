"""What checkpoints are, told: every kind of them, and pictures of several."""

import json
from pathlib import Path

import pytest

from gridlab.game2048.datasets.generate import generate
from gridlab.game2048.datasets.settings import make_settings
from gridlab.game2048.learn.ntuple import train_ntuple
from gridlab.game2048.learn.supervised.train import train_policy
from gridlab.inarow.learn import training
from gridlab.inarow.learn.networks import SHIPPED
from gridlab.inarow.learn.training import train
from tests.conftest import Run

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A training of each kind."""
    folder = tmp_path_factory.mktemp("trained")
    train_ntuple(
        "2048:3x3", folder / "one.ntuple", games=300, tuples="0124,0145", settings=["step=0.5"], seed=4, workers=1
    )
    generate("2048", folder / "games.jsonl", 8, settings=make_settings(seed=1, depth=2, max_moves=60))
    for name, rate in (("one.cnn", 0.01), ("two.cnn", 0.001)):
        more = ["width=8", "validation=0.25"]
        train_policy(
            [folder / "games.jsonl"], folder / name, 2, method="cnn", learning_rate=rate, settings=more, workers=1
        )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "GAMES", 4)
        train(
            "squava", folder / "dqn", 20, preset="guide", settings=["gamma=0.9", "training_depth=1"], seed=3, workers=1
        )
    return folder


def test_squava(gridlab: Run, folder: Path) -> None:
    code, out, _ = gridlab("train", "info", str(folder / "dqn"), "--json")
    found = json.loads(out)
    assert code == 0
    assert (found["seed"], found["episode"], found["holds"]) == (3, 20, "training")
    assert (found["recipe"]["gamma"], found["recipe"]["training_depth"]) == (0.9, 1)
    assert {"episode", "epsilon", "loss"} <= found["curve"][-1].keys()
    assert "random" in found["curve"][-1]
    assert found["epsilon"] == found["curve"][-1]["epsilon"]
    weights = gridlab("train", "info", str(folder / "dqn" / "weights-000020.safetensors"), "--json")[1]
    assert json.loads(weights)["holds"] == "network"
    assert json.loads(weights)["curve"][-1]["heuristic"] == found["curve"][-1]["heuristic"]
    assert "no curve is in this file" in gridlab("train", "info", str(SHIPPED))[1]


def test_ntuple(gridlab: Run, folder: Path) -> None:
    for name, kind in (("one.ntuple", "network"), ("one.ntuple.training", "training")):
        code, out, _ = gridlab("train", "info", str(folder / name), "--json")
        found = json.loads(out)
        assert code == 0
        assert (found["holds"], found["rules"], found["games"], found["seed"]) == (kind, "2048:3x3", 300, 4)
        assert found["recipe"]["step"] == 0.5
        assert found["curve"][-1]["mean_score"] > 0
    assert "mean score" in gridlab("train", "info", str(folder / "one.ntuple"))[1]


def test_supervised(gridlab: Run, folder: Path) -> None:
    code, out, _ = gridlab("train", "info", str(folder / "one.cnn"))
    assert code == 0
    assert "cnn network of 2048, trained on games" in out
    assert "8 games" in out
    assert "SHA-256" in out
    found = json.loads(gridlab("train", "info", str(folder / "one.cnn.training"), "--json")[1])
    assert (found["holds"], found["epoch"]) == ("training", 2)
    assert len(found["curve"]) == 2
    assert found["recipe"]["learning_rate"] == 0.01


def test_two_runs_in_one_picture(gridlab: Run, folder: Path, tmp_path: Path) -> None:
    for number, names in enumerate((["one.cnn", "two.cnn"], ["one.ntuple"], ["dqn"])):
        picture = tmp_path / f"{number}.svg"
        code, out, _ = gridlab("train", "info", *(str(folder / name) for name in names), "--out", str(picture))
        assert code == 0
        assert picture.read_text().count("<path") > 10
    assert out.count("dqn") >= 1
    lines = (tmp_path / "0.svg").read_text()
    assert "1f4e9c" in lines
    assert "b3261e" in lines
    both = json.loads(gridlab("train", "info", str(folder / "one.cnn"), str(folder / "two.cnn"), "--json")[1])
    assert [each["recipe"]["learning_rate"] for each in both] == [0.01, 0.001]


def test_what_is_refused(gridlab: Run, folder: Path, tmp_path: Path) -> None:
    for path, said in (
        (folder / "games.jsonl", "games.jsonl"),
        (folder / "nothing", "nothing"),
        (_foreign(tmp_path / "foreign"), "foreign"),
    ):
        code, _, err = gridlab("train", "info", str(path))
        assert code == 2
        assert said in err
    code, _, err = gridlab(
        "train", "info", str(folder / "one.cnn"), str(folder / "one.ntuple"), "--out", str(tmp_path / "p.png")
    )
    assert code == 2
    assert "nothing to be drawn over together" in err
    code, _, err = gridlab("train", "squava", "--out", str(tmp_path / "d"), "--setting", "momentum=1")
    assert code == 2
    assert "'momentum' is not a setting here" in err
    assert "gamma" in err
    assert "playouts" in err


def _foreign(path: Path) -> Path:
    path.write_bytes((8).to_bytes(8, "little") + b'{"a":1}\n')
    return path
