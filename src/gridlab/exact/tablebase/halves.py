"""The board in two halves, each closed under every symmetry; what follows from that for ranks.

    5x5   l l h l l      A symmetry carries low cells to low cells and high cells to high cells, so it acts on a set of
          l h h h l      stones as two small tables, one for each half, and no table over whole boards is needed.
          h h h h h
          l h h h l      A set is two numbers: `low`, a bit for each low cell, and `high`.
          l l h l l

The smallest image of X is found by its low half alone, unless several symmetries lead to the smallest low half; then
the high half decides. Canonical line-free X are numbered by size: first by low half, then by high half.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import int64, popcount
from gridlab.core.errors import TooLarge
from gridlab.core.jit import inner, kernel
from gridlab.exact.tablebase.lines import LineParts, line_parts
from gridlab.exact.tablebase.parts import Parts, parts_of_sets
from gridlab.games.mnk.rules import Rules
from gridlab.games.symmetry import symmetries

MAX_CELLS = 25
NO_RANK = -1  # not canonical, or has a line


class CellOrder(NamedTuple):
    """Which cell each bit stands for."""

    cells: NDArray[np.int64]  # [bit]: low ones first
    low: int  # cells in the low half
    high: int


class Images(NamedTuple):
    """Halves under the symmetries, the identity first, each different one once."""

    low: NDArray[np.int16]  # [symmetry, low half]
    high: NDArray[np.int16]  # [symmetry, high half]


class Ranking(NamedTuple):
    """From an X to the symmetry that makes it canonical, and to its rank then."""

    towards: NDArray[np.uint8]  # [low half]: the symmetries that lead to its smallest image, a bit for each
    family: NDArray[np.int16]  # [low half]: the number of its smallest image among all such
    ranks: NDArray[np.int32]  # [family, high half]: the rank of a canonical X among those of its size


class CanonicalSets(NamedTuple):
    """The canonical line-free X by size and rank."""

    lows: NDArray[np.int16]  # [X]
    highs: NDArray[np.int16]  # [X]
    starts: NDArray[np.int64]  # [size]: the first X of that size; ends with their number


class Halves(NamedTuple):
    """Everything that must be known of a game, as arrays."""

    order: CellOrder
    images: Images
    ranking: Ranking
    crosses: CanonicalSets
    parts: Parts  # of halves
    lines: LineParts
    dead: NDArray[np.bool_]  # [high half]: whether it has a line by itself

    def count(self, crosses: int) -> int:
        """How many canonical line-free X have so many stones."""
        return int(self.crosses.starts[crosses + 1] - self.crosses.starts[crosses])


@cache
def halves(rules: Rules) -> Halves:
    """The tables of a game with up to 25 cells; 60 MiB for 25, kept for the next call."""
    if rules.cells > MAX_CELLS:
        raise TooLarge(f"{rules} has {rules.cells} cells; strong solutions take boards of up to {MAX_CELLS}")
    low_cells = low_half(rules)
    cells = [*low_cells, *(cell for cell in range(rules.cells) if cell not in low_cells)]
    order = CellOrder(np.array(cells), len(low_cells), rules.cells - len(low_cells))
    maps = bit_maps(rules, cells)
    images = Images(image_table(maps[:, : order.low]), image_table(maps[:, order.low :] - order.low))
    lines = line_parts(rules, cells, order.low)
    ranking, crosses = rank_canonical(images, lines)
    dead = has_line(np.zeros(1, np.int16), lines)[0]
    return Halves(order, images, ranking, crosses, parts_of_sets(max(order.low, order.high)), lines, dead)


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


def image_table(maps: NDArray[np.int64]) -> NDArray[np.int16]:
    """The image of every set of bits under every map, [symmetry, set]."""
    sets = np.arange(1 << maps.shape[1])
    moved = [sum((sets >> bit & 1) << to for bit, to in enumerate(each)) + 0 * sets for each in maps.tolist()]
    return np.array(moved, dtype=np.int16)


def rank_canonical(images: Images, lines: LineParts) -> tuple[Ranking, CanonicalSets]:
    """Number the canonical X without a line, size by size."""
    smallest = images.low.min(axis=0)
    towards = ((images.low == smallest) << np.arange(len(images.low))[:, None]).sum(axis=0).astype(np.uint8)
    representatives, family = np.unique(smallest, return_inverse=True)
    canonical = ~has_line(representatives, lines)
    for each, leading in zip(canonical, towards[representatives], strict=True):
        for image in images.high[leading >> np.arange(len(images.high)) & 1 == 1]:
            each &= image >= images.high[0]
    sizes = np.bitwise_count(representatives)[:, None] + np.bitwise_count(images.high[0])
    counts = np.bincount(sizes[canonical], minlength=MAX_CELLS + 2)
    starts = np.concatenate(([0], np.cumsum(counts)))
    ranks = np.full(canonical.shape, NO_RANK, np.int32)
    sets = CanonicalSets(np.empty(starts[-1], np.int16), np.empty(starts[-1], np.int16), starts)
    number_sets(representatives, canonical, starts[:-1].copy(), ranks, sets)
    return Ranking(towards, family.astype(np.int16), ranks), sets


def has_line(lows: NDArray[np.int16], lines: LineParts) -> NDArray[np.bool_]:
    """Which high halves make a line with each of the low halves: bool[low half, high half]."""
    highs = np.arange(len(lines.needs) - 1)
    makes = np.zeros((len(lines.parts), len(highs)), np.bool_)
    makes[lines.part_of, np.repeat(highs, np.diff(lines.needs))] = True
    return np.array([makes[lines.parts & ~low == 0].any(axis=0) for low in lows])


@kernel
def number_sets(
    representatives: NDArray[np.int16],
    canonical: NDArray[np.bool_],
    places: NDArray[np.int64],
    ranks: NDArray[np.int32],
    sets: CanonicalSets,
) -> None:
    """Fill `ranks` and `sets`; `places` is where the next set of each size will stand."""
    for family in range(len(representatives)):
        low = int64(representatives[family])
        for high in range(canonical.shape[1]):
            if canonical[family, high]:
                size = popcount(low) + popcount(high)
                sets.lows[places[size]], sets.highs[places[size]] = low, high
                ranks[family, high] = places[size] - sets.starts[size]
                places[size] += 1


@inner
def canonical(low: int, high: int, high_images: NDArray[np.int16], ranking: Ranking) -> tuple[int, int]:
    """The symmetry that makes an X canonical, the identity if it can, and its rank."""
    best, chosen = 1 << 62, 0
    for symmetry in range(len(high_images)):
        if ranking.towards[low] >> symmetry & 1 and high_images[symmetry, high] < best:
            best, chosen = int64(high_images[symmetry, high]), symmetry
    return chosen, int64(ranking.ranks[ranking.family[low], best])


@inner
def split(stones: int, order: CellOrder) -> tuple[int, int]:
    """The low and high half of a bitboard."""
    low = high = 0
    for bit in range(order.low):
        low |= (stones >> order.cells[bit] & 1) << bit
    for bit in range(order.high):
        high |= (stones >> order.cells[order.low + bit] & 1) << bit
    return low, high


@inner
def join(low: int, high: int, order: CellOrder) -> int:
    """The bitboard of two halves."""
    stones = 0
    for bit in range(order.low):
        stones |= (low >> bit & 1) << order.cells[bit]
    for bit in range(order.high):
        stones |= (high >> bit & 1) << order.cells[order.low + bit]
    return stones
