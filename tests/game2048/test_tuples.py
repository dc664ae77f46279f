"""Tuples of cells: by name, cell by cell, and refused."""

from itertools import combinations

import pytest

from gridlab.core.errors import BadNotation
from gridlab.game2048.rules import Rules2048
from gridlab.game2048.search.ntuple import Cells, default_tuples, neighbours, parse_tuples, polyominoes, runs, text_of
from gridlab.games.grid import symmetries

STANDARD = Rules2048()


def is_connected(cells: Cells, rules: Rules2048) -> bool:
    reached = frozenset(cells[:1])
    for _ in cells:
        reached |= neighbours(reached, rules) & set(cells)
    return reached == set(cells)


def orbits(size: int, rules: Rules2048) -> set[frozenset[Cells]]:
    """All connected shapes by trying every choice of cells, each with its images."""
    maps = symmetries(rules.rows, rules.cols)
    return {
        frozenset(tuple(sorted(map(each.move, cells))) for each in maps)
        for cells in combinations(range(rules.cells), size)
        if is_connected(cells, rules)
    }


BOARDS = [Rules2048(2, 2), Rules2048(2, 3), Rules2048(3, 3), Rules2048(3, 4), STANDARD]


@pytest.mark.parametrize("rules", BOARDS, ids=str)
@pytest.mark.parametrize("size", [4, 5])
def test_shapes_are_one_image_of_each_orbit(rules: Rules2048, size: int) -> None:
    found, wanted = polyominoes(size, rules), orbits(size, rules)
    assert len(found) == len(wanted)
    assert {orbit for orbit in wanted for cells in found if cells in orbit} == wanted


def test_there_are_seventeen_tetrominoes() -> None:
    found = parse_tuples("17x4", STANDARD)
    assert len(found) == 17
    assert found == parse_tuples("tetrominoes", STANDARD)
    assert max(len(runs(cells)) for cells in found) == 2


@pytest.mark.parametrize(("name", "number", "size"), [("4x6", 4, 6), ("8x6", 8, 6), ("5x4", 5, 4)])
def test_sets_by_name(name: str, number: int, size: int) -> None:
    found = parse_tuples(name, STANDARD)
    assert [len(each) for each in found] == [size] * number
    assert parse_tuples(text_of(found), STANDARD) == found


def test_every_board_has_tuples() -> None:
    for rows in (2, 3, 4):
        for cols in (2, 3, 4):
            rules = Rules2048(rows, cols)
            assert parse_tuples(default_tuples(rules), rules)


@pytest.mark.parametrize(
    ("text", "rules", "reason"),
    [
        ("", STANDARD, "are 0 tuples"),
        ("012345,012345", STANDARD, "the same tuple twice"),
        ("0011", STANDARD, "has a cell twice"),
        ("0123456", STANDARD, "not a tuple of 1 to 6 cells"),
        ("0g", STANDARD, "not a tuple of 1 to 6 cells"),
        ("٣", STANDARD, "not a tuple of 1 to 6 cells"),
        ("9", Rules2048(3, 3), "cells from 0 to 8"),
        ("4x6", Rules2048(3, 3), "are those of the 4x4 board"),
        ("pentominoes", Rules2048(2, 2), "are 0 tuples"),
        ("hexominoes", STANDARD, "are 68 tuples"),
        ("0123", Rules2048(5, 5), "up to 4x4 cells"),
    ],
)
def test_others_are_refused(text: str, rules: Rules2048, reason: str) -> None:
    with pytest.raises(BadNotation, match=reason):
        parse_tuples(text, rules)


def test_too_many_weights() -> None:
    text = text_of(tuple(combinations(range(8), 6))[:17])
    with pytest.raises(BadNotation, match="needs more than"):
        parse_tuples(text, STANDARD)
