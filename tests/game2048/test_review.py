"""The worst moves of a game of 2048, held to the table of a solved board."""

import numpy as np
import pytest

from gridlab.game2048.grade import NAMED_MOVES, review_game, spread
from gridlab.game2048.players import make_adviser
from gridlab.game2048.position import begun, moved
from gridlab.game2048.rules import Rules2048
from gridlab.games.tablebases import tables_of

RULES = Rules2048(2, 2)


@pytest.mark.parametrize("amount", [0, 1, 2, 7, 8, 100])
def test_moves_are_spread_evenly(amount: int) -> None:
    places = list(spread(amount))
    assert sorted(places) == list(range(amount))
    if amount == 100:
        assert max(np.diff(sorted(places[:25]))) <= 8


@pytest.mark.compiled
def test_the_worst_moves_are_those_that_give_away_the_most() -> None:
    positions, made = [begun(RULES, 9)], list[str]()
    while not positions[-1].over:
        made.append(positions[-1].moves()[-1])
        positions.append(moved(positions[-1], made[-1], 9, len(made) - 1))
    table = tables_of(RULES)
    assert table is not None
    adviser = make_adviser("perfect", RULES)
    found = review_game(adviser, positions, made, 60)
    lost = []
    for ply, direction in enumerate(made):
        values = adviser.values(positions[ply], np.random.default_rng(0))
        if len(values) > 1 and max(values.values()) - values[direction] > 1e-6:
            lost.append((max(values.values()) - values[direction], ply))
    assert found.decisions == found.looked_at == sum(len(each.moves()) > 1 for each in positions)
    assert found.kept == found.decisions - len(lost)
    assert [ply for ply, _ in found.worst] == [ply for _, ply in sorted(lost, key=lambda each: (-each[0], each[1]))][
        :NAMED_MOVES
    ]


@pytest.mark.compiled
def test_when_time_is_up_it_says_how_much_was_looked_at() -> None:
    positions = [begun(RULES, 1)]
    made = positions[0].moves()[:1]
    positions.append(moved(positions[0], made[0], 1, 0))
    long_game = [positions[0]] * 50, made * 50
    assert review_game(make_adviser("perfect", RULES), *long_game, 0.0).looked_at == 1
