"""2048 as environments of Gymnasium: one game, or many side by side."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gridlab.core.errors import IllegalMove
from gridlab.core.run import import_extra
from gridlab.game2048.environment.games import Games2048, LargeGame2048, TableTruth2048, truth_of
from gridlab.game2048.exact.probe import table_of_points
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import Rules2048
from gridlab.games import game
from gridlab.games.environment import RENDER_MODES, checked_mode, tiles_picture
from gridlab.games.vector import SAME_STEP, Facts, Flags, VectorGames, is_same_step

if TYPE_CHECKING:
    import gymnasium
else:
    gymnasium = import_extra("gymnasium", "gym")

LARGEST_EXPONENT = 30  # of a tile on boards that do not fit 64 bits


class Env2048(gymnasium.Env[NDArray[np.uint8], Any]):
    """A step is a move and the new tile; boards of up to 4x4 cells are played by kernels, larger ones by plain Python.

    What is seen is uint8[row, col], the exponents of the tiles, 0 where a cell is empty. Actions are 0 up, 1 down,
    2 left, 3 right; one that moves nothing leaves the board as it is. The reward is the points of the move. info has
    the `action_mask` and the `score`; with truth=True also the exact value of the board, of the move, and the regret.
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 8}  # noqa: RUF012 - Gymnasium's word

    def __init__(
        self, rules: str | Rules2048 = "2048", truth: bool = False, tablebase: Path | str | None = None,
        render_mode: str | None = None,
    ) -> None:  # fmt: skip
        self.rules: Rules2048 = game(rules, "2048")
        self.render_mode = checked_mode(render_mode)
        self.table = table_of_points(self.rules, tablebase, "truth=True") if truth else None
        self.games = Games2048(self.rules, 1, same_step=False) if self.rules.packed else LargeGame2048(self.rules)
        self.score, self.over = 0, True
        self.observation_space, self.action_space = seen_space(self.rules), gymnasium.spaces.Discrete(4)

    @property
    def position(self) -> Position2048:
        return Position2048(self.games.position(0).tiles, self.score, self.rules)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        """A new game."""
        super().reset(seed=seed)
        self.games.reset([seed])
        self.score, self.over = 0, False
        return self.games.observations[0].copy(), self._info()

    def step(self, action: Any) -> tuple[NDArray[np.uint8], float, bool, bool, dict[str, Any]]:
        """A move and a new tile."""
        if self.over:
            raise IllegalMove("the game is over; reset() begins another")
        if not 0 <= int(action) < 4:
            raise IllegalMove(f"action {action} is none of 0 to 3")
        facts = truth_of(self.table, self.games.position(0), int(action)) if self.table else {}
        self.games.step(np.array([action], np.int64))
        reward, self.over = float(self.games.rewards[0]), bool(self.games.ended[0])
        self.score += int(reward)
        return self.games.observations[0].copy(), reward, self.over, False, self._info() | facts

    def _info(self) -> dict[str, Any]:
        mask = np.zeros(4, np.int8) if self.over else self.games.masks[0].copy()
        return {"action_mask": mask, "score": self.score}

    def render(self) -> Any:
        if self.render_mode == "ansi":
            return self.position.draw()
        return tiles_picture(self.position.tiles, self.rules.cols) if self.render_mode else None


def seen_space(rules: Rules2048) -> Any:
    return gymnasium.spaces.Box(0, 15 if rules.packed else LARGEST_EXPONENT, (rules.rows, rules.cols), np.uint8)


# ---- `Vector2048`: thousands of games of 2048 as an environment of Gymnasium


class Vector2048(VectorGames):
    """Every step is a move in every game, on boards of up to 4x4 cells.

    What is seen is uint8[game, row, col], the exponents of the tiles; actions are up, down, left, right; the reward is
    the points of the move. `tablebase` is what truth=True asks; small boards come with the package.
    """

    games: Games2048

    def __init__(
        self, num_envs: int = 1, rules: str | Rules2048 = "2048", autoreset_mode: Any = SAME_STEP,
        truth: bool = False, tablebase: Path | str | None = None, copy: bool = True, render_mode: None = None,
    ) -> None:  # fmt: skip
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
