"""Questions to a tablebase, and what it answers when it cannot."""

import json
from pathlib import Path

import numpy as np
import pytest

from gridlab.core.errors import FileTrouble, IllegalPosition, TooLarge
from gridlab.games import game
from gridlab.games.grid import symmetries
from gridlab.inarow.exact.states import positions
from gridlab.inarow.exact.tablebase.build import build_tablebase
from gridlab.inarow.exact.tablebase.layout import value_and_distance
from gridlab.inarow.exact.tablebase.probe import Tablebase, shipped
from gridlab.inarow.position import Position
from tests.conftest import Run, Table

TICTACTOE = game("tictactoe")
SQUAVA = game("squava")
RANK: dict[str, int] = {"win": 1, "draw": 0, "loss": -1}


def rank(value: str, distance: int | None) -> tuple[int, int]:
    """Larger is better: a win soon, a draw, a loss late."""
    return RANK[value], -RANK[value] * (distance or 0)


@pytest.mark.parametrize(
    "name",
    [pytest.param("3x3:3", marks=pytest.mark.compiled), "3x3:3-2", pytest.param("3x3:-3", marks=pytest.mark.compiled)],
)
def test_probes_are_consistent(name: str, table: Table) -> None:
    """The best move's pair equals the position's; a move is worth what it leads to; the line ends in time."""
    for position in list(positions(game(name)))[::30]:
        probe = table(name).probe(position)
        if position.outcome():
            assert (probe.distance, probe.moves, probe.line) == (0, (), ())
            continue
        assert [move.cell for move in probe.moves] == position.moves()
        for move in probe.moves:
            after = table(name).probe(position.play(move.cell))
            assert RANK[move.value] == -RANK[after.value]
            assert (move.distance or 0) == (after.distance or 0) + 1
        assert rank(probe.value, probe.distance) == max(rank(move.value, move.distance) for move in probe.moves)
        assert probe.line[0] in probe.best
        assert len(probe.line) == probe.distance
        for cell in probe.line:
            position = position.play(cell)
        assert position.outcome()


def test_a_finished_game(table: Table) -> None:
    """Who would be next has lost if the last move won; the value is the next player's, the distance 0."""
    assert table("3x3:3").probe(Position.parse("XXX/OO./...", TICTACTOE)).as_dict() == {
        "rules": "3x3:3",
        "board": "XXX/OO./...",
        "to_move": "O",
        "value": "loss",
        "distance": 0,
        "moves": [],
        "line": [],
    }
    misere = game("3x3:-3")
    assert table("3x3:-3").probe(Position.parse("XXX/OO./...", misere)).value == "win"
    full = Position.parse("XXO/OOX/XOX", TICTACTOE)
    assert (table("3x3:3").probe(full).value, table("3x3:3").probe(full).distance) == ("draw", 0)


def test_symmetric_positions_have_the_same_answer(table: Table) -> None:
    position = Position.parse("X../.O./..X", TICTACTOE)
    probe = table("3x3:3").probe(position)
    for symmetry in symmetries(3, 3):
        image = table("3x3:3").probe(position.image(symmetry))
        assert (image.value, image.distance) == (probe.value, probe.distance)
        assert {symmetry.move(move.cell): move[1:] for move in probe.moves} == {m.cell: m[1:] for m in image.moves}


def test_what_has_no_answer(table: Table, tmp_path: Path) -> None:
    tictactoe = table("3x3:3")
    illegal = Position.parse("XXX/OOO/...", TICTACTOE)
    with pytest.raises(IllegalPosition, match=r"XXX/OOO/\.\.\. is not a position of 3x3:3: both players"):
        tictactoe.probe(illegal)
    with pytest.raises(IllegalPosition, match="there are stones outside the board"):
        tictactoe.probe_many(np.array([[1, 2], [1 << 20, 2]]))
    other = Position(game("3x3:-3"))
    with pytest.raises(FileTrouble, match="is a tablebase of 3x3:3; the position is of 3x3:-3"):
        tictactoe.probe(other)
    assert tictactoe.get(illegal) is None
    assert tictactoe.get(other) is None
    with pytest.raises(FileTrouble, match=r"neither a file nor a game whose first plies come with the package"):
        Tablebase(tmp_path / "none.tb")
    with pytest.raises(FileTrouble, match="neither a file nor a game"):
        Tablebase("tictactoe5")


def test_the_last_ply_of_a_part_has_a_value_but_no_moves(tmp_path: Path, table: Table) -> None:
    build_tablebase(TICTACTOE, tmp_path / "t.tb", max_ply=2)
    part = Tablebase(tmp_path / "t.tb")
    last = Position.parse("X../.O./...", TICTACTOE)
    probe = part.probe(last)
    assert (probe.value, probe.distance) == (table("3x3:3").probe(last).value, 7)
    assert (probe.moves, probe.line) == ((), ())
    assert len(part.probe(Position(TICTACTOE).play(0)).moves) == 8
    with pytest.raises(TooLarge, match=r"knows positions of up to 2 plies; XX\./\.O\./\.\.\. has 3"):
        part.score(last.play(1))


def test_many_at_once(table: Table) -> None:
    every = list(positions(TICTACTOE))
    boards = np.array([[each.crosses, each.noughts] for each in every])
    scores = table("3x3:3").probe_many(boards)
    assert scores.tolist() == [table("3x3:3").score(each) for each in every]
    assert table("3x3:3").probe_many(np.empty((0, 2), np.int64)).tolist() == []


@pytest.mark.parametrize(
    ("score", "value", "distance"),
    [(0, "draw", 7), (99, "win", 1), (-98, "loss", 2), (100, "win", 0), (-100, "loss", 0)],
)
def test_scores_in_words(score: int, value: str, distance: int) -> None:
    assert value_and_distance(score, 7) == (value, distance)


def test_on_the_command_line(gridlab: Run, table: Table) -> None:
    path = str(table("3x3:3").file.path)
    code, out, _ = gridlab("tablebase", "probe", path, "X.O/.X./...")
    assert code == 0
    assert out.splitlines() == [
        "O is to move and draws, 6 plies to the end",
        "     1   2   3",
        " 1   X  -2   O",
        " 2  -2   X  -2",
        " 3  -2  -2  [=]",
        "best line: 33 23 21 12 32 31",
    ]
    code, out, _ = gridlab("tablebase", "probe", path, "XX./OO./...", "--json")
    probe = json.loads(out)
    assert (code, probe["value"], probe["distance"], probe["line"]) == (0, "win", 1, [13])
    assert probe["moves"][0] == {"move": 13, "value": "win", "distance": 1}
    code, out, err = gridlab("tablebase", "probe", path, "XXXX/....")
    assert (code, out) == (2, "")
    assert err.startswith("error: board 'XXXX/....' has 2 rows")
    code, out, _ = gridlab("tablebase", "probe", path, "XXX/OO./...")
    assert (code, out.splitlines()[0]) == (0, "the game is over: x_wins")


@pytest.mark.compiled
def test_the_opening_of_squava_comes_with_the_package() -> None:
    """16 openings win, the 9 of the middle cross lose."""
    assert shipped(SQUAVA)
    probe = Tablebase("squava").probe(Position(SQUAVA))
    assert (probe.value, probe.distance) == ("win", 17)
    cross = {cell for cell in range(25) if 2 in divmod(cell, 5)}
    assert {move.cell for move in probe.moves if move.value == "loss"} == cross
    assert sum(move.value == "win" for move in probe.moves) == 16
