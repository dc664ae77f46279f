"""Every score against retrograde analysis the plain way, every count against the census."""

from collections import Counter
from functools import cache

import numpy as np
import pytest

from gridlab.games import game
from gridlab.inarow.exact.census import census
from gridlab.inarow.exact.states import ONGOING, PositionBlock, blocks
from gridlab.inarow.exact.tablebase.layout import Scores
from gridlab.inarow.rules import Rules
from tests.conftest import Table, in_long_runs
from tests.inarow import reference
from tests.inarow.exact.reference import in_base_3, retrograde, score_by_play

TINY = ["3x3:3", "3x3:3-2", "3x3:-3", "2x2:2", "1x1:1", "1x5:3-2", "2x4:3"]
SMALL = ["3x4:3", "4x3:3", "3x4:4-3", "1x9:3", "2x6:-3", "5x2:4-3"]
LARGER = ["4x4:4-3", "4x4:3", "4x4:4"]
GAMES = [*TINY, *(pytest.param(each, marks=pytest.mark.compiled) for each in SMALL), *in_long_runs(*LARGER)]


by_reference = cache(retrograde)


@pytest.mark.parametrize("name", TINY)
def test_the_reference_is_what_play_gives(name: str) -> None:
    rules = game(name)
    scores, known = by_reference(rules), dict[reference.Board, int]()
    score_by_play((0,) * rules.cells, rules, known)
    assert len(known) == census(rules).counts.legal
    for board, score in known.items():
        assert scores[sum(value * 3**cell for cell, value in enumerate(board))] == score, board


@pytest.mark.parametrize("name", GAMES)
def test_every_position_has_the_score_of_the_reference(name: str, table: Table) -> None:
    rules, scores = game(name), by_reference(game(name))
    for block in blocks(rules):
        boards = np.stack((block.crosses, block.noughts), axis=1)
        assert np.array_equal(table(name).probe_many(boards), scores_of(rules, block, scores))


@pytest.mark.parametrize("name", GAMES)
def test_positions_by_score(name: str, table: Table) -> None:
    """What the directory counts is what the reference counts, all of them and up to symmetry; the sum is the census."""
    rules, scores = game(name), by_reference(game(name))
    known = census(rules)
    counts = table(name).file.directory.counts
    assert [each.ply for each in counts] == list(range(rules.cells))
    for canonical in (False, True):
        expected: dict[int, Counter[str]] = {ply: Counter() for ply in range(rules.cells)}
        for block in blocks(rules, canonical):
            ongoing = scores_of(rules, block, scores)[block.outcomes == ONGOING]
            if len(ongoing):
                values, numbers = np.unique(ongoing, return_counts=True)
                expected[block.ply].update(dict(zip(map(str, values.tolist()), numbers.tolist(), strict=True)))
        for each in counts:
            found = each.canonical if canonical else each.every
            assert found == expected[each.ply]
            ply = known.plies[each.ply]
            assert sum(found.values()) == (ply.canonical if canonical else ply.counts).ongoing


def scores_of(rules: Rules, block: PositionBlock, scores: Scores) -> Scores:
    return scores[in_base_3(block.crosses, block.noughts, rules.cells)]
