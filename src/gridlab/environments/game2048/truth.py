"""The exact value of a board of 2048 and of the move that was made, as facts of a step.

    value          points to come under best play
    action_value   the same after the move, its points included
    regret         value - action_value, 0 or more

A direction that is no move leaves the board as it is, and gives nothing away.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridlab.core.stop import stop_flag
from gridlab.environments.game2048.games import Games2048
from gridlab.exact.game2048.probe import Tablebase2048, table_of_points
from gridlab.games.game2048.position import Position2048
from gridlab.games.game2048.row_tables import row_tables
from gridlab.games.game2048.rules import DIRECTIONS, Rules2048
from gridlab.search.game2048.play import value_boards


def truth_of(table: Tablebase2048, position: Position2048, direction: int) -> dict[str, float]:
    """What a move is worth, beside what there was to be had."""
    found = table.probe(position)
    action_value = found.values.get(DIRECTIONS[direction], found.value)
    return {"value": found.value, "action_value": action_value, "regret": found.value - action_value}


class TableTruth2048:
    """The same for thousands of games at once; the whole table is in memory."""

    def __init__(self, rules: Rules2048, tablebase: Path | str | None) -> None:
        self.table = table_of_points(rules, tablebase, "truth=True")
        self.chooser, self.rows, self.stop = self.table.chooser(), row_tables(rules), stop_flag()

    def __call__(self, games: Games2048, actions: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        found = np.empty((games.number, 4))
        value_boards(self.chooser, games.packed, found, self.rows, games.states, self.stop)
        values = np.where(games.waiting, 0.0, found.max(axis=1))
        taken = found[np.arange(games.number), actions]
        taken = np.where(np.isinf(taken), values, taken)
        return {"value": values, "action_value": taken, "regret": values - taken}
