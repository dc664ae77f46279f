from itertools import combinations

import pytest

from gridlab.core.errors import BadRules
from gridlab.games import NAMED, game
from gridlab.inarow.rules import Rules
from tests.inarow import reference
from tests.laws import all_rules


def test_text_and_rules_are_one() -> None:
    for rules in all_rules(5, 5):
        assert Rules.parse(str(rules)) == rules
    assert str(Rules(5, 5, 4, 3)) == "5x5:4-3"
    assert str(Rules(3, 3, None, 3)) == "3x3:-3"


def test_named_games() -> None:
    assert {name: str(rules) for name, rules in NAMED.items()} == {
        "tictactoe": "3x3:3",
        "tictactoe4": "4x4:4",
        "tictactoe5": "5x5:5",
        "squava": "5x5:4-3",
        "2048": "2048",
    }
    assert game("squava") == game("5x5:4-3")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("5x5:9", "5x5:9: the winning length 9 does not fit; 1 to 5 would"),
        ("5x5:0", "the winning length 0 does not fit"),
        ("5x5:-6", "the losing length 6 does not fit; 1 to 5 would"),
        ("5x5:4-4", "the losing length 4 must be less than the winning length 4"),
        ("8x8:5", "64 cells are too many; a board has at most 63"),
        ("0x3:3", "at least one row and one column"),
        ("3x3:", "nothing ends this game"),
        ("3x3:x", "is not a game; write ROWSxCOLS:WIN"),
        ("chess", "name one of tictactoe, tictactoe4, tictactoe5, squava, 2048, or write ROWSxCOLS:WIN"),
    ],
)
def test_wrong_rules_are_told_what_would_be_right(text: str, reason: str) -> None:
    with pytest.raises(BadRules) as caught:
        game(text)
    assert reason in str(caught.value)


def test_the_widest_board_fits() -> None:
    assert Rules(7, 9, 5).board == 2**63 - 1


@pytest.mark.parametrize(
    ("text", "winning", "losing"),
    [("3x3:3", 8, 0), ("5x5:5", 12, 0), ("5x5:4-3", 28, 48), ("4x4:-3", 0, 24), ("3x3:1", 9, 0), ("1x5:3", 3, 0)],
)
def test_number_of_lines(text: str, winning: int, losing: int) -> None:
    rules = Rules.parse(text)
    assert (len(rules.winning_lines), len(rules.losing_lines)) == (winning, losing)


@pytest.mark.parametrize("rules", [rules for rules in all_rules(3, 4) if rules.win], ids=str)
def test_lines_are_the_smallest_sets_that_win(rules: Rules) -> None:
    """Among all sets of `win` cells the lines are those in which walking finds a run of that length."""
    assert rules.win is not None
    runs = [
        sum(1 << cell for cell in cells)
        for cells in combinations(range(rules.cells), rules.win)
        if reference.longest_run(rules, tuple(int(cell in cells) for cell in range(rules.cells)), 1) == rules.win
    ]
    assert sorted(rules.winning_lines) == sorted(runs)
