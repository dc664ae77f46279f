"""Datasets by any player: named by text, or an object; and how many boards expectimax evaluates for each move."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gridlab.core.errors import BadNotation, BadPlayer, FileTrouble, PlayerFault
from gridlab.core.run import stop_flag
from gridlab.game2048.datasets.files import export_games, read_games
from gridlab.game2048.datasets.generate import generate, play
from gridlab.game2048.datasets.moves import Games
from gridlab.game2048.datasets.settings import Journal, make_settings, settings_to_resume
from gridlab.game2048.datasets.verify import verify
from gridlab.game2048.players import ExpectimaxPlayer
from gridlab.game2048.position import Position2048
from gridlab.players.registry import make_player
from tests.conftest import Run
from tests.game2048.test_solo import RULES, Advising, Answering, FirstLegal

NODES = {  # evaluator, depth, cells sampled -> for the first move, the last of 60, all of them; and the final score
    ("spec", 2, 0): (112, 68, 3834, 508),
    ("spec", 2, 2): (16, 12, 864, 444),
    ("spec", 3, 0): (448, 256, 16_472, 500),
    ("spec", 3, 2): (64, 48, 3536, 500),
    ("spec", 4, 0): (11_552, 3484, 282_850, 500),
    ("spec", 4, 2): (244, 240, 13_112, 500),
    ("spec", 5, 0): (23_852, 12_060, 695_592, 520),
    ("spec", 5, 2): (976, 672, 53_776, 492),
    ("spec", 6, 2): (3816, 3256, 187_856, 504),
    ("rows", 2, 0): (112, 40, 4240, 492),
    ("rows", 2, 2): (16, 16, 936, 496),
    ("rows", 3, 0): (448, 304, 17_520, 524),
    ("rows", 3, 2): (64, 64, 3600, 520),
    ("rows", 4, 0): (11_552, 4696, 310_764, 520),
    ("rows", 4, 2): (244, 252, 13_128, 440),
    ("rows", 5, 0): (23_852, 8580, 689_324, 508),
    ("rows", 5, 2): (976, 896, 53_600, 476),
    ("rows", 6, 0): (585_894, 114_048, 11_412_494, 504),
}


@pytest.mark.compiled
@pytest.mark.parametrize(("asked", "found"), NODES.items(), ids=str)
def test_boards_evaluated_for_a_move(asked: tuple[str, int, int], found: tuple[int, ...]) -> None:
    evaluator, depth, cells = asked
    settings = make_settings(7, depth, evaluator, cells, max_moves=60, metadata=True)
    game = play(3, settings)
    nodes = [move["nodes_evaluated"] for move in game.details or []]
    assert (nodes[0], nodes[-1], sum(nodes), game.final_score) == found


@pytest.fixture(autouse=True)
def _one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767787200")


def test_random_games_on_the_command_line(gridlab: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    asked = ["2048", "generate", "--player", "random", "-g", "3", "--seed", "1", "-o", str(path), "--quiet"]
    code, out, err = gridlab(*asked, "--json")
    assert (code, err) == (0, "")
    settings = {"seed": 1, "max_moves": 0, "curriculum": "", "min_score": 0, "min_tile": 0, "metadata": False}
    assert json.loads(out)["settings"] == {**settings, "player": "random"} == Games(path).index.settings
    assert json.loads(out)["mean_score"] < 3000
    first = path.read_bytes()
    assert gridlab(*asked, "--workers", "2")[0] == 0
    assert path.read_bytes() == first
    assert verify(path).sound
    gridlab(*asked, "--metadata")
    for number, game in enumerate(read_games(path)):
        assert game.about == {"seed": 1, "game": number, "player": "random", "max_moves": None}
        assert game.details
        assert all(list(details) == ["alternative_moves", "spawn"] for details in game.details)
    assert verify(path).sound
    export_games(path, "csv")
    assert [game.as_dict() for game in read_games(path.with_suffix(".csv"))] == [
        game.as_dict() for game in read_games(path)
    ]


def test_a_player_named_is_the_player_meant(tmp_path: Path) -> None:
    """The same games as by depth and evaluator; only what is said of them differs."""
    generate("2048", tmp_path / "a.jsonl", 2, settings=make_settings(1, 2, "rows", max_moves=50, metadata=True))
    named = make_settings(1, player="expectimax depth=2", max_moves=50, metadata=True)
    generate("2048", tmp_path / "b.jsonl", 2, settings=named)
    given = make_settings(1, max_moves=50, metadata=True)
    made = generate("2048", tmp_path / "c.jsonl", 2, player=ExpectimaxPlayer(RULES, depth=2), settings=given)
    assert (made.settings.player, made.settings) == ("expectimax depth=2", named)
    assert (tmp_path / "b.jsonl").read_bytes() == (tmp_path / "c.jsonl").read_bytes()
    for one, other in zip(read_games(tmp_path / "a.jsonl"), read_games(tmp_path / "b.jsonl"), strict=True):
        assert one.details == other.details
        assert one.about["depth"] == 2
        assert other.about["player"] == "expectimax depth=2"
        assert not {"depth", "evaluator"} & set(other.about)


def test_anything_with_a_move_makes_games(tmp_path: Path) -> None:
    settings = make_settings(seed=1, curriculum="easy", metadata=True)
    made = generate("2048", tmp_path / "a.jsonl", 3, player=FirstLegal(), settings=settings)
    assert (made.settings.player, made.statistics.games) == ("FirstLegal", 3)
    assert verify(tmp_path / "a.jsonl").sound
    for game in read_games(tmp_path / "a.jsonl"):
        moves = [Position2048.unpack(board).moves()[0] for board in game.boards.tolist()]
        assert [move["direction"] for move in game.as_dict()["moves"]] == moves
    generate("2048", tmp_path / "b.jsonl", 1, player=advising(), settings=make_settings(1, max_moves=9, metadata=True))
    (game,) = read_games(tmp_path / "b.jsonl")
    keys = ["evaluation_score", "alternative_moves", "evaluations", "spawn"]
    assert [list(details) for details in game.details or []] == [keys] * 9


def advising() -> Advising:
    return Advising(ExpectimaxPlayer(RULES, depth=1))


def test_a_player_at_fault_stops_the_run(tmp_path: Path) -> None:
    target = tmp_path / "a.jsonl"
    with pytest.raises(PlayerFault, match=r"game 1: the player Answering\(answer='north'\) answers 'north' in"):
        generate("2048", target, 2, player=Answering("north"), settings=make_settings(seed=1))
    assert not list(tmp_path.iterdir()), "there is no game yet that a run could go on from"
    with pytest.raises(BadPlayer, match="is made for 2048:3x3, not for 2048"):
        generate("2048", target, 2, player=make_player("random", type(RULES)(3, 3)), settings=make_settings(seed=1))


def test_a_run_goes_on_with_its_own_seed(tmp_path: Path) -> None:
    """Stopped in its second game, gone on with and no settings said, it gives what one run does."""

    class Stopping(FirstLegal):
        name = "first"

        def __init__(self, games: int = 0) -> None:
            self.games = games

        def move(self, position: Position2048, random: np.random.Generator) -> str:
            self.games -= position.score == 0 and sum(map(bool, position.tiles)) == 2  # a game begins
            if self.games == 0:
                raise KeyboardInterrupt
            return super().move(position, random)

    target = tmp_path / "a.jsonl"
    with pytest.raises(KeyboardInterrupt):
        generate("2048", target, 3, player=Stopping(2))
    made = generate("2048", target, 3, player=Stopping(), resume=True)
    generate("2048", tmp_path / "b.jsonl", 3, player=Stopping(), settings=make_settings(seed=made.settings.seed))
    assert [game.line() for game in Games(target)] == [game.line() for game in Games(tmp_path / "b.jsonl")]
    with pytest.raises(FileTrouble, match="there is nothing to resume"):
        generate("2048", target, 3, resume=True)


def test_resuming_asks_for_the_same_player(tmp_path: Path) -> None:
    target, settings = tmp_path / "a.jsonl", make_settings(seed=4, player="random", curriculum="easy")
    Journal(target).begin(settings.as_dict())
    assert settings_to_resume(target, make_settings(player="random", curriculum="easy"), False) == settings
    for other, told in (
        (make_settings(seed=4, player="expectimax", curriculum="easy"), "has player 'random', not 'expectimax'"),
        (make_settings(seed=4, max_moves=0, curriculum="easy"), "has player 'random', not ''"),
    ):
        with pytest.raises(FileTrouble, match=told):
            settings_to_resume(target, other, True)
        with pytest.raises(FileTrouble, match=told):
            generate("2048", target, 2, settings=other, resume=True)
    journal = Journal(target)
    assert not list(journal.lines())
    journal.add(play(0, settings, stop=stop_flag()).line())
    generate("2048", target, 2, settings=settings, resume=True)
    generate("2048", tmp_path / "b.jsonl", 2, settings=settings)
    assert target.read_bytes() == (tmp_path / "b.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        ({"depth": 3}, "the player 'random' says itself how it plays; leave out --depth"),
        ({"evaluator": "rows", "sample_cells": 0}, "leave out --evaluator, --sample-cells"),
    ],
)
def test_how_expectimax_plays_is_not_said_of_others(asked: dict[str, Any], complaint: str) -> None:
    with pytest.raises(BadNotation, match=complaint):
        make_settings(player="random", **asked)


def test_wrong_use(gridlab: Run, tmp_path: Path) -> None:
    for arguments, complaint in (
        (["--player", "random", "--depth", "3"], "leave out --depth"),
        (["--player", "random", "--evaluator", "spec"], "leave out --evaluator"),
        (["--player", "clever"], "'clever' is not a player; there are random, expectimax"),
        (["--player", ""], "'' is not a player"),
    ):
        code, _, err = gridlab("2048", "generate", *arguments, "-o", str(tmp_path / "a.jsonl"))
        assert (code, err.count("\n")) == (2, 1), err
        assert complaint in err
    assert not list(tmp_path.iterdir())


def test_details_of_random_moves_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    generate("2048", path, 1, settings=make_settings(1, player="random", metadata=True))
    game = json.loads(path.read_text())
    game["moves"][3]["alternative_moves"] = ["up", "down", "left", "right"]
    path.write_text(json.dumps(game) + "\n")
    assert "what is said of the move's alternatives or of the new tile is not so" in verify(path).flaws[0].reason
    assert np.unique([move["direction"] for move in game["moves"]]).size == 4
