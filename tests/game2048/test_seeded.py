"""A game of a seed is the same whenever it is played."""

import pytest

from gridlab.core.errors import IllegalMove
from gridlab.game2048.position import begun, moved, replayed
from gridlab.game2048.rules import Rules2048


def test_a_game_can_be_taken_back_and_played_again() -> None:
    rules = Rules2048(3, 3)
    here, made = begun(rules, 4), list[str]()
    while not here.over:
        made.append(here.moves()[len(made) % len(here.moves())])
        here = moved(here, made[-1], 4, len(made) - 1)
    positions = replayed(rules, 4, made)
    assert positions[-1] == here
    assert replayed(rules, 4, made[:10]) == positions[:11]
    assert begun(rules, 5) != positions[0] or replayed(rules, 5, made[:1]) != positions[:2]


def test_a_move_that_is_none_is_named() -> None:
    with pytest.raises(IllegalMove, match="move 14 of 20 cannot be replayed: up changes nothing in "):
        replayed(Rules2048(), 7, ["up"] * 20)
