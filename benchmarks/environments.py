"""Environments: steps per CPU second of one core, beside pgx, OpenSpiel and PettingZoo where they are installed.

python benchmarks/environments.py [--games N] [--seconds S]

A step is `step` of the vectorised environment as Gymnasium knows it: moves, new tiles, ends, new games in the same
step, observations, masks and copies of all of them. Random legal actions are drawn outside the clock; "with actions"
counts drawing them too. pgx is measured by `… --only pgx` in an environment that has it.
"""

import argparse
import importlib
import os
import time
from collections.abc import Callable
from typing import Any

ROUNDS = 20  # before the clock starts

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")


def rate(name: str, steps: int, seconds: float) -> None:
    print(f"{name:<52} {steps / seconds / 1e6:>9.3f} million steps per CPU second")


def ours(name: str, games: int, seconds: float, **settings: Any) -> None:
    """One of our vectorised environments by random legal actions."""
    import gymnasium

    importlib.import_module("gridlab.environments")
    env: Any = gymnasium.make_vec(name, games, **settings)
    env.reset(seed=1)
    for _ in range(ROUNDS):
        env.step(env.random_actions())
    stepping = drawing = 0.0
    steps = 0
    while stepping < seconds:
        begun = time.process_time()
        actions = env.random_actions()
        drawn = time.process_time()
        env.step(actions)
        stepping += time.process_time() - drawn
        drawing += drawn - begun
        steps += games
    said = ", ".join(f"{key}={value}" for key, value in settings.items())
    rate(f"gridlab {name.partition('/')[2]} {said}", steps, stepping)
    rate("  with actions", steps, stepping + drawing)


def single(name: str, seconds: float, **settings: Any) -> None:
    """One game at a time."""
    import gymnasium
    import numpy as np

    importlib.import_module("gridlab.environments")
    env: Any = gymnasium.make(name, **settings).unwrapped
    random = np.random.default_rng(1)
    _, info = env.reset(seed=1)
    env.step(int(np.flatnonzero(info["action_mask"])[0]))
    _, info = env.reset(seed=1)
    begun, steps = time.process_time(), 0
    while time.process_time() - begun < seconds:
        legal = np.flatnonzero(info["action_mask"])
        *_, over, _, info = env.step(int(legal[random.integers(len(legal))]))
        steps += 1
        if over:
            _, info = env.reset()
    said = ", ".join(f"{key}={value}" for key, value in settings.items())
    rate(f"gridlab, one game, {name.partition('/')[2]} {said}", steps, time.process_time() - begun)


def pgx(games: int, seconds: float) -> None:
    """Their steps with random legal actions and automatic resets, all of it compiled as one."""
    jax: Any = importlib.import_module("jax")
    library: Any = importlib.import_module("pgx")
    wrappers: Any = importlib.import_module("pgx.experimental")
    for name in ("tic_tac_toe", "2048"):
        env = library.make(name)
        step = wrappers.auto_reset(env.step, env.init)

        def turn(state: Any, key: Any, step: Any = step) -> Any:
            draws, chances = jax.random.split(key)
            mask = jax.numpy.where(state.legal_action_mask, 0.0, -1e9)
            actions = jax.random.categorical(draws, mask, axis=-1)
            return jax.vmap(step)(state, actions, jax.random.split(chances, games))

        compiled = jax.jit(turn)
        state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), games))
        keys = jax.random.split(jax.random.PRNGKey(1), ROUNDS)
        for key in keys:
            state = compiled(state, key)
        jax.block_until_ready(state)
        begun, steps = time.process_time(), 0
        while time.process_time() - begun < seconds:
            for key in keys:
                state = compiled(state, key)
            jax.block_until_ready(state)
            steps += games * len(keys)
        rate(f"pgx {name}, {games:,} games, with actions", steps, time.process_time() - begun)


def open_spiel(games: int, seconds: float) -> None:
    """A loop in Python, as there is no other way."""
    import random

    pyspiel: Any = importlib.import_module("pyspiel")
    for name in ("tic_tac_toe", "2048"):
        game = pyspiel.load_game(name)
        begun, steps = time.process_time(), 0
        while time.process_time() - begun < seconds:
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    actions, odds = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(random.choices(actions, odds)[0])
                else:
                    state.apply_action(random.choice(state.legal_actions()))
                    steps += 1
        rate(f"OpenSpiel {name}, with actions", steps, time.process_time() - begun)


def house(games: int, seconds: float) -> None:
    for name, settings in (
        ("gridlab/InARow-v0", {"opponent": None}),
        ("gridlab/InARow-v0", {"opponent": "random"}),
        ("gridlab/InARow-v0", {"opponent": None, "rules": "squava"}),
        ("gridlab/2048-v0", {}),
        ("gridlab/2048-v0", {"rules": "2048:3x3"}),
    ):
        ours(name, games, seconds, **settings)
    single("gridlab/InARow-v0", seconds, opponent=None)
    single("gridlab/InARow-v0", seconds, opponent="random")
    single("gridlab/2048-v0", seconds)


PARTS: dict[str, Callable[[int, float], None]] = {"gridlab": house, "openspiel": open_spiel, "pgx": pgx}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", type=int, default=8192)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--only", choices=PARTS)
    given = parser.parse_args()
    for name, part in PARTS.items():
        if given.only in (None, name):
            try:
                part(given.games, given.seconds)
            except ImportError as error:
                print(f"{name}: not measured, {error}")


if __name__ == "__main__":
    main()
