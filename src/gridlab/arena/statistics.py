"""How sure a measured share is, as 95 % intervals; Elo ratings, and how sure they are."""

import math
from fractions import Fraction
from math import comb
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Z = 1.959963984540054  # standard deviations to either side of the mean that hold 95 %
RESAMPLES = 10_000
PAIR_SCORES = np.array([0.0, 0.5, 1.0, 1.5, 2.0])  # what a player can get from a pair of games


class Interval(NamedTuple):
    """Holds the true value 95 times of 100."""

    low: float
    high: float

    def as_dict(self) -> list[float]:
        """What there is for JSON: the two ends."""
        return [self.low, self.high]


def shares(share: float, interval: Interval) -> tuple[str, str]:
    """A share and its interval as cells of a table."""
    return f"{share:.1%}", f"{interval.low:.1%} to {interval.high:.1%}"


def wilson(points: float, games: int) -> Interval:
    """Wilson's interval of a share: it stays within 0 and 1, and a clean sweep is not certain."""
    share, spread = points / games, Z * Z / games
    middle = (share + spread / 2) / (1 + spread)
    half = (spread * share * (1 - share) + spread * spread / 4) ** 0.5 / (1 + spread)
    return Interval(middle - half if points > 0 else 0.0, middle + half if points < games else 1.0)


def count_pairs(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """How many pairs of games brought 0, ½, 1, 1½ and 2 points."""
    return np.bincount((2 * scores).astype(np.int64), minlength=len(PAIR_SCORES))


def paired(scores: npt.NDArray[np.float64]) -> Interval:
    """The interval of a score a game, from the points of opening pairs: Agresti and Coull's.

    The two games of a pair share an opening, so the pair is what was drawn. To what was seen Z² pairs are added, half
    of them lost and half won: so few pairs, or pairs that all scored alike, are not taken for certain, and no single
    game makes the interval jump.
    """
    pairs = len(scores) + Z * Z
    middle = (float(np.sum(scores / 2)) + Z * Z / 2) / pairs
    square = (float(np.sum((scores / 2) ** 2)) + Z * Z / 2) / pairs
    half = Z * ((square - middle * middle) / pairs) ** 0.5
    return Interval(max(0.0, middle - half), min(1.0, middle + half))


def of_difference(better: npt.NDArray[np.int64], seed: int) -> Interval:
    """The interval of the mean of numbers -1, 0 and 1.

    Numbers that are all alike say nothing of their spread: then another one is as rare as Wilson's interval allows.
    """
    number = len(better)
    if np.all(better == better[0]):
        rare = wilson(0, number).high
        return Interval(max(-1.0, float(better[0]) - rare), min(1.0, float(better[0]) + rare))
    random = np.random.default_rng(np.random.SeedSequence(seed))
    drawn = random.multinomial(number, np.bincount(better + 1, minlength=3) / number, size=RESAMPLES)
    return quantiles((drawn[:, 2] - drawn[:, 0]) / number)


def mcnemar(one: int, other: int) -> float:
    """How likely disagreements at least as uneven are if both are equally good: McNemar's exact test, two-sided.

    Questions that both got right, or both wrong, say nothing; of the rest each is as good as a coin.
    """
    number, few = one + other, min(one, other)
    tail = sum(comb(number, k) for k in range(few + 1))
    return min(1.0, float(Fraction(2 * tail, 2**number)))


def quantiles(drawn: npt.NDArray[Any]) -> Interval:
    low, high = np.quantile(drawn, [0.025, 0.975])
    return Interval(float(low), float(high))


def of_mean(values: npt.NDArray[Any]) -> Interval | None:
    """The interval of a mean, 1.96 standard errors to either side; one value says nothing of its spread."""
    if len(values) < 2:
        return None
    middle, error = float(np.mean(values)), float(np.std(values, ddof=1)) / len(values) ** 0.5
    return Interval(middle - Z * error, middle + Z * error)


# ---- Elo ratings: the strengths under which the results are most likely (Bradley and Terry)
#
# A player with 400 Elo more is expected to score 10 : 1. A draw counts as half a win. Everybody has one more drawn
# game against an average player, so that who won every game is not infinitely strong.


Numbers = npt.NDArray[np.float64]

ELO = 400 / math.log(10)  # Elo for a factor e of strength
STEPS = 200  # far more than needed
CLOSE = 1e-10
RATING_RESAMPLES = 1000


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
    drawn = random.multinomial(count, mixed, size=(RATING_RESAMPLES, len(count)))  # [resamples, pairings, 5]
    games = _square(2 * count, 2 * count, len(pairs))
    elo = fit(_points(mixed * count[:, None], len(pairs)), games)
    sampled = fit(_points(drawn, len(pairs)), np.broadcast_to(games, (RATING_RESAMPLES, *games.shape)))
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
