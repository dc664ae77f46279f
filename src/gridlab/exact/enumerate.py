"""Every legal position of a small game, one by one: ascending by ply, then crosses, then noughts.

The sets of crosses that can stand at a ply come from one table over all sets of cells; for each of them the noughts
are the subsets of the free cells. Counting the bits of `s` in colex order and laying them on the free cells lists
those subsets in ascending order:

    free cells 1 3 4 6, two noughts:    s = 0011 0101 0110 1001 …   ->   noughts on 1,3  1,4  3,4  1,6 …
"""

from collections.abc import Iterator
from functools import partial
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.bits import lowest_bit, lowest_cell
from gridlab.errors import TooLarge
from gridlab.exact.census import census, classify
from gridlab.games.mnk.kernels import NO_LAST_MOVE, image_keys, is_canonical
from gridlab.games.mnk.position import Position
from gridlab.games.mnk.rules import Rules
from gridlab.jit import kernel
from gridlab.workers import in_order

MOST_POSITIONS = 100_000_000
BLOCK = 1 << 16  # positions, about, that are listed at a time
OUTCOMES = ("ongoing", "x_wins", "o_wins", "draw")
ONGOING, X_WINS, O_WINS, DRAW = range(4)


class Block(NamedTuple):
    """Some positions of one ply."""

    ply: int
    crosses: NDArray[np.int64]  # [position]
    noughts: NDArray[np.int64]  # [position]
    outcomes: NDArray[np.int8]  # [position], an index into OUTCOMES


class Listing(NamedTuple):
    """What the jobs of one listing share."""

    rules: Rules
    endings: NDArray[np.int8]  # [set of cells]
    keys: NDArray[np.int64]  # of `image_keys`; the identity alone keeps every position


def count_listable(rules: Rules, canonical: bool = False) -> int:
    """How many positions `blocks` will list; TooLarge if that is more than anyone can use."""
    counted = census(rules)
    total = (counted.canonical if canonical else counted.counts).legal
    if total > MOST_POSITIONS:
        raise TooLarge(
            f"{rules} has {total:,} legal positions{' up to symmetry' if canonical else ''}; "
            f"at most {MOST_POSITIONS:,} are listed: `gridlab census {rules}` counts them instead"
        )
    return total


def blocks(rules: Rules, canonical: bool = False, workers: int | None = None) -> Iterator[Block]:
    """Every legal position, or with `canonical` one of each symmetry class, as arrays."""
    listing, jobs = plan(rules, canonical)
    return in_order(partial(list_block, listing), jobs, workers)


def positions(rules: Rules, canonical: bool = False) -> Iterator[Position]:
    """The same as positions."""
    count_listable(rules, canonical)
    for block in blocks(rules, canonical):
        for crosses, noughts in zip(block.crosses.tolist(), block.noughts.tolist(), strict=True):
            yield Position(rules, crosses, noughts)


Job = tuple[int, NDArray[np.int64]]  # a ply and some of its sets of crosses


def plan(rules: Rules, canonical: bool) -> tuple[Listing, Iterator[Job]]:
    """The tables for a listing and its jobs, in order."""
    cells = np.array([1 << cell for cell in range(rules.cells)], dtype=np.int64)
    sizes, endings = classify(rules, cells)
    keys = image_keys(rules) if canonical else image_keys(rules)[:1]
    return Listing(rules, endings, keys), _jobs(rules, sizes, endings)


def _jobs(rules: Rules, sizes: NDArray[np.int8], endings: NDArray[np.int8]) -> Iterator[Job]:
    for ply in range(rules.cells + 1):
        crosses, noughts = (ply + 1) // 2, ply // 2
        may_stand = endings != NO_LAST_MOVE if ply % 2 else endings == 0
        sets = np.flatnonzero((sizes == crosses) & may_stand)
        step = max(1, BLOCK // comb(rules.cells - crosses, noughts))
        for first in range(0, len(sets), step):
            yield ply, sets[first : first + step]


def list_block(listing: Listing, job: Job) -> Block:
    """The positions of one job."""
    ply, sets = job
    cells = listing.rules.cells
    room = len(sets) * comb(cells - (ply + 1) // 2, ply // 2)
    block = Block(ply, np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int8))
    count = list_positions(
        ply, sets, cells, listing.endings, listing.keys, block.crosses, block.noughts, block.outcomes
    )
    return Block(ply, block.crosses[:count], block.noughts[:count], block.outcomes[:count])


@kernel
def list_positions(
    ply: int,
    sets: NDArray[np.int64],
    cells: int,
    endings: NDArray[np.int8],
    keys: NDArray[np.int64],
    all_crosses: NDArray[np.int64],
    all_noughts: NDArray[np.int64],
    outcomes: NDArray[np.int8],
) -> int:
    """Write the positions with these sets of crosses; how many there are."""
    found = 0
    free_bits = np.empty(cells, dtype=np.int64)
    for crosses in sets:
        free = 0
        for cell in range(cells):
            if crosses >> cell & 1 == 0:
                free_bits[free] = 1 << cell
                free += 1
        chosen = (1 << ply // 2) - 1
        while chosen < 1 << free:
            noughts = lay(chosen, free_bits)
            outcome = outcome_of(ply, cells, endings[crosses], endings[noughts])
            if outcome >= 0 and is_canonical(crosses, noughts, keys):
                all_crosses[found], all_noughts[found], outcomes[found] = crosses, noughts, outcome
                found += 1
            if chosen == 0:
                break
            chosen = next_of_same_size(chosen)
    return found


@kernel
def lay(chosen: int, bits: NDArray[np.int64]) -> int:
    """The union of the bits that `chosen` selects: a deposit without the instruction."""
    laid = 0
    while chosen != 0:
        laid |= bits[lowest_cell(chosen)]
        chosen ^= lowest_bit(chosen)
    return laid


@kernel
def next_of_same_size(chosen: int) -> int:
    """The next larger number with as many bits set: 0011 -> 0101 -> 0110 -> 1001 (Gosper's hack)."""
    low = lowest_bit(chosen)
    carried = chosen + low
    return carried | ((chosen ^ carried) >> 2) >> lowest_cell(low)


@kernel
def outcome_of(ply: int, cells: int, crosses_ending: int, noughts_ending: int) -> int:
    """An index into OUTCOMES, or -1 if no game leads here. X moved last at odd plies."""
    mover, other = (crosses_ending, noughts_ending) if ply % 2 else (noughts_ending, crosses_ending)
    if other != 0 or mover == NO_LAST_MOVE:
        return -1
    if mover == 0:
        return DRAW if ply == cells else ONGOING
    return X_WINS if (mover > 0) == (ply % 2 == 1) else O_WINS
