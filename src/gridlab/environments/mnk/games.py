"""Thousands of in-a-row games that go on side by side: a step is one kernel call."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gridlab.core.arguments import typed
from gridlab.core.errors import BadPlayer, IllegalMove
from gridlab.core.numbers import counted
from gridlab.core.shown import shown
from gridlab.environments.mnk import kernels
from gridlab.environments.seeds import check_number, reseed, unseeded
from gridlab.games import game
from gridlab.games.mnk.kernels import runs_of
from gridlab.games.mnk.position import Position
from gridlab.games.mnk.rules import Rules

SIDES = {"X": kernels.CROSSES, "O": kernels.NOUGHTS, "random": kernels.BY_CHANCE}


@shown
class InARowGames:
    """Many in-a-row games of one kind: their observations, and the results of the last step.

    opponent   None: every step is a move of whoever is to move; "random": the opponent answers within the step
    side       of the learner against an opponent: X, O, or drawn for each game
    same_step  a game that has ended starts again at once; else with the next step

    Arrays are written over by the next step: observations uint8[game, (own, other), row, col], masks int8[game, cell],
    rewards float64[game], ended bool[game], finals (the last observations of games that have ended).
    """

    @typed
    def __init__(
        self, rules: str | Rules, number: int, opponent: str | None = None, side: str = "X", same_step: bool = True
    ) -> None:
        self.rules = game(rules, "mnk")
        check_number(number)
        self.number, self.same_step = number, same_step
        self.replies, self.side = opponent == "random", SIDES.get(side, -1)
        if opponent not in (None, "random"):
            raise BadPlayer(f"{opponent!r} cannot play thousands of games at once; only 'random' and None, nobody, can")
        if self.side < 0:
            raise BadPlayer(f"{side!r} is not a side; the learner has X, O or random")
        cells = self.rules.cells
        self._runs = runs_of(self.rules)
        self.stones = np.zeros((2, number), np.int64)
        self.own, self.other = self.stones
        self.waiting, self.ended = np.zeros(number, np.bool_), np.zeros(number, np.bool_)
        self.rewards, self.states = np.zeros(number), unseeded(number)
        self._seen, self._last = np.zeros((number, 2 * cells), np.uint8), np.zeros((number, 2 * cells), np.uint8)
        self.masks = np.zeros((number, cells), np.int8)
        shape = (number, 2, self.rules.rows, self.rules.cols)
        self.observations, self.finals = self._seen.reshape(shape), self._last.reshape(shape)

    def _in_short(self) -> str:
        return f"{self.rules}: {counted(self.number, 'game')} side by side"

    def reset(self, seeds: Sequence[int | None] = (), chosen: NDArray[np.bool_] | None = None) -> None:
        """New games, all or some; a seed for each fixes its chance, None leaves it as it is."""
        reseed(self.states, seeds)
        chosen = np.ones(self.number, np.bool_) if chosen is None else chosen
        kernels.begin_games(
            chosen, self.own, self.other, self.waiting, self.states, self.rules.board, self.replies, self.side,
            self._seen, self.masks,
        )  # fmt: skip

    def step(self, actions: NDArray[np.int64]) -> None:
        """A move in every game: a cell, row by row from the top left."""
        wrong = kernels.step_games(
            self.own, self.other, self.waiting, self.states, actions, self.rules.board, self._runs, self.replies,
            self.side, self.same_step, self._seen, self.masks, self.rewards, self.ended, self._last,
        )  # fmt: skip
        if wrong >= 0:
            raise IllegalMove(f"action {actions[wrong]} of game {wrong} is none of 0 to {self.rules.cells - 1}")

    def renew(self) -> None:
        """From the next step on observations go into new arrays, and those there are can be kept."""
        shape = self.observations.shape
        self._seen, self._last = np.empty(self._seen.shape, np.uint8), np.zeros(self._last.shape, np.uint8)
        self.observations, self.finals = self._seen.reshape(shape), self._last.reshape(shape)

    def boards(self) -> NDArray[np.int64]:
        """All boards, [game, (crosses, noughts)]; whoever is to move has as many stones as the other, or one less."""
        crosses_move = np.bitwise_count(self.own) == np.bitwise_count(self.other)
        return np.where(crosses_move, (self.own, self.other), (self.other, self.own)).T

    def position(self, number: int) -> Position:
        """How one of the games stands."""
        return Position(self.rules, *self.boards()[number].tolist())
