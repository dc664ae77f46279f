"""A small game of 2048 made by hand, move by move, with plain Python alone."""

import json
from functools import cache
from typing import Any

from gridlab.core.bits import Stream
from gridlab.game2048 import rules as reference
from gridlab.game2048.rules import Rules2048

RULES = Rules2048()


def nested(board: reference.Board) -> list[list[int]]:
    return [list(board[row : row + 4]) for row in range(0, 16, 4)]


def game_by_hand(state: int = 5) -> dict[str, Any]:
    """A whole game of first legal moves, as the JSON object of a record; a new object each time."""
    record: dict[str, Any] = json.loads(text_by_hand(state))
    return record


@cache
def text_by_hand(state: int) -> str:
    stream = Stream(state)
    board, score, moves = reference.start(RULES, stream), 0, []
    while legal := reference.legal_moves(RULES, board):
        moves.append({"board": nested(board), "direction": legal[0], "score": score})
        after, points = reference.move(RULES, board, legal[0])
        board, score = reference.spawn(RULES, after, stream), score + points
    record = {
        "totalMoves": len(moves),
        "finalScore": score,
        "maxTile": max(board),
        "won": max(board) >= 2048,
        "finalBoard": nested(board),
        "timestamp": "2026-01-07T12:00:00+00:00",
        "moves": moves,
    }
    return json.dumps(record)
