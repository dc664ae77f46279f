"""Steps of environments that jax compiles, by random legal actions, drawing them included: pgx and jumanji.

The variables that keep jax on one core must be set before anything imports it, so importing this module sets them.
"""

import importlib
import os
from collections.abc import Callable
from typing import Any

from contenders.environments import GAMES, STEPS
from contenders.run import Contender, Run

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
os.environ.setdefault("JAX_PLATFORMS", "cpu")


def pgx(name: str) -> Contender:
    def set_up() -> Run:
        library: Any = importlib.import_module("pgx")
        wrappers: Any = importlib.import_module("pgx.experimental")
        env = library.make(name)
        step = wrappers.auto_reset(env.step, env.init)
        return side_by_side(
            lambda key: env.init(key),
            lambda state, action, key: step(state, action, key),
            lambda state: state.legal_action_mask,
        )

    return set_up


def jumanji() -> Run:
    library: Any = importlib.import_module("jumanji")
    wrappers: Any = importlib.import_module("jumanji.wrappers")
    env = wrappers.AutoResetWrapper(library.make("Game2048-v1"))
    return side_by_side(
        lambda key: env.reset(key)[0],
        lambda state, action, key: env.step(state, action)[0],
        lambda state: state.action_mask,
    )


def side_by_side(begin: Callable[[Any], Any], step: Callable[[Any, Any, Any], Any], legal: Callable[[Any], Any]) -> Run:
    """Many games side by side, a step of all of them compiled as one, drawing the actions included."""
    jax: Any = importlib.import_module("jax")

    def turn(states: Any, key: Any) -> Any:
        draws, chances = jax.random.split(key)
        odds = jax.numpy.where(legal(states), 0.0, -1e9)
        return jax.vmap(step)(states, jax.random.categorical(draws, odds, axis=-1), jax.random.split(chances, GAMES))

    compiled, keys = jax.jit(turn), jax.random.split(jax.random.PRNGKey(1), STEPS)
    states = jax.jit(jax.vmap(begin))(jax.random.split(jax.random.PRNGKey(0), GAMES))

    def run() -> int:
        nonlocal states
        for key in keys:
            states = compiled(states, key)
        jax.block_until_ready(states)
        return GAMES * STEPS

    run()
    return run
