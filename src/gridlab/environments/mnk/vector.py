"""`VectorInARow`: thousands of in-a-row games as an environment of Gymnasium."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridlab.environments.mnk.games import InARowGames
from gridlab.environments.mnk.kernels import BY_CHANCE, Stones
from gridlab.environments.mnk.single import seen_space
from gridlab.environments.mnk.truth import TableTruth
from gridlab.environments.mnk.views import board_texts
from gridlab.environments.vector import SAME_STEP, Facts, Flags, VectorGames, is_same_step
from gridlab.games.mnk.rules import Rules


class VectorInARow(VectorGames):
    """Every step is a move in every game, of whoever is to move; or of a learner, whom a random opponent answers.

    What is seen is uint8[game, (own, other), row, col] for the player to move, actions are cells, row by row. The
    reward is for whoever has moved. `tablebase` is what truth=True asks; it must hold every ply.
    """

    games: InARowGames

    def __init__(
        self,
        num_envs: int = 1,
        rules: str | Rules = "tictactoe",
        opponent: str | None = "random",
        side: str = "X",
        autoreset_mode: Any = SAME_STEP,
        truth: bool = False,
        tablebase: Path | str | None = None,
        copy: bool = True,
        render_mode: None = None,
    ) -> None:
        games = InARowGames(rules, num_envs, opponent, side, is_same_step(autoreset_mode))
        asked = TableTruth(games.rules, tablebase) if truth else None
        super().__init__(games, seen_space(games.rules), games.rules.cells, asked, copy)
        self._stones = games.stones.copy()  # as they were handed out last; never changed in place
        self._crosses = self._all if games.replies else None  # whether the learner has the crosses, if there is one

    def _at_reset(self, chosen: Flags | None) -> Facts:
        self._note_sides(self._all if chosen is None else chosen)
        return self._as_they_stand()

    def _at_end(self, finals: NDArray[Any]) -> Facts:
        return {"board": partial(board_texts, finals, self._crosses)}

    def _after_step(self, begun: Flags | None) -> Facts:
        if begun is not None and self.games.side == BY_CHANCE:
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


def _on_stones(stones: Stones, actions: NDArray[np.int64], ended: Flags) -> Flags:
    """Where the move that ended a game was to a cell that was not free."""
    found: Flags = ((stones[0] | stones[1]) >> actions & 1 > 0) & ended
    return found


def _texts(stones: Stones, crosses: Flags | None, rules: Rules) -> NDArray[np.object_]:
    """The boards of all games as text, from their bitboards."""
    cells = stones.T[:, :, None] >> np.arange(rules.cells) & 1
    return board_texts(cells.reshape(-1, 2, rules.rows, rules.cols), crosses)
