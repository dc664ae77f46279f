"""`Vector2048`: thousands of games of 2048 as an environment of Gymnasium."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridlab.environments.game2048.games import Games2048
from gridlab.environments.game2048.single import seen_space
from gridlab.environments.game2048.truth import TableTruth2048
from gridlab.environments.vector import SAME_STEP, Facts, Flags, VectorGames, is_same_step
from gridlab.games.game2048.rules import Rules2048


class Vector2048(VectorGames):
    """Every step is a move in every game, on boards of up to 4x4 cells.

    What is seen is uint8[game, row, col], the exponents of the tiles; actions are up, down, left, right; the reward is
    the points of the move. `tablebase` is what truth=True asks; small boards come with the package.
    """

    games: Games2048

    def __init__(
        self,
        num_envs: int = 1,
        rules: str | Rules2048 = "2048",
        autoreset_mode: Any = SAME_STEP,
        truth: bool = False,
        tablebase: Path | str | None = None,
        copy: bool = True,
        render_mode: None = None,
    ) -> None:
        games = Games2048(rules, num_envs, is_same_step(autoreset_mode))
        asked = TableTruth2048(games.rules, tablebase) if truth else None
        super().__init__(games, seen_space(games.rules), 4, asked, copy)
        self._scores = np.zeros(num_envs)  # as floats, and never changed in place: what is handed out later looks here

    def _at_reset(self, chosen: Flags | None) -> Facts:
        self._scores = np.zeros(self.num_envs) if chosen is None else np.where(chosen, 0.0, self._scores)
        return {"score": partial(_whole, self._scores)}

    def _at_end(self, finals: NDArray[Any]) -> Facts:
        return {"score": partial(_whole, self._scores + self.games.rewards)}

    def _after_step(self, begun: Flags | None) -> Facts:
        self._scores = self._scores + self.games.rewards
        if begun is not None:
            np.copyto(self._scores, 0.0, where=begun)
        return {"score": partial(_whole, self._scores)}


def _whole(numbers: NDArray[np.float64]) -> NDArray[np.int64]:
    return numbers.astype(np.int64)
