"""Small boards of 2048 solved in the plainest Python: boards by search from the starts, values by their meaning.

No layers, no symmetry, no kernels: a board is a tuple of tiles. For 2x2 and 2x3, which tests hold the table to.
"""

from collections.abc import Iterator
from typing import NamedTuple

from gridlab.game2048.rules import DIRECTIONS, Board, Rules2048, empty_cells, move, place


class Truth(NamedTuple):
    """Every board to move, every board after a move, and what each is worth."""

    boards: dict[Board, float]
    afterstates: dict[Board, float]
    mean: float  # over random starts


def solve(rules: Rules2048, tile: int = 0) -> Truth:
    """The best expected score of every board, or with `tile` the best chance to reach it; a board with it is left."""
    boards: dict[Board, float] = {}
    afterstates: dict[Board, float] = {}

    def after_value(board: Board) -> float:
        if board not in afterstates:
            afterstates[board] = sum(share * value(each) for share, each in new_tiles(rules, board))
        return afterstates[board]

    def value(board: Board) -> float:
        if board not in boards:
            moves = [move(rules, board, direction) for direction in DIRECTIONS]
            worth = [
                reached(after) if tile else points + after_value(after) for after, points in moves if after != board
            ]
            boards[board] = max(worth, default=0.0)
        return boards[board]

    def reached(after: Board) -> float:
        return 1.0 if tile in after else after_value(after)

    starts = [
        (one * other, board)
        for one, first in new_tiles(rules, (0,) * rules.cells)
        for other, board in new_tiles(rules, first)
    ]
    return Truth(boards, afterstates, sum(share * value(board) for share, board in starts))


def new_tiles(rules: Rules2048, board: Board) -> Iterator[tuple[float, Board]]:
    """Every new tile on a board, and how likely it is."""
    cells = empty_cells(board)
    for tile, odds in zip((2, 4), rules.odds, strict=True):
        for cell in cells if odds else ():
            yield odds / sum(rules.odds) / len(cells), place(board, cell, tile)
