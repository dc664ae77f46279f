"""Networks saved as the published guide saves them: imported whole, or refused; nothing in a file is ever run."""

import collections
import copy
import io
import os
import pickle
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from gridlab.core.errors import CorruptFile, GridlabError
from gridlab.inarow.learn import networks as checkpoint
from gridlab.inarow.learn.features import SQUAVA
from gridlab.inarow.learn.judge import load_judge, random_boards
from gridlab.inarow.learn.networks import import_network
from tests.conftest import Run


class DQNNetwork(nn.Module):
    """The network as the guide prints it; the LayerNorms of the hidden layers have no names there."""

    def __init__(self, norms: tuple[str, str] = ("hidden1_norm", "hidden2_norm"), narrow: int = 256) -> None:
        super().__init__()
        self.norms = norms
        self.input_layer = nn.Linear(50, 512)
        self.input_norm = nn.LayerNorm(512)
        self.hidden1 = nn.Linear(512, 512)
        self.hidden2 = nn.Linear(512, 512)
        for name in norms:
            setattr(self, name, nn.LayerNorm(512))
        self.dropout = nn.Dropout(0.1)
        self.output_layer = nn.Sequential(
            nn.Linear(512, narrow), nn.ELU(), nn.Dropout(0.1), nn.Linear(narrow, 1), nn.Tanh()
        )

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        first, second = (getattr(self, name) for name in self.norms)
        x0 = torch.relu(self.input_norm(self.input_layer(features)))
        x1 = self.dropout(torch.relu(first(self.hidden1(x0))))
        x2 = torch.relu(second(self.hidden2(x1))) + x0
        return self.output_layer(x2)  # type: ignore[no-any-return]


def trained(**settings: Any) -> DQNNetwork:
    """A network whose every layer has weights of its own, the LayerNorms too."""
    torch.manual_seed(11)
    network = DQNNetwork(**settings)
    for each in network.modules():
        if isinstance(each, nn.LayerNorm):
            nn.init.uniform_(each.weight, 0.5, 1.5)
            nn.init.uniform_(each.bias, -0.5, 0.5)
    return network.eval()


def guide_checkpoint(network: nn.Module) -> dict[str, Any]:
    """What `save_model` of the guide puts into its file."""
    learning = copy.deepcopy(network)  # one step, so that the optimiser has something to remember
    optimiser = torch.optim.Adam(learning.parameters(), lr=0.001)
    learning(torch.randn(2, 50)).sum().backward()
    optimiser.step()
    return {
        "q_network_state_dict": network.state_dict(),
        "target_network_state_dict": network.state_dict(),
        "optimizer_state_dict": optimiser.state_dict(),
        "epsilon": 0.05,
        "episode": 3000,
        "training_stats": {"total_games": 3000, "win_rate": 0.61, "loss_history": [0.5, 0.25]},
        "hyperparameters": {"learning_rate": 0.001, "gamma": 0.95, "epsilon_decay": 0.995, "memory_size": 50_000},
    }


@pytest.mark.parametrize("norms", [("hidden1_norm", "hidden2_norm"), ("norm1", "norm2"), ("layer_norm1", "ln_b")])
def test_the_guides_file_becomes_a_player(norms: tuple[str, str], tmp_path: Path, gridlab: Run) -> None:
    network = trained(norms=norms)
    torch.save(guide_checkpoint(network), tmp_path / "model.pth")
    code, out, err = gridlab("train", "import", str(tmp_path / "model.pth"))
    made = tmp_path / "model.safetensors"
    assert (code, out, err) == (0, f"{made}\n", "")
    judge = load_judge(made, SQUAVA)
    boards = random_boards(SQUAVA, 200, 1)
    with torch.inference_mode():
        wanted = network.eval()(torch.from_numpy(judge.seen(boards))).numpy()[:, 0]
    assert np.allclose(judge.values(boards), wanted, atol=1e-6)
    assert np.ptp(wanted) > 0.01  # it says something
    facts = checkpoint.read(made, "5x5:4-3").facts
    assert (facts.episode, facts.settings["preset"], facts.settings["gamma"]) == (3000, "imported", 0.95)


def test_it_plays_and_is_told(tmp_path: Path, gridlab: Run) -> None:
    torch.save(guide_checkpoint(trained()), tmp_path / "m.pth")
    made = str(tmp_path / "new" / "m.safetensors")
    assert gridlab("train", "import", str(tmp_path / "m.pth"), "-o", made)[0] == 0
    player = f"dqn-minimax checkpoint='{made}' depth=1"
    words = ("match", "squava", player, "random", "--games", "2", "--workers", "1", "--seed", "1", "--quiet")
    assert gridlab(*words)[0] == 0
    code, out, _ = gridlab("train", "info", made)
    assert code == 0
    assert "episode: 3,000" in out


class Evil:
    """Runs a command when it is unpickled."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return os.mkdir, (str(self.trace),)


@pytest.mark.parametrize("place", ["q_network_state_dict", "training_stats", "whole"])
def test_nothing_in_a_file_is_run(place: str, tmp_path: Path, gridlab: Run) -> None:
    evil = Evil(tmp_path / "trace")
    saved = {"whole": evil}.get(place, {**guide_checkpoint(trained()), place: evil})
    torch.save(saved, tmp_path / "evil.pth")
    code, out, err = gridlab("train", "import", str(tmp_path / "evil.pth"))
    assert (code, out) == (2, "")
    assert "nothing in a file is run to read it: " in err
    assert "mkdir" in err
    assert not (tmp_path / "trace").exists()
    assert not (tmp_path / "evil.safetensors").exists()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.load(tmp_path / "evil.pth", weights_only=False)  # the file is as evil as it should be
    assert (tmp_path / "trace").exists()


def changed(**changes: Any) -> dict[str, Any]:
    """The state of the network with some tensors changed; None takes one away."""
    state = {**guide_checkpoint(trained())["q_network_state_dict"]}
    for name, value in changes.items():
        state.pop(name, None)
        if value is not None:
            state[name] = value
    return {"q_network_state_dict": state}


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "another shape": (lambda: guide_checkpoint(trained(narrow=128)), r"output_layer\.0\.weight is \(128, 512\)"),
    "a part is missing": (
        lambda: changed(**{"hidden1.bias": None}),
        r"hidden1\.bias is missing, and \(512,\) is needed",
    ),
    "no LayerNorms": (
        lambda: changed(**{f"hidden{n}_norm.{kind}": None for n in (1, 2) for kind in ("weight", "bias")}),
        "it has nothing, and two LayerNorms are needed",
    ),
    "too much": (lambda: changed(**{"extra.weight": torch.zeros(3)}), "has 'hidden1_norm', 'hidden2_norm', 'extra'"),
    "no numbers": (lambda: changed(**{"hidden1.bias": torch.full((512,), torch.nan)}), "numbers that are none"),
    "whole numbers": (lambda: changed(**{"hidden1.bias": torch.zeros(512, dtype=torch.int64)}), "numbers of kind"),
    "no tensor": (lambda: changed(**{"hidden1.bias": [0.0] * 512}), "'hidden1.bias' is not a tensor"),
    "sparse": (lambda: changed(**{"hidden1.bias": torch.zeros(512).to_sparse()}), "is not a tensor of numbers"),
    "huge, of one number": (
        lambda: changed(**{"hidden1.bias": torch.zeros(1).expand(10**12)}),
        r"hidden1\.bias is \(1000000000000,\)",
    ),
    "the state alone": (lambda: trained().state_dict(), "has no q_network_state_dict"),
    "no dict": (lambda: [1, 2], "holds a list, not the dict"),
    "numbers of numpy": (
        lambda: {"win_rate": np.float64(0.5)},
        "save the networks' state_dict and plain numbers alone",
    ),
    "a deque": (lambda: {"loss_history": collections.deque([1.0])}, "nothing in a file is run"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_the_guides_network(name: str, tmp_path: Path) -> None:
    make, complaint = REFUSED[name]
    torch.save(make(), tmp_path / "m.pth")
    with pytest.raises(GridlabError, match=complaint):
        import_network(tmp_path / "m.pth", tmp_path / "m.safetensors")
    assert not (tmp_path / "m.safetensors").exists()


def test_files_that_torch_has_not_saved(tmp_path: Path) -> None:
    path, out = tmp_path / "m.pth", tmp_path / "m.safetensors"
    whole = io.BytesIO()
    torch.save(guide_checkpoint(trained()), whole)
    packed = io.BytesIO()
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as copy:
        for each in source.infolist():
            copy.writestr(each.filename, source.read(each))
    for content, complaint in (
        (b"", "is not a file of torch.save"),
        (pickle.dumps({"q_network_state_dict": {}}), "is not a file of torch.save"),
        (whole.getvalue()[:-2000], "is not a file of torch.save"),
        (packed.getvalue(), "it has compressed parts, and torch writes none"),
    ):
        path.write_bytes(content)
        with pytest.raises(CorruptFile, match=complaint):
            import_network(path, out)
    assert not out.exists()
    path.write_bytes(whole.getvalue())
    with pytest.raises(GridlabError, match="is, or lies inside"):
        import_network(path, path)


def test_damaged_bytes_are_refused_or_read(tmp_path: Path) -> None:
    """Bytes changed by chance in the archive: a sentence, or a network of finite numbers."""
    whole = io.BytesIO()
    torch.save(guide_checkpoint(trained()), whole)
    content, random = whole.getvalue(), np.random.default_rng(5)
    with zipfile.ZipFile(whole) as archive:
        data = next(each for each in archive.infolist() if each.filename.endswith("data.pkl"))
    refused = 0
    for _ in range(60):
        damaged = bytearray(content)
        place = int(random.integers(data.header_offset, data.header_offset + data.file_size))
        damaged[place] = int(random.integers(256))
        (tmp_path / "m.pth").write_bytes(damaged)
        try:
            import_network(tmp_path / "m.pth", tmp_path / "m.safetensors")
            load_judge(tmp_path / "m.safetensors", SQUAVA)
        except GridlabError:
            refused += 1
    assert refused > 10
