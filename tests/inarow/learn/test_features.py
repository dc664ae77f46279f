"""What the network sees, held to the document's own loops."""

import numpy as np
import pytest

from gridlab.core.errors import BadRules
from gridlab.games import game
from gridlab.inarow.learn.features import FEATURES, NAMES, PATTERNS, SQUAVA, Features, features_of, squava_lines
from tests.inarow.learn import by_the_guide
from tests.inarow.search.test_depth_limited import random_positions, seats

LINES = squava_lines(SQUAVA)
BOARDS = np.array([seats(position) for position in random_positions(SQUAVA, 60)], np.int64)


OWN_AND_OTHER = ((25, 26), (27, 28), (29, 30), (31, 32))  # features of the one player, and the other's


def flipped(features: Features) -> Features:
    """The same positions as the other player sees them."""
    other = features.copy()
    other[:, :PATTERNS] = 0 - features[:, :PATTERNS]  # not -x, which makes -0 of 0
    for own, theirs in OWN_AND_OTHER:
        other[:, own], other[:, theirs] = features[:, theirs], features[:, own]
    return other


def as_lists(own: int, other: int) -> by_the_guide.Board:
    return [[(own >> 5 * r + c & 1) + 2 * (other >> 5 * r + c & 1) for c in range(5)] for r in range(5)]


def test_the_document_counts_28_and_48_patterns() -> None:
    assert (len(by_the_guide.win_patterns()), len(by_the_guide.lose_patterns())) == (28, 48)
    assert (len(LINES.winning), len(LINES.losing)) == (28, 48)


def test_features_are_those_of_the_document() -> None:
    plain = [by_the_guide.features(as_lists(*board)) for board in BOARDS.tolist()]
    assert np.array_equal(features_of(BOARDS, LINES), np.array(plain, np.float32))


def test_counts_above_the_scale_are_cut() -> None:
    """Eleven pairs: boards that no game leads to, but the scale must hold."""
    own = sum(1 << cell for cell in (0, 1, 5, 6, 10, 11, 15, 16, 20, 21))
    found = features_of(np.array([[own, 0]]), LINES)[0]
    assert found[29] == 1.0
    assert np.array_equal(found, np.array(by_the_guide.features(as_lists(own, 0)), np.float32))


def test_the_other_player_sees_the_flipped_features() -> None:
    assert np.array_equal(flipped(features_of(BOARDS, LINES)), features_of(BOARDS[:, ::-1], LINES))
    assert np.array_equal(flipped(flipped(features_of(BOARDS, LINES))), features_of(BOARDS, LINES))


def test_every_feature_has_a_name() -> None:
    assert len(NAMES) == FEATURES
    assert (NAMES[0], NAMES[12], NAMES[24]) == ("cell 11", "cell 33", "cell 55")
    assert NAMES[25:27] == ("own wins in one", "opponent's wins in one")
    assert set(NAMES[35:]) == {"zero"}


def test_other_games_are_refused() -> None:
    with pytest.raises(BadRules, match=r"the network has learnt 5x5:4-3 \(squava\) and knows nothing of 5x5:4"):
        squava_lines(game("5x5:4"))
