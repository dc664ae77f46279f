"""Rules of 2048: checked when built, read and written as text."""

import pytest

from gridlab.core.errors import BadRules
from gridlab.game2048.rules import Rules2048


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("2048", Rules2048()),
        ("2048:3x3", Rules2048(3, 3)),
        ("2048:5x4:0.2", Rules2048(5, 4, 0.2)),
        ("2048:4x4:0.125", Rules2048(4, 4, 0.125)),
        ("2048:2x8:0", Rules2048(2, 8, 0.0)),
        ("2048:4x4:1", Rules2048(4, 4, 1.0)),
    ],
)
def test_rules_are_read_and_written(text: str, rules: Rules2048) -> None:
    assert Rules2048.parse(text) == rules
    assert str(rules) == text


def test_odds_are_whole_numbers() -> None:
    assert Rules2048().odds == (9, 1)
    assert Rules2048(fours=0.25).odds == (3, 1)
    assert Rules2048(fours=0.333).odds == (667, 333)
    assert (Rules2048(fours=0).odds, Rules2048(fours=1).odds) == ((1, 0), (0, 1))


def test_only_packed_boards_have_a_largest_tile() -> None:
    assert (Rules2048().packed, Rules2048().walled, Rules2048().largest) == (True, False, 32768)
    for rules in (Rules2048(2, 2), Rules2048(3, 4), Rules2048(4, 3)):
        assert (rules.packed, rules.walled, rules.largest) == (True, True, 16384)
    for rules in (Rules2048(5, 5), Rules2048(2, 5)):
        assert (rules.packed, rules.walled, rules.largest) == (False, False, None)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("2048:1x4", "a board has 2 to 8 rows and columns"),
        ("2048:9x4", "a board has 2 to 8 rows and columns"),
        ("2048:4x4:1.5", "the share of fours, 1.5, must lie between 0 and 1"),
        ("2048:4x4:0.12345", "has more than three decimals"),
        ("1024", "'1024' is not a game of 2048; write 2048, 2048:ROWSxCOLS"),
        ("2048:4x4:", "is not a game of 2048"),
    ],
)
def test_wrong_rules_are_refused(text: str, sentence: str) -> None:
    with pytest.raises(BadRules, match=sentence.replace("(", r"\(")):
        Rules2048.parse(text)
