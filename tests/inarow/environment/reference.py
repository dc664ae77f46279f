"""Many in-a-row games in the plainest Python: `InARowGames` is compared with it."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import Stream, streams
from gridlab.inarow.rules import Rules
from tests.inarow.reference import Board, outcome


class PlainInARowGames:
    """InARowGames in plain Python, with its attributes; a board is a tuple of 0, 1 (own) and 2 (the other's)."""

    def __init__(
        self, rules: Rules, number: int, replies: bool = False, side: str = "X", same_step: bool = True
    ) -> None:
        self.rules, self.number, self.replies, self.side, self.same_step = rules, number, replies, side, same_step
        self.boards: list[Board] = [(0,) * rules.cells] * number
        self.waiting, self.streams = [False] * number, [Stream(0)] * number
        shape = (number, 2, rules.rows, rules.cols)
        self.observations, self.finals = np.zeros(shape, np.uint8), np.zeros(shape, np.uint8)
        self.masks = np.zeros((number, rules.cells), np.int8)
        self.rewards, self.ended = np.zeros(number), np.zeros(number, np.bool_)

    def reset(self, seeds: Sequence[int]) -> None:
        for i, seed in enumerate(seeds):
            self.streams[i] = Stream(int(streams(seed, 1)[0]))
            self.begin(i)

    def begin(self, i: int) -> None:
        """A new game; the opponent has moved already where the learner has the noughts."""
        empty = (0,) * self.rules.cells
        side = self.side
        if self.replies and side == "random":
            side = "O" if chance(self.streams[i], 2) else "X"
        self.boards[i] = self.reply(empty, i) if self.replies and side == "O" else empty
        self.waiting[i] = False
        self.show(i)

    def reply(self, board: Board, i: int) -> Board:
        """The opponent's stone on any free cell."""
        free = [cell for cell, value in enumerate(board) if value == 0]
        return lay(board, free[chance(self.streams[i], len(free))], 2)

    def step(self, actions: NDArray[np.int64]) -> None:
        for i, action in enumerate(actions.tolist()):
            if self.waiting[i]:
                self.begin(i)
                self.rewards[i], self.ended[i] = 0, False
                continue
            self.rewards[i], self.ended[i] = self.move(i, action)
            if self.ended[i] and self.same_step:
                self.finals[i] = planes(self.boards[i], self.rules)
                self.begin(i)
            else:
                self.waiting[i] = bool(self.ended[i])
                self.show(i)

    def move(self, i: int, cell: int) -> tuple[int, bool]:
        """The move, and the opponent's where there is one: the reward of whoever has moved, and whether it is over."""
        board = self.boards[i]
        if board[cell] != 0:
            return -1, True
        board = lay(board, cell, 1)
        ending = outcome(self.rules, board)
        if self.replies and ending == "ongoing":
            board = self.reply(board, i)
            ending = outcome(self.rules, board)
        self.boards[i] = board if self.replies else tuple((0, 2, 1)[value] for value in board)
        return {"x_wins": 1, "o_wins": -1}.get(ending, 0), ending != "ongoing"

    def show(self, i: int) -> None:
        self.observations[i] = planes(self.boards[i], self.rules)
        self.masks[i] = [self.waiting[i] or value == 0 for value in self.boards[i]]


def lay(board: Board, cell: int, value: int) -> Board:
    return (*board[:cell], value, *board[cell + 1 :])


def chance(stream: Stream, limit: int) -> int:
    """0 to limit - 1 out of the upper half of the bits."""
    return (stream.draw() >> 32) * limit >> 32


def planes(board: Board, rules: Rules) -> NDArray[np.uint8]:
    """Own stones, then those of the other player."""
    cells = np.array(board).reshape(rules.rows, rules.cols)
    return np.stack((cells == 1, cells == 2)).astype(np.uint8)
