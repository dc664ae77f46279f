"""OpenSpiel both ways: players of gridlab as bots of OpenSpiel, bots of OpenSpiel as players here.

    bot = as_bot("perfect tablebase=t.tb", pyspiel.load_game("mnk(m=4,n=4,k=4)"))       bot.step(state) -> action
    player = as_player(pyspiel.MCTSBot(…), pyspiel.load_game("tic_tac_toe"))            player.move(position, random)

What differs from family to family, names, actions and boards, stands in the environments of inarow and game2048.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gridlab.core.errors import BadRules
from gridlab.core.run import import_extra
from gridlab.players.registry import Player, make_player

if TYPE_CHECKING:
    import pyspiel
else:
    pyspiel = import_extra("pyspiel", "openspiel")

FAMILIES = ("gridlab.inarow.environment.openspiel", "gridlab.game2048.environment.openspiel")


def load(game: Any) -> Any:
    """A game of OpenSpiel, from its name or as it is."""
    return pyspiel.load_game(game) if isinstance(game, str) else game


def bridge_of(game: Any) -> tuple[Any, Any]:
    """The rules that a game of OpenSpiel has here, and the module that knows both."""
    for name in FAMILIES:
        module = import_module(name)
        rules = module.rules_of(game)
        if rules is not None:
            return rules, module
    raise BadRules(f"{game} of OpenSpiel is not a game known here; tic_tac_toe, mnk(m=…,n=…,k=…) and 2048 are")


class GridlabBot(pyspiel.Bot):  # type: ignore[misc]
    """A player as a bot: `step` gives the action of its move."""

    def __init__(self, player: Player, game: Any, seed: int | None) -> None:
        super().__init__()
        self.player, self.random = player, np.random.default_rng(seed)
        self.rules, self.bridge = bridge_of(game)

    def step(self, state: Any) -> int:
        position = self.bridge.position_of(state, self.rules)
        return int(self.bridge.choose(self.player, position, self.random, state.legal_actions()))

    def step_with_policy(self, state: Any) -> tuple[list[tuple[int, float]], int]:
        """The action, and the same as a policy that is sure of it."""
        action = self.step(state)
        return [(each, float(each == action)) for each in state.legal_actions()], action

    def inform_action(self, state: Any, player: int, action: int) -> None:
        """Every state says all there is to know."""

    def restart(self) -> None:
        """There is nothing to forget."""

    def restart_at(self, state: Any) -> None:
        """There is nothing to forget."""


def as_bot(player: str | Player, game: Any, seed: int | None = None, tablebase: Path | str | None = None) -> GridlabBot:
    """A player, from text or as an object, as a bot for a game of OpenSpiel; the seed is for its chance."""
    loaded = load(game)
    return GridlabBot(make_player(player, bridge_of(loaded)[0], tablebase), loaded, seed)


def as_player(bot: Any, game: Any) -> Player:
    """A bot of OpenSpiel for one of its games as a player of the same game here."""
    loaded = load(game)
    rules, bridge = bridge_of(loaded)
    player: Player = bridge.BotPlayer(bot, loaded, rules, f"OpenSpiel {type(bot).__name__}")
    return player
