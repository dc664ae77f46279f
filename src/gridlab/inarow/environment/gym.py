"""In-a-row games as environments of Gymnasium: one game, or many side by side."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gridlab.core.errors import IllegalMove
from gridlab.core.run import import_extra
from gridlab.games import game
from gridlab.games.environment import RENDER_MODES, checked_mode
from gridlab.games.vector import SAME_STEP, Facts, Flags, VectorGames, is_same_step
from gridlab.inarow.environment import games
from gridlab.inarow.exact.oracle import Oracle
from gridlab.inarow.position import Position
from gridlab.inarow.rules import Rules
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
        self, rules: str | Rules = "tictactoe", opponent: str | Player | None = "random", side: str = "X",
        truth: bool = False, tablebase: Path | str | None = None, render_mode: str | None = None,
    ) -> None:  # fmt: skip
        self.rules = game(rules, "mnk")
        games.side_of(side)
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
        return games.observed(self.position), self._info()

    def step(self, action: Any) -> tuple[NDArray[np.uint8], float, bool, bool, dict[str, Any]]:
        """The learner's move, and the opponent's."""
        before, cell = self.position, int(action)
        if not 0 <= cell < self.rules.cells:
            raise IllegalMove(f"action {action} is none of 0 to {self.rules.cells - 1}")
        if before.over:
            raise IllegalMove(f"the game is over in {before}; reset() begins another")
        facts = games.truth_of(self.oracle, before, cell) if self.oracle else {}
        if cell not in before.moves():
            info = self._info() | facts | {"action_mask": np.zeros(self.rules.cells, np.int8), "illegal": True}
            return games.observed(before), -1.0, True, False, info
        self.position = before.play(cell)
        if self.opponent and not self.position.over:
            self._answer()
        winner, seen = self.position.winner, games.observed(self.position)
        reward = 0.0 if winner is None else 1.0 if winner == before.to_move else -1.0
        return seen, reward, self.position.over, False, self._info() | facts

    def _answer(self) -> None:
        assert self.opponent is not None
        self.position = self.position.play(self.opponent.move(self.position, self.np_random))

    def _info(self) -> dict[str, Any]:
        return {"action_mask": games.mask_of(self.position), "board": str(self.position)}

    def render(self) -> Any:
        return None if self.render_mode is None else games.rendered(self.position, self.render_mode)

    def close(self) -> None:
        if self.opponent:
            close_player(self.opponent)


def seen_space(rules: Rules) -> Any:
    return gymnasium.spaces.Box(0, 1, (2, rules.rows, rules.cols), np.uint8)


# ---- `VectorInARow`: thousands of in-a-row games as an environment of Gymnasium


class VectorInARow(VectorGames):
    """Every step is a move in every game, of whoever is to move; or of a learner, whom a random opponent answers.

    What is seen is uint8[game, (own, other), row, col] for the player to move, actions are cells, row by row. The
    reward is for whoever has moved. `tablebase` is what truth=True asks; it must hold every ply.
    """

    games: games.InARowGames

    def __init__(
        self, num_envs: int = 1, rules: str | Rules = "tictactoe", opponent: str | None = "random", side: str = "X",
        autoreset_mode: Any = SAME_STEP, truth: bool = False, tablebase: Path | str | None = None, copy: bool = True,
        render_mode: None = None,
    ) -> None:  # fmt: skip
        many = games.InARowGames(rules, num_envs, opponent, side, is_same_step(autoreset_mode))
        asked = games.TableTruth(many.rules, tablebase) if truth else None
        super().__init__(many, seen_space(many.rules), many.rules.cells, asked, copy)
        self._stones = many.stones.copy()  # as they were handed out last; never changed in place
        self._crosses = self._all if many.replies else None  # whether the learner has the crosses, if there is one

    def _at_reset(self, chosen: Flags | None) -> Facts:
        self._note_sides(self._all if chosen is None else chosen)
        return self._as_they_stand()

    def _at_end(self, finals: NDArray[Any]) -> Facts:
        return {"board": partial(games.board_texts, finals, self._crosses)}

    def _after_step(self, begun: Flags | None) -> Facts:
        if begun is not None and self.games.side == games.BY_CHANCE:
            self._note_sides(begun)
        return self._as_they_stand()

    def _note_sides(self, begun: Flags) -> None:
        """Where a stone of the opponent lies when a game begins, the learner has the noughts."""
        if self._crosses is not None:
            self._crosses = np.where(begun, self.games.other == 0, self._crosses)

    def _as_they_stand(self) -> Facts:
        self._stones = self.games.stones.copy()
        return {"board": partial(_texts, self._stones, self._crosses, self.games.rules)}

    def _illegal(self, actions: NDArray[np.int64]) -> "partial[Flags] | None":
        if self.games.rewards.view(np.int64).min() >= 0:  # nobody has lost; signs are found faster among whole numbers
            return None
        return partial(_on_stones, self._stones, actions.copy(), self.games.ended.copy())


def _on_stones(stones: games.Stones, actions: NDArray[np.int64], ended: Flags) -> Flags:
    """Where the move that ended a game was to a cell that was not free."""
    found: Flags = ((stones[0] | stones[1]) >> actions & 1 > 0) & ended
    return found


def _texts(stones: games.Stones, crosses: Flags | None, rules: Rules) -> NDArray[np.object_]:
    """The boards of all games as text, from their bitboards."""
    cells = stones.T[:, :, None] >> np.arange(rules.cells) & 1
    return games.board_texts(cells.reshape(-1, 2, rules.rows, rules.cols), crosses)
