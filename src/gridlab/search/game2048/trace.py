"""A game of 2048 played by expectimax inside a kernel, every move written down."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.jit import kernel
from gridlab.core.splitmix import States
from gridlab.core.stop import Stop, stopped
from gridlab.games.game2048.kernels import Boards, RowTables, largest_exponent, move, points_of, spawn, start
from gridlab.search.game2048.evaluators import Evaluator
from gridlab.search.game2048.expectimax import Memory, forget, value_moves
from gridlab.search.game2048.last_plies import Settings

ROOM = 4096  # moves at first


class Trace(NamedTuple):
    """The moves of a game: [move] each."""

    boards: Boards  # before the move
    directions: NDArray[np.int8]
    scores: NDArray[np.int64]  # before the move
    values: NDArray[np.float64]  # [move, direction]: minus infinity where it was no move
    nodes: NDArray[np.int64]  # boards evaluated for the move


class Place(NamedTuple):
    """Where a game stands: [1] each."""

    board: Boards
    score: NDArray[np.int64]
    moves: NDArray[np.int64]


def new_trace(room: int) -> Trace:
    return Trace(
        np.empty(room, np.uint64), np.empty(room, np.int8), np.empty(room, np.int64), np.empty((room, 4)),
        np.empty(room, np.int64),
    )  # fmt: skip


def play_game(
    rows: RowTables, evaluator: Evaluator, settings: Settings, memory: Memory, state: States, limit: int, until: int,
    stop: Stop,
) -> tuple[Trace, Place]:  # fmt: skip
    """A whole game: to its end, to `limit` moves, or to the first tile 2^until; 0 is no limit."""
    trace = new_trace(min(limit or ROOM, ROOM))
    forget(memory)
    place = Place(np.zeros(1, np.uint64), np.zeros(1, np.int64), np.zeros(1, np.int64))
    place.board[0] = start(settings.twos, settings.fours, state, 0)
    while go_on(place, trace, rows, evaluator, settings, memory, state, limit, until, stop):
        trace = resized(trace, 2 * len(trace.boards))
    return resized(trace, int(place.moves[0])), place


def resized(trace: Trace, room: int) -> Trace:
    """The same moves with more room, or less."""
    other = new_trace(room)
    moves = min(room, len(trace.boards))
    other.boards[:moves], other.directions[:moves] = trace.boards[:moves], trace.directions[:moves]
    other.scores[:moves], other.values[:moves] = trace.scores[:moves], trace.values[:moves]
    other.nodes[:moves] = trace.nodes[:moves]
    return other


@kernel
def go_on(
    place: Place, trace: Trace, rows: RowTables, evaluator: Evaluator, settings: Settings, memory: Memory,
    state: States, limit: int, until: int, stop: Stop,
) -> bool:  # fmt: skip
    """Play on to the end of the game, its limit or the room of the trace; whether only the room has ended."""
    boards, directions, scores, values, nodes = trace
    board, score, moves = place.board[0], place.score[0], place.moves[0]
    full = False
    while not stopped(stop) and (limit == 0 or moves < limit) and (until == 0 or largest_exponent(board) < until):
        full = moves == len(boards)
        if full:
            break
        before = memory.counts[0]
        direction = value_moves(board, values[moves], rows, evaluator, settings, memory, state, 0)
        if direction < 0:
            break
        boards[moves], directions[moves], scores[moves] = board, direction, score
        nodes[moves] = memory.counts[0] - before
        score += points_of(board, direction, rows.points)
        board = spawn(move(board, direction, rows.slides), settings.twos, settings.fours, state, 0)
        moves += 1
    place.board[0], place.score[0], place.moves[0] = board, score, moves
    return full
