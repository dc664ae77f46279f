"""Vectorised environments of Gymnasium: thousands of games, and a step of all of them is one kernel call.

What a family adds is a class with the games (`InARowGames`, `Games2048`), the space of what is seen, where the truth is
looked up, and what its single environment says of a game beside that.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import States
from gridlab.core.errors import BadNotation, IllegalMove
from gridlab.core.run import import_extra
from gridlab.games.environment import draw_actions, reseed, seeds_of, unseeded

if TYPE_CHECKING:
    import gymnasium
    from gymnasium import vector

    from gridlab.game2048.environment.games import Games2048
    from gridlab.inarow.environment.games import InARowGames
else:
    gymnasium = import_extra("gymnasium", "gym")
    vector = import_extra("gymnasium.vector", "gym")

Truth = Callable[[Any, NDArray[np.int64]], Mapping[str, NDArray[Any]]]  # (games, actions) -> facts, [game] each
SAME_STEP, NEXT_STEP = vector.AutoresetMode.SAME_STEP, vector.AutoresetMode.NEXT_STEP
Facts = Mapping[str, Any]  # arrays, [game] each, or partials that make them
Flags = NDArray[np.bool_]  # [game]


def _settled(name: str) -> Any:
    """A method of dict, before which all that is partial is worked out."""
    method = getattr(dict, name)

    def call(self: "Infos", *given: Any) -> Any:
        for key in self:
            _ = self[key]
        return method(self, *given)

    return call


class Infos(dict[str, Any]):
    """An array under each key, and under `_key` whose games have it, as Gymnasium wants it.

    A value that is a partial is worked out when somebody looks at it: the text of thousands of boards takes longer than
    their moves. Nobody ever sees the partial.
    """

    def add(self, facts: Facts, whose: "Flags | partial[Flags]") -> None:
        for name, values in facts.items():
            self[name], self[f"_{name}"] = values, whose

    def __getitem__(self, key: str) -> Any:
        value = super().__getitem__(key)
        if isinstance(value, partial):
            value = self[key] = value()
        return value

    def get(self, key: str, default: Any = None) -> Any:
        value = super().get(key, default)
        return self[key] if isinstance(value, partial) else value

    def __iter__(self) -> Any:  # with it `dict(infos)` and `{**infos}` ask __getitem__
        return super().__iter__()

    __hash__ = None
    items, values, copy = map(_settled, ("items", "values", "copy"))
    pop, popitem, setdefault = map(_settled, ("pop", "popitem", "setdefault"))
    __or__, __eq__, __repr__ = map(_settled, ("__or__", "__eq__", "__repr__"))


class VectorGames(vector.VectorEnv[Any, Any, Any]):
    """Games as Gymnasium wants many of them.

    infos are those of single games: info["action_mask"] has 1 for every action that is allowed; what the family says
    stands beside it, and with a truth `value`, `action_value` and `regret` of the action that was taken. What is said
    of the last position of a game that begins anew in the same step is in info["final_info"]. Unless `copy` is False
    what is handed out stays as it is in later steps.
    """

    def __init__(
        self, games: "Games2048 | InARowGames", space: Any, actions: int, truth: Truth | None, copy: bool
    ) -> None:
        self.games, self.truth, self.copy = games, truth, copy
        self.num_envs = games.number
        self.metadata = {"render_modes": [], "autoreset_mode": SAME_STEP if games.same_step else NEXT_STEP}
        self.single_observation_space, self.single_action_space = space, gymnasium.spaces.Discrete(actions)
        self.observation_space = vector.utils.batch_space(self.single_observation_space, self.num_envs)
        self.action_space = vector.utils.batch_space(self.single_action_space, self.num_envs)
        self._draws: States = unseeded(self.num_envs)  # for random actions: those of the games stay as they are
        self._all = np.ones(self.num_envs, np.bool_)
        self._all.flags.writeable = False

    @abstractmethod
    def _at_reset(self, chosen: Flags | None) -> Facts:
        """What a single environment says of a game that begins, beside the mask; all have begun, or the chosen."""

    @abstractmethod
    def _at_end(self, finals: NDArray[Any]) -> Facts:
        """What it says of the last positions of games that have begun anew in the same step."""

    @abstractmethod
    def _after_step(self, begun: Flags | None) -> Facts:
        """What it says of games as they stand; `begun` have begun anew with this step, if any have."""

    def _illegal(self, actions: NDArray[np.int64]) -> "partial[Flags] | None":
        """Which games have ended by an illegal move, if any may have."""
        return None

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """New games, or those of `options["reset_mask"]`; game i has the chance of a single one with seed + i."""
        chosen = (options or {}).get("reset_mask")
        if chosen is not None and (getattr(chosen, "dtype", None) != np.bool_ or chosen.shape != (self.num_envs,)):
            raise BadNotation(f"reset_mask must be {self.num_envs} truth values: whose games begin anew")
        seeds, games = seeds_of(seed, self.num_envs), self.games
        if self.copy:
            before = games.observations
            games.renew()
            games.observations[...] = before  # those of games that go on
        games.reset(seeds, chosen)
        if isinstance(seed, int):
            reseed(self._draws, [seed + 1_000_003 + each for each in range(self.num_envs)])
        info = Infos()
        whose = self._all if chosen is None else chosen.copy()
        info.add({"action_mask": self._out(games.masks), **self._at_reset(chosen)}, whose)
        return games.observations, info

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """An action in every game; whoever has none to take, as the game begins anew, may hand in any."""
        games = self.games
        actions = np.ascontiguousarray(actions, np.int64)
        if actions.shape != (self.num_envs,):
            raise BadNotation(f"actions of the shape {actions.shape} are not one for each of {self.num_envs} games")
        worth = self.truth(games, actions) if self.truth else {}
        begun = None if games.same_step else games.waiting.copy()
        before = games.observations
        if self.copy:
            games.renew()  # cheaper than a copy
        try:
            games.step(actions)
        except IllegalMove:
            games.observations[...] = before  # nothing was played
            raise
        info, ended = Infos(), games.ended.copy()
        illegal, said = self._illegal(actions), info  # by a look at the games before the step
        if games.same_step and ended.any():
            finals, said, begun = games.finals, Infos(), ended
            nothing = partial(np.zeros_like, games.masks)
            said.add({"action_mask": nothing, **self._at_end(finals), **worth}, ended)
            info.add({"final_obs": finals, "final_info": said}, ended)
        if illegal is not None:
            said.add({"illegal": illegal}, illegal)
        if worth and (begun is None or not begun.all()):
            info.add(worth, self._all if begun is None else ~begun)
        info.add({"action_mask": self._out(games.masks), **self._after_step(begun)}, self._all)
        truncated = np.zeros(self.num_envs, np.bool_)
        return games.observations, games.rewards.copy(), ended, truncated, info

    def random_actions(self) -> NDArray[np.int64]:
        """An action that is allowed for each game, all equally likely."""
        actions = np.empty(self.num_envs, np.int64)
        draw_actions(self.games.masks, self._draws, actions)
        return actions

    def _out(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy() if self.copy else array


def is_same_step(mode: Any) -> bool:
    """The autoreset mode, as Gymnasium writes it; games that never begin anew by themselves are not offered."""
    value = getattr(mode, "value", mode)
    if value not in (SAME_STEP.value, NEXT_STEP.value):
        raise BadNotation(f"autoreset_mode={mode} is none of SameStep and NextStep")
    return bool(value == SAME_STEP.value)
