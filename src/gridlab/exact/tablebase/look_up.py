"""From boards to places in a tablebase, for the compiler: many boards at a time."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import int64, lowest_bit, popcount
from gridlab.core.jit import inner, kernel
from gridlab.exact.tablebase.blocks import Blocks
from gridlab.exact.tablebase.halves import Halves, canonical, split
from gridlab.exact.tablebase.lines import line_score
from gridlab.exact.tablebase.parts import CHOOSE, Parts
from gridlab.exact.tablebase.rows import Scores

Boards = NDArray[np.int64]  # [board, (crosses, noughts)]


class Places(NamedTuple):
    """What is known of boards before any block is unpacked."""

    scores: Scores  # [board]: of finished games
    plies: NDArray[np.int64]  # [board]: the stored ply that decides it, or -1 if the game is over
    ranks: NDArray[np.int64]  # [board]: the X whose block decides it


def look_up(boards: Boards, tables: Halves) -> Places:
    """The score of finished games, the place of all others."""
    number = len(boards)
    places = Places(np.zeros(number, np.int8), np.full(number, -1), np.zeros(number, np.int64))
    find_places(boards, tables, places)
    return places


@kernel
def find_places(boards: Boards, tables: Halves, places: Places) -> None:
    """Fill `places`."""
    order, lines = tables.order, tables.lines
    for i in range(len(boards)):
        low, high = split(boards[i, 0], order)
        o_low, o_high = split(boards[i, 1], order)
        ply = popcount(boards[i, 0]) + popcount(boards[i, 1])
        moved_low, moved_high = (low, high) if ply % 2 else (o_low, o_high)
        places.scores[i] = line_score(moved_low, moved_high, lines)
        if places.scores[i] == 0 and ply < order.low + order.high:
            places.plies[i] = ply + ply % 2
            places.ranks[i] = canonical(low, high, tables.images.high, tables.ranking)[1]


@kernel
def read_scores(
    boards: Boards, chosen: NDArray[np.int64], blocks: Blocks, first: int, tables: Halves, scores: Scores
) -> None:
    """Scores of the chosen boards, all decided by blocks of the X from rank `first` on."""
    for i in chosen:
        low, high = split(boards[i, 0], tables.order)
        o_low, o_high = split(boards[i, 1], tables.order)
        scores[i] = score_in(low, high, o_low, o_high, blocks, first, tables)


@inner
def score_in(low: int, high: int, o_low: int, o_high: int, blocks: Blocks, first: int, tables: Halves) -> int:
    """The score of a position that is not over, given in halves, from the blocks of the X from rank `first` on."""
    order, images, parts, lines = tables.order, tables.images, tables.parts, tables.lines
    symmetry, rank = canonical(low, high, images.high, tables.ranking)
    low, high = int64(images.low[symmetry, low]), int64(images.high[symmetry, high])
    o_low, o_high = int64(images.low[symmetry, o_low]), int64(images.high[symmetry, o_high])
    free_low, free_high = ~low & (1 << order.low) - 1, ~high & (1 << order.high) - 1
    at = (rank - first) * blocks.slots
    if popcount(o_low) + popcount(o_high) == blocks.noughts:
        offset = offset_in_block(o_low, o_high, free_low, free_high, blocks.offsets, parts)
        return int64(blocks.scores[at + offset])
    lowest = 127
    rest = free_low & ~o_low | (free_high & ~o_high) << order.low
    last = rest & rest - 1 == 0  # a nought on the last cell ends the game
    while rest != 0:
        stone = lowest_bit(rest)
        rest ^= stone
        next_low, next_high = o_low | stone & (1 << order.low) - 1, o_high | stone >> order.low
        score = line_score(next_low, next_high, lines)
        if score == 0 and not last:
            offset = offset_in_block(next_low, next_high, free_low, free_high, blocks.offsets, parts)
            score = int64(blocks.scores[at + offset])
        lowest = min(lowest, score)
    return -lowest + (lowest > 0) - (lowest < 0)


@inner
def offset_in_block(
    low: int, high: int, free_low: int, free_high: int, offsets: NDArray[np.int64], parts: Parts
) -> int:
    """Where an O stands in the block of an X that leaves these cells free."""
    width = popcount(free_low)
    row = parts.ranks[parts.trits[free_high] + parts.trits[high]]
    column = parts.ranks[parts.trits[free_low] + parts.trits[low]]
    return int64(offsets[width, popcount(high)] + row * CHOOSE[width, popcount(low)] + column)
