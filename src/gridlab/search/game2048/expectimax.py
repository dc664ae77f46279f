"""Expectimax for 2048 by kernels: some moves ahead, all new tiles between them, then an evaluator.

Depth counts player moves and chance layers together, the player's move first:

    1  move                        the board after the move is evaluated
    2  move, tile                  … the mean over all new tiles
    3  move, tile, move
    4  move, tile, move, tile      the published description's "two moves and two chance nodes"

The last plies are single functions over look-up tables (last_plies.py). Above them every chance layer has a frame: the
board after a move, the new tiles still to be tried, and the player's moves under the tile being tried. A board without
a move is worth its static evaluation less what the evaluator takes for that; among equals the first of up, down, left,
right is played.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.jit import kernel
from gridlab.core.splitmix import States
from gridlab.core.stop import Stop, stopped
from gridlab.games.game2048.kernels import ONE, ZERO, Boards, count, moved, transpose
from gridlab.games.game2048.row_tables import RowTables
from gridlab.search.game2048.evaluators import Evaluator, static
from gridlab.search.game2048.last_plies import (
    NO_MOVE,
    Counts,
    SearchSettings,
    Slides,
    cells_to_try,
    last_chance,
    leaf_chance,
    place_of,
    tiles_on,
    weight_of,
)

Values = NDArray[np.float64]  # [direction]: minus infinity where it is no move

DEEPEST, LAST_PLIES = 8, 4  # plies
LEVELS = DEEPEST // 2 - 1  # chance layers with moves after them
ALL_MOVES, NO_TILE = 4, 5  # in `direction` of a frame, besides a move: all moves are valued, no tile is being tried
FRAME = np.dtype(
    [
        ("after", np.uint64),  # the board after a move, on which new tiles appear
        ("tiles", np.uint64),  # still to be tried, a bit each
        ("tile", np.uint64),  # being tried
        ("board", np.uint64),  # with that tile
        ("turned", np.uint64),  # its transpose
        ("direction", np.int64),  # of the move to be valued next
        ("best", np.float64),  # of the moves valued
        ("total", np.float64),  # of the tiles tried, weighted by their odds
        ("odds", np.float64),  # of all tiles together
        ("probability", np.float64),  # of this layer
    ]
)


class Memory(NamedTuple):
    """Room for a search, and its transposition table: boards before a move, and boards after one."""

    frames: Any  # [level] of FRAME
    keys: Boards  # [level, entry]: boards before a move whose value is known
    values: NDArray[np.float64]
    after_keys: Boards  # [level, entry]: boards after a move whose value is known
    after_values: NDArray[np.float64]


class Expectimax(NamedTuple):
    """A search down to depth 4, as kernels take it: the last plies alone."""

    evaluator: Evaluator
    settings: SearchSettings
    memory: Memory
    counts: Counts


class DeepExpectimax(Expectimax):
    """A search from depth 5 on. A type of its own, so that nobody compiles frames who does not need them."""

    __slots__ = ()


def new_expectimax(evaluator: Evaluator, settings: SearchSettings, entries: int = 0) -> Expectimax:
    """A search with a transposition table of a power of two of entries a level, or none."""
    memory = Memory(
        np.zeros(LEVELS, FRAME).view(np.recarray),
        np.zeros((LEVELS, entries), np.uint64),
        np.zeros((LEVELS, entries)),
        np.zeros((LEVELS, entries), np.uint64),
        np.zeros((LEVELS, entries)),
    )
    kind = Expectimax if settings.depth <= LAST_PLIES else DeepExpectimax
    return kind(evaluator, settings, memory, np.zeros(2, np.int64))


@kernel
def forget(search: Expectimax) -> None:
    """Empty the transposition table."""
    search.memory.keys[:] = ZERO
    search.memory.after_keys[:] = ZERO


@kernel
def choose(
    search: Expectimax, board: np.uint64, values: Values, rows: RowTables, states: States, stream: int, stop: Stop
) -> int:
    """What each direction is worth, into `values`; the best, -1 if there is none. Depth 1 to 4."""
    lines, gains, _, shape = search.evaluator
    settings, memory, counts = search.settings, search.memory, search.counts
    depth, turned = settings.depth, transpose(board)
    for direction in range(4):
        after = moved(board, turned, direction, rows.slides)
        if after == board:
            value = NO_MOVE
        elif depth == 1:
            counts[0] += 1
            value = float(static(after, transpose(after), lines, shape))
        elif depth == 2:
            value = leaf_chance(after, transpose(after), lines, gains, shape, settings, counts, states, stream)
        else:
            value = last_chance(
                after, 1.0, depth - 2, rows.slides, search.evaluator, settings, memory.keys[0], memory.values[0],
                counts, states, stream,
            )  # fmt: skip
        values[direction] = value
    return first_of_best(values)


@kernel
def choose_deep(
    search: DeepExpectimax, board: np.uint64, values: Values, rows: RowTables, states: States, stream: int, stop: Stop
) -> int:
    """The same from depth 5 on."""
    evaluator, settings, memory, counts = search
    turned = transpose(board)
    for direction in range(4):
        after = moved(board, turned, direction, rows.slides)
        values[direction] = NO_MOVE
        if after != board:
            values[direction] = chance(after, rows.slides, evaluator, settings, memory, counts, states, stream, stop)
    return first_of_best(values)


@kernel
def first_of_best(values: Values) -> int:
    """The first of the best directions, -1 if none is a move."""
    best = -1
    for direction in range(4):
        if values[direction] != NO_MOVE and (best < 0 or values[direction] > values[best]):
            best = direction
    return best


@kernel
def chance(
    after: np.uint64, slides: Slides, evaluator: Evaluator, settings: SearchSettings, memory: Memory, counts: Counts,
    states: States, stream: int, stop: Stop,
) -> float:  # fmt: skip
    """What a board is worth after a move, five plies or more deep: frames down to the last chance layer.

    One loop over an explicit stack, as a kernel that calls itself does not come back whole from the compile cache.
    """
    frames, keys, values, after_keys, after_values = memory
    lines, shape = evaluator.values, evaluator.shape
    entries = keys.shape[1]
    after_entries = entries if settings.cutoff == 0.0 else 0  # with a cutoff a board is not worth the same everywhere
    level = 0
    open_frame(frames[0], after, 1.0, settings, states, stream)
    while not stopped(stop):
        frame = frames[level]
        weight = weight_of(frame.tile, settings)
        if frame.direction < ALL_MOVES:  # value the next move under the tile being tried
            reached = moved(frame.board, frame.turned, frame.direction, slides)
            frame.direction += 1
            if reached == frame.board:
                continue
            probability = frame.probability * weight / frame.odds
            plies = settings.depth - 2 * level - 4  # after the new tiles that come now
            if plies > 2:
                level += 1
                open_frame(frames[level], reached, probability, settings, states, stream)
                continue
            place = place_of(reached, after_entries)  # tiles that slide to the same place lead to the same board
            if place >= 0 and after_keys[level, place] == reached:
                counts[1] += 1
                frame.best = max(frame.best, after_values[level, place])
                continue
            value = last_chance(
                reached, probability, plies, slides, evaluator, settings, keys[level + 1], values[level + 1], counts,
                states, stream,
            )  # fmt: skip
            frame.best = max(frame.best, value)
            if place >= 0:
                after_keys[level, place], after_values[level, place] = reached, value
        elif frame.direction == ALL_MOVES:  # the tile being tried is worth its best move
            value = frame.best
            if value == NO_MOVE:
                counts[0] += 1
                value = float(static(frame.board, frame.turned, lines, shape) - shape.dead)
            place = place_of(frame.board, entries)
            if place >= 0:
                keys[level, place], values[level, place] = frame.board, value
            frame.total += weight * value
            frame.direction = NO_TILE
        elif frame.tiles != ZERO:  # try the next tile
            next_tile(frame)
            weight = weight_of(frame.tile, settings)
            place = place_of(frame.board, entries)
            if frame.probability * weight / frame.odds < settings.cutoff:
                counts[0] += 1
                frame.total += weight * float(static(frame.board, frame.turned, lines, shape))
            elif place >= 0 and keys[level, place] == frame.board:
                counts[1] += 1
                frame.total += weight * values[level, place]
            else:
                frame.best, frame.direction = NO_MOVE, 0
        else:  # the layer is worth the mean of its tiles
            value = frame.total / frame.odds
            if level == 0:
                return value  # type: ignore[no-any-return]
            level -= 1
            frames[level].best = max(frames[level].best, value)
    return 0.0


@kernel
def open_frame(
    frame: Any, after: np.uint64, probability: float, settings: SearchSettings, states: States, stream: int
) -> None:
    """Begin a chance layer."""
    cells = cells_to_try(after, settings, states, stream)
    frame.after, frame.tiles, frame.tile = after, tiles_on(cells, settings), ZERO
    frame.direction, frame.total = NO_TILE, 0.0
    frame.odds, frame.probability = float((settings.twos + settings.fours) * count(cells)), probability


@kernel
def next_tile(frame: Any) -> None:
    """Put the next new tile on the board of a frame."""
    frame.tile = frame.tiles & (~frame.tiles + ONE)
    frame.tiles ^= frame.tile
    frame.board = frame.after | frame.tile
    frame.turned = transpose(frame.board)
