"""From boards to places in a tablebase, for the compiler: many boards at a time."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import lowest_bit, popcount
from gridlab.core.jit import kernel
from gridlab.exact.tablebase.halves import Halves, canonical, free_of, line_score, offsets_of
from gridlab.exact.tablebase.rows import Scores

Boards = NDArray[np.int64]  # [board, (crosses, noughts)]


class Places(NamedTuple):
    """What is known of boards before any block is unpacked."""

    scores: Scores  # [board]: of finished games
    plies: NDArray[np.int64]  # [board]: the stored ply that decides it, or -1 if the game is over
    ranks: NDArray[np.int64]  # [board]: the X whose block decides it


@kernel
def look_up(boards: Boards, halves: Halves) -> Places:
    """The score of finished games, the place of all others."""
    number = len(boards)
    places = Places(np.zeros(number, np.int8), np.full(number, -1), np.zeros(number, np.int64))
    for i in range(number):
        low, high = split(boards[i, 0], halves)
        o_low, o_high = split(boards[i, 1], halves)
        ply = popcount(boards[i, 0]) + popcount(boards[i, 1])
        moved_low, moved_high = (low, high) if ply % 2 else (o_low, o_high)
        places.scores[i] = line_score(moved_low, moved_high, halves.lines)
        if places.scores[i] == 0 and ply < halves.low + halves.high:
            places.plies[i] = ply + ply % 2
            places.ranks[i] = canonical(low, high, halves)[1]
    return places


@kernel
def read_scores(
    boards: Boards, chosen: NDArray[np.int64], block: Scores, first: int, scores: Scores, halves: Halves
) -> None:
    """Scores of the chosen boards, all decided by the block of X from `first` on."""
    cells = halves.low + halves.high
    for i in chosen:
        low, high = split(boards[i, 0], halves)
        o_low, o_high = split(boards[i, 1], halves)
        symmetry, rank = canonical(low, high, halves)
        o_low, o_high = int(halves.low_images[symmetry, o_low]), int(halves.high_images[symmetry, o_high])
        low, high = int(halves.low_images[symmetry, low]), int(halves.high_images[symmetry, high])
        crosses, noughts = popcount(boards[i, 0]), popcount(boards[i, 1])
        if crosses == noughts:
            offset = offset_in_block(low, high, o_low, o_high, offsets_of(cells - crosses, noughts, halves), halves)
            scores[i] = block[(rank - first) * halves.choose[cells - crosses, noughts] + offset]
            continue
        offsets = offsets_of(cells - crosses, noughts + 1, halves)
        base = (rank - first) * halves.choose[cells - crosses, noughts + 1]
        lowest = 127
        rest = ~(low | o_low | (high | o_high) << halves.low) & (1 << cells) - 1
        while rest != 0:
            stone = lowest_bit(rest)
            rest ^= stone
            next_low, next_high = o_low | stone & (1 << halves.low) - 1, o_high | stone >> halves.low
            score = line_score(next_low, next_high, halves.lines)
            if score == 0 and crosses + noughts + 1 < cells:
                score = block[base + offset_in_block(low, high, next_low, next_high, offsets, halves)]
            lowest = min(lowest, score)
        scores[i] = -lowest + (lowest > 0) - (lowest < 0)


@kernel
def split(stones: int, halves: Halves) -> tuple[int, int]:
    """The low and high half of a bitboard."""
    low = high = 0
    for bit in range(halves.low):
        low |= (stones >> halves.cells[bit] & 1) << bit
    for bit in range(halves.high):
        high |= (stones >> halves.cells[halves.low + bit] & 1) << bit
    return low, high


@kernel
def offset_in_block(low: int, high: int, o_low: int, o_high: int, offsets: NDArray[np.int64], halves: Halves) -> int:
    """Where the block of a canonical X holds an O."""
    free_low, free_high = free_of(low, high, halves)
    width = popcount(free_low)
    row = halves.rank_within[halves.trits[free_high] + halves.trits[o_high]]
    column = halves.rank_within[halves.trits[free_low] + halves.trits[o_low]]
    return int(offsets[width, popcount(o_high)] + row * halves.choose[width, popcount(o_low)] + column)
