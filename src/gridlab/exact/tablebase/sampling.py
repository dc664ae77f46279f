"""Ongoing positions drawn at random, uniformly among all of a ply up to symmetry, each at most once.

A slot is drawn, and kept if its position is ongoing and smallest among its images: what is kept is uniform. Where a ply
is small, or most of it is wanted, or few of its slots are alive, all its slots are tried instead.
"""

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import int64, popcount
from gridlab.core.jit import inner, kernel
from gridlab.exact.tablebase.blocks import offsets_of, shape
from gridlab.exact.tablebase.halves import Halves, halves, join
from gridlab.exact.tablebase.lines import line_score
from gridlab.exact.tablebase.look_up import Boards
from gridlab.exact.tablebase.parts import CHOOSE
from gridlab.exact.tablebase.tally import is_smallest, own_symmetries
from gridlab.games.mnk.rules import Rules

MOST_TRIED = 1 << 20  # slots of a ply that are simply all tried


def draw_positions(rules: Rules, ply: int, number: int, random: np.random.Generator) -> Boards:
    """Up to `number` different ongoing positions of a ply, fewer only if it has no more; any image stands for all."""
    tables = halves(rules)
    crosses, noughts, _, slots = shape(rules.cells, ply)
    total = tables.count(crosses) * slots
    kept: NDArray[np.int64] = np.empty(0, np.int64)
    tried = total if total <= MOST_TRIED or number > total // 8 else 0
    while len(kept) < number and tried < total:
        drawn = without(np.sort(random.integers(total, size=max(1024, 2 * number))), np.sort(kept))
        tried += len(drawn)
        alive = drawn[positions_at(drawn, crosses, noughts, tables)[1]]
        kept = np.concatenate((kept, random.permutation(alive)))[:number]
    if len(kept) < number:
        every = boards_at(np.arange(total), crosses, noughts, tables)
        return every[np.sort(random.permutation(len(every))[:number])]
    return boards_at(np.sort(kept), crosses, noughts, tables)


def without(drawn: NDArray[np.int64], kept: NDArray[np.int64]) -> NDArray[np.int64]:
    """Each of the numbers drawn once, none that is kept already; both are sorted, and so is what is left."""
    new = np.ones(len(drawn), np.bool_)
    new[1:] = drawn[1:] != drawn[:-1]
    if len(kept):
        new &= kept[np.searchsorted(kept, drawn).clip(max=len(kept) - 1)] != drawn
    return drawn[new]


def boards_at(slots: NDArray[np.int64], crosses: int, noughts: int, tables: Halves) -> Boards:
    """The positions of those slots that are alive."""
    boards, alive = positions_at(slots, crosses, noughts, tables)
    return boards[alive]


def positions_at(
    slots: NDArray[np.int64], crosses: int, noughts: int, tables: Halves
) -> tuple[Boards, NDArray[np.bool_]]:
    """The position of every slot, and whether it is ongoing and smallest among its images."""
    boards, alive = np.empty((len(slots), 2), np.int64), np.empty(len(slots), np.bool_)
    offsets = offsets_of(tables.order.low + tables.order.high - crosses, noughts, tables.order)
    list_positions(slots, crosses, noughts, offsets, tables, boards, alive)
    return boards, alive


@kernel
def list_positions(
    slots: NDArray[np.int64],
    crosses: int,
    noughts: int,
    offsets: NDArray[np.int64],
    tables: Halves,
    boards: Boards,
    alive: NDArray[np.bool_],
) -> None:
    """Fill `boards` and `alive`."""
    order, images, lines = tables.order, tables.images, tables.lines
    for i in range(len(slots)):
        low, high, o_low, o_high = stones_at(slots[i], crosses, noughts, offsets, tables)
        boards[i, 0], boards[i, 1] = join(low, high, order), join(o_low, o_high, order)
        own = own_symmetries(low, high, images)
        alive[i] = line_score(o_low, o_high, lines) == 0 and is_smallest(o_low, o_high, own, images)


@inner
def stones_at(
    slot: int, crosses: int, noughts: int, offsets: NDArray[np.int64], tables: Halves
) -> tuple[int, int, int, int]:
    """The halves of X and of O that a slot stands for."""
    order, sets, starts = tables.order, tables.parts.sets, tables.parts.starts
    slots = CHOOSE[order.low + order.high - crosses, noughts]
    at, offset = tables.crosses.starts[crosses] + slot // slots, slot % slots
    low, high = int64(tables.crosses.lows[at]), int64(tables.crosses.highs[at])
    free_low, free_high = ~low & (1 << order.low) - 1, ~high & (1 << order.high) - 1
    width = popcount(free_low)
    there = 0
    while offset >= offsets[width, there + 1]:
        there += 1
    columns = CHOOSE[width, noughts - there]
    row, column = (offset - offsets[width, there]) // columns, (offset - offsets[width, there]) % columns
    o_low, o_high = sets[starts[free_low, noughts - there] + column], sets[starts[free_high, there] + row]
    return low, high, int64(o_low), int64(o_high)
