"""The board in two halves: closed under symmetry, ranks without a gap, slots there and back."""

import numpy as np
import pytest

from gridlab.core.jit import kernel
from gridlab.games import game
from gridlab.games.grid import symmetries
from gridlab.inarow.exact.tablebase import layout, probe, sampling
from gridlab.inarow.exact.tablebase.layout import LOST, TABLEBASE_CELLS, WON, halves, low_half, offsets_of, shape
from gridlab.inarow.position import completed_lines
from gridlab.inarow.rules import Rules

# What kernels call, compiled by itself.
canonical, split, join = kernel(layout.canonical), kernel(layout.split), kernel(layout.join)
line_score, offset_in_block = kernel(layout.line_score), kernel(probe.offset_in_block)
stones_at = kernel(sampling.stones_at)
BOARDS = ["3x3:3", "3x3:3-2", "3x4:3", "2x5:3", "1x7:2", "4x2:2", "1x1:1", "3x3:-3"]


@pytest.mark.parametrize("rows", range(1, 26))
def test_halves_are_closed_and_nearly_equal(rows: int) -> None:
    for cols in range(1, TABLEBASE_CELLS // rows + 1):
        low = set(low_half(Rules(rows, cols, 1)))
        assert len(low) <= rows * cols // 2
        assert rows * cols - len(low) <= 13
        for symmetry in symmetries(rows, cols):
            assert {symmetry.move(cell) for cell in low} == low


@pytest.mark.parametrize("name", BOARDS)
def test_every_line_free_set_has_the_rank_of_its_class(name: str) -> None:
    """Two sets of one size have the same rank exactly when a symmetry maps one to the other."""
    rules = game(name)
    tables = halves(rules)
    classes: dict[tuple[int, int], frozenset[int]] = {}
    for stones in range(1 << rules.cells):
        low, high = split(stones, tables.order)
        assert join(low, high, tables.order) == stones
        completed = completed_lines(stones, rules)
        wins = any(stones & line == line for line in rules.winning_lines)
        assert line_score(low, high, tables.lines) == (LOST if wins else WON if completed else 0)
        if completed:
            continue
        orbit = frozenset(each.stones(stones) for each in symmetries(rules.rows, rules.cols))
        _, rank = canonical(low, high, tables.images.high, tables.ranking)
        assert classes.setdefault((stones.bit_count(), int(rank)), orbit) == orbit
    for size in range(rules.cells + 1):
        assert sorted(rank for stones, rank in classes if stones == size) == list(range(tables.count(size)))


@pytest.mark.parametrize("name", ["3x3:3", "3x4:3", "1x7:2"])
def test_every_slot_there_and_back(name: str) -> None:
    rules = game(name)
    tables = halves(rules)
    for ply in range(rules.cells):
        crosses, noughts, free, slots = shape(rules.cells, ply)
        offsets = offsets_of(free, noughts, tables.order)
        for slot in (
            np.random.default_rng(ply).integers(tables.count(crosses) * slots, size=50).tolist() if slots else []
        ):
            low, high, o_low, o_high = stones_at(slot, crosses, noughts, offsets, tables)
            stones = join(low, high, tables.order)
            assert stones & join(o_low, o_high, tables.order) == 0
            _, rank = canonical(low, high, tables.images.high, tables.ranking)
            free_low, free_high = split(rules.board & ~stones, tables.order)
            assert rank * slots + offset_in_block(o_low, o_high, free_low, free_high, offsets, tables.parts) == slot
