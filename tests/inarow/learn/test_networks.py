"""The value network: its size, its shape, its weights by seed."""

from typing import Any

import numpy as np
import pytest
import torch

from gridlab.inarow.learn.features import SQUAVA, features_of
from gridlab.inarow.learn.judge import Judge, load_judge, opinion_of, random_boards
from gridlab.inarow.learn.networks import PARAMETERS, ValueNetwork, new_network
from gridlab.inarow.position import Position
from gridlab.inarow.search.depth_limited import evaluate, evaluation_of
from tests.inarow.learn.test_features import BOARDS


def test_the_number_of_parameters() -> None:
    layers = (50 + 1) * 512 + 2 * (512 + 1) * 512 + (512 + 1) * 256 + 256 + 1
    norms = 3 * 2 * 512
    assert sum(each.numel() for each in ValueNetwork().parameters()) == layers + norms == PARAMETERS == 686_081


def test_the_forward_pass_by_hand() -> None:
    """Layer by layer in numpy, without dropout."""
    network = new_network(3).eval()
    w = {name: each.detach().numpy().astype(np.float64) for name, each in network.state_dict().items()}

    def layer(x: Any, linear: str, norm: str) -> Any:
        raw = x @ w[f"{linear}.weight"].T + w[f"{linear}.bias"]
        even = (raw - raw.mean(1, keepdims=True)) / np.sqrt(raw.var(1, keepdims=True) + 1e-5)
        return np.maximum(even * w[f"{norm}.weight"] + w[f"{norm}.bias"], 0)

    x = np.random.default_rng(0).normal(size=(4, 50))
    first = layer(x, "input_layer", "input_norm")
    third = layer(layer(first, "hidden1", "norm1"), "hidden2", "norm2") + first
    narrow = third @ w["output_layer.0.weight"].T + w["output_layer.0.bias"]
    bent = np.where(narrow > 0, narrow, np.expm1(narrow))
    wanted = np.tanh(bent @ w["output_layer.3.weight"].T + w["output_layer.3.bias"])[:, 0]
    with torch.inference_mode():
        assert np.allclose(network(torch.from_numpy(x.astype(np.float32))).numpy(), wanted, atol=1e-5)


def test_the_seed_decides_the_weights_and_nothing_else_changes() -> None:
    torch.manual_seed(5)
    before = torch.get_rng_state()
    one, same, other = new_network(1), new_network(1), new_network(2)
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(one.hidden1.weight, same.hidden1.weight)
    assert not torch.equal(one.hidden1.weight, other.hidden1.weight)


def test_the_blend() -> None:
    judge = Judge(new_network(0), SQUAVA)
    values, tables = judge.values(BOARDS), evaluation_of(SQUAVA)
    heuristic = np.array([evaluate(own, other, tables) for own, other in BOARDS.tolist()])
    assert np.all(np.abs(values) < 1)
    for blend in (0.0, 0.3, 0.6, 1.0):
        assert np.allclose(judge.blended(BOARDS, blend), blend * 2000 * values + (1 - blend) * heuristic)


@pytest.mark.compiled
def test_a_value_is_that_of_every_image_and_of_the_players_search() -> None:
    """The network itself says something else of each image; what a player goes by, and what inspect shows, does not."""
    judge = load_judge("", SQUAVA)
    images, boards = judge.geometry.images, random_boards(SQUAVA, 200)
    seen = np.zeros((len(images), *boards.shape), np.int64)
    for byte in range(images.shape[1]):
        seen |= images[:, byte][:, boards >> 8 * byte & 255]
    values = np.array([judge.values(each) for each in seen])
    assert np.abs(values - values[0]).max() < 1e-5
    with torch.inference_mode():
        raw = np.array([judge.network(torch.from_numpy(features_of(each, judge.lines))).numpy() for each in seen])
    assert np.ptp(raw, axis=0).max() > 0.1
    position = Position.parse("...X./.O.../...../...../.....", SQUAVA)
    after = {cell: position.play(cell) for cell in position.moves()}
    cells, found = judge.moves(np.array([[position.own, position.other]]), 1, 1.0).of(0)
    for cell, value in zip(cells.tolist(), found.tolist(), strict=True):
        assert value == pytest.approx(-2000 * opinion_of(after[cell], judge).value, abs=0.02)
