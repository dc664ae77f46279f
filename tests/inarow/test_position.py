import pytest
from hypothesis import given
from hypothesis import strategies as st

import gridlab
from gridlab.core.errors import BadNotation, IllegalMove
from gridlab.games import game
from gridlab.games.grid import symmetries
from gridlab.inarow.position import Outcome, Position
from gridlab.inarow.rules import Rules
from tests.conftest import in_long_runs
from tests.inarow import reference
from tests.laws import check_position, played

TICTACTOE = game("tictactoe")


@pytest.mark.parametrize(
    "text", ["2x3:2", "3x2:3", "1x4:2", "2x2:1", "1x1:1", "2x3:3-2", *in_long_runs("3x3:3", "3x3:3-2", "3x3:-3")]
)
def test_small_games_obey_the_laws_everywhere(text: str) -> None:
    check_boards(Rules.parse(text), 1)


@pytest.mark.parametrize("text", ["3x3:3", "3x3:3-2", "3x3:-3"])
def test_boards_of_nine_cells_obey_the_laws(text: str) -> None:
    check_boards(Rules.parse(text), 29)


def check_boards(rules: Rules, every: int) -> None:
    """Every n-th board of each ply that play reaches."""
    for ply in played(rules):
        for board in sorted(ply)[::every]:
            position = Position.of_values(board, rules)
            check_position(position)
            outcome = position.outcome()
            assert (outcome.value if outcome else "ongoing") == reference.outcome(rules, board)


@given(st.data())
def test_larger_games_obey_the_laws_along_random_games(data: st.DataObject) -> None:
    rules = Rules.parse(data.draw(st.sampled_from(["5x5:4-3", "5x5:5", "4x7:4", "7x9:5", "2x11:3", "6x6:-4"])))
    position = Position(rules)
    while moves := position.moves():
        position = position.play(data.draw(st.sampled_from(moves)))
        assert position.flaw() is None
    check_position(position)
    outcome = position.outcome()
    assert outcome is not None
    assert outcome.value == reference.outcome(rules, position.values)


def test_four_wins_even_with_three_and_three_loses() -> None:
    squava = game("squava")
    before = Position.parse("XX.XX/..X../..X../O.O.O/O.OO.", squava)
    assert before.play("13").outcome() is Outcome.X_WINS  # a row of four and a column of three
    assert Position.parse("XX.../...../...../O.O../.....", squava).play("13").outcome() is Outcome.O_WINS


def test_misere_has_no_winning_line() -> None:
    assert Position.parse("XX./OO./...", Rules(3, 3, None, 3)).play("13").outcome() is Outcome.O_WINS


def test_outcomes_know_their_winner() -> None:
    assert [outcome.winner for outcome in Outcome] == ["X", "O", None]


def test_the_single_number() -> None:
    position = Position.parse("X.O/.X./O.X", TICTACTOE)
    assert position.packed == 0b01_00_10_00_01_00_10_00_01
    for wrong in (3, -1, 1 << 18):
        with pytest.raises(BadNotation, match="is not a packed 3x3:3 board"):
            Position.unpack(wrong, TICTACTOE)


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("11", "11 is occupied in X../.../..."),
        (0, "11 is occupied in X../.../..."),
        (9, "cell 9 is not on the board; cells are 0 to 8"),
        (-1, "cell -1 is not on the board"),
    ],
)
def test_a_wrong_move_is_told_why(move: int | str, reason: str) -> None:
    with pytest.raises(IllegalMove) as caught:
        Position(TICTACTOE, 1, 0).play(move)
    assert reason in str(caught.value)


def test_nobody_plays_after_the_end() -> None:
    with pytest.raises(IllegalMove, match=r"33 cannot be played in XXX/OO\./\.\.\.: the game is over"):
        Position.parse("XXX/OO./...", TICTACTOE).play("33")


def test_keys_are_equal_exactly_for_symmetric_positions() -> None:
    boards = [board for ply in played(TICTACTOE) for board in ply]
    keys = {Position.of_values(board, TICTACTOE).key for board in boards}
    assert len(keys) == len({reference.canonical(TICTACTOE, board) for board in boards}) == 765
    assert Position(TICTACTOE).key != Position(Rules(1, 9, 3)).key


def test_moves_map_through_the_canonical_form() -> None:
    position = Position.parse("X../.O./..X", TICTACTOE)
    best, symmetry = gridlab.canonical(position)
    for move in position.moves():
        assert position.play(move).key == best.play(symmetry.move(move)).key
    for move in best.moves():
        assert best.play(move).key == position.play(symmetry.inverse.move(move)).key


def test_colours_change_with_the_right_to_move_after_odd_plies() -> None:
    position = Position.parse("X../.O./..X", TICTACTOE)
    swapped = position.swap_colours()
    assert str(swapped) == "O../.X./..O"
    assert (position.to_move, swapped.to_move) == ("O", "X")
    for move in position.moves():
        assert position.play(move).swap_colours() == swapped.play(move)


def test_a_notebook_sees_the_board() -> None:
    svg = Position.parse("X.O/.X./O.X", TICTACTOE)._repr_svg_()
    assert svg.count("<circle") == 2
    assert svg.count("#1f4e9c") == 3
    assert svg.count("#ffe08a") == 3  # the diagonal is won


def test_the_terminal_sees_the_board() -> None:
    assert Position.parse("X.O/.X./O.X", TICTACTOE).draw() == "    1  2  3\n 1 [X] .  O\n 2  . [X] .\n 3  O  . [X]"


def test_every_symmetry_of_a_position_is_reported() -> None:
    position = Position.parse("X.O/.../...", TICTACTOE)
    assert len({position.image(symmetry) for symmetry in symmetries(3, 3)}) == 8
