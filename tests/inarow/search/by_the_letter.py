"""The document's best-first program as it is written there: tuples of tuples, a heap of tuples, every line looked at.

Shares nothing with the package. `we` is the player of the last line of the input at every depth; a position that the
other side has won is not put back; moves are in row-major order.
"""

from heapq import heappop, heappush
from itertools import count
from typing import Any, NamedTuple

Board = tuple[tuple[str, ...], ...]


class Step(NamedTuple):
    depth: int
    heuristic: int
    board: Board
    player: str


class Result(NamedTuple):
    ending: str
    steps: list[Step]
    path: list[tuple[int, int]]


def to_key(rows: list[str]) -> Board:
    return tuple(tuple(row) for row in rows)


def lines_of(board: Board) -> list[tuple[str, ...]]:
    n = len(board)
    columns = [tuple(row[c] for row in board) for c in range(n)]
    diagonals = [tuple(board[i][i] for i in range(n)), tuple(board[i][n - 1 - i] for i in range(n))]
    return [*board, *columns, *diagonals]


def win(board: Board, player: str) -> bool:
    return any(set(line) == {player} for line in lines_of(board))


def heuristic(board: Board, we: str) -> int:
    they = "O" if we == "X" else "X"
    hp = sum(they not in line for line in lines_of(board))
    ho = sum(we not in line for line in lines_of(board))
    return hp - ho


def gen_moves(board: Board, player: str) -> list[tuple[Board, tuple[int, int]]]:
    moves = []
    for r, row in enumerate(board):
        for c, mark in enumerate(row):
            if mark == ".":
                new_row = (*row[:c], player, *row[c + 1 :])
                moves.append(((*board[:r], new_row, *board[r + 1 :]), (r, c)))
    return moves


def best_first(board: Board, we: str, max_expansions: int) -> Result:
    they = "O" if we == "X" else "X"
    counter, steps = count(), list[Step]()
    heap: list[tuple[int, int, Board, str, list[tuple[int, int]]]] = []
    heappush(heap, (-heuristic(board, we), next(counter), board, we, []))
    visited: set[Any] = {(board, we)}
    while heap and len(steps) < max_expansions:
        negative, _, here, player, path = heappop(heap)
        steps.append(Step(len(path), -negative, here, player))
        following = they if player == we else we
        for after, move in gen_moves(here, player):
            if win(after, we):
                return Result("found", steps, [*path, move])
            if not win(after, they) and (after, following) not in visited:
                visited.add((after, following))
                heappush(heap, (-heuristic(after, we), next(counter), after, following, [*path, move]))
    return Result("limit" if heap else "nothing", steps, [])
