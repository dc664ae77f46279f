"""Seeds and streams of environments: game i of a reset with seed s has the chance of a single game with seed s + i."""

from collections.abc import Sequence

import numpy as np

from gridlab.core.errors import BadNotation
from gridlab.core.splitmix import States, streams


def check_number(games: int) -> None:
    """Of games side by side."""
    if games < 1:
        raise BadNotation(f"{games} games cannot be played side by side; at least 1 is needed")


def unseeded(number: int) -> States:
    """Streams that nobody can repeat."""
    return np.random.default_rng().integers(1 << 64, size=number, dtype=np.uint64)


def reseed(states: States, seeds: Sequence[int | None]) -> None:
    """Streams begun anew by the seeds that are given; none are, or one for each."""
    if seeds and len(seeds) != len(states):
        raise BadNotation(
            f"{len(seeds)} seeds are given for {len(states)} games; one number, or one for each, is needed"
        )
    for game, seed in enumerate(seeds):
        if seed is not None:
            states[game] = streams(int(seed), 1)[0]


def seeds_of(seed: int | Sequence[int | None] | None, number: int) -> Sequence[int | None]:
    """What `reset(seed=…)` means for each game: s, s + 1, s + 2, … for a number s."""
    if seed is None:
        return ()
    return [seed + game for game in range(number)] if isinstance(seed, int | np.integer) else seed
