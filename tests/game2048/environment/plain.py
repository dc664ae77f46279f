"""Many games of 2048 in the plainest Python, on boards of any size: `Games2048` is compared with it."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import Stream
from gridlab.game2048 import rules as reference
from gridlab.game2048.position import Position2048, exponents_of
from gridlab.game2048.rules import DIRECTIONS, Board, Rules2048
from gridlab.games.environment import reseed, unseeded


class PlainGames2048:
    """Games2048 in plain Python, with its attributes and methods; a board is a tuple of tiles."""

    def __init__(self, rules: Rules2048, number: int, same_step: bool = True) -> None:
        self.rules, self.number, self.same_step = rules, number, same_step
        self.boards: list[Board] = [(0,) * rules.cells] * number
        self.waiting, self.states = np.zeros(number, np.bool_), unseeded(number)
        shape = (number, rules.rows, rules.cols)
        self.observations, self.finals = np.zeros(shape, np.uint8), np.zeros(shape, np.uint8)
        self.masks = np.zeros((number, 4), np.int8)
        self.rewards, self.ended = np.zeros(number), np.zeros(number, np.bool_)

    def reset(self, seeds: Sequence[int | None] = ()) -> None:
        reseed(self.states, seeds)
        for i in range(self.number):
            self.begin(i)

    def begin(self, i: int) -> None:
        self.waiting[i] = False
        self.boards[i] = (0,) * self.rules.cells
        self.spawn(i)
        self.spawn(i)
        self.show(i)

    def spawn(self, i: int) -> None:
        """A new tile by the stream of the game."""
        stream = Stream(int(self.states[i]))
        self.boards[i] = reference.spawn(self.rules, self.boards[i], stream)
        self.states[i] = stream.state

    def step(self, actions: NDArray[np.int64]) -> None:
        for i, action in enumerate(actions.tolist()):
            self.rewards[i], self.ended[i] = 0, False
            if self.waiting[i]:
                self.begin(i)
                continue
            after, points = reference.move(self.rules, self.boards[i], DIRECTIONS[action])
            if after != self.boards[i]:
                self.boards[i], self.rewards[i] = after, points
                self.spawn(i)
            self.ended[i] = not reference.legal_moves(self.rules, self.boards[i])
            if self.ended[i] and self.same_step:
                self.finals[i] = exponents_of(self.boards[i]).reshape(self.rules.rows, self.rules.cols)
                self.begin(i)
            else:
                self.waiting[i] = self.ended[i]
                self.show(i)

    def show(self, i: int) -> None:
        legal = reference.legal_moves(self.rules, self.boards[i])
        self.observations[i] = exponents_of(self.boards[i]).reshape(self.rules.rows, self.rules.cols)
        self.masks[i] = [self.waiting[i] or direction in legal for direction in DIRECTIONS]

    def position(self, number: int) -> Position2048:
        """How one of the games stands; the points are not known here."""
        return Position2048(self.boards[number], rules=self.rules)
