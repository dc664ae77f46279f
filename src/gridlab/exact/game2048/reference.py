"""Small boards of 2048 solved in the plainest Python: boards by search from the starts, values by their meaning.

No layers, no symmetry, no kernels: a board is a tuple of tiles. For 2x2 and 2x3, which tests hold the table to.
"""

from fractions import Fraction
from functools import cache
from typing import NamedTuple

from gridlab.games.game2048.reference import DIRECTIONS, Board, empty_cells, move, place
from gridlab.games.game2048.rules import Rules2048


class Truth(NamedTuple):
    """Every board to move, every board after a move, and what each is worth."""

    boards: dict[Board, float]
    afters: dict[Board, float]
    mean: float  # over random starts


def solve(rules: Rules2048, tile: int = 0) -> Truth:
    """The best expected score of every board, or with `tile` the best chance to reach it; a board with it is left."""
    boards: dict[Board, float] = {}
    afters: dict[Board, float] = {}
    twos, fours = rules.odds

    def spawns(board: Board) -> list[tuple[Fraction, Board]]:
        cells = empty_cells(board)
        shares = [(2, Fraction(twos, (twos + fours) * len(cells))), (4, Fraction(fours, (twos + fours) * len(cells)))]
        return [(share, place(board, cell, new)) for cell in cells for new, share in shares if share]

    def after_value(board: Board) -> float:
        if board not in afters:
            afters[board] = sum(float(share) * value(each) for share, each in spawns(board))
        return afters[board]

    def value(board: Board) -> float:
        if board not in boards:
            boards[board] = max((worth(board, direction) for direction in legal(board)), default=0.0)
        return boards[board]

    def worth(board: Board, direction: str) -> float:
        after, points = move(rules, board, direction)
        if tile:
            return 1.0 if tile in after else after_value(after)
        return points + after_value(after)

    @cache
    def legal(board: Board) -> tuple[str, ...]:
        return tuple(direction for direction in DIRECTIONS if move(rules, board, direction)[0] != board)

    empty = (0,) * rules.cells
    mean = sum(float(one * other) * value(board) for one, first in spawns(empty) for other, board in spawns(first))
    return Truth(boards, afters, mean)
