"""Records taken apart by kernels: stones, legality, and what there is to say about a terminal win.

record   …10 00 01 00 01   ->   crosses …00101, noughts …10000     (2 bits a cell, cell 0 lowest)

Records from a file go through `first_flaw` before anything else is made of them; `facts_of` sees to that itself.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import lowest_bit, popcount
from gridlab.core.errors import CorruptFile
from gridlab.core.jit import kernel
from gridlab.inarow.kernels import NO_LAST_MOVE, ending, image_key, image_keys, is_canonical, runs_of
from gridlab.inarow.lines import numbered_lines
from gridlab.inarow.rules import Rules

REASONS = (
    "",
    "a cell or a bit above the board has an impossible value",
    "the stones do not count up to its ply",
    "the player who did not move last has a line",
    "nobody has a line: this is not a terminal position",
    "no single last move explains the lines",
    "the position before the last move was over already",
    "not canonical: a symmetric image comes before it",
)
SOUND, BAD_BITS, BAD_COUNT, OTHER_HAS_LINE, NOT_OVER, NO_CAUSE, OVER_BEFORE, NOT_CANONICAL = range(len(REASONS))
EVEN_BITS = 0x5555555555555555


class Checker(NamedTuple):
    """A game, as the kernels of this module take it."""

    cells: int
    runs: NDArray[np.int64]
    keys: NDArray[np.int64]
    lines: NDArray[np.int64]  # [line]: winning lines, then losing ones


def checker(rules: Rules) -> Checker:
    lines = np.array(numbered_lines(rules), dtype=np.int64)
    return Checker(rules.cells, runs_of(rules), image_keys(rules), lines)


@kernel
def gather_even_bits(bits: int) -> int:
    """Bits 0, 2, 4, … moved together: .a.b.c.d -> ....abcd, in steps of 1, 2, 4, 8, 16 places."""
    bits &= EVEN_BITS
    bits = (bits | bits >> 1) & 0x3333333333333333
    bits = (bits | bits >> 2) & 0x0F0F0F0F0F0F0F0F
    bits = (bits | bits >> 4) & 0x00FF00FF00FF00FF
    bits = (bits | bits >> 8) & 0x0000FFFF0000FFFF
    return (bits | bits >> 16) & 0x00000000FFFFFFFF


@kernel
def crosses_of(record: np.uint64) -> int:
    return gather_even_bits(int(record & np.uint64(EVEN_BITS)))


@kernel
def noughts_of(record: np.uint64) -> int:
    return gather_even_bits(int(record >> np.uint64(1) & np.uint64(EVEN_BITS)))


@kernel
def flaw_of(record: np.uint64, ply: int, game: Checker) -> int:
    """An index into REASONS: SOUND for the canonical record of a terminal win at this ply."""
    crosses, noughts = crosses_of(record), noughts_of(record)
    if crosses & noughts != 0 or (crosses | noughts) >> game.cells != 0:
        return BAD_BITS
    if popcount(crosses) != (ply + 1) // 2 or popcount(noughts) != ply // 2:
        return BAD_COUNT
    mover, other = (crosses, noughts) if ply % 2 else (noughts, crosses)
    if ending(other, game.runs) != 0:
        return OTHER_HAS_LINE
    end = ending(mover, game.runs)
    if end == 0:
        return NOT_OVER
    if end == NO_LAST_MOVE:
        return NO_CAUSE
    if ending(mover ^ lowest_bit(last_moves(mover, game)), game.runs) != 0:
        return OVER_BEFORE
    return SOUND if is_canonical(crosses, noughts, game.keys) else NOT_CANONICAL


@kernel
def last_moves(mover: int, game: Checker) -> int:
    """The cells of the mover common to all lines completed: any of them may have been the last move."""
    common = mover
    for line in game.lines:
        if mover & line == line:
            common &= line
    return common


@kernel
def first_flaw(records: NDArray[np.uint64], ply: int, game: Checker, tolerated: int) -> tuple[int, int]:
    """The first unsound record and its reason, or (-1, SOUND); NOT_CANONICAL can be tolerated."""
    for i in range(len(records)):
        flaw = flaw_of(records[i], ply, game)
        if flaw not in (SOUND, tolerated):
            return i, flaw
    return -1, SOUND


@kernel
def make_canonical(records: NDArray[np.uint64], game: Checker) -> None:
    """Put in place of each record the smallest of its images."""
    for i in range(len(records)):
        crosses, noughts = crosses_of(records[i]), noughts_of(records[i])
        if is_canonical(crosses, noughts, game.keys):
            continue
        smallest = image_key(crosses, noughts, game.keys[0])
        for symmetry in range(1, len(game.keys)):
            smallest = min(smallest, image_key(crosses, noughts, game.keys[symmetry]))
        records[i] = record_of_key(smallest, game.cells)


@kernel
def record_of_key(key: int, cells: int) -> np.uint64:
    """The record of the board with this sort key: digits in base 3, cell 0 the highest."""
    record = np.uint64(0)
    for cell in range(cells - 1, -1, -1):
        record |= np.uint64(key % 3) << np.uint64(2 * cell)
        key //= 3
    return record


@kernel
def count_won(records: NDArray[np.uint64], ply: int, game: Checker) -> int:
    """How many of these terminal wins the player has won who moved last."""
    won = 0
    for i in range(len(records)):
        mover = crosses_of(records[i]) if ply % 2 else noughts_of(records[i])
        won += ending(mover, game.runs) > 0
    return won


@kernel
def first_disorder(records: NDArray[np.uint64]) -> int:
    """The first record that is not larger than the one before it, or -1."""
    for i in range(1, len(records)):
        if records[i] <= records[i - 1]:
            return i
    return -1


class Facts(NamedTuple):
    """What is known of some terminal wins, a row each."""

    crosses: NDArray[np.int64]  # [record]
    noughts: NDArray[np.int64]  # [record]
    winners: NDArray[np.int8]  # [record]: 1 X, 2 O
    orbits: NDArray[np.int8]  # [record]: how many different images the board has
    last_moves: NDArray[np.uint8]  # [record, cell]: 1 if it may have been the last move
    lines: NDArray[np.uint8]  # [record, line]: 1 if completed; winning lines, then losing ones


def facts_of(records: NDArray[np.uint64], ply: int, game: Checker, tolerated: int = SOUND) -> Facts:
    """What is known of records of a ply; CorruptFile if one of them is not a terminal win."""
    index, reason = first_flaw(records, ply, game, tolerated)
    if index >= 0:
        raise CorruptFile(f"ply {ply}: {int(records[index]):#x} is not a record: {REASONS[reason]}")
    count = len(records)
    facts = Facts(
        np.empty(count, np.int64),
        np.empty(count, np.int64),
        np.empty(count, np.int8),
        np.empty(count, np.int8),
        np.empty((count, game.cells), np.uint8),
        np.empty((count, len(game.lines)), np.uint8),
    )
    fill_facts(records, ply, game, facts)
    return facts


@kernel
def fill_facts(records: NDArray[np.uint64], ply: int, game: Checker, facts: Facts) -> None:
    for i in range(len(records)):
        crosses, noughts = crosses_of(records[i]), noughts_of(records[i])
        mover = crosses if ply % 2 else noughts
        facts.crosses[i], facts.noughts[i] = crosses, noughts
        facts.winners[i] = 1 if (ending(mover, game.runs) > 0) == (ply % 2 == 1) else 2
        facts.orbits[i] = orbit_size(crosses, noughts, game.keys)
        last = last_moves(mover, game)
        for cell in range(game.cells):
            facts.last_moves[i, cell] = last >> cell & 1
        for line in range(len(game.lines)):
            facts.lines[i, line] = mover & game.lines[line] == game.lines[line]


@kernel
def orbit_size(crosses: int, noughts: int, keys: NDArray[np.int64]) -> int:
    """The number of different images: symmetries / those that keep the board."""
    keeping = 0
    own = image_key(crosses, noughts, keys[0])
    for symmetry in range(len(keys)):
        keeping += image_key(crosses, noughts, keys[symmetry]) == own
    return len(keys) // keeping
