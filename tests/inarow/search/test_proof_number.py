"""Forced wins: small games against the tablebase, proofs walked by a reference implementation, damaged ones caught."""

import json
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from gridlab.core.errors import IllegalMove
from gridlab.core.run import stop_flag
from gridlab.games import game
from gridlab.games.grid import symmetries
from gridlab.inarow.exact.tablebase.sampling import draw_positions
from gridlab.inarow.position import Position
from gridlab.inarow.rules import Rules
from gridlab.inarow.search.geometry import geometry_of
from gridlab.inarow.search.proof_number import (
    PROVED,
    REFUTED,
    Page,
    Proof,
    decide,
    hopes_of,
    new_proof_table,
    prove,
    prove_win,
)
from gridlab.inarow.solution import Budget
from tests.conftest import Run, Table
from tests.inarow import reference
from tests.inarow.exact.reference import score_by_play


def cells_of(stones: int) -> set[int]:
    return {cell for cell in range(stones.bit_length()) if stones >> cell & 1}


def holds(lines: tuple[int, ...], stones: set[int]) -> bool:
    return any(cells_of(line) <= stones for line in lines)


def wins_by_book(rules: Rules, own: set[int], other: set[int], book: dict[tuple[int, int], int]) -> bool:
    """The book's move for some image of the position, and every reply to it: the plainest walk there is."""
    move = next(iter(moves_of(rules, own, other, book)), None)
    if move is None or move in own | other:
        return False
    own = own | {move}
    if holds(rules.winning_lines, own):
        return True
    free = set(range(rules.cells)) - own - other
    if holds(rules.losing_lines, own) or not free:
        return False
    return all(reply_fails(rules, own, other | {cell}, book) for cell in free)


def reply_fails(rules: Rules, own: set[int], other: set[int], book: dict[tuple[int, int], int]) -> bool:
    if holds(rules.winning_lines, other):
        return False
    return holds(rules.losing_lines, other) or wins_by_book(rules, own, other, book)


def moves_of(rules: Rules, own: set[int], other: set[int], book: dict[tuple[int, int], int]) -> Iterator[int]:
    for symmetry in symmetries(rules.rows, rules.cols):
        image = [sum(1 << symmetry.move(cell) for cell in stones) for stones in (own, other)]
        if (image[0], image[1]) in book:
            yield symmetry.inverse.move(book[image[0], image[1]])


def as_dict(proof: Proof) -> dict[tuple[int, int], int]:
    return {
        (stones[0], stones[1]): move
        for page in proof.book
        for stones, move in zip(page.stones.tolist(), page.moves.tolist(), strict=True)
    }


@pytest.mark.parametrize("name", ["2x3:2", "3x3:3-2", "1x5:3-2", pytest.param("3x3:3", marks=pytest.mark.compiled)])
def test_every_position_is_decided_as_play_decides_it(name: str) -> None:
    """And whatever is proved is won by a plain walk over all replies."""
    rules, known = game(name), dict[reference.Board, int]()
    score_by_play((0,) * rules.cells, rules, known)
    ongoing = {position: score for position, score in on_boards(rules, known) if position.outcome() is None}
    for position, score in ongoing.items():
        assert decided(position) == (PROVED if score > 0 else REFUTED), position
    for position in [position for position, score in ongoing.items() if score > 0][::7]:
        proof = prove(position)
        assert (proof.result, proof.flaw(), proof.size) == ("proved", None, len(as_dict(proof)))
        assert wins_by_book(rules, cells_of(proof.own), cells_of(proof.other), as_dict(proof))


def on_boards(rules: Rules, known: dict[reference.Board, int]) -> Iterator[tuple[Position, int]]:
    return ((Position.of_values(board, rules), score) for board, score in known.items())


geometry_once, hopes_once = cache(geometry_of), cache(hopes_of)


def decided(position: Position) -> int:
    own, other = position.own, position.other
    geometry, hopes = geometry_once(position.rules), hopes_once(position.rules)
    return decide(own, other, geometry, hopes, new_proof_table(1 << 10), np.zeros(1, np.int64), 1 << 62, stop_flag())


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "of_a_ply"),
    [
        ("3x4:4-3", 1_000_000),
        ("3x4:3", 1_000_000),
        ("4x4:4-3", 500),
        ("4x4:3", 500),
        pytest.param("4x4:4-3", 1_000_000, marks=pytest.mark.long),
        pytest.param("4x4:3", 1_000_000, marks=pytest.mark.long),
        pytest.param("4x4:4", 1_000_000, marks=pytest.mark.long),
    ],
)
def test_forced_wins_are_those_of_the_tablebase(name: str, of_a_ply: int, table: Table) -> None:
    rules, random = game(name), np.random.default_rng(0)
    geometry, hopes, nodes = geometry_of(rules), hopes_of(rules), np.zeros(1, np.int64)
    for ply in range(rules.cells):
        kept = new_proof_table(1 << 16)  # positions of one ply have one attacker
        boards = draw_positions(rules, ply, of_a_ply, random)
        for (crosses, noughts), score in zip(boards.tolist(), table(name).probe_many(boards).tolist(), strict=True):
            own, other = (crosses, noughts) if ply % 2 == 0 else (noughts, crosses)
            found = decide(own, other, geometry, hopes, kept, nodes, 1 << 62, stop_flag())
            assert found == (PROVED if score > 0 else REFUTED), Position(rules, crosses, noughts)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "result"),
    [
        ("4x4:3", "proved"),
        ("4x4:4", "refuted"),
        pytest.param("4x5:4", "refuted", marks=pytest.mark.long),
        pytest.param(
            "5x6:4", "proved", marks=pytest.mark.long
        ),  # the smallest board on which four in a row is won (Uiterwijk 2019)
        pytest.param("6x6:4", "proved", marks=pytest.mark.long),
        pytest.param("squava", "proved", marks=pytest.mark.long),
    ],
)
def test_known_games(name: str, result: str) -> None:
    proof = prove_win(0, 0, game(name))
    assert proof.result == result
    if result == "proved":
        assert proof.flaw() is None
        assert proof.plies == len(proof.line)
        position = Position(proof.rules)
        for cell in proof.line:
            position = position.play(cell)
        outcome = position.outcome()
        assert outcome is not None
        assert outcome.winner == "X"


@pytest.mark.long
@pytest.mark.compiled
def test_five_by_five_four_in_a_row_is_not_won() -> None:
    assert prove_win(0, 0, game("5x5:4")).result == "refuted"


@pytest.mark.compiled
def test_a_small_table_forgets_and_finds_again() -> None:
    proof = prove_win(0, 0, game("5x6:4"), entries=1 << 10)
    assert (proof.result, proof.flaw()) == ("proved", None)


@pytest.mark.compiled
def test_damaged_proofs_are_caught() -> None:
    proof = prove_win(0, 0, game("4x4:3"))
    assert proof.flaw() is None
    stones, moves = proof.book[1]

    def damaged(page: Page) -> Proof:
        return Proof(0, 0, proof.rules, "proved", 0, (proof.book[0], page, *proof.book[2:]))

    assert damaged(Page(stones[1:], moves[1:])).flaw() == "a position after 2 plies has no move"
    assert damaged(Page(stones, np.full_like(moves, -1))).flaw() == "a move after 2 plies does not win"
    others = [damaged(Page(stones, np.where(np.arange(len(moves)) == 0, cell, moves))).flaw() for cell in range(16)]
    assert others.count(None) < 16
    assert Proof(0, 0, proof.rules, "proved", 0, proof.book[:1]).flaw() == "a position after 2 plies has no move"
    assert Proof(0, 0, proof.rules, "refuted", 0, ()).flaw() == "nothing is proved"


@pytest.mark.compiled
def test_off_turn_positions_and_budgets() -> None:
    """X has two stones more and is to move: the order of the stones says so."""
    rules = game("3x3:3")
    assert prove_win(0b000_000_011, 0, rules).line == (2,)
    assert prove_win(0, 0b000_000_011, rules).result == "refuted"
    assert prove_win(0, 0, game("5x5:4"), Budget(nodes=1000)).result == "unknown"
    timed = prove_win(0, 0, game("5x5:4"), Budget(seconds=0.3))
    assert (timed.result, timed.book, timed.line) == ("unknown", (), ())


def test_a_finished_game_needs_no_proof() -> None:
    rules = game("3x3:3")
    with pytest.raises(IllegalMove, match="there is nothing to prove"):
        prove(Position.parse("XXX/OO./...", rules))


@pytest.mark.compiled
def test_on_the_command_line(gridlab: Run) -> None:
    code, out, err = gridlab("solve", "3x4:3", "--prove")
    assert (code, err) == (0, "the proof was checked by the rules against every reply\n")
    assert out.startswith("the player to move wins by force within 11 plies: proved in")
    code, out, _ = gridlab("solve", "3x3:3", "--prove", "--json", "--quiet")
    found = json.loads(out)
    assert (code, found["forced_win"], found["proof_positions"], found["line"]) == (0, False, 0, [])
    code, out, _ = gridlab("solve", "5x5:4", "--prove", "--nodes", "1000")
    assert (code, out.startswith("a forced win is neither proved nor refuted")) == (0, True)
    code, _, err = gridlab("solve", "3x3:3", "XXX/OO./...", "--prove")
    assert (code, err.count("\n")) == (2, 1)
