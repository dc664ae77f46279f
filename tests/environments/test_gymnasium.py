"""Environments of Gymnasium: its own checks, masks, seeds, pictures, and the truth beside every step."""

from typing import Any

import numpy as np
import pytest

from gridlab.core.errors import BadNotation, BadPlayer, FileTrouble, IllegalMove, TooLarge
from gridlab.games import game
from gridlab.games.environment import SIDE, rounded
from gridlab.inarow.exact.oracle import Oracle
from gridlab.inarow.position import Position
from tests.conftest import Table

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402

from gridlab.environments import register  # noqa: E402
from gridlab.inarow.environment.gym import InARowEnv  # noqa: E402

register()  # importing it is enough, and once more does no harm

SETTINGS: list[tuple[str, dict[str, Any]]] = [
    ("gridlab/2048-v0", {}),
    ("gridlab/2048-v0", {"rules": "2048:5x5"}),
    ("gridlab/2048-v0", {"rules": "2048:2x3", "truth": True}),
    ("gridlab/InARow-v0", {}),
    ("gridlab/InARow-v0", {"rules": "2x3:3-2", "opponent": None, "truth": True}),
    ("gridlab/InARow-v0", {"opponent": "alpha-beta depth=2", "side": "random"}),
    ("gridlab/InARow-v0", {"rules": "squava", "opponent": "random", "side": "O"}),
]
VALUES = {"win": 1, "draw": 0, "loss": -1}


@pytest.mark.parametrize(("name", "settings"), SETTINGS)
@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
def test_gymnasium_finds_nothing_wrong(name: str, settings: dict[str, Any], mode: str) -> None:
    env = gymnasium.make(name, render_mode=mode, **settings)
    check_env(env.unwrapped)
    env.reset(seed=1)
    shown = env.render()
    if mode == "rgb_array":
        assert shown.dtype == np.uint8
        assert len(np.unique(shown.reshape(-1, 3), axis=0)) > 1
    else:
        assert len(shown.splitlines()) >= env.unwrapped.rules.rows
    env.close()


def test_the_square_of_a_tile_has_a_margin_and_round_corners() -> None:
    square = rounded()
    half = square[: SIDE // 2, : SIDE // 2]
    for turned in (square[::-1], square[:, ::-1], square.T):
        assert np.array_equal(square, turned)
    assert (half[:3] == 0).all()  # the margin
    assert (half[3, 7:] == 1).all()  # an edge
    assert half[3, 3] == 0 < half[3, 5] < half[4, 4] < 1 == half[7, 7]  # a corner


@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("gridlab/2048-v0", {"rules": "2048:2x3"}),
        ("gridlab/2048-v0", {}),
        ("gridlab/InARow-v0", {"opponent": None}),
        ("gridlab/InARow-v0", {"opponent": None, "rules": "3x4:4-3"}),
    ],
)
def test_many_are_what_single_ones_are(name: str, settings: dict[str, Any], mode: str) -> None:
    """The vectorised environment, and as many single ones stepped one after the other by Gymnasium itself."""
    many = gymnasium.make_vec(name, 5, autoreset_mode=mode, **settings)
    single = gymnasium.make_vec(name, 5, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}, **settings)
    assert many.observation_space == single.observation_space
    assert many.action_space == single.action_space
    ours, theirs = many.reset(seed=3), single.reset(seed=3)
    assert np.array_equal(ours[0], theirs[0])
    assert np.array_equal(ours[1]["action_mask"], theirs[1]["action_mask"])
    for step in range(60):
        actions = many.action_space.sample() if step % 5 == 0 else many.random_actions()
        ours, theirs = many.step(actions), single.step(actions)
        for mine, other in zip(ours[:4], theirs[:4], strict=True):
            assert np.array_equal(mine, other)
            assert mine.dtype == other.dtype
        going = ~ours[2]
        assert np.array_equal(ours[4]["action_mask"][going], np.array(theirs[4]["action_mask"])[going])
        for i in np.flatnonzero(ours[4].get("_final_obs", [])):
            assert np.array_equal(ours[4]["final_obs"][i], theirs[4]["final_obs"][i])


def test_what_is_handed_out_stays_unless_it_need_not() -> None:
    for copy, stays in ((True, True), (False, False)):
        env = gymnasium.make_vec("gridlab/2048-v0", 3, copy=copy)
        seen, info = env.reset(seed=1)
        kept = seen.copy(), info["action_mask"].copy()
        for _ in range(5):
            env.step(env.unwrapped.random_actions())
        assert np.array_equal(seen, kept[0]) is stays


def test_some_games_begin_anew_and_a_seed_repeats() -> None:
    env = gymnasium.make_vec("gridlab/InARow-v0", 4, opponent="random", side="O")
    first, _ = env.reset(seed=9)
    assert first[:, 1].sum() == 4  # a stone of the opponent on each board
    again, _ = env.reset(seed=[9, 10, 11, 12])
    assert np.array_equal(first, again)
    env.step(env.unwrapped.random_actions())
    seen, _ = env.reset(options={"reset_mask": np.array([True, False, False, False])})
    assert seen[0].sum() == 1
    assert (seen[1:].sum(axis=(1, 2, 3)) == 3).all()
    with pytest.raises(BadNotation, match="reset_mask must be 4 truth values"):
        env.reset(options={"reset_mask": np.array([1, 0])})
    with pytest.raises(BadNotation, match="3 seeds are given for 4 games"):
        env.reset(seed=[1, 2, 3])
    with pytest.raises(BadNotation, match=r"shape \(3,\)"):
        env.step(np.array([1, 2, 3]))
    with pytest.raises(BadNotation, match="none of SameStep and NextStep"):
        gymnasium.make_vec("gridlab/InARow-v0", 4, autoreset_mode="Disabled")


@pytest.mark.compiled
def test_the_truth_of_in_a_row_moves(table: Table) -> None:
    """Every step of random games beside what an oracle says, single and thousands at once."""
    rules = game("3x4:4-3", "mnk")
    path, oracle = table("3x4:4-3").file.path, Oracle(rules, tablebase=table("3x4:4-3").file.path)
    single = gymnasium.make("gridlab/InARow-v0", rules=rules, opponent=None, truth=True, tablebase=path).unwrapped
    many = gymnasium.make_vec(
        "gridlab/InARow-v0", 1, rules=rules, opponent=None, truth=True, tablebase=path, autoreset_mode="NextStep"
    )
    single.reset(seed=1)
    many.reset(seed=1)
    chance, regrets = np.random.default_rng(3), set()
    for step in range(200):
        before = single.position
        action = int(chance.integers(12)) if step % 10 == 0 else int(chance.choice(before.moves()))
        *_, over, _, info = single.step(action)
        facts = many.step([action])[4]
        found = oracle.ask(before)
        assert info["value"] == VALUES[found.value]
        worth = {move.cell: (VALUES[move.value], move.distance) for move in found.moves}.get(action, (-1, 0))
        assert (info["action_value"], info["action_distance"]) == worth
        assert info["regret"] == info["value"] - info["action_value"]
        for name in ("value", "distance", "action_value", "action_distance", "regret"):
            assert facts[name][0] == info[name], name
        assert facts["_regret"][0]
        regrets.add(info["regret"])
        if over:
            single.reset()
            assert "regret" not in many.step([action])[4]
    assert regrets == {0, 1, 2}


@pytest.mark.compiled
def test_the_truth_of_2048_moves() -> None:
    single = gymnasium.make("gridlab/2048-v0", rules="2048:2x3", truth=True).unwrapped
    many = gymnasium.make_vec("gridlab/2048-v0", 1, rules="2048:2x3", truth=True, autoreset_mode="NextStep")
    single.reset(seed=4)
    many.reset(seed=4)
    given_away = 0.0
    for step in range(200):
        probe = single.table.probe(single.position)
        *_, over, _, info = single.step(step % 4)
        facts = many.step([step % 4])[4]
        direction = ("up", "down", "left", "right")[step % 4]
        assert info["value"] == max(probe.values.values())
        assert info["action_value"] == probe.values.get(direction, info["value"])
        assert info["regret"] == info["value"] - info["action_value"] >= 0
        for name in ("value", "action_value", "regret"):
            assert facts[name][0] == info[name]
        given_away += info["regret"]
        if over:
            single.reset()
            assert "regret" not in many.step([0])[4]
    assert given_away > 0


@pytest.mark.compiled
def test_truth_needs_a_table(table: Table) -> None:
    with pytest.raises(FileTrouble, match="truth=True needs a table of 2048: gridlab tablebase build"):
        gymnasium.make("gridlab/2048-v0", truth=True)
    with pytest.raises(FileTrouble, match="truth=True asks a tablebase of 3x3:3"):
        gymnasium.make_vec("gridlab/InARow-v0", 2, truth=True)
    with pytest.raises(TooLarge, match=r"knows the first \d plies of 5x5:4-3"):
        gymnasium.make_vec("gridlab/InARow-v0", 2, rules="squava", truth=True)


def test_a_game_against_a_player() -> None:
    """Perfect play as O never loses, and the learner sees its own stones first."""
    env = gymnasium.make("gridlab/InARow-v0", opponent="perfect").unwrapped
    for seed in range(5):
        seen, info = env.reset(seed=seed)
        over, reward = False, 0.0
        while not over:
            action = int(env.np_random.choice(np.flatnonzero(info["action_mask"])))
            seen, reward, over, _, info = env.step(action)
            position = Position.parse(info["board"], env.rules)
            assert seen[0].sum() in (position.crosses.bit_count(), position.noughts.bit_count())
        assert reward <= 0
        assert not info["action_mask"].any()
        with pytest.raises(IllegalMove, match=r"reset\(\) begins another"):
            env.step(0)


def test_illegal_actions_and_wrong_settings() -> None:
    env = gymnasium.make("gridlab/InARow-v0", opponent=None).unwrapped
    env.reset(options={"board": "X../.../..."})
    _, reward, over, _, info = env.step(0)
    assert (reward, over, info["illegal"]) == (-1.0, True, True)
    with pytest.raises(IllegalMove, match="action 9 is none of 0 to 8"):
        env.step(9)
    blocked = gymnasium.make("gridlab/2048-v0").unwrapped
    seen, info = blocked.reset(seed=2)
    for action in np.flatnonzero(info["action_mask"] == 0):
        after, reward, over, _, _ = blocked.step(int(action))
        assert np.array_equal(seen, after)
        assert (reward, over) == (0.0, False)
    with pytest.raises(IllegalMove, match="action 4 is none of 0 to 3"):
        blocked.step(4)
    with pytest.raises(BadPlayer, match="'Z' is not a side"):
        gymnasium.make("gridlab/InARow-v0", side="Z")
    with pytest.raises(BadNotation, match="render_mode='human' is none of ansi, rgb_array"):
        InARowEnv(render_mode="human")


def test_an_opponent_is_closed() -> None:
    class Held:
        closed = False

        def move(self, position: Position, random: np.random.Generator) -> int:
            return position.moves()[0]

        def close(self) -> None:
            self.closed = True

    player = Held()
    env = gymnasium.make("gridlab/InARow-v0", opponent=player)
    env.reset()
    env.step(4)
    env.close()
    assert player.closed
