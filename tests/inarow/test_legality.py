from itertools import product

import pytest

from gridlab.core.errors import IllegalPosition
from gridlab.games import game
from gridlab.inarow.position import Flaw, Position, find_flaw
from gridlab.inarow.rules import Rules
from tests.inarow.exact.reference import double_loop_states
from tests.laws import all_rules, played

TICTACTOE = game("tictactoe")


@pytest.mark.parametrize(
    ("rules", "board", "flaw"),
    [
        ("3x3:3", "O../.../...", Flaw.TOO_MANY_NOUGHTS),
        ("3x3:3", "XX./.../...", Flaw.TOO_MANY_CROSSES),
        ("3x3:3", "XXX/OOO/...", Flaw.TWO_WINNERS),
        ("3x3:3", "XXX/O.O/O..", Flaw.PLAY_AFTER_WIN),
        ("3x3:3", "OOO/X.X/XX.", Flaw.PLAY_AFTER_WIN),
        ("4x4:4", "XXXX/XXXX/OOOO/OOO.", Flaw.TWO_WINNERS),
        ("4x4:3", "XXX./..../XXX./OOOX", Flaw.TOO_MANY_CROSSES),
        ("3x6:3", "XXX.../OO.O.O/XXX..O", Flaw.NO_LAST_MOVE),
        ("5x5:4-3", "XXX../.O.../..O../..O../.....", Flaw.PLAY_AFTER_WIN),
        ("3x3:3", "XXX/OO./...", None),
        ("3x3:3", "XXX/XOO/XOO", None),  # both lines end in the corner just played
        ("5x5:4-3", "XX.XX/OO.../..O../OX.../.....", None),
    ],
)
def test_every_flaw_has_a_name(rules: str, board: str, flaw: Flaw | None) -> None:
    assert Position.parse(board, game(rules)).flaw() is flaw


@pytest.mark.parametrize(
    ("crosses", "noughts", "flaw"),
    [(1 << 9, 0, Flaw.OUTSIDE), (-1, 0, Flaw.OUTSIDE), (1, 1 << 40, Flaw.OUTSIDE), (0b11, 0b10, Flaw.OVERLAP)],
)
def test_bits_that_are_no_board(crosses: int, noughts: int, flaw: Flaw) -> None:
    assert find_flaw(crosses, noughts, TICTACTOE) is flaw
    with pytest.raises(IllegalPosition, match=flaw.value) as caught:
        Position(TICTACTOE, crosses, noughts)
    assert caught.value.flaw is flaw


def test_requiring_a_legal_position_says_the_reason() -> None:
    with pytest.raises(IllegalPosition, match=r"XXX/OOO/\.\.\. is not a position of 3x3:3: both players"):
        Position.parse("XXX/OOO/...", TICTACTOE).require_legal()


def test_the_double_loop_and_the_flaws_agree_on_every_pair() -> None:
    found = set(double_loop_states())
    assert len(found) == 5478
    for noughts, crosses in product(range(512), range(512)):
        assert (find_flaw(crosses, noughts, TICTACTOE) is None) == ((noughts, crosses) in found)


@pytest.mark.parametrize("rules", [rules for rules in all_rules(4, 4) if rules.cells <= 8], ids=str)
def test_legal_is_what_play_reaches(rules: Rules) -> None:
    reached = {board for ply in played(rules) for board in ply}
    for board in product((0, 1, 2), repeat=rules.cells):
        assert (Position.of_values(board, rules).flaw() is None) == (board in reached)
