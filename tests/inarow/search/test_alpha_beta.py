"""Exact search: known values, every position of small games against the tablebase, budgets, the command."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gridlab.core.errors import FileTrouble, IllegalPosition
from gridlab.games import game
from gridlab.inarow.exact.oracle import Oracle
from gridlab.inarow.exact.states import positions
from gridlab.inarow.exact.tablebase.build import build_tablebase
from gridlab.inarow.exact.tablebase.probe import Tablebase
from gridlab.inarow.exact.tablebase.sampling import draw_positions
from gridlab.inarow.position import Position
from gridlab.inarow.rules import Rules
from gridlab.inarow.search.alpha_beta import AlphaBetaSearch, Bounds, solve
from gridlab.inarow.search.geometry import END
from gridlab.inarow.solution import Budget, Solution
from tests.conftest import Run, Table
from tests.inarow import reference
from tests.inarow.exact.reference import score_by_play


def forget(bounds: Bounds) -> None:
    """Nobody wants to know what is known so far."""


@pytest.mark.parametrize("name", ["2x2:2", "3x3:3-2", "1x5:3-2", pytest.param("3x3:3", marks=pytest.mark.compiled)])
def test_every_position_has_the_score_that_play_gives(name: str) -> None:
    rules, known = game(name), dict[reference.Board, int]()
    score_by_play((0,) * rules.cells, rules, known)
    search = AlphaBetaSearch(rules, entries=1 << 12)
    for board, score in known.items():
        position = Position.of_values(board, rules)
        (found, _) = search.score(position, forget)
        ended = END - abs(found) - position.ply
        assert (found > 0) - (found < 0) == (score > 0) - (score < 0), board
        assert found == 0 or ended == 100 - abs(score), board


EVERY = 1_000_000


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "of_a_ply"),
    [
        ("3x3:3-2", EVERY),
        ("3x4:4-3", EVERY),
        ("3x4:3", EVERY),
        ("4x4:4-3", 400),
        ("4x4:3", 200),
        pytest.param("4x4:4-3", EVERY, marks=pytest.mark.long),
        pytest.param("4x4:3", EVERY, marks=pytest.mark.long),
    ],
)
def test_distances_are_those_of_the_tablebase(name: str, of_a_ply: int, table: Table) -> None:
    """Where must-block pruning would lose the longest defence, position by position up to symmetry."""
    rules = game(name)
    search = AlphaBetaSearch(rules, entries=1 << 18)
    for ply in range(rules.cells):
        agree(rules, table(name), search, ply, of_a_ply)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "value", "distance"),
    [("3x3:3", "draw", 9), ("4x4:4", "draw", 16), ("4x4:3", "win", 5), ("3x4:3", "win", 7)],
)
def test_known_values(name: str, value: str, distance: int) -> None:
    found = solve(Position(game(name)))
    assert (found.value, found.distance) == (value, distance)
    assert len(found.line) == distance
    assert found.best[0] == found.line[0]
    assert solve(Position(game(name)), value_only=True).value == value


def agree(rules: Rules, table: Tablebase, search: AlphaBetaSearch, ply: int, number: int) -> int:
    """How many random positions of a ply were found to have the score of the table."""
    boards = draw_positions(rules, ply, number, np.random.default_rng(ply))
    for board, score in zip(boards.tolist(), table.probe_many(boards).tolist(), strict=True):
        position = Position(rules, *board)
        (found, _) = search.score(position, forget)
        assert (found > 0) - (found < 0) == (score > 0) - (score < 0), position
        assert found == 0 or END - abs(found) - position.ply == 100 - abs(score), position
    return len(boards)


@pytest.mark.compiled
def test_squava_against_the_shipped_plies() -> None:
    rules = game("squava")
    table, search = Tablebase("squava"), AlphaBetaSearch(rules)
    assert agree(rules, table, search, 6, 50) == 50
    for board in draw_positions(rules, 6, 1, np.random.default_rng(1)).tolist():
        found, known = solve(Position(rules, *board), search=search), table.probe(Position(rules, *board))
        assert (found.value, found.distance) == (known.value, known.distance)


@pytest.mark.long
@pytest.mark.compiled
def test_squava_whole(tmp_path: Path) -> None:
    """Its openings by value alone, thousands of positions of every ply, some with all their moves."""
    rules = game("squava")
    found = solve(Position(rules), value_only=True)
    cross = {cell for cell in range(25) if 2 in divmod(cell, 5)}
    assert {move.cell for move in found.moves if move.value == "loss"} == cross
    assert sum(move.value == "win" for move in found.moves) == 16
    build_tablebase(rules, tmp_path / "t.tb")
    table, search = Tablebase(tmp_path / "t.tb"), AlphaBetaSearch(rules)
    assert sum(agree(rules, table, search, ply, 2000) for ply in range(24, 4, -1)) == 19 * 2000 + 78
    assert sum(agree(rules, table, search, ply, 20) for ply in range(4, -1, -1)) == 20 + 20 + 20 + 6 + 1
    for ply in range(7, 25):
        for board in draw_positions(rules, ply, 100, np.random.default_rng(0)).tolist():
            position = Position(rules, *board)
            answer, known = solve(position, search=search), table.probe(position)
            assert (answer.value, answer.distance, answer.moves) == (known.value, known.distance, known.moves)


@pytest.mark.long
@pytest.mark.compiled
def test_five_by_five_four_in_a_row_is_a_draw() -> None:
    assert solve(Position(game("5x5:4")), value_only=True).value == "draw"


@pytest.mark.compiled
def test_a_budget_that_ends() -> None:
    """What is known is said: nothing at first, then that the first player cannot lose."""
    rules = game("5x5:4")
    nothing = solve(Position(rules), budget=Budget(nodes=1000))
    assert (nothing.value, nothing.at_least, nothing.at_most, nothing.distance) == ("unknown", "loss", "win", None)
    assert nothing.as_dict()["at_most"] == "win"
    assert "X is to move; the result is not known" in str(nothing)
    timed = solve(Position(rules), budget=Budget(seconds=0.2))
    assert timed.value == "unknown"
    search = AlphaBetaSearch(rules)
    for _ in range(2):  # each question has the budget anew
        solve(Position(rules), budget=Budget(nodes=1000), search=search)
    assert search.nodes == 2 * 1001
    threat = Position.parse("XXX../OO.../...../...../.....", rules)
    some = solve(threat, Budget(nodes=200))
    assert (some.value, some.at_least) in (("win", "win"), ("unknown", "win"), ("unknown", "loss"))


def test_a_finished_game_and_an_impossible_one() -> None:
    rules = game("3x3:3")
    over = solve(Position.parse("XXX/OO./...", rules))
    assert (over.value, over.distance, over.moves, over.line) == ("loss", 0, (), ())
    with pytest.raises(IllegalPosition):
        solve(Position.parse("XXX/OOO/...", rules))


@pytest.mark.compiled
def test_the_oracle_says_who_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    squava = game("squava")
    assert Oracle(squava).ask(Position(squava)).source == "5x5_4-3.tb"
    seventh = Position(squava, *draw_positions(squava, 7, 1, np.random.default_rng(0))[0].tolist())
    assert Oracle(squava).ask(seventh).source.startswith("alpha-beta")
    tictactoe = game("tictactoe")
    build_tablebase(tictactoe, tmp_path / "t.tb")
    assert Oracle(tictactoe).ask(Position(tictactoe)).source.startswith("alpha-beta")
    assert Oracle(tictactoe, tablebase=tmp_path / "t.tb").ask(Position(tictactoe)).source == "t.tb"
    monkeypatch.setenv("GRIDLAB_TABLEBASE", str(tmp_path / "t.tb"))
    assert Oracle(tictactoe).ask(Position(tictactoe)).source == "t.tb"
    assert Oracle(squava).ask(Position(squava)).source == "5x5_4-3.tb"
    with pytest.raises(FileTrouble, match="is a tablebase of 3x3:3, not of 5x5:4-3"):
        Oracle(squava, tablebase=tmp_path / "t.tb")
    for position in list(positions(tictactoe))[::50]:
        by_table, by_search = Oracle(tictactoe).ask(position), solve(position)
        assert by_table.as_dict() | {"line": []} == by_search.as_dict() | {"line": []}


@pytest.mark.compiled
def test_on_the_command_line(gridlab: Run) -> None:
    code, out, err = gridlab("solve", "3x3:3", "X.O/.X./...")
    assert code == 0
    assert out.splitlines()[:5] == [
        "O is to move and draws, 6 plies to the end",
        "     1   2   3",
        " 1   X  -2   O",
        " 2  -2   X  -2",
        " 3  -2  -2  [=]",
    ]
    assert "by alpha-beta" in err
    code, out, _ = gridlab("solve", "3x3:3", "XX./OO./...", "--value-only", "--json", "--quiet")
    found = json.loads(out)
    assert (code, found["value"], found["distance"], found["moves"][0]) == (
        0,
        "win",
        None,
        {"move": 13, "value": "win", "distance": None},
    )
    code, out, err = gridlab("solve", "squava", "--value-only", "--json")
    found = json.loads(out)
    assert (code, found["value"], found["distance"], found["line"], err) == (0, "win", None, [], "by 5x5_4-3.tb\n")
    assert {(move["value"], move["distance"]) for move in found["moves"]} == {("win", None), ("loss", None)}
    code, out, _ = gridlab("solve", "6x6:4", "--nodes", "500", "--search-only", "--json")
    assert (code, json.loads(out)["value"], json.loads(out)["at_least"]) == (0, "unknown", "loss")
    code, _, err = gridlab("solve", "3x3:3", "XXX/OOO/...")
    assert (code, err.count("\n")) == (2, 1)


@pytest.mark.compiled
def test_moves_are_shown_as_they_are_known_and_a_search_goes_on() -> None:
    position = Position(game("4x5:4")).play("22").play("11").play("44")
    search, shown = AlphaBetaSearch(position.rules), list[Solution]()
    first = solve(position, Budget(400_000), search=search, show=shown.append)
    assert not first.exact
    known = [sum(move.value != "unknown" for move in each.moves) for each in [*shown, first]]
    assert known == sorted(known)
    assert 0 < known[-1] < len(position.moves())
    spent, before = list[int](), search.nodes
    last = solve(position, search=search, tell=lambda moves, nodes: spent.append(nodes), show=shown.append)
    assert last.exact
    alone = AlphaBetaSearch(position.rules)
    assert solve(position, search=alone).moves == last.moves
    assert search.nodes - before < alone.nodes  # the table of the first part is used
    for each in shown:  # nothing that was shown is taken back
        known_then = {move.cell: move for move in each.moves if move.value != "unknown"}
        assert known_then.items() <= {move.cell: move for move in last.moves}.items()


@pytest.mark.compiled
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_ends_a_search_with_a_word() -> None:
    command = [sys.executable, "-c", CTRL_C]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr.splitlines()[-1]) == (130, "", "interrupted")


CTRL_C = """
import os, signal, sys, threading
from gridlab.cli import run
from gridlab.inarow.search.alpha_beta import AlphaBetaSearch

soon, reaches = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)), AlphaBetaSearch.reaches

def watched(*asked):  # the search has begun
    if soon.ident is None:
        soon.start()
    return reaches(*asked)

AlphaBetaSearch.reaches = watched
sys.exit(run(["solve", "5x5:5"]))
"""
