"""Vectorised environments of Gymnasium: thousands of games, and a step of all of them is one kernel call.

What a family adds is a class with the games (`InARowGames`, `Games2048`), the space of what is seen, and where the
truth is looked up.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gridlab.core.errors import BadNotation
from gridlab.core.extras import import_extra
from gridlab.core.splitmix import States
from gridlab.environments.actions import draw_actions
from gridlab.environments.seeds import reseed, seeds_of, unseeded

if TYPE_CHECKING:
    import gymnasium
    from gymnasium import vector
else:
    gymnasium = import_extra("gymnasium", "gym")
    vector = import_extra("gymnasium.vector", "gym")

Truth = Callable[[Any, NDArray[np.int64]], Mapping[str, NDArray[Any]]]  # (games, actions) -> facts, [game] each
SAME_STEP, NEXT_STEP = vector.AutoresetMode.SAME_STEP, vector.AutoresetMode.NEXT_STEP


class ManyGames(Protocol):
    """Games side by side, as kernels or plain Python play them."""

    number: int
    same_step: bool
    observations: NDArray[np.uint8]
    finals: NDArray[np.uint8]
    masks: NDArray[np.int8]
    rewards: NDArray[np.float64]
    ended: NDArray[np.bool_]
    waiting: NDArray[np.bool_]

    def reset(self, seeds: Sequence[int | None] = (), chosen: NDArray[np.bool_] | None = None) -> None: ...

    def step(self, actions: NDArray[np.int64]) -> None: ...


class VectorGames(vector.VectorEnv[Any, Any, Any]):
    """Games as Gymnasium wants many of them.

    info["action_mask"] has 1 for every action that is allowed; with a truth, `value`, `action_value` and `regret` of
    the action that was taken stand beside it. Unless `copy` is False what is handed out stays as it is in later steps.
    """

    def __init__(self, games: ManyGames, space: Any, actions: int, truth: Truth | None, copy: bool) -> None:
        self.games, self.truth, self.copy = games, truth, copy
        self.num_envs = games.number
        self.metadata = {"render_modes": [], "autoreset_mode": SAME_STEP if games.same_step else NEXT_STEP}
        self.single_observation_space, self.single_action_space = space, gymnasium.spaces.Discrete(actions)
        self.observation_space = vector.utils.batch_space(self.single_observation_space, self.num_envs)
        self.action_space = vector.utils.batch_space(self.single_action_space, self.num_envs)
        self._draws: States = unseeded(self.num_envs)  # for random actions: those of the games stay as they are

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """New games, or those of `options["reset_mask"]`; game i has the chance of a single one with seed + i."""
        chosen = (options or {}).get("reset_mask")
        if chosen is not None and (getattr(chosen, "dtype", None) != np.bool_ or chosen.shape != (self.num_envs,)):
            raise BadNotation(f"reset_mask must be {self.num_envs} truth values: whose games begin anew")
        seeds = seeds_of(seed, self.num_envs)
        self.games.reset(seeds, chosen)
        if isinstance(seed, int):
            reseed(self._draws, [seed + 1_000_003 + each for each in range(self.num_envs)])
        return self._out(self.games.observations), {"action_mask": self._out(self.games.masks)}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """An action in every game; whoever has none to take, as the game begins anew, may hand in any."""
        games = self.games
        actions = np.ascontiguousarray(actions, np.int64)
        if actions.shape != (self.num_envs,):
            raise BadNotation(f"actions of the shape {actions.shape} are not one for each of {self.num_envs} games")
        info: dict[str, Any] = {}
        if self.truth:
            playing = ~games.waiting
            for name, facts in self.truth(games, actions).items():
                info[name], info[f"_{name}"] = facts, playing
        games.step(actions)
        info["action_mask"] = self._out(games.masks)
        ended = games.ended.copy()
        if games.same_step and ended.any():
            info["final_obs"], info["_final_obs"] = self._out(games.finals), ended
        truncated = np.zeros(self.num_envs, np.bool_)
        return self._out(games.observations), games.rewards.copy(), ended, truncated, info

    def random_actions(self) -> NDArray[np.int64]:
        """An action that is allowed for each game, all equally likely."""
        actions = np.empty(self.num_envs, np.int64)
        draw_actions(self.games.masks, self._draws, actions)
        return actions

    def _out(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy() if self.copy else array


def is_same_step(mode: Any) -> bool:
    """The autoreset mode, as Gymnasium writes it; games that never begin anew by themselves are not offered."""
    try:
        found = vector.AutoresetMode(getattr(mode, "value", mode))
    except ValueError:
        found = vector.AutoresetMode.DISABLED
    if found == vector.AutoresetMode.DISABLED:
        raise BadNotation(f"autoreset_mode={mode} is none of SameStep and NextStep")
    return bool(found == SAME_STEP)
