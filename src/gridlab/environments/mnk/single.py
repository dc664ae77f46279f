"""`InARowEnv`: an in-a-row game against any player, or against oneself, as an environment of Gymnasium."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gridlab.core.errors import BadPlayer, IllegalMove
from gridlab.core.extras import import_extra
from gridlab.environments.mnk.games import SIDES
from gridlab.environments.mnk.truth import truth_of
from gridlab.environments.mnk.views import mask_of, observed, rendered
from gridlab.environments.pictures import RENDER_MODES, checked_mode
from gridlab.exact.oracle import Oracle
from gridlab.games import game
from gridlab.games.mnk.position import Position
from gridlab.games.mnk.rules import Rules
from gridlab.players.registry import Player, close_player, make_player

if TYPE_CHECKING:
    import gymnasium
else:
    gymnasium = import_extra("gymnasium", "gym")


class InARowEnv(gymnasium.Env[NDArray[np.uint8], Any]):
    """A step is a move of the learner and the answer of the opponent; with opponent=None a move of whoever is to move.

    What is seen is uint8[(own, other), row, col] for the player to move; actions are cells, row by row. The reward is
    1, 0 or -1 when the game ends, for whoever has moved; an illegal move loses. info has the `action_mask` and the
    `board`; with truth=True also the exact value of the position, of the move, and the regret.
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 2}  # noqa: RUF012 - Gymnasium's word

    def __init__(
        self,
        rules: str | Rules = "tictactoe",
        opponent: str | Player | None = "random",
        side: str = "X",
        truth: bool = False,
        tablebase: Path | str | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.rules = game(rules, "mnk")
        if side not in SIDES:
            raise BadPlayer(f"{side!r} is not a side; the learner has X, O or random")
        self.side, self.render_mode = side, checked_mode(render_mode)
        self.opponent = None if opponent is None else make_player(opponent, self.rules, tablebase)
        self.oracle = Oracle(self.rules, tablebase=tablebase) if truth else None
        self.position, self.own_side = Position(self.rules), "X"
        self.observation_space, self.action_space = seen_space(self.rules), gymnasium.spaces.Discrete(self.rules.cells)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        """A new game; options["board"] is a position to begin with, as text."""
        super().reset(seed=seed)
        board = (options or {}).get("board")
        self.position = Position.parse(board, self.rules).require_legal() if board else Position(self.rules)
        self.own_side = ("X", "O")[self.np_random.integers(2)] if self.side == "random" else self.side
        if self.opponent and not self.position.over and self.position.to_move != self.own_side:
            self._answer()
        return observed(self.position), self._info()

    def step(self, action: Any) -> tuple[NDArray[np.uint8], float, bool, bool, dict[str, Any]]:
        """The learner's move, and the opponent's."""
        before, cell = self.position, int(action)
        if not 0 <= cell < self.rules.cells:
            raise IllegalMove(f"action {action} is none of 0 to {self.rules.cells - 1}")
        if before.over:
            raise IllegalMove(f"the game is over in {before}; reset() begins another")
        facts = truth_of(self.oracle, before, cell) if self.oracle else {}
        if cell not in before.moves():
            nothing = np.zeros(self.rules.cells, np.int8)
            return (
                observed(before),
                -1.0,
                True,
                False,
                {**self._info(), "action_mask": nothing, **facts, "illegal": True},
            )
        self.position = before.play(cell)
        if self.opponent and not self.position.over:
            self._answer()
        return observed(self.position), self._reward(before.to_move), self.position.over, False, self._info() | facts

    def _answer(self) -> None:
        assert self.opponent is not None
        self.position = self.position.play(self.opponent.move(self.position, self.np_random))

    def _reward(self, mover: str) -> float:
        outcome = self.position.outcome()
        winner = outcome.winner if outcome else None
        return 0.0 if winner is None else 1.0 if winner == mover else -1.0

    def _info(self) -> dict[str, Any]:
        return {"action_mask": mask_of(self.position), "board": str(self.position)}

    def render(self) -> Any:
        return None if self.render_mode is None else rendered(self.position, self.render_mode)

    def close(self) -> None:
        if self.opponent:
            close_player(self.opponent)


def seen_space(rules: Rules) -> Any:
    return gymnasium.spaces.Box(0, 1, (2, rules.rows, rules.cols), np.uint8)
