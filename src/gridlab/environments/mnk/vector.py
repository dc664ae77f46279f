"""`VectorInARow`: thousands of in-a-row games as an environment of Gymnasium."""

from pathlib import Path
from typing import Any

from gridlab.environments.mnk.games import InARowGames
from gridlab.environments.mnk.single import seen_space
from gridlab.environments.mnk.truth import TableTruth
from gridlab.environments.vector import SAME_STEP, VectorGames, is_same_step
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
