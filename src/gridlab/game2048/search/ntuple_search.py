"""Expectimax over an n-tuple network: moves, all new tiles between them, and the network at the boards after the last.

    worth of a move              its points + what the board after it is worth
    a board after a move         the network's value, if no tile is looked at any more
                                 else the mean over all new tiles of the best worth of a move; 0 where there is none

Depth counts moves and tiles together, as everywhere: 1 is the move alone (ntuple.py), 3 is move, tile, move, and so on
with two more. The points of all moves on the way count, as the network says what is still to come. The same board after
a move comes up again and again, as tiles slide to the same place from many: two of five leaves, and more above them.
There a table answers.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import States, Stop, prefetch, stopped
from gridlab.core.jit import kernel
from gridlab.game2048 import kernels
from gridlab.game2048.kernels import LEFT, NO_MOVE, ONE, ZERO, Boards, RowTables
from gridlab.game2048.search import expectimax, ntuple
from gridlab.game2048.search.expectimax import NEXT_MOVE
from gridlab.game2048.search.ntuple import NEVER, Layout, Moves, Network, Weights

DEEPEST_NTUPLE = 7
LAYERS = (DEEPEST_NTUPLE - 1) // 2  # of chance
ENTRIES, LEAVES = 1 << 16, 1 << 13  # of the table above the last tiles, and of the one of leaves


class NTupleSearch(NamedTuple):
    """The search as kernels take it; one for each thread, which share the weights."""

    network: Network
    layers: int  # of chance: depth 3 has one, depth 5 two
    twos: int
    fours: int
    places: NDArray[np.uint64]  # [move, tuple and image]
    afterstates: Moves  # at the leaves
    leaves: NDArray[np.float64]  # [4]: their worth
    leaf_keys: Boards  # [entry]: boards after the last move whose value is known
    leaf_known: NDArray[np.float64]
    frames: Any  # [layer] of FRAME
    moves: Boards  # [layer, 4]
    keys: Boards  # [entry]: boards after a move whose worth is known, over the last tiles
    known: NDArray[np.float64]
    counts: NDArray[np.int64]  # [2]: boards evaluated, boards answered by the table
    downgrade: int  # boards with a tile of this logarithm are seen with halved tiles


def new_search(network: Network, depth: int, odds: tuple[int, int], downgrade: int = NEVER) -> NTupleSearch:
    """A search of an odd depth from 3 on."""
    room, layers = ntuple.new_moves(network), (depth - 1) // 2
    entries = ENTRIES if layers > 1 else 0
    return NTupleSearch(
        network, layers, *odds, room.places, room.afterstates, np.empty(4), np.zeros(LEAVES, np.uint64),
        np.zeros(LEAVES), expectimax.new_frames(LAYERS), np.zeros((LAYERS, 4), np.uint64),
        np.zeros(entries, np.uint64), np.zeros(entries), np.zeros(2, np.int64), downgrade,
    )  # fmt: skip


@kernel
def begin(search: NTupleSearch) -> None:
    """Empty the tables."""
    search.keys[:] = ZERO
    search.leaf_keys[:] = ZERO


@kernel
def choose(
    search: NTupleSearch, board: np.uint64, values: NDArray[np.float64], rows: RowTables, states: States, game: int,
    stop: Stop,
) -> int:  # fmt: skip
    """The best direction, -1 if there is none; in `values` the points that each is worth."""
    board = ntuple.downgraded(board, search.network.layout.walls, search.downgrade)
    moves = np.empty(4, np.uint64)
    across, down = ntuple.move_all(board, moves, rows.slides, rows.points)
    for direction in range(4):
        values[direction] = NO_MOVE
        if moves[direction] == board:
            continue
        gain = down if direction < LEFT else across
        if search.layers == 1:
            values[direction] = gain + last_tiles(search, moves[direction], rows)
        else:
            values[direction] = gain + tiles_above(search, moves[direction], rows, stop)
    return kernels.first_of_best(values)


@kernel
def last_tiles(search: NTupleSearch, after: np.uint64, rows: RowTables) -> float:
    """What a board after a move is worth: all new tiles, the best move after each, then the network."""
    network, _, twos, fours, places, afterstates, leaves, leaf_keys, leaf_known, _, _, keys, known, counts, _ = search
    at = kernels.place_of(after, len(keys))
    if at >= 0 and keys[at] == after:
        counts[1] += 1
        return known[at]  # type: ignore[no-any-return]
    weights, masks, shifts, offsets, layout = network
    slides, points = rows.slides, rows.points
    cells = kernels.empties(after)
    odds, total = (twos + fours) * kernels.count(cells), 0.0
    while cells != ZERO:
        unit = cells & (~cells + ONE)
        cells ^= unit
        for kind in range(2):
            often = fours if kind else twos
            if often > 0:
                best = best_leaf(
                    after | unit << np.uint64(kind), afterstates, leaves, places, leaf_keys, leaf_known, weights, masks,
                    shifts, offsets, layout, slides, points, counts,
                )  # fmt: skip
                total += often * best if best != NO_MOVE else 0.0
    if at >= 0:
        keys[at], known[at] = after, total / odds
    return total / odds


@kernel
def best_leaf(
    board: np.uint64, afterstates: Moves, leaves: NDArray[np.float64], places: NDArray[np.uint64], leaf_keys: Boards,
    leaf_known: NDArray[np.float64], weights: Weights, masks: NDArray[np.uint64], shifts: NDArray[np.uint64],
    offsets: NDArray[np.uint64], layout: Layout, slides: NDArray[np.uint32], points: NDArray[np.int32],
    counts: NDArray[np.int64],
) -> float:  # fmt: skip
    """The worth of the best move by the network; as `value_moves` of ntuple.py, with a table of leaves."""
    across, down = ntuple.move_all(board, afterstates, slides, points)
    for direction in range(4):
        after = afterstates[direction]
        at = kernels.place_of(after, LEAVES)
        leaves[direction] = leaf_known[at] if leaf_keys[at] == after else NO_MOVE
        if after != board and leaf_keys[at] != after:
            ntuple.find_places(after, places[direction], masks, shifts, offsets, layout)
            for each in range(places.shape[1]):
                prefetch(weights, places[direction, each])
    best = NO_MOVE
    for direction in range(4):
        after = afterstates[direction]
        if after != board:
            if leaves[direction] == NO_MOVE:
                leaves[direction] = ntuple.add_up(weights, places[direction])
                at = kernels.place_of(after, LEAVES)
                leaf_keys[at], leaf_known[at] = after, leaves[direction]
                counts[0] += 1
            else:
                counts[1] += 1
            best = max(best, leaves[direction] + (down if direction < LEFT else across))
    return best


@kernel
def tiles_above(search: NTupleSearch, after: np.uint64, rows: RowTables, stop: Stop) -> float:
    """The worth of a board after a move with more moves and tiles before the last: frames down to the last layer."""
    frames, moves, twos, fours = search.frames, search.moves, search.twos, search.fours
    level = 0
    expectimax.open_frame(frames[0], after, kernels.empties(after), twos, fours, 1.0)
    while not stopped(stop):
        frame = frames[level]
        if frame.state == NEXT_MOVE and frame.direction < 4:
            moved = moves[level, frame.direction]
            frame.direction += 1
            if moved == frame.board:
                continue
            if level + 2 < search.layers:
                level += 1
                expectimax.open_frame(frames[level], moved, kernels.empties(moved), twos, fours, 1.0)
                continue
            take(frame, last_tiles(search, moved, rows))
        elif frame.state == NEXT_MOVE:  # the tile being tried is worth its best move
            expectimax.add_tile(frame, frame.best if frame.best != NO_MOVE else 0.0)
        elif frame.tiles != ZERO:
            expectimax.put_tile(frame, twos, fours)
            frame.across, frame.down = ntuple.move_all(frame.board, moves[level], rows.slides, rows.points)
        else:  # the layer is worth the mean of its tiles
            value = frame.total / frame.odds
            if level == 0:
                return value  # type: ignore[no-any-return]
            level -= 1
            take(frames[level], value)
    return 0.0


@kernel
def take(frame: Any, value: float) -> None:
    """Value the move before the next: its points, and what comes."""
    gain = frame.down if frame.direction - 1 < LEFT else frame.across
    frame.best = max(frame.best, gain + value)
