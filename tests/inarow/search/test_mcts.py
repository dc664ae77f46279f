"""Monte Carlo tree search: the kernel against the reference, proofs against the tablebase, seeds, players."""

import json

import numpy as np
import pytest

from gridlab.core.errors import BadPlayer
from gridlab.games import game
from gridlab.inarow.exact.tablebase.sampling import draw_positions
from gridlab.inarow.position import Position
from gridlab.inarow.search.mcts import SearchResult, TriedMove, search, states_of
from gridlab.players.registry import make_player
from tests.conftest import Table, in_long_runs
from tests.inarow.search.plain_mcts import PlainSearch, cells_of


@pytest.mark.parametrize("proofs", [False, True])
@pytest.mark.parametrize("careful", [False, True])
@pytest.mark.parametrize(
    ("name", "board", "playouts"),
    [
        ("3x3:3", "", 150),
        ("3x3:3-2", "", 100),
        ("3x4:4-3", "X.../.O../....", 200),
        pytest.param("3x3:3", "", 3000, marks=pytest.mark.compiled),
        pytest.param("5x5:4-3", "X..../.O.../...../...../.....", 150, marks=pytest.mark.compiled),
        pytest.param("5x5:4-3", "X..../.O.../...../...../.....", 600, marks=[pytest.mark.compiled, pytest.mark.long]),
        pytest.param("4x4:3", "X.../.O../..../....", 2000, marks=pytest.mark.compiled),
    ],
)
def test_the_tree_is_that_of_the_reference(name: str, board: str, playouts: int, proofs: bool, careful: bool) -> None:
    rules = game(name)
    position = Position.parse(board, rules) if board else Position(rules)
    own, other = position.own, position.other
    found = search(
        position, playouts, proofs=proofs, careful=careful, exploration=1.1, states=np.array([42], np.uint64)
    )
    plain = PlainSearch(rules, 42, proofs, careful, 1.1).run(cells_of(own), cells_of(other), playouts)
    assert found.playouts == plain.visits
    assert [(each.cell, each.visits) for each in found.moves] == sorted(
        (cell, child.visits) for cell, child in plain.children.items()
    )
    words = {None: "", 1: "loss", 0: "draw", -1: "win"}
    for each in found.moves:
        child = plain.children[each.cell]
        assert each.proved == words[child.proved]
        assert each.value == (child.total / child.visits if child.proved is None else -child.proved)


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["3x4:3", "4x4:4-3", *in_long_runs("4x4:4")])
def test_what_is_proved_is_true(name: str, table: Table) -> None:
    rules, random = game(name), np.random.default_rng(0)
    proved = 0
    for ply in range(rules.cells - 1):
        for board in draw_positions(rules, ply, 20, random).tolist():
            position = Position(rules, *board)
            truth = {move.cell: move.value for move in table(name).probe(position).moves}
            for move in search(position, 300, states=states_of(random)).moves:
                proved += move.proved != ""
                assert move.proved in ("", truth[move.cell]), position
    assert proved > 400


@pytest.mark.compiled
def test_a_decided_position_needs_few_playouts() -> None:
    rules = game("3x3:3")
    won = search(Position.parse("XX./OO./...", rules), 1000, states=np.array([1], np.uint64))
    assert (won.playouts < 20, won.best) == (True, 2)


def searched(*moves: TriedMove) -> SearchResult:
    return SearchResult(Position(game("3x3:3")), 10, moves)


def test_the_move_that_is_played() -> None:
    assert searched(TriedMove(0, 9, 0.5, ""), TriedMove(1, 1, 1.0, "win")).best == 1
    assert searched(TriedMove(0, 9, -1.0, "loss"), TriedMove(1, 1, -0.5, "")).best == 1
    assert searched(TriedMove(0, 9, -0.5, ""), TriedMove(1, 1, 0.0, "draw")).best == 1
    assert searched(TriedMove(0, 9, 0.5, ""), TriedMove(1, 1, 0.0, "draw")).best == 0
    assert searched(TriedMove(3, 4, -1.0, "loss"), TriedMove(5, 6, -1.0, "loss")).best == 5
    assert searched(TriedMove(3, 4, 0.2, ""), TriedMove(5, 4, 0.3, "")).best == 5


@pytest.mark.compiled
def test_the_same_seed_is_the_same_search() -> None:
    position = Position(game("squava"))
    one, two, other = (search(position, 500, states=states_of(np.random.default_rng(seed))) for seed in (1, 1, 2))
    assert one == two
    assert one != other
    assert sum(move.visits for move in one.moves) == 500
    assert json.loads(json.dumps(one.as_dict()))["moves"][0].keys() == {"move", "visits", "value", "proved"}
    assert len(str(one).splitlines()) == 6


@pytest.mark.compiled
def test_the_player() -> None:
    rules = game("3x3:3")
    player = make_player("mcts playouts=500", rules)
    assert player.move(Position.parse("XX./OO./...", rules), np.random.default_rng(0)) == 2
    for text, complaint in (
        ("mcts playouts=0", "playouts=0 of the player mcts: 1 to"),
        ("mcts exploration=-1", "exploration=-1.0 of the player mcts"),
        ("mcts proofs=2", "proofs=2 of the player mcts: 1 or 0 is needed"),
        ("mcts careful=2", "careful=2 of the player mcts: 1 or 0 is needed"),
    ):
        with pytest.raises(BadPlayer, match=complaint):
            make_player(text, rules)
