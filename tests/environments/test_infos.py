"""What vectorised environments say of each game is what single ones say, in the form that Gymnasium gives it."""

import copy
import pickle
from functools import partial
from typing import Any

import numpy as np
import pytest

from gridlab.inarow.position import Position
from tests.conftest import Table

gymnasium = pytest.importorskip("gymnasium")

from gridlab.games.vector import Infos  # noqa: E402
from gridlab.inarow.environment.games import board_texts, observed  # noqa: E402
from gridlab.inarow.environment.gym import InARowEnv  # noqa: E402

pytestmark = pytest.mark.compiled
GAMES = 5


def facts_of(infos: dict[str, Any], number: int) -> dict[str, Any]:
    """What is said of one game: the keys that it has, with its own values."""
    names = [name for name in infos if not name.startswith("_") and infos[f"_{name}"][number]]
    return {
        name: facts_of(infos[name], number) if isinstance(infos[name], dict) else infos[name][number] for name in names
    }


def assert_same(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    assert ours.keys() == theirs.keys()
    for name, value in theirs.items():
        if isinstance(value, dict):
            assert_same(ours[name], value)
        else:
            assert np.array_equal(ours[name], value), (name, ours[name], value)


def assert_same_kind(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    """Arrays of the same type and shape under every key, and a mask for each."""
    for name, value in theirs.items():
        if isinstance(value, dict):
            assert_same_kind(ours[name], value)
        elif name != "final_obs":  # an array of games here, a list of observations there
            assert (ours[name].dtype, ours[name].shape) == (value.dtype, value.shape), name


@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("gridlab/2048-v0", {"rules": "2048:2x2"}),
        ("gridlab/2048-v0", {"rules": "2048:2x3", "truth": True}),
        ("gridlab/InARow-v0", {"opponent": None}),
        ("gridlab/InARow-v0", {"opponent": None, "rules": "2x3:3-2", "truth": True}),
        ("gridlab/InARow-v0", {"opponent": None, "rules": "3x4:4-3"}),
    ],
)
def test_infos_are_those_of_single_games(name: str, settings: dict[str, Any], mode: str, table: Table) -> None:
    """The same seeds and actions, illegal ones among them, in ours and in single ones side by side by Gymnasium."""
    if settings.get("truth") and "InARow" in name:
        settings = {**settings, "tablebase": table(settings["rules"]).file.path}
    many = gymnasium.make_vec(name, GAMES, autoreset_mode=mode, **settings)
    single = gymnasium.make_vec(
        name, GAMES, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}, **settings
    )
    (_, ours), (_, theirs) = many.reset(seed=3), single.reset(seed=3)
    seen: set[str] = set()
    many.action_space.seed(1)
    for step in range(120):
        assert_same_kind(ours, theirs)
        for number in range(GAMES):
            one, other = facts_of(ours, number), facts_of(theirs, number)
            if mode == "NextStep" and not other["action_mask"].any():
                assert one.pop("action_mask").all()  # the one difference: any action will do before a new game
                del other["action_mask"]
            assert_same(one, other)
            seen |= other.keys() | other.get("final_info", {}).keys()
        actions = many.action_space.sample() if step % 5 == 0 else many.unwrapped.random_actions()
        *_, ours = many.step(actions)
        *_, theirs = single.step(actions)
    assert {"score" if "2048" in name else "board", "action_mask"} <= seen
    assert ("illegal" in seen) == ("InARow" in name)
    assert ("regret" in seen) == bool(settings.get("truth"))
    assert ("final_info" in seen) == (mode == "SameStep")


class Copycat:
    """An opponent that lays the stone which another board has more."""

    board = ""

    def move(self, position: Position, random: np.random.Generator) -> int:
        after = Position.parse(self.board, position.rules)
        (cell,) = [cell for cell in position.moves() if after == position.play(cell)]
        return cell


@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
@pytest.mark.parametrize("side", ["X", "O", "random"])
@pytest.mark.parametrize("rules", ["tictactoe", "3x4:4-3"])
def test_infos_against_an_opponent(rules: str, side: str, mode: str) -> None:
    """The opponent of a single game plays what the one of the vectorised environment has played."""
    many = gymnasium.make_vec("gridlab/InARow-v0", GAMES, rules=rules, side=side, autoreset_mode=mode)
    cats = [Copycat() for _ in range(GAMES)]
    singles = [InARowEnv(rules, cat) for cat in cats]

    def begin(number: int, said: dict[str, Any]) -> None:
        cats[number].board = said["board"]
        singles[number].side = "O" if "X" in said["board"] else "X"
        assert_same(said, singles[number].reset()[1])

    _, infos = many.reset(seed=4)
    waiting, sides, ends = [False] * GAMES, set(), 0
    for number in range(GAMES):
        begin(number, facts_of(infos, number))
    for step in range(100):
        actions = many.action_space.sample() if step % 4 == 0 else many.unwrapped.random_actions()
        _, rewards, ended, _, infos = many.step(actions)
        for number, single in enumerate(singles):
            said = facts_of(infos, number)
            if waiting[number]:
                begin(number, said)
            else:
                last = said.pop("final_info", said)
                said.pop("final_obs", None)
                cats[number].board = last["board"]
                _, reward, over, _, info = single.step(actions[number])
                assert (reward, over) == (rewards[number], ended[number])
                if over and mode == "NextStep":
                    assert last.pop("action_mask").all()
                    del info["action_mask"]
                assert_same(last, info)
                if over and mode == "SameStep":
                    begin(number, said)
            waiting[number] = bool(ended[number]) and mode == "NextStep"
            sides.add(single.side)
            ends += ended[number]
    assert sides == ({"X", "O"} if side == "random" else {side})
    assert ends > 20


@pytest.mark.parametrize("name", ["gridlab/2048-v0", "gridlab/InARow-v0"])
def test_infos_stay_as_they_are(name: str) -> None:
    """What is looked at later is what was true then, whatever became of the games, the observations or the actions."""
    settings = {"rules": "2048:2x2"} if "2048" in name else {"side": "random"}
    late, early = (gymnasium.make_vec(name, 64, **settings) for _ in range(2))
    kept, looked = [late.reset(seed=1)[1]], [dict(early.reset(seed=1)[1])]
    for _ in range(30):
        actions = late.unwrapped.random_actions()
        *_, infos = early.step(actions)
        looked.append(copy.deepcopy(infos))
        seen, *_, infos = late.step(actions)
        kept.append(infos)
        seen[...] = 1
        actions[...] = 0
    for one, other in zip(kept, looked, strict=True):
        for number in range(64):
            assert_same(facts_of(one, number), facts_of(other, number))


def test_a_part_of_the_games_begins_anew() -> None:
    env = gymnasium.make_vec("gridlab/2048-v0", 3, rules="2048:3x3")
    env.reset(seed=1)
    for _ in range(9):
        *_, before = env.step(env.unwrapped.random_actions())
    chosen = np.array([False, True, False])
    _, infos = env.reset(options={"reset_mask": chosen})
    assert infos["_score"].tolist() == infos["_action_mask"].tolist() == chosen.tolist()
    assert infos["score"].tolist() == [before["score"][0], 0, before["score"][2]]
    assert before["score"].all()


def test_nobody_sees_what_is_not_worked_out() -> None:
    made: list[int] = []

    def board() -> np.ndarray:
        made.append(1)
        return np.arange(2)

    def new() -> Infos:
        infos = Infos()
        infos.add({"board": partial(board)}, np.ones(2, np.bool_))
        return infos

    infos = new()
    assert ("board" in infos, len(infos), list(infos), made) == (True, 2, ["board", "_board"], [])
    assert infos["board"] is infos["board"]
    assert len(made) == 1
    ways = (
        lambda: new().get("board"), lambda: new().pop("board"), lambda: dict(new())["board"],
        lambda: {**new()}["board"], lambda: new().copy()["board"], lambda: (new() | {})["board"],
        lambda: ({} | new())["board"], lambda: dict(new().items())["board"], lambda: next(iter(new().values())),
        lambda: copy.copy(new())["board"], lambda: copy.deepcopy(new())["board"], lambda: new().setdefault("board"),
        lambda: pickle.loads(pickle.dumps(Infos(dict(new()))))["board"],
    )  # fmt: skip
    each: Any
    for each in ways:
        assert each().tolist() == [0, 1]
    assert "partial" not in repr(new())
    assert new().get("nothing", 3) == 3
    rest = new()
    assert rest.popitem()[0] == "_board"
    assert rest.popitem()[1].tolist() == [0, 1]


def test_texts_of_many_boards() -> None:
    boards = [Position("3x4:3"), Position("3x4:3").play(5), Position("3x4:3").play(5).play(0)]
    assert board_texts(np.array([observed(each) for each in boards])).tolist() == [str(each) for each in boards]
