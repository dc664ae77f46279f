"""The exact value of a position of an in-a-row game and of the move that was made, as facts of a step.

    value, distance                 of the position: 1, 0 or -1 for whoever moves, and plies to the end
    action_value, action_distance   of the move
    regret                          value - action_value: 0 kept, 1 a win became a draw or a draw a loss, 2 both

An illegal move loses at once.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridlab.core.errors import FileTrouble, TooLarge
from gridlab.environments.mnk.games import InARowGames
from gridlab.exact.oracle import Oracle
from gridlab.exact.tablebase.probe import Tablebase
from gridlab.exact.tables import usual_table
from gridlab.games.mnk.position import Position
from gridlab.games.mnk.rules import Rules

VALUES = {"win": 1, "draw": 0, "loss": -1}


def truth_of(oracle: Oracle, position: Position, cell: int) -> dict[str, int | None]:
    """What a move is worth, beside what there was to be had."""
    found = oracle.ask(position)
    move = next((each for each in found.moves if each.cell == cell), None)
    value = VALUES[found.value]
    action_value, action_distance = (VALUES[move.value], move.distance) if move else (-1, 0)
    return {
        "value": value,
        "distance": found.distance,
        "action_value": action_value,
        "action_distance": action_distance,
        "regret": value - action_value,
    }


class TableTruth:
    """The same for thousands of games at once, from a tablebase that holds every ply."""

    def __init__(self, rules: Rules, tablebase: Path | str | None) -> None:
        table = Tablebase(tablebase) if tablebase else usual_table(rules)
        if table is None:
            raise FileTrouble(
                f"truth=True asks a tablebase of {rules}: gridlab tablebase build {rules} -o FILE makes one, "
                "and tablebase=FILE names it"
            )
        if table.rules != rules:
            raise FileTrouble(f"{table.file.path} is a tablebase of {table.rules}, not of {rules}")
        if table.max_ply < rules.cells - 1:
            raise TooLarge(
                f"{table.file.path} knows the first {table.max_ply} plies of {rules}; truth=True needs all of them"
            )
        self.table: Tablebase = table

    def __call__(self, games: InARowGames, actions: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        playing = np.flatnonzero(~games.waiting)
        before = games.boards()[playing]
        stones, laid = before[:, 0] | before[:, 1], 1 << actions[playing]
        legal = stones & laid == 0
        crosses_move = np.bitwise_count(before[:, 0]) == np.bitwise_count(before[:, 1])
        after = before + np.where(crosses_move, (laid, 0 * laid), (0 * laid, laid)).T
        scores = np.zeros((2, games.number), np.int64)
        empty = np.zeros(games.number, np.int64)
        empty[playing] = games.rules.cells - np.bitwise_count(stones)
        scores[0, playing] = self.table.probe_many(before)
        scores[1, playing] = -100  # an illegal move loses at once
        lowest = self.table.probe_many(after[legal]).astype(np.int64)
        scores[1, playing[legal]] = np.sign(lowest) - lowest
        values = np.sign(scores)
        distances = np.where(scores == 0, empty, 100 - np.abs(scores))
        distances[:, games.waiting] = 0
        return {
            "value": values[0],
            "distance": distances[0],
            "action_value": values[1],
            "action_distance": distances[1],
            "regret": values[0] - values[1],
        }
