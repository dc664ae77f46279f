"""A board split into its rim, which decides whether it is the smallest of its images, and the cells inside.

    r r r r r        rim:    the cells that some symmetry moves to one of the first cells (PREFIX of them or more)
    r i i i r        inside: the others
    r i i i h        head:   the last cells as far as they are rim (by rotate 180 the last PREFIX at least)
    h h h h h

Set r of rim cells has bit i for the i-th of them, so that the head is the top bits of r, and of a record.

A *reading* is what an image shows on these first cells, 2 bits a cell, the first cell highest. Four readings
share a word, a lane of 15 bits each; the top bit of a lane catches the borrow, so that one subtraction compares
four readings with the board's own:

    lane   0 oooooooooooooo    other reading                    1 oooooooooooooo
                                                              - 0 bbbbbbbbbbbbbb    the board's own reading
                                                              = 1 if o ≥ b, rest 0 if they tie
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.errors import TooLarge
from gridlab.games.mnk.rules import Rules
from gridlab.games.symmetry import symmetries
from gridlab.jit import kernel

PREFIX = 5
HEAD = 6  # cells at most
LONGEST_PREFIX = 7  # of which a reading fits its lane
MAX_INSIDE = 13  # 3^13 pairs of a set and its subset are tabulated
LANE, LANES = 15, 4
LOW = sum(1 << LANE * lane for lane in range(LANES))  # the lowest bit of each lane
HIGH = LOW << LANE - 1  # the highest bit of each lane
NEVER = (1 << LANE - 1) - 1  # larger than any reading
OWN = (1 << LANE) - 1  # the lane of the identity, in the first word


class Rim(NamedTuple):
    """Rim and inside as tables for kernels. Sets are numbers: of rim cells, or of inside cells."""

    head: int  # cells of the head
    rim_cells: int
    rim_stones: NDArray[np.int64]  # [rim set]: the set as a bitboard
    inside_stones: NDArray[np.int64]  # [inside set]
    rim_packed: NDArray[np.uint64]  # [rim set]: the set of crosses as part of a record; noughts count twice
    inside_packed: NDArray[np.uint64]  # [inside set]
    readings: NDArray[np.int64]  # [rim set, 2]: of crosses, 8 lanes; noughts count twice
    unused: NDArray[np.int64]  # [2]: NEVER in the lanes of the identity and of symmetries the board lacks
    subsets: NDArray[np.int16]  # the subsets of every inside set, by size
    starts: NDArray[np.int32]  # [inside set, size]: where they start; those of the next size start where they end


def rim_of(rules: Rules) -> Rim:
    """The rim of a board: as short as tables for the inside allow."""
    images = [symmetry.inverse.cells for symmetry in symmetries(rules.rows, rules.cols)]  # where each comes from
    prefix = min(PREFIX, rules.cells)
    rim = _first_cells(images, prefix)
    while prefix < min(LONGEST_PREFIX, rules.cells) and (
        rules.cells - len(rim) > MAX_INSIDE or _first_cells(images, prefix + 1) == rim
    ):
        prefix += 1  # because the inside is too large, or because it costs nothing
        rim = _first_cells(images, prefix)
    inside = [cell for cell in range(rules.cells) if cell not in rim]
    if len(inside) > MAX_INSIDE:
        raise TooLarge(f"{rules} is too long and narrow to list its terminal wins; 1x27 is the longest of its kind")
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
        np.stack([_sums(_weights(rim, origins[word : word + LANES])) for word in (0, LANES)], axis=1),
        np.array([_unused(len(images), word) for word in (0, LANES)], dtype=np.int64),
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


def _weights(rim: list[int], origins: list[tuple[int, ...]]) -> list[int]:
    """What a cross on each rim cell adds to a word of readings."""
    return [
        sum(
            1 << LANE * lane + 2 * (len(cells) - 1 - cells.index(cell))
            for lane, cells in enumerate(origins)
            if cell in cells
        )
        for cell in rim
    ]


def _unused(symmetries: int, word: int) -> int:
    return sum(NEVER << LANE * lane for lane in range(LANES) if not 0 < word + lane < symmetries)


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


@kernel
def compare_readings(crosses: int, noughts: int, readings: NDArray[np.int64], unused: NDArray[np.int64]) -> int:
    """-1 if some image of the rim reads smaller than the rim itself, else a bit for each symmetry that ties."""
    first = readings[crosses, 0] + 2 * readings[noughts, 0]
    second = readings[crosses, 1] + 2 * readings[noughts, 1]
    own = (first & OWN) * LOW
    first = (first | unused[0] | HIGH) - own
    second = (second | unused[1] | HIGH) - own
    if first & second & HIGH != HIGH:
        return -1
    return tying_lanes(first) | tying_lanes(second) << LANES


@kernel
def tying_lanes(difference: int) -> int:
    """A bit for each lane whose difference is 0."""
    rest = difference ^ HIGH
    if (rest - LOW) & ~rest & HIGH == 0:  # no lane is 0
        return 0
    lanes = 0
    for lane in range(LANES):
        if rest >> LANE * lane & OWN == 0:
            lanes |= 1 << lane
    return lanes
