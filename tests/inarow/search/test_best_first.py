"""Best-first search held to the document's program, expansion by expansion."""

from itertools import product
from random import Random

import pytest

from gridlab.inarow.search.best_first import Expansion, Start, best_first, best_looking
from tests.conftest import in_long_runs
from tests.inarow.search import by_the_letter

CLOSED = "XXXOXXX/.....O./O....../..O..../....O../......O/.O....."  # a stone of O on each line


def start_of(board: str, player: str) -> Start:
    """`X.O/.X./...` and the player to move."""
    marks = board.replace("/", "")
    crosses, noughts = (sum(1 << cell for cell, mark in enumerate(marks) if mark == each) for each in "XO")
    return Start(len(board.split("/")), crosses, noughts, "X" if player == "X" else "O")


def random_board(size: int, random: Random) -> str:
    """Any number of stones, counts that differ by one at most, whoever has more."""
    stones = random.randrange(size * size + 1)
    crosses = stones // 2 + random.choice([0, stones % 2])
    marks = list("X" * crosses + "O" * (stones - crosses) + "." * (size * size - stones))
    random.shuffle(marks)
    return "/".join("".join(marks[row : row + size]) for row in range(0, size * size, size))


def check_against_the_letter(board: str, player: str, limit: int) -> str:
    """Every expansion, how it ends, and the line; the ending, to be counted."""
    start, steps = start_of(board, player), list[Expansion]()
    if start.winner or start.full:
        return best_first(start, limit).ending
    found = best_first(start, limit, tell=steps.append)
    by_letter = by_the_letter.best_first(by_the_letter.to_key(board.split("/")), player, limit)
    assert [(step.depth, step.heuristic, str(step.board), step.board.player) for step in steps] == [
        (step.depth, step.heuristic, "\n".join(map("".join, step.board)), step.player) for step in by_letter.steps
    ]
    assert [step.number for step in steps] == list(range(1, found.expansions + 1))
    assert (found.ending, [divmod(cell, start.size) for cell in found.line]) == (by_letter.ending, by_letter.path)
    return found.ending


def test_every_board_of_two_by_two() -> None:
    for marks in product(".XO", repeat=4):
        board = "".join(marks[:2]) + "/" + "".join(marks[2:])
        for player in "XO":
            check_against_the_letter(board, player, 1000)


@pytest.mark.parametrize("most_empty", [3, *in_long_runs(4)])
def test_every_late_board_of_three_by_three(most_empty: int) -> None:
    """Five or six stones or more, the counts one apart at most."""
    endings = set()
    for marks in product(".XO", repeat=9):
        if marks.count(".") <= most_empty and abs(marks.count("X") - marks.count("O")) <= 1:
            text = "".join(marks)
            endings.add(
                check_against_the_letter(
                    f"{text[:3]}/{text[3:6]}/{text[6:]}", "XO"[marks.index(".") % 2 if "." in marks else 0], 1000
                )
            )
    assert endings == {"found", "nothing", "already won", "full board"}


@pytest.mark.parametrize(
    ("size", "boards"),
    [
        *[(1, 4), (2, 40), (3, 60), (4, 15), (5, 6), (6, 3), (7, 3)],
        *(pytest.param(*each, marks=pytest.mark.long) for each in [(4, 40), (5, 12), (6, 6), (7, 6)]),
    ],
)
def test_random_boards(size: int, boards: int) -> None:
    random = Random(size)
    endings = [check_against_the_letter(random_board(size, random), random.choice("XO"), 150) for _ in range(boards)]
    assert size in (1, 2) or {"found", "limit"} & set(endings)


@pytest.mark.parametrize(
    ("size", "player", "expansions", "moves"),
    [
        (1, "X", 1, 1),
        (2, "O", 6, 3),
        (3, "X", 19, 5),
        (4, "O", 58, 9),
        (5, "X", 88, 9),
        (6, "O", 22_570, 17),
        (7, "X", 240, 13),
    ],
)
def test_empty_boards_of_every_size(size: int, player: str, expansions: int, moves: int) -> None:
    """The line is legal, nobody has won before its end, and then we have; the figures are those of the docs."""
    start = start_of("/".join(["." * size] * size), player)
    found = best_first(start)
    assert found.ending == "found"
    assert (found.expansions, len(found.line), len(set(found.line))) == (expansions, moves, moves)
    board = start
    for cell in found.line:
        assert board.winner is None
        board = board.play(cell)
    assert board.winner == player


def test_two_by_two_by_hand() -> None:
    """All six lines are open to both: 6 - 6. A stone in any corner closes the three lines through it: 6 - 3.

    So the four boards with one X come next, in the order found. Each reply closes three lines to us, 3 - 3, and after
    the first of them, X and O in the top row, the first free cell completes the left column.
    """
    steps = list[Expansion]()
    found = best_first(start_of("../..", "X"), tell=steps.append)
    assert [(step.depth, step.hp, step.ho, str(step.board)) for step in steps] == [
        (0, 6, 6, "..\n.."),
        (1, 6, 3, "X.\n.."),
        (1, 6, 3, ".X\n.."),
        (1, 6, 3, "..\nX."),
        (1, 6, 3, "..\n.X"),
        (2, 3, 3, "XO\n.."),
    ]
    assert (found.line, found.expansions) == ((0, 1, 2), 6)


def test_how_a_search_can_end() -> None:
    assert best_first(start_of("X.O/.X./O.X", "X"))[1:] == ("already won", 0, ())
    assert best_first(start_of("X.O/.X./O.X", "O"))[1:] == ("already won", 0, ())
    assert best_first(start_of("XOX/XOO/OXX", "X"))[1:] == ("full board", 0, ())
    assert best_first(start_of(".../.../...", "X"), max_expansions=18)[1:] == ("limit", 18, ())
    assert best_first(start_of(".../.../...", "X"), max_expansions=19)[1:3] == ("found", 19)
    assert best_first(start_of("XOX/XOO/OX.", "X"))[1:] == ("nothing", 2, ())  # the full board has its turn too
    assert best_first(start_of("XX./OO./...", "X"))[1:] == ("found", 1, (2,))
    assert best_first(start_of("XX./OO./...", "O"))[1:] == ("found", 1, (5,))


def test_a_position_that_the_opponent_has_won_is_not_expanded() -> None:
    steps = list[Expansion]()
    start = start_of("O.OO/XXOX/XOOX/...X", "X")  # O can fill the top row and the third column
    assert best_first(start, tell=steps.append).ending == "nothing"
    assert any(step.board.play(1).winner == "O" for step in steps if step.board.player == "O")
    assert all(step.board.winner is None for step in steps)


def test_the_same_board_comes_once() -> None:
    steps = list[Expansion]()
    best_first(start_of(CLOSED, "X"), 1000, tell=steps.append)
    assert len({step.board for step in steps}) == len(steps) == 1000


def test_the_move_that_looks_best() -> None:
    assert best_looking(start_of(".../.../...", "X")) == 4  # four lines
    assert best_looking(start_of("..../..../..../....", "O")) == 0  # three lines, as the next on the diagonal has
    assert best_looking(start_of("XOX/XOO/OX.", "X")) == 8
    for board in ("X../.O./...", "XO../..../..../...."):
        start = start_of(board, "X")
        steps = list[Expansion]()
        best_first(start, 2, tell=steps.append)
        assert steps[1].board == start.play(best_looking(start))
