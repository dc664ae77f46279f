import pytest

from gridlab.games import game
from gridlab.inarow.lines import LineReport, line_cells, line_classes, numbered_lines
from gridlab.inarow.rules import Rules
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


@pytest.mark.parametrize("rules", [*all_rules(3, 4), game("squava")], ids=str)
def test_every_line_has_the_number_of_its_place(rules: Rules) -> None:
    every, cells = numbered_lines(rules), line_cells(rules)
    assert [sum(1 << cell for cell in some) for some in cells] == list(every)
    classes = [each for lines in (rules.winning_lines, rules.losing_lines) for each in line_classes(rules, lines)]
    assert sorted(number for each in classes for number in each.numbers) == list(range(len(every)))
    for each in classes:
        assert [every[number] for number in each.numbers] == list(each.lines)
    report = LineReport(rules).as_dict()
    for name in ("winning", "losing"):
        for each in report[name]["classes"]:
            assert [cells[number] for number in each["numbers"]] == each["cells"]


def test_the_report_counts_and_draws() -> None:
    report = str(LineReport(game("squava")))
    assert "28 winning lines of 5x5:4-3" in report
    assert "48 losing lines of 5x5:4-3" in report
    assert "XXXX.   .XXXX" in report
    assert "class 1: 4 lines, base mask X 0x15, O 0x2a\n0     2     5     3\nXXX   ...   ..X   X..\n" in str(
        LineReport(game("tictactoe"))
    )
    assert "losing" not in str(LineReport(game("tictactoe")))
