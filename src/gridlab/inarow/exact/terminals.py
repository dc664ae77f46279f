"""Every terminal win of an in-a-row game, one of each symmetry orbit, in ascending order.

A terminal win is a pair of disjoint sets: all lines of the player who moved last pass through one cell, the last
move; the other player has no line. Its representative is the smallest of its images, cell by cell from cell 0.

The idea: whether a board is its own smallest image is nearly always decided by its rim. So each rim is looked at once,
most are refused, and for the others every inside that makes a terminal win is written down without asking again; only
where readings tie is the whole board compared.

All records with the same head, their highest cells, are a *shard*. Shards in order of their heads, each sorted, are
the layer in order, and no more than a few shards ever exist at a time.

Two orders, not one: images are compared cell by cell from cell 0, records are integers with cell 0 lowest. The
smallest image is not the image with the smallest integer.
"""

from collections.abc import Iterator
from functools import partial
from itertools import product
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import Stop, deposit, lowest_cell, next_of_same_size, popcount, stopped
from gridlab.core.errors import TooLarge
from gridlab.core.jit import inner, kernel
from gridlab.core.run import in_order, stop_flag
from gridlab.games.grid import symmetries
from gridlab.inarow.kernels import NO_LAST_MOVE, Int64s, ending, image_key, image_keys, runs_of
from gridlab.inarow.rules import Rules

# ---- A board split into its rim, which decides whether it is the smallest of its images, and the cells inside
#
#     r r r r r        rim:    the cells that some symmetry moves to one of the first cells (PREFIX of them or more)
#     r i i i r        inside: the others
#     r i i i h        head:   the last cells as far as they are rim (by rotate 180 the last PREFIX at least)
#     h h h h h
#
# Set r of rim cells has bit i for the i-th of them, so that the head is the top bits of r, and of a record.
#
# A *reading* is what an image shows on these first cells, 2 bits a cell, the first cell highest. The readings share
# two words, a lane each; the top bit of a lane catches the borrow, so that one subtraction compares all readings of a
# word with the board's own:
#
#     lane   0 oooooooooooooo    other reading                    1 oooooooooooooo
#                                                               - 0 bbbbbbbbbbbbbb    the board's own reading
#                                                               = 1 if o ≥ b, rest 0 if they tie


PREFIX = 5
HEAD = 6  # cells at most
MAX_INSIDE = 13  # 3^13 pairs of a set and its subset are tabulated
WORD = 62  # bits of a word that lanes may use


class Lanes(NamedTuple):
    """How two words are cut into lanes, half of the symmetries in each: 4 lanes of 15 bits, or 2 of 31."""

    number: int  # of lanes in a word
    bits: int  # of a lane
    low: int  # the lowest bit of each lane
    high: int  # the highest bit of each lane
    identity: int  # ones in the lane of the identity, in the first word, below its highest bit


def lanes_for(symmetries: int) -> Lanes:
    number = symmetries // 2
    bits = WORD // number
    low = sum(1 << bits * lane for lane in range(number))
    return Lanes(number, bits, low, low << bits - 1, (1 << bits - 1) - 1)


class Rim(NamedTuple):
    """Rim and inside as tables for kernels. Sets are numbers: of rim cells, or of inside cells."""

    head: int  # cells of the head
    rim_cells: int
    rim_stones: Int64s  # [rim set]: the set as a bitboard
    inside_stones: Int64s  # [inside set]
    rim_packed: NDArray[np.uint64]  # [rim set]: the set of crosses as part of a record; noughts count twice
    inside_packed: NDArray[np.uint64]  # [inside set]
    readings: Int64s  # [rim set, 2]: of crosses, the identity in the lowest lane; noughts count twice
    lanes: Lanes
    subsets: NDArray[np.int16]  # the subsets of every inside set, by size
    starts: NDArray[np.int32]  # [inside set, size]: where they start; those of the next size start where they end


def rim_of(rules: Rules) -> Rim:
    """The rim of a board: as short as tables for the inside allow."""
    images = [symmetry.inverse.cells for symmetry in symmetries(rules.rows, rules.cols)]  # where each comes from
    lanes = lanes_for(len(images))
    prefix = _prefix_of(images, min(rules.cells, (lanes.bits - 1) // 2), rules.cells)
    rim = _first_cells(images, prefix)
    inside = [cell for cell in range(rules.cells) if cell not in rim]
    origins = [image[:prefix] for image in images]
    head = next((length for length in range(HEAD) if rules.cells - 1 - length not in rim), min(HEAD, rules.cells))
    words = origins[: lanes.number], origins[lanes.number :]
    readings = np.stack([_sums([_weight(cell, each, lanes) for cell in rim]) for each in words], 1)
    stones, more_stones = (_sums([1 << cell for cell in cells]) for cells in (rim, inside))
    packed, more_packed = (_sums([1 << 2 * cell for cell in cells]).astype(np.uint64) for cells in (rim, inside))
    sets = _subsets_by_size(len(inside))
    return Rim(head, len(rim), stones, more_stones, packed, more_packed, readings, lanes, *sets)


def _prefix_of(images: list[tuple[int, ...]], most: int, cells: int) -> int:
    """How many cells of each image are read: more if the inside is too large otherwise, or if they cost nothing."""
    prefix = min(PREFIX, cells)
    rim = _first_cells(images, prefix)
    while prefix < most and (cells - len(rim) > MAX_INSIDE or _first_cells(images, prefix + 1) == rim):
        prefix += 1
        rim = _first_cells(images, prefix)
    return prefix


def _first_cells(images: list[tuple[int, ...]], prefix: int) -> list[int]:
    return sorted({cell for image in images for cell in image[:prefix]})


def _sums(weights: list[int]) -> Int64s:
    """[set] -> the sum of the weights of its members."""
    sums = np.zeros(1, dtype=np.int64)
    for weight in weights:
        sums = np.concatenate([sums, sums + weight])
    return sums


def _weight(cell: int, origins: list[tuple[int, ...]], lanes: Lanes) -> int:
    """What a cross on a rim cell adds to a word of readings."""
    places = {lane: len(cells) - 1 - cells.index(cell) for lane, cells in enumerate(origins) if cell in cells}
    return sum(1 << lanes.bits * lane + 2 * place for lane, place in places.items())


def _subsets_by_size(cells: int) -> tuple[NDArray[np.int16], NDArray[np.int32]]:
    sets = np.arange(1 << cells, dtype=np.int16)
    sizes = np.bitwise_count(sets)
    by_size = sets[np.argsort(sizes, kind="stable")]
    lists = [by_size[by_size & ~whole == 0] for whole in sets]
    starts = np.zeros((len(sets), cells + 2), dtype=np.int32)
    begin = 0
    for whole, subsets in enumerate(lists):
        starts[whole] = begin + np.searchsorted(sizes[subsets], np.arange(cells + 2))
        begin += len(subsets)
    return np.concatenate(lists), starts


@inner
def compare_readings(crosses: int, noughts: int, readings: Int64s, lanes: Lanes) -> int:
    """-1 if some image of the rim reads smaller than the rim itself, else a bit for each symmetry that ties."""
    first = readings[crosses, 0] + 2 * readings[noughts, 0]
    second = readings[crosses, 1] + 2 * readings[noughts, 1]
    own = (first & lanes.identity) * lanes.low
    first = (first | lanes.identity | lanes.high) - own  # the identity reads larger than itself, so as not to tie
    second = (second | lanes.high) - own
    if first & second & lanes.high != lanes.high:
        return -1
    return tying_lanes(first, lanes) | tying_lanes(second, lanes) << lanes.number


@inner
def tying_lanes(difference: int, lanes: Lanes) -> int:
    """A bit for each lane whose difference is 0."""
    rest = difference ^ lanes.high
    if (rest - lanes.low) & ~rest & lanes.high == 0:  # no lane is 0
        return 0
    tying = 0
    for lane in range(lanes.number):
        if rest >> lanes.bits * lane & lanes.identity == 0:
            tying |= 1 << lane
    return tying


# ---- Every terminal win of an in-a-row game, one of each symmetry orbit, in ascending order


RECORD_CELLS = 32  # a record has 64 bits, 2 a cell
HEADS = 27  # shards counted in one job
RIMS = 1 << 10  # rim sets classified in one job
# Kinds of a player's stones: no line, just ended the game so, or ended it before.
LINE_FREE, JUST_WON, JUST_LOST, OVER_BEFORE = range(4)


def first_ply(rules: Rules) -> int:
    """The earliest ply at which a game can be over: 2·(shortest line) − 1."""
    return 2 * min(length for length in (rules.win, rules.lose) if length) - 1


def candidates(rules: Rules, ply: int) -> int:
    """How many boards reverse generation looks at: each line of the mover, with all ways to place the other stones."""
    mover, other = stones_at(ply)
    return sum(
        comb(rules.cells - length, mover - length) * comb(rules.cells - mover, other) * len(lines)
        for length, lines in ((rules.win, rules.winning_lines), (rules.lose, rules.losing_lines))
        if length and length <= mover
    )


def stones_at(ply: int) -> tuple[int, int]:
    """Stones of the player who moved last, and of the other."""
    return (ply + 1) // 2, ply // 2


class LayerTables(NamedTuple):
    """What all layers of a game share, as kernels take it."""

    rim: Rim
    kinds: NDArray[np.uint8]  # 2 bits a set of cells, index rim set · 2^inside + inside set: LINE_FREE, JUST_WON, …
    keys: Int64s  # of `image_keys`


class Shard(NamedTuple):
    """The records of one ply that share a head, counted."""

    ply: int
    mover_head: int
    other_head: int
    won: int = 0  # by the player who moved last
    lost: int = 0


def prepare(rules: Rules, last_ply: int, workers: int | None = None) -> LayerTables:
    """The tables for all layers up to `last_ply`."""
    if rules.cells > RECORD_CELLS:
        raise TooLarge(f"{rules}: {rules.cells} cells do not fit a record of 64 bits; up to {RECORD_CELLS} do")
    rim = rim_of(rules)
    kinds = np.zeros(max(1, (len(rim.rim_stones) * len(rim.inside_stones)) // 4), dtype=np.uint8)
    most = stones_at(last_ply)[0]
    classify = partial(classify_rims, rim=rim, runs=runs_of(rules), most=most, kinds=kinds)
    for _ in in_order(classify, range(0, len(rim.rim_stones), RIMS), workers):
        pass
    return LayerTables(rim, kinds, image_keys(rules))


def count_shards(tables: LayerTables, ply: int, workers: int | None = None) -> list[Shard]:
    """The shards of a layer in order, each with its counts; those without a record are left out."""
    heads = _heads(tables.rim.head, ply)
    jobs = (heads[first : first + HEADS] for first in range(0, len(heads), HEADS))
    stop, nothing = stop_flag(), np.empty(0, dtype=np.uint64)

    def count(shards: list[Shard]) -> list[Shard]:
        counts = [walk_shard(shard, *stones_at(ply), tables, nothing, stop) for shard in shards]
        return [shard._replace(won=won, lost=lost) for shard, (won, lost) in zip(shards, counts, strict=True)]

    return [shard for shards in in_order(count, jobs, workers, stop) for shard in shards if shard.won + shard.lost]


def _heads(cells: int, ply: int) -> list[Shard]:
    """All ways to fill the head, in the order in which records ascend: the last cell counts most, empty < X < O."""
    shards = []
    for values in product((0, 1, 2), repeat=cells):
        crosses, noughts = (sum(1 << cells - 1 - i for i, v in enumerate(values) if v == mark) for mark in (1, 2))
        shards.append(Shard(ply, crosses, noughts) if ply % 2 else Shard(ply, noughts, crosses))
    return shards


def make_shard(tables: LayerTables, stop: Stop, shard: Shard) -> NDArray[np.uint64]:
    """The records of a counted shard, ascending."""
    records = np.empty(shard.won + shard.lost, dtype=np.uint64)
    walk_shard(shard, *stones_at(shard.ply), tables, records, stop)
    records.sort()
    return records


def layer(tables: LayerTables, shards: list[Shard], workers: int | None = None) -> Iterator[NDArray[np.uint64]]:
    """All records of a layer, ascending, shard by shard."""
    stop = stop_flag()
    return in_order(partial(make_shard, tables, stop), shards, workers, stop, ahead=1)


# ---- kernels


@kernel
def classify_rims(first: int, rim: Rim, runs: Int64s, most: int, kinds: NDArray[np.uint8]) -> None:
    """The kinds of all sets with one of RIMS rims; those of more than `most` stones are never asked for."""
    insides = len(rim.inside_stones)
    for index in range(first * insides, min(first + RIMS, len(rim.rim_stones)) * insides):
        stones = rim.rim_stones[index // insides] | rim.inside_stones[index % insides]
        kind = OVER_BEFORE
        if popcount(stones) <= most:
            end = ending(stones, runs)
            if end != NO_LAST_MOVE:
                kind = LINE_FREE if end == 0 else JUST_WON if end > 0 else JUST_LOST
        kinds[index >> 2] |= kind << 2 * (index & 3)


@inner
def kind_of(kinds: NDArray[np.uint8], index: int) -> int:
    kind: int = kinds[index >> 2] >> 2 * (index & 3) & 3
    return kind


@kernel
def walk_shard(
    shard: Shard, mover_stones: int, other_stones: int, tables: LayerTables, records: NDArray[np.uint64], stop: Stop
) -> tuple[int, int]:
    """Count the records of a shard, won and lost by the mover; write them if `records` has room for them.

    The stones of a board are chosen part by part:

                     head             tail, the rest of the rim             inside
        mover        of the shard     all ways, here                        those that end the game: `list_endings`
        other        of the shard     those that stay: `list_other_rims`    those without a line: `walk_insides`
    """
    rim = tables.rim
    tail = rim.rim_cells - rim.head
    insides = len(rim.inside_stones)
    inside_cells = popcount(insides - 1)
    missing = mover_stones - popcount(shard.mover_head)
    ends, others = np.empty((insides, 2), dtype=np.int64), np.empty((1 << tail, 3), dtype=np.int64)
    won = lost = 0
    for on_tail in range(max(0, missing - inside_cells), min(tail, missing) + 1):
        mover_tail = (1 << on_tail) - 1
        while mover_tail < 1 << tail:
            mover_rim = shard.mover_head << tail | mover_tail
            found = list_endings(mover_rim, missing - on_tail, rim, tables.kinds, ends)
            if found:
                room = inside_cells - (missing - on_tail)
                found_others = list_other_rims(mover_rim, room, shard, other_stones, tables, others)
                more_won, more_lost = walk_insides(
                    mover_rim, shard.ply % 2 == 1, ends[:found], others[:found_others], tables, records[won + lost :]
                )
                won += more_won
                lost += more_lost
            if mover_tail == 0 or stopped(stop):
                break
            mover_tail = next_of_same_size(mover_tail)
    return won, lost


@inner
def list_endings(mover_rim: int, missing: int, rim: Rim, kinds: NDArray[np.uint8], ends: Int64s) -> int:
    """The inside sets of `missing` stones with which the mover's rim has just ended the game; how many there are.

    `ends` is [end, (inside set, kind)].
    """
    insides = len(rim.inside_stones)
    found = 0
    for i in range(rim.starts[insides - 1, missing], rim.starts[insides - 1, missing + 1]):
        kind = kind_of(kinds, mover_rim * insides + int(rim.subsets[i]))
        if kind in (JUST_WON, JUST_LOST):
            ends[found, 0], ends[found, 1] = rim.subsets[i], kind
            found += 1
    return found


@inner
def list_other_rims(
    mover_rim: int, room: int, shard: Shard, other_stones: int, tables: LayerTables, others: Int64s
) -> int:
    """The rims of the other player, without a line, that go with one of the mover; how many there are.

    Left out are those where some image of both reads smaller, and those that leave more stones for the inside than
    it has `room` for. `others` is [rim, (rim set, ties, stones left for the inside)].
    """
    kinds, rim = tables.kinds, tables.rim
    readings, lanes, insides = rim.readings, rim.lanes, len(rim.inside_stones)
    tail = rim.rim_cells - rim.head
    missing = other_stones - popcount(shard.other_head)
    x_moved = shard.ply % 2 == 1
    bits = np.empty(tail, dtype=np.int64)
    free = list_free_bits(mover_rim, bits)
    found = 0
    for on_tail in range(max(0, missing - room), min(free, missing) + 1):
        chosen = (1 << on_tail) - 1
        while chosen < 1 << free:
            other_rim = shard.other_head << tail | deposit(chosen, bits)
            crosses, noughts = (mover_rim, other_rim) if x_moved else (other_rim, mover_rim)
            ties = compare_readings(crosses, noughts, readings, lanes)
            if ties >= 0 and kind_of(kinds, other_rim * insides) == LINE_FREE:
                others[found, 0], others[found, 1], others[found, 2] = other_rim, ties, missing - on_tail
                found += 1
            if chosen == 0:
                break
            chosen = next_of_same_size(chosen)
    return found


@inner
def list_free_bits(mover_rim: int, bits: Int64s) -> int:
    """The rim cells below the head that the mover leaves free, as bits; how many there are."""
    free = 0
    for cell in range(len(bits)):
        if mover_rim >> cell & 1 == 0:
            bits[free] = 1 << cell
            free += 1
    return free


@inner
def walk_insides(
    mover_rim: int, x_moved: bool, ends: Int64s, others: Int64s, tables: LayerTables, records: NDArray[np.uint64]
) -> tuple[int, int]:
    """Every inside that makes a terminal win of one rim of the mover.

    The arrays are taken out of `tables` before the loops: inside, each access would cost a count of references.
    """
    kinds, keys, rim = tables.kinds, tables.keys, tables.rim
    subsets, starts, rim_stones, rim_packed = rim.subsets, rim.starts, rim.rim_stones, rim.rim_packed
    inside_stones, inside_packed = rim.inside_stones, rim.inside_packed
    everything = len(inside_stones) - 1
    found = won = 0
    for pair in range(len(others)):
        other_rim, ties, missing = others[pair, 0], others[pair, 1], others[pair, 2]
        crosses, noughts = (mover_rim, other_rim) if x_moved else (other_rim, mover_rim)
        on_rim = rim_packed[crosses] + rim_packed[noughts] + rim_packed[noughts]
        for end in range(len(ends)):
            mover, before = ends[end, 0], found
            for i in range(starts[everything ^ mover, missing], starts[everything ^ mover, missing + 1]):
                other = int(subsets[i])
                if kind_of(kinds, other_rim * len(inside_stones) + other) != LINE_FREE:
                    continue
                x, o = (mover, other) if x_moved else (other, mover)
                if ties != 0 and has_smaller_image(
                    rim_stones[crosses] | inside_stones[x], rim_stones[noughts] | inside_stones[o], ties, keys
                ):
                    continue
                if len(records) != 0:
                    records[found] = on_rim + inside_packed[x] + inside_packed[o] + inside_packed[o]
                found += 1
            if ends[end, 1] == JUST_WON:
                won += found - before
    return won, found - won


@inner
def has_smaller_image(crosses: int, noughts: int, ties: int, keys: Int64s) -> bool:
    """Whether one of the symmetries in the bits of `ties` gives a smaller image."""
    own = image_key(crosses, noughts, keys[0])
    while ties != 0:
        if image_key(crosses, noughts, keys[lowest_cell(ties)]) < own:
            return True
        ties &= ties - 1
    return False
