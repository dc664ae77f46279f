"""2048 here and in OpenSpiel: `2048` on 4x4, which ends at 2048 unless `2048(max_tile=131072)` says otherwise.

    here        0 up   1 down    2 left   3 right      "up", "down", "left", "right"
    OpenSpiel   0 up   1 right   2 down   3 left       a new tile is an action of chance: 2 · cell, and 1 more for a 4

A state of OpenSpiel is the moves and tiles that lead to it, and no board can be set up: a bot that plays here follows
the game from its first board, and a board that does not come of the last one by its own move is refused.

OpenSpiel 2.0.2 lists too few directions on some boards, one in sixteen of random games: "up" for a column 2 4 4 8, say.
It plays them rightly when they are applied all the same.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gridlab.core.errors import PlayerFault
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import Rules2048

ACTIONS = {"up": 0, "right": 1, "down": 2, "left": 3}
WITHOUT_END = "2048(max_tile=131072)"  # as our game: no tile ends it


def rules_of(game: Any) -> Rules2048 | None:
    """The rules of a game of OpenSpiel, None if it is none of this family."""
    return Rules2048() if game.get_type().short_name == "2048" else None


def action_of(direction: str) -> int:
    return ACTIONS[direction]


def direction_of(action: int) -> str:
    return next(direction for direction, each in ACTIONS.items() if each == action)


def choose(player: Any, position: Position2048, random: np.random.Generator, listed: list[int]) -> int:
    """The action of a player's move; of the actions that OpenSpiel lists the best, where it does not list that one."""
    action = action_of(player.move(position, random))
    if action in listed:
        return action
    values = player.values(position, random) if hasattr(player, "values") else {}
    return max(listed, key=lambda each: values.get(direction_of(each), 0.0))


def tile_action(cell: int, tile: int) -> int:
    """The action of chance that puts a tile on a cell."""
    return 2 * cell + (tile == 4)


def position_of(state: Any, rules: Rules2048) -> Position2048:
    """The board that a state stands for, and its points."""
    tiles = tuple(int(word) for word in str(state).split())
    return Position2048(tiles, int(state.returns()[0]), rules)


@dataclass
class BotPlayer:
    """A bot of OpenSpiel that follows one game at a time; what it does by chance hangs on its own seed."""

    bot: Any
    game: Any
    rules: Rules2048
    name: str
    state: Any = None

    def move(self, position: Position2048, random: np.random.Generator) -> str:
        self._follow(position)
        if self.state.is_terminal():
            raise PlayerFault(f"{self.game} of OpenSpiel is over in {position}; {WITHOUT_END} goes on")
        action = self.bot.step(self.state)
        self.state.apply_action(action)
        return direction_of(action)

    def _follow(self, position: Position2048) -> None:
        """The tiles that have appeared since the last move, or a new game."""
        before = position_of(self.state, self.rules).tiles if self.state else ()
        if not before or not _follows(before, position, 1):
            self.state, before = None, (0,) * self.rules.cells
            if not _follows(before, position, 2):
                raise PlayerFault(
                    f"{self.name} cannot be asked about {position}: OpenSpiel sets up no boards, and it follows games "
                    "from their beginning, move by move"
                )
            self.state = self.game.new_initial_state()
        for cell, tile in _appeared(before, position):
            self.state.apply_action(tile_action(cell, tile))


def _appeared(before: tuple[int, ...], position: Position2048) -> list[tuple[int, int]]:
    """The cells that hold another tile than before."""
    return [(cell, tile) for cell, tile in enumerate(position.tiles) if before[cell] != tile]


def _follows(before: tuple[int, ...], position: Position2048, new_tiles: int) -> bool:
    """Whether a board differs by so many new tiles alone."""
    appeared = _appeared(before, position)
    return len(appeared) == new_tiles and not any(before[cell] or tile > 4 for cell, tile in appeared)
