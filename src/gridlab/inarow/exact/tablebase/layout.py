"""Where the score of every position stands: the board in two halves, blocks of scores, the file.

    offset
         0   8   magic "GRIDTAB1"
         8   …   blocks, ply after ply: each a zstd frame of its own, one after the other
         I   4n  for each ply: the sizes of its n blocks, uint32
             4n  and their CRC-32, uint32
         D   …   directory: JSON (rules, plies, counts)
        -28  8   offset I, uint64            all numbers little-endian
        -20  8   offset D, uint64
        -12  4   CRC-32 of everything from I to here
         -8  8   magic "1BATDIRG": the file is whole

A block holds the scores of a few whole X, so any value is found by unpacking one block. Only plies with X to move are
stored: a position with O to move is decided by its successors, and they lie in one block.
"""

import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import accumulate, pairwise
from math import comb
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
import zstandard
from numpy.typing import NDArray

from gridlab.core.bits import int64, popcount
from gridlab.core.errors import CorruptFile, TooLarge
from gridlab.core.files import Checksummed, Container, Kind, naming, whole_file, write_directory
from gridlab.core.jit import inner, kernel
from gridlab.core.untrusted import Count, parse_json, unpack
from gridlab.games.grid import symmetries
from gridlab.inarow.kernels import Int64s
from gridlab.inarow.rules import Rules
from gridlab.inarow.solution import Value

# ---- The parts of a set: how many of each size there are, all of them listed, and the rank of each
#
#     set 1011     size 0   0000                             starts[1011] = s, s+1, s+4, s+7, s+8
#                  size 1   0001 0010 1000                   sets[s:s+8]  = the parts, by size, ascending
#                  size 2   0011 1001 1010
#                  size 3   1011                             part 1001 has rank 1 among those of its size
#
# A set and a part of it are together a number of base 3, a digit for each bit: 0 outside the set, 1 in the set alone,
# 2 in both. `ranks` is a table over those numbers.


MOST = 27  # cells of a board, and one more on either side
CHOOSE = np.array([[comb(n, k) for k in range(MOST)] for n in range(MOST)])  # [n, k]; a constant to the compiler


class Parts(NamedTuple):
    """The parts of every set of so many bits."""

    trits: NDArray[np.int32]  # [set]: its bits read as digits of base 3
    ranks: NDArray[np.int16]  # [trits of a set + trits of its part]: rank of the part among those of its size
    sets: NDArray[np.int16]  # [place]: the parts of set after set, by size
    starts: NDArray[np.int32]  # [set, size]: where those of a size begin; they end where the next size begins


def parts_of_sets(bits: int) -> Parts:
    """The table of all sets of up to 13 bits: 3^bits parts."""
    sets = np.arange(1 << bits)
    trits = sum(((sets >> bit & 1) * 3**bit for bit in range(bits)), 0 * sets).astype(np.int32)
    smaller = np.zeros((bits + 1, bits + 2), np.int64)  # [bits of a set, size]: its parts of smaller sizes
    smaller[:, 1:] = np.cumsum(CHOOSE[: bits + 1, : bits + 1], axis=1)
    number = np.bitwise_count(sets).astype(np.int64)
    before = np.cumsum(1 << number) - (1 << number)
    starts = (before[:, None] + smaller[number]).astype(np.int32)
    parts = Parts(trits, np.empty(3**bits, np.int16), np.empty(3**bits, np.int16), starts)
    list_parts(parts, np.empty(bits + 1, np.int64))
    return parts


@kernel
def list_parts(parts: Parts, seen: Int64s) -> None:
    """Fill `ranks` and `sets`; `seen` is room for a count of each size."""
    for whole in range(len(parts.trits)):
        seen[:] = 0
        part = 0
        while True:
            size = popcount(part)
            parts.ranks[parts.trits[whole] + parts.trits[part]] = seen[size]
            parts.sets[parts.starts[whole, size] + seen[size]] = part
            seen[size] += 1
            if part == whole:
                break
            part = (part - whole) & whole  # the next part in ascending order


@inner
def sizes_within(total: int, here: int, there: int) -> tuple[int, int]:
    """Of `total` stones on two sets of cells, how many can lie on the first: from the one, up to before the other."""
    return max(0, total - there), min(here, total) + 1


# ---- A score is one signed byte, for the player to move: who wins, and how soon
#
#      0       a draw
#     100 - n  a win in n plies         99 wins with the next move
#     n - 100  a loss in n plies       -98 loses after two
#
# A finished game has a score too: -100 for the next player if the last move won, 100 if it lost. Then the score of any
# other position is the negative of its lowest successor, one step towards 0; and nothing else needs to be said.


WON, LOST, DRAWN = 100, -100, 0
DEAD = 127  # marks a slot that no game reaches


class ValueAndDistance(NamedTuple):
    """What a position is worth to the player to move, and in how many plies the game ends under best play."""

    value: Value
    distance: int


def value_and_distance(score: int, empty: int) -> ValueAndDistance:
    """A score in words; a draw lasts until the `empty` cells are filled."""
    if score == DRAWN:
        return ValueAndDistance("draw", empty)
    return ValueAndDistance("win" if score > 0 else "loss", WON - abs(score))


def values_and_distances(scores: NDArray[Any], empty: Int64s) -> tuple[NDArray[Any], Int64s]:
    """Many scores as values (1, 0, -1) and distances."""
    return np.sign(scores), np.where(scores == DRAWN, empty, WON - np.abs(scores.astype(np.int64)))


def before(successors: list[int]) -> int:
    """The score of a position from those of its successors.

    >>> before([100, -98, 0])    # a move that loses, one that wins in three, one that draws
    97
    """
    best = -min(successors)
    return best - (best > 0) + (best < 0)


# ---- Lines in halves of the board: the low halves that make a line with each high half
#
#     a winning line of 4, two of its cells low, two high       low part 0011   high part 0110
#     so every high half that covers 0110 has the entry         part 0011, score LOST
#
# and stones have a line where their low half covers the part of an entry of their high half. Scores are for the other
# player, who is to move: LOST where the stones win, WON where they lose.


Entry = tuple[int, int]  # score of a line, its low part


class LineParts(NamedTuple):
    """For every high half, the low halves that make a line with it."""

    parts: NDArray[np.int16]  # [part]: the low halves of lines
    needs: Int64s  # [high half]: where its entries begin; ends with their number
    part_of: NDArray[np.int16]  # [entry]: a part that makes a line with this high half
    score_of: NDArray[np.int8]  # [entry]: the score of that line for the other player; those that lose come first


def line_parts(rules: Rules, cells: list[int], low: int) -> LineParts:
    """The lines by halves, of which the first has `low` bits; entries that decide nothing are left out."""
    where = high_halves(rules, cells, low)
    for entry, made in where.items():
        for other, made_too in where.items():
            if entry != other and decides(other, entry):
                made &= ~made_too
    parts = sorted({part for _, part in where})
    high, listed = np.nonzero(np.array(list(where.values())).T)
    scores, places = zip(*((score, parts.index(part)) for score, part in where), strict=True)
    return LineParts(
        np.array(parts, np.int16), np.searchsorted(high, np.arange((1 << len(cells) - low) + 1)),
        np.array(places, np.int16)[listed], np.array(scores, np.int8)[listed],
    )  # fmt: skip


def high_halves(rules: Rules, cells: list[int], low: int) -> dict[Entry, NDArray[np.bool_]]:
    """For every entry, those that lose first, the high halves with which its part makes a line: bool[high half]."""
    bit = {cell: 1 << place for place, cell in enumerate(cells)}
    halves = np.arange(1 << len(cells) - low)
    where: dict[Entry, NDArray[np.bool_]] = {}
    for score, lines in ((WON, rules.losing_lines), (LOST, rules.winning_lines)):
        for line in lines:
            bits = sum(bit[cell] for cell in cells if line >> cell & 1)
            entry, needed = (score, bits & (1 << low) - 1), bits >> low
            where[entry] = where.get(entry, np.zeros(len(halves), np.bool_)) | (halves & needed == needed)
    return where


def decides(one: Entry, other: Entry) -> bool:
    """Whether the other entry says nothing new beside one that needs no more: a line that wins decides over all."""
    (score, part), (other_score, other_part) = one, other
    return part & ~other_part == 0 and score in (LOST, other_score)


@inner
def line_score(low: int, high: int, lines: LineParts) -> int:
    """The score of these stones for the other player: LOST if they win, WON if they lose, 0 if they have no line."""
    score = 0
    for entry in range(lines.needs[high], lines.needs[high + 1]):
        if lines.parts[lines.part_of[entry]] & ~low == 0:
            score = int64(lines.score_of[entry])  # what wins comes last
    return score


# ---- The board in two halves, each closed under every symmetry; what follows from that for ranks
#
#     5x5   l l h l l      A symmetry carries low cells to low cells and high cells to high cells, so it acts on a set
#           l h h h l      of stones as two small tables, one for each half; no table over whole boards is needed.
#           h h h h h
#           l h h h l      A set is two numbers: `low`, a bit for each low cell, and `high`.
#           l l h l l
#
# The smallest image of X is found by its low half alone, unless several symmetries lead to the smallest low half; then
# the high half decides. Canonical line-free X are numbered by size: first by low half, then by high half.


TABLEBASE_CELLS = 25
NO_RANK = -1  # not canonical, or has a line


class CellOrder(NamedTuple):
    """Which cell each bit stands for."""

    cells: Int64s  # [bit]: low ones first
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
    starts: Int64s  # [size]: the first X of that size; ends with their number


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


def require_small(rules: Rules) -> None:
    if rules.cells > TABLEBASE_CELLS:
        raise TooLarge(f"{rules} has {rules.cells} cells; strong solutions take boards of up to {TABLEBASE_CELLS}")


@cache
def halves(rules: Rules) -> Halves:
    """The tables of a game with up to 25 cells; 60 MiB for 25, kept for the next call."""
    require_small(rules)
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


def bit_maps(rules: Rules, cells: list[int]) -> Int64s:
    """Where each symmetry takes each bit, [symmetry, bit]; the identity first, each different one once."""
    place = {cell: bit for bit, cell in enumerate(cells)}
    maps = (tuple(place[each.move(cell)] for cell in cells) for each in symmetries(rules.rows, rules.cols))
    return np.array(list(dict.fromkeys(maps)), dtype=np.int64)


def image_table(maps: Int64s) -> NDArray[np.int16]:
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
    counts = np.bincount(sizes[canonical], minlength=TABLEBASE_CELLS + 2)
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
    representatives: NDArray[np.int16], canonical: NDArray[np.bool_], places: Int64s, ranks: NDArray[np.int32],
    sets: CanonicalSets,
) -> None:  # fmt: skip
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


# ---- Blocks: the scores of all O on the free cells of one X, and where each stands
#
# A block holds all sets O of one size as matrices: one for each number of noughts in the high half, in it a row for
# each high half of O, in that a column for each low half, both ascending.
#
#     two noughts, 3 free low cells, 2 free high cells
#
#                 low  011 101 110       low  001 010 100            low 000
#       high 00:        .   .   .    01:       .   .   .        11:       .       10 slots, in this order
#                                    10:       .   .   .
#
#     slot = rank of X · C(free, noughts) + offset of the matrix + row · columns + column
#
# X of a ply that follow one another and share their low half are a *run*: they have the same columns.


Scores = NDArray[np.int8]
BLOCK = 1 << 16  # scores in a block of the file, about


class Shape(NamedTuple):
    """What the positions of a ply have in common."""

    crosses: int
    noughts: int
    free: int  # cells free of crosses
    slots: int  # of a block


def shape(cells: int, ply: int) -> Shape:
    crosses, noughts = (ply + 1) // 2, ply // 2
    return Shape(crosses, noughts, cells - crosses, comb(cells - crosses, noughts))


def stored_plies(rules: Rules, max_ply: int) -> range:
    """The plies with X to move that decide all positions up to `max_ply`; full boards are decided by the rules."""
    return range(0, min(max_ply + max_ply % 2, rules.cells - 1) + 1, 2)


def a_block(slots: int) -> int:
    """How many X share a block of the file."""
    return max(1, BLOCK // slots)


class Blocks(NamedTuple):
    """The blocks of some X, one after the other."""

    scores: Scores
    noughts: int
    slots: int  # of a block
    offsets: Int64s  # [free low cells, noughts in the high half]: where the matrix begins in a block

    def of(self, xs: range) -> "Blocks":
        """Those of some of the X."""
        return self._replace(scores=self.scores[xs.start * self.slots : xs.stop * self.slots])


def blocks_at(ply: int, scores: Scores, order: CellOrder) -> Blocks:
    """Scores of a ply as blocks."""
    _, noughts, free, slots = shape(order.low + order.high, ply)
    return Blocks(scores, noughts, slots, offsets_of(free, noughts, order))


def offsets_of(free: int, noughts: int, order: CellOrder) -> Int64s:
    """Where the rows with so many noughts in the high half begin in a block: [free low cells, noughts there]."""
    offsets = np.zeros((order.low + 1, order.high + 2), np.int64)
    for width in range(max(0, free - order.high), min(free, order.low) + 1):
        height = free - width
        matrices = [comb(height, there) * comb(width, noughts - there) for there in range(min(height, noughts) + 1)]
        offsets[width, 1 : len(matrices) + 1] = np.cumsum(matrices)
        offsets[width, len(matrices) + 1 :] = sum(matrices)
    return offsets


class Run(NamedTuple):
    """X that follow one another and share their low half."""

    low: int
    free_low: int  # the low cells it leaves free
    free_highs: Int64s  # [X]: the high cells each leaves free


def runs(ply: int, job: range, tables: Halves) -> Iterator[tuple[range, Run]]:
    """The runs among some X of a ply, each with its place in the job."""
    order, (lows, highs, starts) = tables.order, tables.crosses
    first = starts[shape(len(order.cells), ply).crosses] + job.start
    edges = [0, *(np.flatnonzero(np.diff(lows[first : first + len(job)])) + 1).tolist(), len(job)]
    for start, stop in pairwise(edges):
        low, high = int(lows[first + start]), highs[first + start : first + stop]
        yield range(start, stop), Run(low, ~low & (1 << order.low) - 1, ~high & np.int64((1 << order.high) - 1))


# ---- The directory of a tablebase: which plies stand where, and how many positions have which score
#
# It is read by its form and then compared, number by number, with what a file of these rules must hold. Whoever has a
# Directory from `Directory.parse` may believe all of it but the numbers of positions, which `verify` works out anew.


MOST_BYTES = 1 << 20  # of a directory; 25 plies of 100 scores take a tenth of it
ScoreCounts = dict[str, Count]  # by score, as text
WRITTEN = {"game": "rules", "results_version": "behaviour"}  # how fields are called in the file


class StoredPly(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the directory says of a stored ply."""

    ply: Count
    crosses: Count  # how many canonical X there are
    slots: Count  # scores for each of them
    a_block: Count  # X in a block
    blocks: Count
    blocks_at: Count  # offset of the first block
    index_at: Count  # offset of the sizes and checksums

    def scores_in(self, block: int) -> int:
        """How many scores a block holds; the last one has what is left."""
        return min(self.a_block, self.crosses - block * self.a_block) * self.slots


def by_value(counts: ScoreCounts) -> tuple[int, int, int]:
    """Positions won, drawn and lost for the player to move, from those by score."""
    found = dict.fromkeys(("win", "draw", "loss"), 0)
    for score, number in counts.items():
        found[value_and_distance(int(score), 0).value] += number
    return found["win"], found["draw"], found["loss"]


class PlyCounts(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """The ongoing positions of a ply by score: all of them, and up to symmetry."""

    ply: Count
    every: ScoreCounts
    canonical: ScoreCounts

    @property
    def totals(self) -> tuple[int, int]:
        return sum(self.every.values()), sum(self.canonical.values())


class Directory(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename=WRITTEN):
    """What a file holds."""

    game: Annotated[str, msgspec.Meta(max_length=20)]
    results_version: Count
    max_ply: Count
    plies: Annotated[tuple[StoredPly, ...], msgspec.Meta(max_length=TABLEBASE_CELLS)]
    counts: Annotated[tuple[PlyCounts, ...], msgspec.Meta(max_length=TABLEBASE_CELLS)]

    @property
    def rules(self) -> Rules:
        return Rules.parse(self.game)

    @classmethod
    def parse(cls, text: bytes, part: int | None = None) -> "Directory":
        """Read a directory, of a whole file or of a part that holds one ply; CorruptFile says what is wrong."""
        if len(text) > MOST_BYTES:
            raise CorruptFile(f"the directory has {len(text):,} bytes; {MOST_BYTES:,} are the most it can have")
        directory = parse_json(text, cls, "the directory cannot be understood")
        try:
            rules = directory.rules
        except ValueError as error:
            raise CorruptFile(f"the directory cannot be understood: {error}") from error
        directory._check_sizes(rules, part)
        directory._check_counts(rules.cells, part)
        return directory

    def _check_sizes(self, rules: Rules, part: int | None) -> None:
        """Are these the plies and sizes of the rules?"""
        last = self.max_ply
        if rules.cells > TABLEBASE_CELLS or last >= rules.cells:
            raise CorruptFile(f"the directory speaks of ply {last} of {rules}, which no tablebase holds")
        if part not in (None, last):
            raise CorruptFile(f"the directory ends with ply {last}, not {part}")
        wanted = stored_plies(rules, last) if part is None else [part]
        if [msgspec.structs.astuple(each)[:5] for each in self.plies] != [_sizes(rules, ply) for ply in wanted]:
            raise CorruptFile(f"the directory lists other plies or sizes than {rules} has")

    def _check_counts(self, cells: int, part: int | None) -> None:
        """Are these numbers of positions possible?"""
        wanted = range(self.max_ply + 1) if part is None else range(part, min(part + 2, cells))
        if [each.ply for each in self.counts] != list(wanted):
            raise CorruptFile("the directory does not count every ply once")
        for each in self.counts:
            possible = {str(score) for score in possible_scores(cells - each.ply)}
            if not possible.issuperset(each.every) or each.every.keys() != each.canonical.keys():
                raise CorruptFile(f"the directory counts scores of ply {each.ply} that cannot be")
            most = comb(cells, (each.ply + 1) // 2) * comb(cells - (each.ply + 1) // 2, each.ply // 2)
            if max(each.totals) > most:
                raise CorruptFile(f"the directory counts more positions of ply {each.ply} than {self.game} has")


def _sizes(rules: Rules, ply: int) -> tuple[int, int, int, int, int]:
    """What is said of a stored ply before its places: ply, crosses, slots, a_block, blocks."""
    crosses, _, _, slots = shape(rules.cells, ply)
    number, size = halves(rules).count(crosses), a_block(slots)
    return ply, number, slots, size, -(-number // size)


def possible_scores(empty: int) -> Iterable[int]:
    """The scores of ongoing positions with so many empty cells: a draw, or an end within them."""
    lowest = WON - empty
    return [0, *range(lowest, WON), *range(-WON + 1, -lowest + 1)]


def all_possible(scores: Scores, empty: int) -> bool:
    """Whether all scores are possible, in four passes that the processor does many scores at a time."""
    if not len(scores) or scores.min() <= -WON or scores.max() >= WON:
        return not len(scores)
    below: NDArray[np.uint8] = np.abs(scores).view(np.uint8) - np.uint8(1)  # a draw is 255 now
    return bool(below.min() >= WON - empty - 1)


# ---- The file of a tablebase: blocks of scores, an index of them, a directory, a footer


MAGIC = b"GRIDTAB1"
KIND = Kind("a tablebase", MAGIC, b"1BATDIRG", sections=2, most=64 << 20)  # index and directory of 25 cells are less
NUMBER = np.dtype("<u4")
LARGEST_BLOCK = BLOCK + (BLOCK >> 7) + 512  # bytes; scores that cannot be packed take a little more than they are


def pack(scores: Scores, level: int) -> bytes:
    """A block as it stands in the file."""
    return zstandard.ZstdCompressor(level=level, write_content_size=True).compress(scores.data)


def write_table(
    path: Path, rules: Rules, results_version: int, max_ply: int, plies: Iterable[tuple[int, Iterable[bytes]]],
    counts: Callable[[], list[PlyCounts]],
) -> None:  # fmt: skip
    """Write a file from packed blocks by ply; `counts` is asked for when all of them have been written."""
    with whole_file(path) as file:
        file.write(MAGIC)
        written = [_write_blocks(file, rules, ply, blocks) for ply, blocks in plies]
        places = accumulate((len(index) for _, index in written), initial=file.size)
        listed = tuple(msgspec.structs.replace(ply, index_at=at) for (ply, _), at in zip(written, places, strict=False))
        text = msgspec.json.encode(Directory(str(rules), results_version, max_ply, listed, tuple(counts())))
        write_directory(file, KIND, [b"".join(index for _, index in written), text])


def _write_blocks(file: Checksummed, rules: Rules, ply: int, blocks: Iterable[bytes]) -> tuple[StoredPly, bytes]:
    """What the directory says of a ply, and its part of the index."""
    start, sizes, sums = file.size, [], []
    for block in blocks:
        file.write(block)
        sizes.append(len(block))
        sums.append(zlib.crc32(block))
    return StoredPly(*_sizes(rules, ply), start, 0), np.array([sizes, sums], NUMBER).tobytes()


class TableFile(Container):
    """A file opened for reading: the only reader of tablebases, which checks everything.

    Opening it checks the directory, every offset and every size; a block is checked when it is unpacked: its checksum,
    its length, its scores. CorruptFile says what is wrong. `part`: the file holds one ply of a build that goes on.
    """

    def __init__(self, path: Path, part: int | None = None) -> None:
        super().__init__(path, KIND)
        index, text = self.sections
        with naming(path):
            self.directory = Directory.parse(text, part)
            self._places = self._read_index(index)
        self.rules = self.directory.rules
        self.plies = {each.ply: each for each in self.directory.plies}

    def _read_index(self, index: bytes) -> dict[int, tuple[Int64s, NDArray[np.uint32]]]:
        """Where the blocks of each ply begin, and their checksums: everything in order, without a gap, to the byte."""
        plies = self.directory.plies
        if 2 * NUMBER.itemsize * sum(each.blocks for each in plies) != len(index):
            raise CorruptFile("the index has another size than the directory says")
        found, blocks_at, index_at = {}, len(MAGIC), self.blocks_end
        for each in plies:
            sizes, sums = np.frombuffer(index, NUMBER, 2 * each.blocks, index_at - self.blocks_end).reshape(2, -1)
            places = blocks_at + np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))
            if (each.blocks_at, each.index_at) != (blocks_at, index_at) or sizes.max(initial=0) > LARGEST_BLOCK:
                raise CorruptFile(f"the blocks of ply {each.ply} do not stand where the directory says")
            found[each.ply] = places, sums
            blocks_at, index_at = int(places[-1]), index_at + 2 * NUMBER.itemsize * each.blocks
        if blocks_at != self.blocks_end:
            raise CorruptFile(f"the blocks end at {blocks_at:,}, the index begins at {self.blocks_end:,}")
        return found

    def packed(self, ply: int, block: int) -> bytes:
        """A block as it stands in the file, its checksum tested."""
        places, sums = self._places[ply]
        data = self.data[int(places[block]) : int(places[block + 1])]
        if zlib.crc32(data) != sums[block]:
            raise CorruptFile(f"{self.path}: block {block} of ply {ply} is damaged: its checksum differs")
        return data

    def block(self, ply: int, block: int) -> Scores:
        """The scores of a block."""
        packed, expected = self.packed(ply, block), self.plies[ply].scores_in(block)
        name = f"{self.path}: block {block} of ply {ply}"
        scores = np.frombuffer(unpack(packed, expected, name, "scores"), np.int8)
        if not all_possible(scores, self.rules.cells - ply):
            raise CorruptFile(f"{name} holds scores that cannot be")
        return scores

    def range(self, ply: int, crosses: range) -> Scores:
        """The scores of a range of X that begins with a block; a copy that may be written to."""
        size = self.plies[ply].a_block
        numbers = range(crosses.start // size, -(-crosses.stop // size))
        return np.concatenate([self.block(ply, number) for number in numbers])

    def all_packed(self, ply: int) -> Iterator[bytes]:
        """Every block of a ply as it stands in the file."""
        for block in range(self.plies[ply].blocks):
            yield self.packed(ply, block)
