import pytest

from gridlab.core.errors import BadNotation
from gridlab.games.grid import board_text, move_text, parse_board, parse_move, reading_of

VALUES = (1, 2, 0, 0, 2, 1, 1, 2, 1)


@pytest.mark.parametrize(
    "text",
    [
        "XO./.OX/XOX",
        "xo__oxxox",
        "XO. .OX XOX",
        "xo_\n_ox\nxox\n",
        "X O -/- O X/X O X",
        "X O \N{MINUS SIGN}\n\N{MINUS SIGN} O X\nX O X",
        "[2,1,0,0,1,2,2,1,2]",
        "[1,2,0,0,2,1,1,2,1]",
    ],
)
def test_every_form_of_a_board_is_read(text: str) -> None:
    assert parse_board(text, 3, 3) == VALUES


@pytest.mark.parametrize(
    ("numbers", "reading"),
    [
        ([2, 1, 0, 0, 1, 2, 2, 1, 2], "2 = X, 1 = O"),  # four 2 and three 1: only X can have one stone more
        ([1, 2, 0, 0, 2, 1, 1, 2, 1], "1 = X, 2 = O"),
        ([2, 0, 0, 0, 0, 0, 0, 0, 0], "2 = X, 1 = O"),
        ([2, 1, 0, 0, 0, 0, 0, 0, 0], "1 = X, 2 = O"),  # equal counts decide nothing
        ([0, 0, 0, 0, 0, 0, 0, 0, 0], "1 = X, 2 = O"),
        ([2, 2, 2, 0, 0, 0, 0, 0, 0], "1 = X, 2 = O"),  # nor do counts that no game has
    ],
)
def test_the_counts_decide_what_numbers_mean_where_they_can(numbers: list[int], reading: str) -> None:
    assert reading_of(str(numbers)) == reading
    swapped = {"1 = X, 2 = O": (0, 1, 2), "2 = X, 1 = O": (0, 2, 1)}[reading]
    assert parse_board(str(numbers), 3, 3) == tuple(swapped[number] for number in numbers)


def test_only_lists_have_a_reading() -> None:
    assert reading_of("xo__oxxox") is None


def test_what_is_written_is_read() -> None:
    assert board_text(VALUES, 3) == "XO./.OX/XOX"
    assert parse_board(board_text(VALUES[:8], 4), 2, 4) == VALUES[:8]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("X.O/.X.", "has 2 rows; this game has 3"),
        ("X.O/.X/O.X", "row 2 of the board, '.X', has 2 cells; this game has 3"),
        ("X.O/.Y./O.X", "a board holds X, O and . (or _ or -), not 'Y'"),
        ("X.O.X.O", "has 7 cells; this game has 9"),
        ("[2,1,0]", "the list has 3 cells; this game has 9"),
        ("[2,1,3,0,0,0,0,0,0]", "1 = X, 2 = O, 0 = empty"),
        ("[2,1,0,0,1,2,2,1,2", "a list of cells looks like"),
        ("", "has 0 cells"),
    ],
)
def test_a_wrong_board_is_told_what_is_wrong(text: str, reason: str) -> None:
    with pytest.raises(BadNotation) as caught:
        parse_board(text, 3, 3)
    assert reason in str(caught.value)


def test_moves_are_row_and_column() -> None:
    assert [move_text(cell, 5, 5) for cell in (0, 1, 5, 24)] == ["11", "12", "21", "55"]
    assert [move_text(cell, 2, 10) for cell in (0, 9, 19)] == ["1,1", "1,10", "2,10"]


@pytest.mark.parametrize(("rows", "cols"), [(3, 3), (9, 7), (2, 10), (12, 5)])
def test_every_move_is_read_as_it_is_written(rows: int, cols: int) -> None:
    for cell in range(rows * cols):
        assert parse_move(move_text(cell, rows, cols), rows, cols) == cell


@pytest.mark.parametrize("text", ["", "1", "00", "16", "61", "111", "a1", "1,6", "-11"])
def test_a_wrong_move_is_told_what_would_be_right(text: str) -> None:
    with pytest.raises(BadNotation, match=r"is not a cell of a 5x5 board; cells are 11 \(top left\) to 55"):
        parse_move(text, 5, 5)
