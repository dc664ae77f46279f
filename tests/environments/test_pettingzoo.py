"""The environment of PettingZoo: its own tests, and what agents see and get."""

import warnings

import numpy as np
import pytest

from gridlab.core.errors import BadNotation

pettingzoo = pytest.importorskip("pettingzoo")
from pettingzoo.test import api_test, seed_test  # noqa: E402

from gridlab.environments import register  # noqa: E402

register()  # importing it is enough, and once more does no harm

import gridlab.environments  # noqa: E402, F401 - registers

# what api_test says of every environment whose observation is a dictionary with a mask, and of an empty board
USUAL = {
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    "Observation numpy array is all zeros.",
}


@pytest.mark.parametrize("rules", ["tictactoe", "2x3:-2", "4x4:4-3", "squava"])
def test_pettingzoo_finds_nothing_wrong(rules: str) -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        api_test(pettingzoo.make("aec", "gridlab/InARow-v0", rules=rules), num_cycles=100)
        seed_test(lambda: pettingzoo.make("aec", "gridlab/InARow-v0", rules=rules), num_cycles=100)
    assert {str(each.message) for each in said} <= USUAL


def test_a_game() -> None:
    env = pettingzoo.make("aec", "gridlab/InARow-v0", truth=True, render_mode="ansi")
    env.reset(seed=1)
    for cell in (4, 1, 0, 8, 6, 2):
        assert env.last()[0]["action_mask"][cell] == 1
        env.step(cell)
        if cell == 1:
            assert env.infos["player_1"]["regret"] == 1  # the edge in answer to the middle: a draw became a loss
    assert "X" in env.render()
    seen = env.observe("player_1")
    assert seen["observation"][0].sum() == 3  # its own stones first
    assert not seen["action_mask"].any()  # it is not its turn
    assert env.infos["player_1"]["regret"] == 0  # lost already
    env.step(3)  # the first column
    assert env.rewards == {"player_0": 1, "player_1": -1}
    assert all(env.terminations.values())


def test_a_draw_and_an_illegal_move() -> None:
    env = pettingzoo.make("aec", "gridlab/InARow-v0")
    env.reset()
    for cell in (0, 1, 2, 4, 3, 5, 7, 6, 8):
        env.step(cell)
    assert env.rewards == {"player_0": 0, "player_1": 0}
    env.reset()
    env.step(4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        env.step(4)
    assert env.rewards == {"player_0": 0, "player_1": -1}


def test_pictures_and_refusals() -> None:
    env = pettingzoo.make("aec", "gridlab/InARow-v0", rules="3x4:3", render_mode="rgb_array")
    env.reset()
    env.step(5)
    assert env.render().shape == (3 * 64 + 1, 4 * 64 + 1, 3)
    assert env.render().dtype == np.uint8
    with pytest.raises(BadNotation, match="render_mode='human'"):
        pettingzoo.make("aec", "gridlab/InARow-v0", render_mode="human")
