"""Steps of environments by random legal actions, drawing them included: ours, OpenSpiel and PettingZoo."""

import importlib
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from contenders.run import Contender, Run

GAMES = 1024  # side by side in a vectorised environment
STEPS = 20  # of all of them between two looks at the clock


def vector(name: str, **settings: Any) -> Contender:
    def set_up() -> Run:
        gymnasium: Any = importlib.import_module("gymnasium")
        importlib.import_module("gridlab.environments")
        env = gymnasium.make_vec(name, GAMES, **settings)
        env.reset(seed=1)

        def run() -> int:
            for _ in range(STEPS):
                env.step(env.random_actions())
            return GAMES * STEPS

        run()
        return run

    return set_up


def loop_of_openspiel(name: str) -> Contender:
    def set_up() -> Run:
        pyspiel: Any = importlib.import_module("pyspiel")
        loaded = pyspiel.load_game(name)

        def run() -> int:
            state, steps = loaded.new_initial_state(), 0
            while not state.is_terminal():
                if state.is_chance_node():
                    actions, odds = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(random.choices(actions, odds)[0])
                else:
                    state.apply_action(random.choice(state.legal_actions()))
                    steps += 1
            return steps

        return run

    return set_up


def agents_in_turn(make: Callable[[], Any]) -> Contender:
    """A game as PettingZoo plays it."""

    def set_up() -> Run:
        env = make()

        def run() -> int:
            env.reset(seed=1)
            steps = 0
            for _ in env.agent_iter():
                seen, _, over, cut, _ = env.last()
                env.step(None if over or cut else int(random.choice(np.flatnonzero(seen["action_mask"]))))
                steps += not (over or cut)
            return steps

        run()
        return run

    return set_up


def our_agents() -> Any:
    importlib.import_module("gridlab.environments")
    return importlib.import_module("pettingzoo").make("aec", "gridlab/InARow-v0")


def their_agents() -> Any:
    return importlib.import_module("pettingzoo.classic.tictactoe_v3").env()
