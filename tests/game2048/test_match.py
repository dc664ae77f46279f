"""Two players of 2048 on the same chance."""

import json

import numpy as np
import pytest

from gridlab.arena.match import play_match
from gridlab.core.errors import BadNotation
from gridlab.game2048.evaluate import evaluate
from gridlab.games import game
from tests.conftest import Run

SMALL = game("2048:3x3", "2048")
GREEDY = "expectimax depth=1"


def test_both_play_the_games_they_would_play_alone() -> None:
    match = play_match(GREEDY, "random", SMALL, 12, seed=3, workers=1)
    for side, player in ((match.a, GREEDY), (match.b, "random")):
        alone = evaluate(player, SMALL, 12, seed=3, workers=1)
        assert side.scores.tolist() == alone.scores.tolist()
    assert match.differences.tolist() == (match.a.scores - match.b.scores).tolist()
    assert match.difference == pytest.approx(match.a.mean_score - match.b.mean_score)
    assert match.a_score > 0.5


def test_a_player_against_itself_is_even() -> None:
    match = play_match(GREEDY, GREEDY, SMALL, 6, workers=2)
    assert not np.any(match.differences)
    assert match.a_score == 0.5
    assert match.difference_interval == (0, 0)


def test_it_is_shown_and_given_as_json(gridlab: Run) -> None:
    arguments = ("match", GREEDY, "random", "--game", "2048:3x3", "--games", "6", "--seed", "1", "--quiet")
    code, out, _ = gridlab(*arguments)
    assert code == 0
    assert out.startswith("2048:3x3, 6 games each, seed 1\nA  expectimax depth=1\nB  random\n")
    assert "points more than B, 95 % " in out
    found = json.loads(gridlab(*arguments, "--json")[1])
    assert found["difference"] == pytest.approx(found["a"]["mean_score"] - found["b"]["mean_score"])


def test_what_makes_no_sense_in_2048_is_refused(gridlab: Run) -> None:
    with pytest.raises(BadNotation, match="openings random:4 are for games between two"):
        play_match("random", "random", SMALL, 2, "random:4")
    code, _, err = gridlab("match", "random", "random", "--game", "2048", "--games", "2", "--out", "x.jsonl")
    assert code == 2
    assert "--out keeps games between two" in err
