"""In-a-row games here and in OpenSpiel: `tic_tac_toe` and `mnk(m=COLS,n=ROWS,k=WIN)`, its m being our columns.

Actions are cells on both sides, row by row from the top left, so they are the same numbers. A state of OpenSpiel is the
moves that lead to it: of a board they are its stones, crosses and noughts in turn, each from the top left.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gridlab.core.errors import BadRules, IllegalPosition
from gridlab.inarow.position import Position
from gridlab.inarow.rules import Rules
from gridlab.players.registry import Player


def rules_of(game: Any) -> Rules | None:
    """The rules of a game of OpenSpiel, None if it is none of this family."""
    name, given = game.get_type().short_name, game.get_parameters()
    if name == "tic_tac_toe":
        return Rules(3, 3, 3)
    return Rules(given.get("n", 15), given.get("m", 15), given.get("k", 5)) if name == "mnk" else None


def name_of(rules: Rules) -> str:
    """What OpenSpiel calls a game: mnk(m=5,n=4,k=3) for 4x5:3."""
    if rules.lose is not None:
        raise BadRules(f"{rules}: OpenSpiel has no game in which a line loses")
    return f"mnk(m={rules.cols},n={rules.rows},k={rules.win})"


def choose(player: Player, position: Position, random: np.random.Generator, listed: list[int]) -> int:
    """The action of a player's move."""
    return int(player.move(position, random))


def position_of(state: Any, rules: Rules) -> Position:
    """The position that a state stands for; OpenSpiel draws it as x, o and dots."""
    return Position.parse(str(state).strip().upper().replace("\n", "/"), rules)


def state_of(position: Position, game: Any) -> Any:
    """A state of OpenSpiel with these stones; the position is legal and not over."""
    if position.require_legal().over:
        raise IllegalPosition(f"the game is over in {position}; nothing can be asked of it", None)
    cells = range(position.rules.cells)
    crosses = [cell for cell in cells if position.crosses >> cell & 1]
    noughts = [cell for cell in cells if position.noughts >> cell & 1]
    state = game.new_initial_state()
    for ply in range(position.ply):  # a board without lines has none on the way either
        state.apply_action((crosses, noughts)[ply % 2][ply // 2])
    return state


@dataclass
class BotPlayer:
    """A bot of OpenSpiel; what it does by chance hangs on its own seed."""

    bot: Any
    game: Any
    rules: Rules
    name: str

    def move(self, position: Position, random: np.random.Generator) -> int:
        return int(self.bot.step(state_of(position, self.game)))
