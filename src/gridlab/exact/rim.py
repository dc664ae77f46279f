"""A board split into its rim, which decides whether it is the smallest of its images, and the cells inside.

    r r r r r        rim:    the cells that some symmetry moves to one of the first cells (PREFIX of them or more)
    r i i i r        inside: the others
    r i i i h        head:   the last cells as far as they are rim (by rotate 180 the last PREFIX at least)
    h h h h h

Set r of rim cells has bit i for the i-th of them, so that the head is the top bits of r, and of a record.

A *reading* is what an image shows on these first cells, 2 bits a cell, the first cell highest. The readings share
two words, a lane each; the top bit of a lane catches the borrow, so that one subtraction compares all readings of a
word with the board's own:

    lane   0 oooooooooooooo    other reading                    1 oooooooooooooo
                                                              - 0 bbbbbbbbbbbbbb    the board's own reading
                                                              = 1 if o ≥ b, rest 0 if they tie
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.jit import inner
from gridlab.games.mnk.rules import Rules
from gridlab.games.symmetry import symmetries

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
    rim_stones: NDArray[np.int64]  # [rim set]: the set as a bitboard
    inside_stones: NDArray[np.int64]  # [inside set]
    rim_packed: NDArray[np.uint64]  # [rim set]: the set of crosses as part of a record; noughts count twice
    inside_packed: NDArray[np.uint64]  # [inside set]
    readings: NDArray[np.int64]  # [rim set, 2]: of crosses, the identity in the lowest lane; noughts count twice
    lanes: Lanes
    subsets: NDArray[np.int16]  # the subsets of every inside set, by size
    starts: NDArray[np.int32]  # [inside set, size]: where they start; those of the next size start where they end


def rim_of(rules: Rules) -> Rim:
    """The rim of a board: as short as tables for the inside allow."""
    images = [symmetry.inverse.cells for symmetry in symmetries(rules.rows, rules.cols)]  # where each comes from
    lanes = lanes_for(len(images))
    prefix = min(PREFIX, rules.cells)
    rim = _first_cells(images, prefix)
    while prefix < min(rules.cells, (lanes.bits - 1) // 2) and (
        rules.cells - len(rim) > MAX_INSIDE or _first_cells(images, prefix + 1) == rim
    ):
        prefix += 1  # because the inside is too large, or because it costs nothing
        rim = _first_cells(images, prefix)
    inside = [cell for cell in range(rules.cells) if cell not in rim]
    origins = [image[:prefix] for image in images]
    subsets, starts = _subsets_by_size(len(inside))
    head = next((length for length in range(HEAD) if rules.cells - 1 - length not in rim), min(HEAD, rules.cells))
    return Rim(
        head,
        len(rim),
        _sums([1 << cell for cell in rim]),
        _sums([1 << cell for cell in inside]),
        _sums([1 << 2 * cell for cell in rim]).astype(np.uint64),
        _sums([1 << 2 * cell for cell in inside]).astype(np.uint64),
        np.stack(
            [
                _sums(_weights(rim, origins[: lanes.number], lanes)),
                _sums(_weights(rim, origins[lanes.number :], lanes)),
            ],
            1,
        ),
        lanes,
        subsets,
        starts,
    )


def _first_cells(images: list[tuple[int, ...]], prefix: int) -> list[int]:
    return sorted({cell for image in images for cell in image[:prefix]})


def _sums(weights: list[int]) -> NDArray[np.int64]:
    """[set] -> the sum of the weights of its members."""
    sums = np.zeros(1, dtype=np.int64)
    for weight in weights:
        sums = np.concatenate([sums, sums + weight])
    return sums


def _weights(rim: list[int], origins: list[tuple[int, ...]], lanes: Lanes) -> list[int]:
    """What a cross on each rim cell adds to a word of readings."""
    return [
        sum(
            1 << lanes.bits * lane + 2 * (len(cells) - 1 - cells.index(cell))
            for lane, cells in enumerate(origins)
            if cell in cells
        )
        for cell in rim
    ]


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
def compare_readings(crosses: int, noughts: int, readings: NDArray[np.int64], lanes: Lanes) -> int:
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
