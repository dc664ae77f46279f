"""Training on games: overfitting, resuming, stopping early, what is refused, and what the files hold."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load, save

from gridlab.core.errors import BadNotation, CorruptFile, FileTrouble
from gridlab.game2048.datasets.generate import generate
from gridlab.game2048.datasets.moves import Moves2048
from gridlab.game2048.datasets.settings import make_settings
from gridlab.game2048.learn import policy_networks as policy_file
from gridlab.game2048.learn.policy_networks import METHODS, NEVER, new_policy
from gridlab.game2048.learn.supervised import train as trainer
from gridlab.game2048.learn.supervised.train import (
    Learner,
    SupervisedSettings,
    SupervisedTraining,
    forward,
    open_data,
    settings_for,
    train_policy,
)
from gridlab.game2048.rules import Rules2048
from gridlab.learn import run
from gridlab.learn.networks import digest_of
from gridlab.learn.run import Asked, training_of
from tests.conftest import Run, in_long_runs

pytestmark = pytest.mark.compiled
SMALL = ("width=16", "layers=1", "heads=2", "validation=0.25", "test=0.25")


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight short games."""
    path = tmp_path_factory.mktemp("games") / "games.jsonl"
    generate("2048", path, 8, settings=make_settings(seed=1, depth=2, max_moves=60))
    return path


def learn(path: Path, games: Path, method: str = "cnn", **settings: object) -> SupervisedTraining:
    asked: dict[str, object] = {"epochs": 3, "batch": 32, "seed": 1, "workers": 1, "settings": SMALL} | settings
    return train_policy([games], path, method=method, **asked)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", METHODS)
def test_a_few_games_are_learnt_by_heart(games: Path, method: str) -> None:
    data = open_data((games,), SupervisedSettings(validation=0.25, test=0.25, augment=False), 1)
    few = data.train.part([0])
    large = {"width": 32, "layers": 2}
    settings = settings_for(method, Asked.of(large, augment=False, epochs=300, batch=32, learning_rate=0.005))
    learner = Learner(method, type(data)(few, data.validation, data.test, data.files), settings, 1)
    while learner.epoch < 300:
        learner.step()
        if learner.step_in_epoch == learner.epoch_steps:
            learner.epoch += 1
            hits, learner.sums = learner.sums[1] / learner.sums[2], np.zeros(3)
            if hits > 0.985:
                break
    assert hits > 0.985


def test_without_a_seed_it_is_seed_0(games: Path, tmp_path: Path) -> None:
    for name, seed in (("none", None), ("zero", 0), ("one", 1)):
        learn(tmp_path / name, games, epochs=1, seed=seed)
    files = [(tmp_path / name).read_bytes() for name in ("none", "zero", "one")]
    assert files[0] == files[1] != files[2]


def test_illegal_directions_are_masked(games: Path) -> None:
    samples = Moves2048(games).samples(range(200))
    said, _ = forward(new_policy("cnn", SupervisedSettings().shape, 0), samples, Rules2048())
    assert (said.detach().numpy()[~samples.legal] == np.float32(NEVER)).all()
    assert samples.legal[np.arange(200), said.argmax(1).numpy()].all()


def test_no_game_is_in_two_parts(games: Path) -> None:
    data = open_data((games,), SupervisedSettings(), 3)
    parts = [set(map(tuple, part.games.tolist())) for part in (data.train, data.validation, data.test)]
    assert len(set.union(*parts)) == sum(map(len, parts)) == 8
    assert data.train.symmetries
    assert not data.validation.symmetries


def same(one: SupervisedTraining, other: SupervisedTraining) -> bool:
    """Whether two trainings went the same way, but for the time they took."""
    first, second = (
        [{name: row[name] for name in row if name != "seconds"} for row in each.facts.curve] for each in (one, other)
    )
    weights = [policy_file.read(each.path).tensors for each in (one, other)]
    return first == second and digest_of(weights[0]) == digest_of(weights[1])


@pytest.mark.parametrize("method", ["dual", *in_long_runs("cnn", "transformer")])
def test_resuming_continues_the_same_curve(games: Path, tmp_path: Path, method: str) -> None:
    whole = learn(tmp_path / "whole", games, method)
    assert whole.done
    stopped_at = [3, 11]

    class Stopped(Exception):
        """In the place of Ctrl-C."""

    def run(steps: int, resume: bool) -> None:
        before = Learner.step

        def step(self: Learner) -> None:
            if self.steps >= steps:
                raise Stopped
            before(self)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Learner, "step", step)
            patch.setattr("gridlab.learn.run.SAVE_EVERY", -1.0)  # after every step
            with pytest.raises(Stopped):
                learn(tmp_path / "parts", games, method, resume=resume)

    run(stopped_at[0], False)
    run(stopped_at[1], True)
    resumed = train_policy((), tmp_path / "parts", method=None, workers=1, resume=True)  # the games are known
    assert resumed.done
    assert same(whole, resumed)
    assert same(whole, learn(tmp_path / "again", games, method))
    files = [(tmp_path / name).read_bytes() for name in ("whole", "parts", "again")]
    assert files[0] == files[1] == files[2]


@pytest.mark.parametrize("where", ["measure", "spread", "advance", "plot_curve"])
def test_an_error_saves_first(games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    """In measuring, in telling, in drawing: what was learnt is there to go on from, and comes to the same."""
    learn(tmp_path / "whole", games)
    calls = []

    def fail(*given: object, **more: object) -> object:
        calls.append(given)
        if len(calls) > 1 or where == "plot_curve":
            raise RuntimeError("nobody has thought of this")
        return before(*given, **more)

    home = run if where == "advance" else trainer
    before = getattr(home, where)
    monkeypatch.setattr(home, where, fail)
    with pytest.raises(RuntimeError):
        learn(tmp_path / "parts", games)
    monkeypatch.undo()
    monkeypatch.setattr(trainer, "plot_curve", lambda *_: None)
    steps = policy_file.read(training_of(tmp_path / "parts")).facts.steps
    assert steps > {"measure": 3, "spread": 3, "advance": 1, "plot_curve": 3}[where]
    learn(tmp_path / "parts", games, resume=True)
    assert (tmp_path / "parts").read_bytes() == (tmp_path / "whole").read_bytes()


def test_an_error_in_a_step_leaves_what_was_saved(games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A network that is half changed, or ruined, takes the place of nothing."""
    learn(tmp_path / "net", games, epochs=1)
    before = training_of(tmp_path / "net").read_bytes()
    monkeypatch.setattr(trainer, "roots_of", None)
    monkeypatch.setattr(trainer, "forward", lambda *_: (torch.full((32, 4), torch.nan), None))
    with pytest.raises((BadNotation, RuntimeError)):
        learn(tmp_path / "net", games, epochs=2, resume=True)
    assert training_of(tmp_path / "net").read_bytes() == before


def test_early_moves_are_learnt_from_more_often(games: Path, tmp_path: Path) -> None:
    """Which moves an epoch sees hangs on the setting, and is the same each time."""
    one, other = (learn(tmp_path / name, games, settings=(*SMALL, "early=0.9")) for name in ("one", "other"))
    assert same(one, other)
    assert one.facts.settings["early"] == 0.9
    assert not same(one, learn(tmp_path / "even", games))


def test_more_epochs_and_nothing_else(games: Path, tmp_path: Path) -> None:
    path = tmp_path / "net"
    learn(path, games, epochs=1)
    one_path = train_policy(str(games), path, epochs=2, method="cnn", workers=1, resume=True)
    assert one_path.facts.epoch == 2
    for wrong, words in (
        ({"seed": 2}, "was begun with seed 1, not 2"), ({"batch": 64}, "was begun with batch 32, not 64"),
        ({"settings": {"width": 32}}, "was begun with width 16, not 32"), ({"epochs": 1}, "for 2 epochs already"),
        ({"method": "dual"}, "was begun with method cnn"),
    ):  # fmt: skip
        asked: dict[str, object] = {"method": "cnn", "data": [games], "resume": True} | wrong
        with pytest.raises(FileTrouble, match=words):
            train_policy(out=path, **asked)  # type: ignore[arg-type]
    with pytest.raises(FileTrouble, match="is there already"):
        learn(path, games)
    other = tmp_path / "other.jsonl"
    generate("2048", other, 8, settings=make_settings(seed=2, depth=2, max_moves=60))
    with pytest.raises(FileTrouble, match=r"was begun with .*games\.jsonl, not these"):
        train_policy([other], path, method="cnn", resume=True)


def test_it_stops_when_nothing_gets_better(games: Path, tmp_path: Path) -> None:
    found = learn(tmp_path / "net", games, epochs=200, learning_rate=0.05, settings=(*SMALL, "patience=2"))
    assert found.done
    assert found.facts.epoch == found.facts.best_epoch + 2 < 200
    losses = [row["validation_loss"] for row in found.facts.curve]
    assert losses[found.facts.best_epoch - 1] == min(x for x in losses if x is not None)
    best = policy_file.read(tmp_path / "net")
    kept = policy_file.read(training_of(tmp_path / "net")).part(policy_file.BEST)
    assert all(torch.equal(kept[name], each) for name, each in best.part(policy_file.NETWORK).items())


@pytest.mark.usefixtures("drawn")
def test_what_is_measured(games: Path, tmp_path: Path) -> None:
    found = learn(tmp_path / "net", games, "dual", epochs=1)
    test = found.facts.test
    assert test is not None
    assert test.moves == sum(map(sum, test.confusion))
    assert test.accuracy == pytest.approx(sum(test.confusion[i][i] for i in range(4)) / test.moves)
    assert set(test.phases) <= {"opening", "middle", "late", "end"}
    assert test.value_error is not None
    assert found.facts.data[0].games == 8
    assert (tmp_path / "net.png").read_bytes().startswith(b"\x89PNG")
    heading = next(line for line in str(found).splitlines() if "in the data" in line).split()
    assert heading[-5:] == ["up", "down", "left", "right", "accuracy"]
    assert found.as_dict()["data"][0]["sha256"] == found.facts.data[0].sha256


def test_foreign_and_damaged_files_are_refused(games: Path, tmp_path: Path) -> None:
    path = tmp_path / "net"
    learn(path, games, epochs=1)
    content = path.read_bytes()
    tensors, header = load(content), json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    facts = json.loads(header["__metadata__"]["gridlab"])

    def written(tensors: dict[str, torch.Tensor], **other: object) -> Path:
        said = facts | {"sha256": digest_of(tensors)} | other
        place = tmp_path / f"damaged{len(list(tmp_path.iterdir()))}"
        place.write_bytes(save(tensors, {"gridlab": json.dumps(said)}))
        return place

    name = "network.policy.weight"
    nan = tensors | {name: torch.full_like(tensors[name], torch.nan)}
    for damaged, words in (
        (written(nan), "numbers that are none"),
        (written({k: v for k, v in tensors.items() if k != name}), "is missing"),
        (written(tensors | {"network.more": torch.zeros(1)}), "it also has 'more'"),
        (written(tensors | {name: torch.zeros(4, 5)}), "holds another network"),
        (written(tensors, sha256="0" * 64), "is damaged"),
        (written(tensors, format="other"), "is not a network that chooses directions"),
        (written(tensors, rules="2048:99x99x"), "damaged"),
        (written(tensors, settings={"width": 10**6}), "how large its network is"),
        (written(tensors, settings={"width": 10, "heads": 3}), "which they do not divide"),
    ):
        with pytest.raises((FileTrouble, CorruptFile), match=words):
            policy_file.read(damaged).network()
    assert policy_file.read(written(tensors)).network() is not None
    for bad in (pickle.dumps({"a": 1}), b"", content[:-1], content[:100]):
        path.write_bytes(bad)
        with pytest.raises(FileTrouble):
            policy_file.read(path)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--method", "cnn"], "name their files"),
        (["--method", "cnn", "--data", "GAMES", "--tuples", "4x6"], "--tuples belongs to the method ntuple"),
        (["--method", "ntuple", "--data", "GAMES"], "--data belongs to the methods cnn, dual and transformer"),
        (["--method", "ntuple", "--epochs", "3"], "--epochs belongs to"),
        (
            ["--method", "cnn", "--data", "GAMES", "--setting", "gamma=1"],
            "'gamma' is not a setting here; there are augment",
        ),
        (["--method", "cnn", "--data", "GAMES", "--setting", "width=0"], "width='0' cannot be"),
        (["--method", "cnn", "--data", "GAMES", "--setting", "learning_rate=nan"], "cannot be"),
        (["--method", "cnn", "--data", "GAMES", "--setting", "width"], "write it as name=value"),
        (["--method", "transformer", "--data", "GAMES", "--setting", "heads=5"], "5 heads do not divide"),
        (
            ["--method", "cnn", "--data", "GAMES", "--setting", "test=0.5", "--setting", "validation=0.5"],
            "no games to learn",
        ),
        (["--setting", "momentum=1"], "'momentum' is not a setting here; there are games, minutes"),
        (["--setting", "step=1", "--step", "1"], "step is said by an option and by --setting"),
    ],
)
def test_wrong_use_is_told(gridlab: Run, games: Path, tmp_path: Path, words: list[str], said: str) -> None:
    arguments = [str(games) if word == "GAMES" else word for word in words]
    code, _, err = gridlab("train", "2048", *arguments, "--out", str(tmp_path / "net"))
    assert code == 2
    assert said in err


@pytest.mark.usefixtures("drawn")
def test_the_command(gridlab: Run, games: Path, tmp_path: Path) -> None:
    out = tmp_path / "2048.dual"
    options = [
        "--method",
        "dual",
        "--data",
        str(games),
        str(games),
        "--epochs",
        "1",
        "--batch",
        "64",
        "--learning-rate",
        "0.01",
    ]
    more = [word for each in SMALL for word in ("--setting", each)]
    code, text, _ = gridlab("train", "2048", *options, *more, "--no-augment", "--out", str(out), "--json", "--quiet")
    assert code == 0
    found = json.loads(text)
    assert found["done"]
    assert len(found["data"]) == 2
    assert found["settings"]["augment"] is False
    assert {path.name for path in tmp_path.iterdir()} >= {"2048.dual", "2048.dual.training", "2048.dual.png"}


def test_too_few_games(games: Path, tmp_path: Path) -> None:
    one = tmp_path / "one.jsonl"
    one.write_text(games.read_text().splitlines()[0] + "\n")
    with pytest.raises(BadNotation, match="no games are left to validate with"):
        learn(tmp_path / "net", one, settings=())
