"""Thousands of games of 2048 that go on side by side: a step is one kernel call."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gridlab.core.arguments import typed
from gridlab.core.errors import BadRules, IllegalMove
from gridlab.core.numbers import counted
from gridlab.core.shown import shown
from gridlab.environments.game2048 import kernels
from gridlab.environments.seeds import check_number, reseed, unseeded
from gridlab.games import game
from gridlab.games.game2048.position import Position2048
from gridlab.games.game2048.row_tables import row_tables
from gridlab.games.game2048.rules import Rules2048


@shown
class Games2048:
    """Many games of 2048 on boards of up to 4x4 cells: their observations, and the results of the last step.

    With `same_step` a game that has ended starts again at once, else with the next step. Arrays are written over by the
    next step: observations uint8[game, row, col] (exponents of the tiles, 0 where a cell is empty), masks int8[game,
    direction], rewards float64[game] (points), ended bool[game], finals (last observations of games that have ended).
    """

    @typed
    def __init__(self, rules: str | Rules2048, number: int, same_step: bool = True) -> None:
        self.rules = game(rules, "2048")
        if not self.rules.packed:
            raise BadRules(f"{self.rules}: thousands of games at once are played on boards of up to 4x4 cells")
        check_number(number)
        self.number, self.same_step = number, same_step
        self.packed, self.states = np.zeros(number, np.uint64), unseeded(number)
        self.waiting, self.ended, self.rewards = (
            np.zeros(number, np.bool_),
            np.zeros(number, np.bool_),
            np.zeros(number),
        )
        self._rows, self._odds = row_tables(self.rules), self.rules.odds
        self._moving, self._sets = kernels.moving_rows(self.rules.walled), kernels.masks_of_sets()
        self._seen, self._last = np.zeros((number, 2), np.uint64), np.zeros((number, 2), np.uint64)
        self._masks = np.zeros(number, np.uint32)
        self.observations, self.finals = self._cells(self._seen), self._cells(self._last)
        self.masks = self._masks.view(np.int8).reshape(number, 4)

    def _cells(self, spread: NDArray[np.uint64]) -> NDArray[np.uint8]:
        """The cells of the board among those of the 4x4 board; nothing is copied."""
        return spread.view(np.uint8).reshape(-1, 4, 4)[:, : self.rules.rows, : self.rules.cols]

    def _in_short(self) -> str:
        return f"{self.rules}: {counted(self.number, 'game')} side by side"

    def reset(self, seeds: Sequence[int | None] = (), chosen: NDArray[np.bool_] | None = None) -> None:
        """New games, all or some; a seed for each fixes its chance, None leaves it as it is."""
        reseed(self.states, seeds)
        chosen = np.ones(self.number, np.bool_) if chosen is None else chosen
        kernels.begin_games(
            chosen, self.packed, self.waiting, self.states, self._rows.walls, self._odds, self._moving, self._sets,
            self._seen, self._masks,
        )  # fmt: skip

    def step(self, actions: NDArray[np.int64]) -> None:
        """A move in every game: 0 up, 1 down, 2 left, 3 right."""
        slides, points, walls = self._rows
        wrong = kernels.step_games(
            self.packed, self.waiting, self.states, actions, slides, points, walls, self._odds, self._moving,
            self._sets, self.same_step, self._seen, self._masks, self.rewards, self.ended, self._last,
        )  # fmt: skip
        if wrong >= 0:
            raise IllegalMove(f"action {actions[wrong]} of game {wrong} is none of 0 to 3")

    def renew(self) -> None:
        """From the next step on observations go into new arrays, and those there are can be kept."""
        self._seen, self._last = np.empty(self._seen.shape, np.uint64), np.zeros(self._last.shape, np.uint64)
        self.observations, self.finals = self._cells(self._seen), self._cells(self._last)

    def position(self, number: int) -> Position2048:
        """How one of the games stands; the points are not known here."""
        return Position2048.unpack(int(self.packed[number]), rules=self.rules)
