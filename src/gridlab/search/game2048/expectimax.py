"""Expectimax for 2048 by kernels: some moves ahead, all new tiles between them, then an evaluator.

Depth counts player moves and chance layers together, the player's move first:

    1  move                        the board after the move is evaluated
    2  move, tile                  … the mean over all new tiles
    3  move, tile, move
    4  move, tile, move, tile      the document's "two moves and two chance nodes"

The last plies are single functions over look-up tables (last_plies.py). Above them every chance layer has a frame: the
board after a move, the new tiles still to be tried, and the player's moves under the tile being tried. A board without
a move is worth its static evaluation less what the evaluator takes for that; among equals the first of up, down, left,
right is played.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.jit import kernel
from gridlab.core.splitmix import States
from gridlab.core.stop import Stop, stopped
from gridlab.games.game2048.kernels import (
    LEFT,
    ONE,
    UP,
    ZERO,
    Boards,
    RowTables,
    count,
    empties,
    slide_rows,
    transpose,
)
from gridlab.search.game2048.evaluators import Evaluator, static
from gridlab.search.game2048.last_plies import (
    NO_MOVE,
    Counts,
    Settings,
    Slides,
    choose_cells,
    last_chance,
    leaf_chance,
    place_of,
)

DEEPEST = 8
AFTER, CELLS, UNIT, BOARD, TURNED = range(5)  # of a frame: boards and cells
TOTAL, ODDS, CHANCE, BEST, NEXT, IS_FOUR = range(6)  # of a frame: numbers
CLOSED = 9.0  # in NEXT: no tile is being tried


class Memory(NamedTuple):
    """Room for a search: one for each thread."""

    frames: Boards  # [level, 5]
    numbers: NDArray[np.float64]  # [level, 6]
    keys: Boards  # [level, entry]: boards before a move whose value is known
    values: NDArray[np.float64]
    afters: Boards  # [level, entry]: boards after a move whose value is known
    worths: NDArray[np.float64]
    counts: Counts  # [2]: boards evaluated, boards answered by the table


def new_memory(entries: int = 0) -> Memory:
    """Room for searches of any depth, with a transposition table of a power of two of entries a level, or none."""
    levels = DEEPEST // 2
    return Memory(
        np.zeros((levels, 5), np.uint64), np.zeros((levels, 6)), np.zeros((levels, entries), np.uint64),
        np.zeros((levels, entries)), np.zeros((levels, entries), np.uint64), np.zeros((levels, entries)),
        np.zeros(2, np.int64),
    )  # fmt: skip


@kernel
def forget(memory: Memory) -> None:
    """Empty the transposition table."""
    memory.keys[:] = ZERO
    memory.afters[:] = ZERO


@kernel
def value_boards(
    boards: Boards, found: NDArray[np.float64], rows: RowTables, evaluator: Evaluator, settings: Settings,
    memory: Memory, states: States, stop: Stop,
) -> None:  # fmt: skip
    """What each direction is worth on each board: found[board, direction], minus infinity where it is no move."""
    for i in range(len(boards)):
        if stopped(stop):
            return
        value_moves(boards[i], found[i], rows, evaluator, settings, memory, states, i)


@kernel
def value_moves(
    board: np.uint64, found: NDArray[np.float64], rows: RowTables, evaluator: Evaluator, settings: Settings,
    memory: Memory, states: States, stream: int,
) -> int:  # fmt: skip
    """What each direction is worth on one board, into `found`; the best direction, -1 if there is none."""
    best = -1
    turned = transpose(board)
    for direction in range(4):
        after = move_either(board, turned, direction, rows.slides)
        found[direction] = NO_MOVE
        if after == board:
            continue
        found[direction] = value_after(after, rows, evaluator, settings, memory, states, stream)
        if best < 0 or found[direction] > found[best]:
            best = direction
    return best


@kernel
def move_either(board: np.uint64, turned: np.uint64, direction: int, slides: Slides) -> np.uint64:
    """The board after a move, its transpose being at hand."""
    if direction < LEFT:
        up, down = slide_rows(turned, slides)
        return transpose(up if direction == UP else down)
    left, right = slide_rows(board, slides)
    return left if direction == LEFT else right


@kernel
def value_after(
    after: np.uint64, rows: RowTables, evaluator: Evaluator, settings: Settings, memory: Memory, states: States,
    stream: int,
) -> float:  # fmt: skip
    """What a board is worth after a move."""
    values, gains, _, places, corner, _ = evaluator
    depth, twos, fours, sample, _ = settings
    if depth == 1:
        memory.counts[0] += 1
        return float(static(after, transpose(after), values, places, corner))
    if depth == 2:
        return leaf_chance(
            after, transpose(after), values, gains, places, corner, twos, fours, sample, memory.counts, states, stream
        )
    return chance(after, rows, evaluator, settings, memory, states, stream)


@kernel
def chance(
    after: np.uint64, rows: RowTables, evaluator: Evaluator, settings: Settings, memory: Memory, states: States,
    stream: int,
) -> float:  # fmt: skip
    """What a board is worth after a move, three plies or more deep: frames down to the last chance layer."""
    slides = rows.slides
    values, gains, slid, places, corner, dead = evaluator
    depth, twos, fours, sample, cutoff = settings
    frames, numbers, keys, known, afters, worths, counts = memory
    entries = afters.shape[1] if cutoff == 0.0 else 0  # with a cut-off a board is not worth the same everywhere
    if depth <= 4:
        return last_chance(
            after, 1.0, depth - 2, slides, values, gains, slid, places, corner, dead, settings, keys[0], known[0],
            counts, states, stream,
        )  # fmt: skip
    k = 0
    open_frame(frames[0], numbers[0], after, 1.0, twos + fours, sample, states, stream)
    while True:
        frame, number = frames[k], numbers[k]
        left_over = depth - 2 * k - 2  # plies from the player's move under this frame
        weight = fours if number[IS_FOUR] else twos
        if number[NEXT] < 4.0:  # a tile is being tried: its next move
            moved = move_either(frame[BOARD], frame[TURNED], int(number[NEXT]), slides)
            number[NEXT] += 1.0
            if moved == frame[BOARD]:
                continue
            probability = number[CHANCE] * weight / number[ODDS]
            if left_over <= 4:
                place = place_of(moved, entries)  # tiles that slide to the same place lead to the same board
                if place >= 0 and afters[k, place] == moved:
                    counts[1] += 1
                    number[BEST] = max(number[BEST], worths[k, place])
                    continue
                value = last_chance(
                    moved, probability, left_over - 2, slides, values, gains, slid, places, corner, dead, settings,
                    keys[k + 1], known[k + 1], counts, states, stream,
                )  # fmt: skip
                number[BEST] = max(number[BEST], value)
                if place >= 0:
                    afters[k, place], worths[k, place] = moved, value
            else:
                k += 1
                open_frame(frames[k], numbers[k], moved, probability, twos + fours, sample, states, stream)
        elif number[NEXT] == 4.0:  # all its moves are known
            value = number[BEST]
            if value == NO_MOVE:
                counts[0] += 1
                value = float(static(frame[BOARD], frame[TURNED], values, places, corner) - dead)
            place = place_of(frame[BOARD], keys.shape[1])
            if place >= 0:
                keys[k, place], known[k, place] = frame[BOARD], value
            number[TOTAL] += weight * value
            number[NEXT] = CLOSED
        elif next_tile(frame, number, twos, fours):
            weight = fours if number[IS_FOUR] else twos
            board = frame[BOARD]
            turned = transpose(board)
            place = place_of(board, keys.shape[1])
            if number[CHANCE] * weight / number[ODDS] < cutoff:
                counts[0] += 1
                number[TOTAL] += weight * float(static(board, turned, values, places, corner))
            elif place >= 0 and keys[k, place] == board:
                counts[1] += 1
                number[TOTAL] += weight * known[k, place]
            else:
                frame[TURNED], number[BEST], number[NEXT] = turned, NO_MOVE, 0.0
        else:
            value = number[TOTAL] / number[ODDS]
            if k == 0:
                return value  # type: ignore[no-any-return]
            k -= 1
            numbers[k, BEST] = max(numbers[k, BEST], value)


@kernel
def open_frame(
    frame: Boards, number: NDArray[np.float64], after: np.uint64, probability: float, odds: int, sample: int,
    states: States, stream: int,
) -> None:  # fmt: skip
    """Begin a chance layer."""
    cells = empties(after)
    room = count(cells)
    if 0 < sample < room:
        cells, room = choose_cells(cells, room, sample, states, stream), sample
    frame[AFTER], frame[CELLS], frame[UNIT] = after, cells, ZERO
    number[TOTAL], number[ODDS], number[CHANCE] = 0.0, odds * room, probability
    number[NEXT], number[IS_FOUR] = CLOSED, 1.0


@kernel
def next_tile(frame: Boards, number: NDArray[np.float64], twos: int, fours: int) -> bool:
    """Put the next new tile on the board of a frame: a 2 on each cell, then a 4; False when all have been tried."""
    while True:
        if number[IS_FOUR] == 0.0:
            number[IS_FOUR] = 1.0
        else:
            cells = frame[CELLS]
            if cells == ZERO:
                return False
            unit = cells & (~cells + ONE)
            frame[UNIT], frame[CELLS], number[IS_FOUR] = unit, cells ^ unit, 0.0
        if (fours if number[IS_FOUR] else twos) > 0:
            break
    frame[BOARD] = frame[AFTER] | (frame[UNIT] << ONE if number[IS_FOUR] else frame[UNIT])
    return True
