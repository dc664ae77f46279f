"""Elo ratings: the strengths under which the results are most likely (Bradley and Terry).

A player with 400 Elo more is expected to score 10 : 1. A draw counts as half a win. Everybody has one more drawn
game against an average player, so that who won every game is not infinitely strong.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gridlab.arena.intervals import PAIR_SCORES, Interval, quantiles

Numbers = npt.NDArray[np.float64]

ELO = 400 / math.log(10)  # Elo for a factor e of strength
STEPS = 200  # far more than needed
CLOSE = 1e-10
RESAMPLES = 1000


class Rating(NamedTuple):
    """Elo of a player; the mean of all players is 0."""

    elo: float
    interval: Interval


def fit(points: npt.ArrayLike, games: npt.ArrayLike) -> Numbers:
    """Elo of n players from the points of i against j and the games they played, both [n, n] with zeros for i = j.

    Arrays may have more dimensions in front: [many, n, n] gives [many, n]. Newton's method, no step longer than 1.
    """
    scored, played = np.asarray(points, dtype=np.float64), np.asarray(games, dtype=np.float64)
    strength = np.zeros(scored.shape[:-1])
    for _ in range(STEPS):
        step = _newton_step(strength, scored, played)
        longest = np.abs(step).max(axis=-1, keepdims=True)
        strength += step / np.maximum(1, longest)
        if longest.max() < CLOSE:
            break
    return np.asarray(ELO * (strength - strength.mean(axis=-1, keepdims=True)))


def _newton_step(strength: Numbers, points: Numbers, games: Numbers) -> Numbers:
    expected = _share(strength[..., :, None] - strength[..., None, :])
    alone = _share(strength)  # against the average player
    slope = (points - games * expected).sum(axis=-1) + 0.5 - alone
    weight = games * expected * (1 - expected)
    here = weight.sum(axis=-1) + alone * (1 - alone)
    bend = here[..., :, None] * np.eye(strength.shape[-1]) - weight
    return np.asarray(np.linalg.solve(bend, slope[..., None])[..., 0])


def _share(lead: Numbers) -> Numbers:
    return np.asarray(1 / (1 + np.exp(-lead)))


def rate(pairs: npt.NDArray[np.int64], seed: int = 0) -> list[Rating]:
    """Ratings with 95 % intervals from opening pairs.

    `pairs[i, j, k]`, for i < j, says how often i got k/2 points from a pair of games against j. With what was seen one
    pair of unknown result is mixed, because a clean sweep is not certain; the ratings fit that mixture, and for the
    intervals all pairs are drawn anew from it.
    """
    first, second = np.triu_indices(len(pairs), 1)
    seen = pairs[first, second]  # [pairings, 5]
    count = seen.sum(axis=-1)
    mixed = (seen + 1 / len(PAIR_SCORES)) / (count + 1)[:, None]
    random = np.random.default_rng(np.random.SeedSequence(seed))
    drawn = random.multinomial(count, mixed, size=(RESAMPLES, len(count)))  # [resamples, pairings, 5]
    games = _square(2 * count, 2 * count, len(pairs))
    elo = fit(_points(mixed * count[:, None], len(pairs)), games)
    sampled = fit(_points(drawn, len(pairs)), np.broadcast_to(games, (RESAMPLES, *games.shape)))
    return [Rating(float(value), quantiles(sampled[:, player])) for player, value in enumerate(elo)]


def _points(pairs: npt.NDArray[Any], players: int) -> Numbers:
    """Points of i against j, from the pairs of every pairing i < j."""
    return _square(pairs @ PAIR_SCORES, pairs @ PAIR_SCORES[::-1], players)


def _square(above: npt.NDArray[Any], below: npt.NDArray[Any], players: int) -> Numbers:
    """Values of the pairings i < j, as [.., n, n]: `above` at (i, j), `below` at (j, i)."""
    first, second = np.triu_indices(players, 1)
    square = np.zeros((*above.shape[:-1], players, players))
    square[..., first, second] = above
    square[..., second, first] = below
    return square
