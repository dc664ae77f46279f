"""Players from text."""

import numpy as np
import pytest

from gridlab.errors import BadPlayer
from gridlab.games import game
from gridlab.games.mnk.position import Position
from gridlab.players import PLAYERS, make_player, parse_player

RULES = game("tictactoe")


@pytest.mark.parametrize("text", ["random", "heuristic", "alpha-beta", "alpha-beta depth=3", "perfect"])
def test_players_make_legal_moves(text: str) -> None:
    player, random = make_player(text, RULES), np.random.default_rng(0)
    position = Position.parse("XX./OO./...", RULES)
    for _ in range(3):
        assert player.move(position, random) in position.moves()
    if text != "random":
        assert player.move(position, random) == 2  # it wins
    player.close()


def test_settings() -> None:
    assert parse_player("alpha-beta") == ("alpha-beta", {"depth": 4})
    assert parse_player("alpha-beta depth=6") == ("alpha-beta", {"depth": 6})
    assert parse_player('command="./bot --fast" seconds=2') == ("command", {"command": "./bot --fast", "seconds": 2.0})


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "'' is no player; there are random, heuristic, alpha-beta, perfect, command"),
        ("clever", "'clever' is no player; there are random"),
        ("random depth=3", "'depth=3' is no setting of the player random; it takes no settings"),
        ("alpha-beta deep=3", "'deep=3' is no setting of the player alpha-beta; it takes depth=4"),
        ("alpha-beta 3", "'3' is no setting of the player alpha-beta"),
        ("alpha-beta depth=x", "depth=x of the player alpha-beta: a number such as 4 is needed"),
        ("alpha-beta depth=0", "depth=0 of the player alpha-beta: 1 to 9 plies make sense in 3x3:3"),
        ("alpha-beta depth='3", "cannot be read: No closing quotation"),
    ],
)
def test_wrong_texts_are_refused_with_what_exists(text: str, sentence: str) -> None:
    with pytest.raises(BadPlayer) as refusal:
        make_player(text, RULES)
    assert sentence in str(refusal.value)


def test_every_kind_says_what_it_is() -> None:
    assert all(kind.about for kind in PLAYERS.values())


@pytest.mark.compiled
def test_perfect_against_perfect_is_a_draw() -> None:
    player, random = make_player("perfect", RULES), np.random.default_rng(1)
    for _ in range(5):
        position = Position(RULES)
        while position.outcome() is None:
            position = position.play(player.move(position, random))
        outcome = position.outcome()
        assert outcome
        assert outcome.winner is None
