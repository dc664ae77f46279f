"""Ongoing positions drawn at random, uniformly among all of a ply up to symmetry, each at most once.

A slot is drawn, and kept if its position is ongoing and smallest among its images: what is kept is uniform. Where a ply
is small, or most of it is wanted, or few of its slots are alive, all its slots are tried instead.
"""

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import popcount
from gridlab.core.jit import kernel
from gridlab.exact.tablebase.halves import Halves, crosses_at, free_of, halves, line_score, offsets_of, shape
from gridlab.exact.tablebase.look_up import Boards
from gridlab.exact.tablebase.tally import is_smallest, own_symmetries
from gridlab.games.mnk.rules import Rules

MOST_TRIED = 1 << 20  # slots of a ply that are simply all tried


def draw_positions(rules: Rules, ply: int, number: int, random: np.random.Generator) -> Boards:
    """Up to `number` different ongoing positions of a ply, fewer only if it has no more; any image stands for all."""
    tables = halves(rules)
    crosses, noughts, _, slots = shape(rules.cells, ply)
    total = tables.count(crosses) * slots
    kept: NDArray[np.int64] = np.empty(0, np.int64)
    tried = total if total <= MOST_TRIED or number > total // 8 else 0
    while len(kept) < number and tried < total:
        drawn = np.setdiff1d(random.integers(total, size=max(1024, 2 * number)), kept)
        tried += len(drawn)
        alive = drawn[is_alive(drawn, crosses, noughts, tables)]
        kept = np.concatenate((kept, random.permutation(alive)))[:number]
    if len(kept) < number:
        every = boards_at(np.arange(total), crosses, noughts, tables)
        return every[np.sort(random.permutation(len(every))[:number])]
    return boards_at(np.sort(kept), crosses, noughts, tables)


def boards_at(slots: NDArray[np.int64], crosses: int, noughts: int, tables: Halves) -> Boards:
    """The positions of those slots that are alive."""
    return to_boards(slots[is_alive(slots, crosses, noughts, tables)], crosses, noughts, tables)


@kernel
def is_alive(slots: NDArray[np.int64], crosses: int, noughts: int, halves: Halves) -> NDArray[np.bool_]:
    """Which slots hold an ongoing position that is smallest among its images."""
    alive = np.zeros(len(slots), np.bool_)
    offsets = offsets_of(halves.low + halves.high - crosses, noughts, halves)
    for i in range(len(slots)):
        low, high, o_low, o_high = stones_at(slots[i], crosses, noughts, offsets, halves)
        own = own_symmetries(low, high, halves)
        alive[i] = line_score(o_low, o_high, halves.lines) == 0 and is_smallest(
            o_low, o_high, own, halves.low_images, halves.high_images
        )
    return alive


@kernel
def to_boards(slots: NDArray[np.int64], crosses: int, noughts: int, halves: Halves) -> Boards:
    boards = np.empty((len(slots), 2), np.int64)
    offsets = offsets_of(halves.low + halves.high - crosses, noughts, halves)
    for i in range(len(slots)):
        low, high, o_low, o_high = stones_at(slots[i], crosses, noughts, offsets, halves)
        boards[i, 0] = join(low, high, halves)
        boards[i, 1] = join(o_low, o_high, halves)
    return boards


@kernel
def stones_at(
    slot: int, crosses: int, noughts: int, offsets: NDArray[np.int64], halves: Halves
) -> tuple[int, int, int, int]:
    """The halves of X and of O that a slot stands for."""
    slots = halves.choose[halves.low + halves.high - crosses, noughts]
    low, high = crosses_at(crosses, slot // slots, halves)
    free_low, free_high = free_of(low, high, halves)
    width = popcount(free_low)
    offset = slot % slots
    there = 0
    while offset >= offsets[width, there + 1]:
        there += 1
    columns = halves.choose[width, noughts - there]
    row, column = (offset - offsets[width, there]) // columns, (offset - offsets[width, there]) % columns
    return (
        low,
        high,
        nth_part(free_low, noughts - there, column, halves.choose),
        nth_part(free_high, there, row, halves.choose),
    )


@kernel
def nth_part(whole: int, size: int, number: int, choose: NDArray[np.int64]) -> int:
    """The part of a set that has `size` elements and this rank among all such: from the top, is its bit in or out?"""
    part, cells = 0, popcount(whole)
    for bit in range(15, -1, -1):
        if whole >> bit & 1:
            cells -= 1
            if number >= choose[cells, size]:
                number -= choose[cells, size]
                size -= 1
                part |= 1 << bit
    return part


@kernel
def join(low: int, high: int, halves: Halves) -> int:
    """The bitboard of two halves."""
    stones = 0
    for bit in range(halves.low):
        stones |= (low >> bit & 1) << halves.cells[bit]
    for bit in range(halves.high):
        stones |= (high >> bit & 1) << halves.cells[halves.low + bit]
    return stones
