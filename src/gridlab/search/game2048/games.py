"""Whole games of 2048 inside a kernel: a batch of games, a stream of chance for each."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.jit import kernel
from gridlab.core.splitmix import States, below, draw
from gridlab.core.stop import Stop, stopped
from gridlab.games.game2048.kernels import Boards, RowTables, move, points_of, spawn, start
from gridlab.search.game2048.evaluators import Evaluator
from gridlab.search.game2048.expectimax import Memory, forget, value_moves
from gridlab.search.game2048.last_plies import Settings


class Games(NamedTuple):
    """How games have ended: [game] each."""

    boards: Boards
    points: NDArray[np.int64]
    moves: NDArray[np.int64]


def new_games(number: int) -> Games:
    return Games(np.zeros(number, np.uint64), np.zeros(number, np.int64), np.zeros(number, np.int64))


@kernel
def play_games(
    games: Games, rows: RowTables, evaluator: Evaluator, settings: Settings, memory: Memory, states: States,
    limit: int, stop: Stop,
) -> None:  # fmt: skip
    """Play games to their ends, or to `limit` moves if that is not 0; depth 0 moves at random."""
    found = np.empty(4)
    for game in range(len(states)):
        forget(memory)  # what one game has found must not depend on which games came before it
        board = start(settings.twos, settings.fours, states, game)
        points, moves = 0, 0
        while not stopped(stop) and (limit == 0 or moves < limit):
            if settings.depth == 0:
                direction = random_move(board, rows, states, game)
            else:
                direction = value_moves(board, found, rows, evaluator, settings, memory, states, game)
            if direction < 0:
                break
            points += points_of(board, direction, rows.points)
            after = move(board, direction, rows.slides)
            board = spawn(after, settings.twos, settings.fours, states, game)
            moves += 1
        games.boards[game], games.points[game], games.moves[game] = board, points, moves


@kernel
def random_move(board: np.uint64, rows: RowTables, states: States, game: int) -> int:
    """Any legal direction, -1 if there is none."""
    legal = 0
    for direction in range(4):
        legal += move(board, direction, rows.slides) != board
    if legal == 0:
        return -1
    chosen = below(draw(states, game), legal)
    for direction in range(4):
        if move(board, direction, rows.slides) != board:
            if chosen == 0:
                return direction
            chosen -= 1
    return -1
