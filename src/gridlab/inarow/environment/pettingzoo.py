"""`InARowAEC`: an in-a-row game for two learners, as an environment of PettingZoo (AEC: one agent after the other).

player_0 has the crosses and moves first. `env` puts PettingZoo's usual wrappers around it: an illegal move ends the
game, -1 for whoever has made it.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gridlab.core.run import import_extra
from gridlab.games import game
from gridlab.games.environment import RENDER_MODES, checked_mode
from gridlab.inarow.environment.games import rendered, truth_of
from gridlab.inarow.exact.oracle import Oracle
from gridlab.inarow.position import Position
from gridlab.inarow.rules import Rules

if TYPE_CHECKING:
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
else:
    AECEnv = import_extra("pettingzoo", "pettingzoo").AECEnv
    wrappers = import_extra("pettingzoo.utils.wrappers", "pettingzoo")
    spaces = import_extra("gymnasium.spaces", "pettingzoo")

AGENTS = {"X": "player_0", "O": "player_1"}


def env(**settings: Any) -> Any:
    """The environment in the wrappers that every environment of PettingZoo has."""
    wrapped = wrappers.TerminateIllegalWrapper(InARowAEC(**settings), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


class InARowAEC(AECEnv):  # type: ignore[misc]
    """What is seen is `observation`, int8[(own, other), row, col], and `action_mask`, 1 where a stone may be laid.

    Actions are cells, row by row. With truth=True info of an agent has the exact value of the position in which it has
    last moved, of its move, and what it has given away.
    """

    metadata = {  # noqa: RUF012 - PettingZoo's word
        "render_modes": RENDER_MODES, "name": "in_a_row_v0", "is_parallelizable": False, "render_fps": 2,
    }  # fmt: skip

    def __init__(
        self, rules: str | Rules = "tictactoe", truth: bool = False, tablebase: Path | str | None = None,
        render_mode: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.rules, self.render_mode = game(rules, "mnk"), checked_mode(render_mode)
        self.oracle = Oracle(self.rules, tablebase=tablebase) if truth else None
        self.position = Position(self.rules)
        self.possible_agents = list(AGENTS.values())
        seen = {"observation": (2, self.rules.rows, self.rules.cols), "action_mask": (self.rules.cells,)}
        self.observation_spaces = {
            agent: spaces.Dict({name: spaces.Box(0, 1, shape, np.int8) for name, shape in seen.items()})
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(self.rules.cells) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """A new game; nothing hangs on chance, so the seed changes nothing."""
        self.position, self.agents = Position(self.rules), list(self.possible_agents)
        self._stones = np.zeros((2, self.rules.cells), np.int8)  # of X, of O
        self._free = np.ones(self.rules.cells, np.int8)
        self.rewards, self._cumulative_rewards = dict.fromkeys(self.agents, 0), dict.fromkeys(self.agents, 0)
        self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = AGENTS["X"]

    def step(self, action: int) -> None:
        """A stone of the agent whose turn it is."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if self.oracle:
            self.infos[agent] = truth_of(self.oracle, self.position, int(action))
        self._cumulative_rewards[agent] = 0
        self.position = self.position.play(int(action))
        self._stones[self.possible_agents.index(agent), action], self._free[action] = 1, 0
        if outcome := self.position.outcome():
            winner = AGENTS.get(str(outcome.winner))
            self.rewards = {each: 0 if not winner else 1 if each == winner else -1 for each in self.agents}
            self.terminations = dict.fromkeys(self.agents, True)
            self._free[:] = 0
        self.agent_selection = next(each for each in self.possible_agents if each != agent)
        self._accumulate_rewards()

    def observe(self, agent: str) -> dict[str, Any]:
        """The board as an agent sees it; only whoever is to move has anything in its mask."""
        order = (0, 1) if agent == AGENTS["X"] else (1, 0)
        stones = self._stones[order, :].reshape(2, self.rules.rows, self.rules.cols)
        free = self._free.copy() if agent == self.agent_selection else np.zeros(self.rules.cells, np.int8)
        return {"observation": stones, "action_mask": free}

    def render(self) -> Any:
        return None if self.render_mode is None else rendered(self.position, self.render_mode)

    def close(self) -> None:
        """There is nothing to give back."""
