import pytest

from gridlab.games import game
from gridlab.games.mnk.line_classes import LineReport, line_classes
from gridlab.games.mnk.rules import Rules
from tests.laws import all_rules


def test_the_base_masks_of_five_in_a_row() -> None:
    """5x5:5: three rows and the main diagonal, for both players, expand to 12 lines."""
    rules = game("tictactoe5")
    classes = line_classes(rules, rules.winning_lines)
    bases = [each.lines[0] for each in classes]
    assert bases == [0b11111, 0b11111 << 5, 0b11111 << 10, 1 | 1 << 6 | 1 << 12 | 1 << 18 | 1 << 24]
    assert [len(each.lines) for each in classes] == [4, 4, 2, 2]
    assert classes[0].base_masks == (0b0101010101, 0b1010101010)


@pytest.mark.parametrize("rules", [*all_rules(4, 5), game("squava")], ids=str)
def test_the_classes_hold_every_line_once(rules: Rules) -> None:
    for lines in (rules.winning_lines, rules.losing_lines):
        expanded = [line for each in line_classes(rules, lines) for line in each.lines]
        assert sorted(expanded) == sorted(lines)


def test_the_report_counts_and_draws() -> None:
    report = str(LineReport(game("squava")))
    assert "28 winning lines of 5x5:4-3" in report
    assert "48 losing lines of 5x5:4-3" in report
    assert "XXXX.   .XXXX" in report
    assert "losing" not in str(LineReport(game("tictactoe")))
