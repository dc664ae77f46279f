"""Environments: steps per CPU second of one core. At the end beside pgx, jumanji, OpenSpiel and PettingZoo.

python benchmarks/environments.py [--games N] [--seconds S] [--alone]

A step is `step` of the vectorised environment as Gymnasium knows it: moves, new tiles, ends, new games in the same
step, observations, masks and copies of all of them. Random legal actions are drawn outside the clock; "with actions"
counts drawing them too.
"""

import argparse
import importlib
import time
from typing import Any

ROUNDS = 20  # before the clock starts


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=8192)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--alone", action="store_true", help="not beside other packages")
    chosen = parser.parse_args()
    for name, settings in (
        ("gridlab/InARow-v0", {"opponent": None}),
        ("gridlab/InARow-v0", {"opponent": "random"}),
        ("gridlab/InARow-v0", {"opponent": None, "rules": "squava"}),
        ("gridlab/2048-v0", {}),
        ("gridlab/2048-v0", {"rules": "2048:3x3"}),
    ):
        ours(name, chosen.games, chosen.seconds, **settings)
    single("gridlab/InARow-v0", chosen.seconds, opponent=None)
    single("gridlab/InARow-v0", chosen.seconds, opponent="random")
    single("gridlab/2048-v0", chosen.seconds)
    claims = importlib.import_module("claims")  # beside this file
    for claim in () if chosen.alone else claims.CLAIMS:
        if claim.name.startswith("steps of"):
            claims.show(claim, chosen.seconds / 2)


if __name__ == "__main__":
    main()
