"""The board in two halves, each closed under every symmetry; what follows from that for ranks and slots.

    5x5   l l h l l      A symmetry carries low cells to low cells and high cells to high cells, so it acts on a set of
          l h h h l      stones as two small tables, one for each half, and no table over whole boards is needed.
          h h h h h
          l h h h l      A set is two numbers: `low`, a bit for each low cell, and `high`.
          l l h l l

The smallest image of X is found by its low half alone, unless several symmetries lead to the smallest low half; then
the high half decides. Canonical line-free X are numbered by size: first by low half, then by high half.

A *block* holds all sets O of one size on the free cells of one X, as matrices: one for each number of noughts in the
high half, in it a row for each high half of O, in that a column for each low half, both ascending.

    two noughts, 3 free low cells, 2 free high cells

                low  011 101 110       low  001 010 100            low 000
      high 00:        .   .   .    01:       .   .   .        11:       .       10 slots, in this order
                                   10:       .   .   .

    slot = rank of X · C(free, noughts) + offset of the matrix + row · columns + column
"""

from functools import cache
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import popcount
from gridlab.core.errors import TooLarge
from gridlab.core.jit import kernel
from gridlab.exact.tablebase.scores import LOST, WON
from gridlab.games.mnk.rules import Rules
from gridlab.games.symmetry import symmetries

MAX_CELLS = 25
NO_RANK = -1  # not canonical, or has a line


class Lines(NamedTuple):
    """For every high half, the low halves that make a line with it."""

    parts: NDArray[np.int16]  # [part]: the low halves of lines
    needs: NDArray[np.int64]  # [high half]: where its entries begin; ends with their number
    part_of: NDArray[np.int16]  # [entry]: a part that makes a line with this high half
    score_of: NDArray[np.int8]  # [entry]: the score of that line for the other player; those that lose come first


class Halves(NamedTuple):
    """Everything the solver must know of a game, as arrays."""

    cells: NDArray[np.int64]  # [bit]: the cell that a bit stands for
    low: int  # cells in the low half
    high: int
    low_images: NDArray[np.int16]  # [symmetry, low half]
    high_images: NDArray[np.int16]  # [symmetry, high half]
    towards: NDArray[np.uint8]  # [low half]: the symmetries that lead to its smallest image, a bit for each
    family: NDArray[np.int16]  # [low half]: the number of its smallest image among all such
    ranks: NDArray[np.int32]  # [family, high half]: the rank of a canonical X among those of its size
    lows: NDArray[np.int16]  # [X]: the canonical X by size and rank
    highs: NDArray[np.int16]
    starts: NDArray[np.int64]  # [size]: the first X of that size; ends with their number
    trits: NDArray[np.int32]  # [half]: its bits read as digits of base 3
    rank_within: NDArray[np.int16]  # [trits of a set + trits of its part]: rank of the part among parts of its size
    choose: NDArray[np.int64]  # [n, k]: binomial coefficients
    lines: Lines

    def count(self, crosses: int) -> int:
        """How many canonical line-free X have so many stones."""
        return int(self.starts[crosses + 1] - self.starts[crosses])


def shape(cells: int, ply: int) -> tuple[int, int, int, int]:
    """Crosses, noughts, cells free of crosses, and slots of a block at a ply."""
    crosses, noughts = (ply + 1) // 2, ply // 2
    return crosses, noughts, cells - crosses, comb(cells - crosses, noughts)


@cache
def halves(rules: Rules) -> Halves:
    """The tables of a game with up to 25 cells; some seconds and 60 MiB for 25, kept for the next call."""
    if rules.cells > MAX_CELLS:
        raise TooLarge(f"{rules} has {rules.cells} cells; strong solutions take boards of up to {MAX_CELLS}")
    low_cells = low_half(rules)
    cells = [*low_cells, *(cell for cell in range(rules.cells) if cell not in low_cells)]
    low, high = len(low_cells), rules.cells - len(low_cells)
    maps = bit_maps(rules, cells)
    low_images, high_images = images(maps[:, :low]), images(maps[:, low:] - low)
    smallest = low_images.min(axis=0)
    towards = ((low_images == smallest) << np.arange(len(maps))[:, None]).sum(axis=0).astype(np.uint8)
    representatives, family = np.unique(smallest, return_inverse=True)
    lines = line_parts(rules, cells, low, high)
    ranks = np.empty((len(representatives), 1 << high), dtype=np.int32)
    sizes = rank_canonical(representatives, towards, high_images, lines, ranks)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    lows, highs = list_canonical(representatives, ranks, starts)
    trits, rank_within = parts_of_sets(max(low, high))
    choose = np.array([[comb(n, k) for k in range(MAX_CELLS + 2)] for n in range(MAX_CELLS + 2)])
    return Halves(
        np.array(cells), low, high, low_images, high_images, towards, family.astype(np.int16), ranks,
        lows, highs, starts, trits, rank_within, choose, lines,
    )  # fmt: skip


def low_half(rules: Rules) -> list[int]:
    """Whole orbits of cells that make up half the board, or as nearly as can be from below; earliest orbits first."""
    group = symmetries(rules.rows, rules.cols)
    orbits = dict.fromkeys(tuple(sorted({each.move(cell) for each in group})) for cell in range(rules.cells))
    sums: dict[int, list[int]] = {0: []}
    for orbit in orbits:
        for size, chosen in list(sums.items()):
            sums.setdefault(size + len(orbit), chosen + list(orbit))
    return sorted(sums[max(size for size in sums if size <= rules.cells // 2)])


def bit_maps(rules: Rules, cells: list[int]) -> NDArray[np.int64]:
    """Where each symmetry takes each bit, [symmetry, bit]; the identity first, each different one once."""
    place = {cell: bit for bit, cell in enumerate(cells)}
    maps = (tuple(place[each.move(cell)] for cell in cells) for each in symmetries(rules.rows, rules.cols))
    return np.array(list(dict.fromkeys(maps)), dtype=np.int64)


def images(maps: NDArray[np.int64]) -> NDArray[np.int16]:
    """The image of every set of bits under every map, [symmetry, set]."""
    sets = np.arange(1 << maps.shape[1])
    moved = [sum((sets >> bit & 1) << to for bit, to in enumerate(each)) + 0 * sets for each in maps.tolist()]
    return np.array(moved, dtype=np.int16)


def line_parts(rules: Rules, cells: list[int], low: int, high: int) -> Lines:
    """The lines by halves; a part is left out where a smaller one already decides the same."""
    place = {cell: bit for bit, cell in enumerate(cells)}
    sets = np.arange(1 << high)
    found: dict[tuple[int, int], NDArray[np.bool_]] = {}
    for score, lines in ((WON, rules.losing_lines), (LOST, rules.winning_lines)):  # for the player who did not move
        for line in lines:
            bits = sum(1 << place[cell] for cell in range(rules.cells) if line >> cell & 1)
            key = score, bits & (1 << low) - 1
            found[key] = found.get(key, np.zeros(1 << high, np.bool_)) | (sets & bits >> low == bits >> low)
    for (score, part), where in found.items():
        for (other, smaller), there in found.items():
            decides = (
                other == score if smaller != part else other < score
            )  # a line that wins decides over one that loses
            if smaller & part == smaller and (decides or (other == LOST and smaller != part)):
                where &= ~there
    parts = sorted({part for _, part in found})
    entries = np.nonzero(np.array(list(found.values())).T)
    needs = np.searchsorted(entries[0], np.arange((1 << high) + 1))
    keys = list(found)
    part_of = np.array([parts.index(part) for _, part in keys], dtype=np.int16)[entries[1]]
    score_of = np.array([score for score, _ in keys], dtype=np.int8)[entries[1]]
    return Lines(np.array(parts, dtype=np.int16), needs, part_of, score_of)


def parts_of_sets(bits: int) -> tuple[NDArray[np.int32], NDArray[np.int16]]:
    """`trits` and `rank_within`: a set and a part of it are together a number of base 3, a digit for each bit."""
    sets = np.arange(1 << bits)
    trits = sum(((sets >> bit & 1) * 3**bit for bit in range(bits)), 0 * sets).astype(np.int32)
    return trits, rank_parts(trits, np.empty(3**bits, dtype=np.int16))


@kernel
def rank_parts(trits: NDArray[np.int32], rank_within: NDArray[np.int16]) -> NDArray[np.int16]:
    seen = np.zeros(64, dtype=np.int64)  # [size]
    for whole in range(len(trits)):
        seen[:] = 0
        part = 0
        while True:
            size = popcount(part)
            rank_within[trits[whole] + trits[part]] = seen[size]
            seen[size] += 1
            if part == whole:
                break
            part = (part - whole) & whole  # the next part in ascending order
    return rank_within


@kernel
def line_score(low: int, high: int, lines: Lines) -> int:
    """The score of these stones for the other player: LOST if they win, WON if they lose, 0 if they have no line."""
    score = 0
    for entry in range(lines.needs[high], lines.needs[high + 1]):
        if lines.parts[lines.part_of[entry]] & ~low == 0:
            score = lines.score_of[entry]  # what wins comes last
    return score


@kernel
def rank_canonical(
    representatives: NDArray[np.int16],
    towards: NDArray[np.uint8],
    high_images: NDArray[np.int16],
    lines: Lines,
    ranks: NDArray[np.int32],
) -> NDArray[np.int64]:
    """Fill `ranks`; how many there are of each size."""
    sizes = np.zeros(64, dtype=np.int64)
    for family in range(len(representatives)):
        low = int(representatives[family])
        for high in range(ranks.shape[1]):
            ranks[family, high] = NO_RANK
            canonical = line_score(low, high, lines) == 0
            for symmetry in range(len(high_images)):
                canonical &= towards[low] >> symmetry & 1 == 0 or high_images[symmetry, high] >= high
            if canonical:
                size = popcount(high) + popcount(low)
                ranks[family, high] = sizes[size]
                sizes[size] += 1
    return sizes


@kernel
def list_canonical(
    representatives: NDArray[np.int16], ranks: NDArray[np.int32], starts: NDArray[np.int64]
) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    """Every canonical X by size and rank, as low and high halves."""
    lows = np.empty(starts[-1], dtype=np.int16)
    highs = np.empty(starts[-1], dtype=np.int16)
    for family in range(len(representatives)):
        low = int(representatives[family])
        for high in range(ranks.shape[1]):
            if ranks[family, high] != NO_RANK:
                at = starts[popcount(high) + popcount(low)] + ranks[family, high]
                lows[at] = low
                highs[at] = high
    return lows, highs


@kernel
def list_parts(whole: int, sets: NDArray[np.int16], starts: NDArray[np.int64]) -> None:
    """All parts of a set by size, ascending within a size; `starts[size]` is where a size begins."""
    starts[:] = 0
    part = 0
    while True:
        starts[popcount(part) + 1] += 1
        if part == whole:
            break
        part = (part - whole) & whole
    for size in range(1, len(starts)):
        starts[size] += starts[size - 1]
    part = 0
    while True:
        size = popcount(part)
        sets[starts[size]] = part
        starts[size] += 1  # now the place after it, and at the end where the next size begins
        if part == whole:
            break
        part = (part - whole) & whole
    starts[1:] = starts[:-1].copy()
    starts[0] = 0


@kernel
def crosses_at(crosses: int, rank: int, halves: Halves) -> tuple[int, int]:
    """The halves of the canonical X that has so many stones and this rank."""
    at = halves.starts[crosses] + rank
    return int(halves.lows[at]), int(halves.highs[at])


@kernel
def free_of(low: int, high: int, halves: Halves) -> tuple[int, int]:
    """The cells that X leaves free."""
    return ~low & (1 << halves.low) - 1, ~high & (1 << halves.high) - 1


@kernel
def offsets_of(free: int, noughts: int, halves: Halves) -> NDArray[np.int64]:
    """Where the rows with so many noughts in the high half begin in a block: [free low cells, noughts there]."""
    offsets = np.zeros((halves.low + 1, halves.high + 2), dtype=np.int64)
    for low in range(max(0, free - halves.high), min(free, halves.low) + 1):
        for there in range(free - low + 1):
            here = noughts - there
            slots = halves.choose[free - low, there] * halves.choose[low, here] if 0 <= here <= low else 0
            offsets[low, there + 1] = offsets[low, there] + slots
    return offsets


@kernel
def canonical(low: int, high: int, halves: Halves) -> tuple[int, int]:
    """The symmetry that makes an X canonical, the identity if it can, and its rank."""
    high_images = halves.high_images
    best, chosen = 1 << 62, 0
    for symmetry in range(len(high_images)):
        if halves.towards[low] >> symmetry & 1 and high_images[symmetry, high] < best:
            best, chosen = int(high_images[symmetry, high]), symmetry
    return chosen, halves.ranks[halves.family[low], best]
