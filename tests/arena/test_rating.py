"""Elo: known differences, the most likely strengths, the same under other names."""

import math

import numpy as np
import numpy.typing as npt
import pytest

from gridlab.arena.statistics import ELO, fit, rate

Numbers = npt.NDArray[np.float64]


def expected(elo: Numbers) -> Numbers:
    return np.asarray(1 / (1 + 10 ** ((elo[None, :] - elo[:, None]) / 400)))


def simulated(elo: Numbers, games: int) -> tuple[Numbers, Numbers]:
    random = np.random.default_rng(1)
    above = np.triu(random.binomial(games, expected(elo)), 1).astype(float)
    played = games * (1 - np.eye(len(elo)))
    return above + np.tril(played - above.T, -1), played


@pytest.mark.parametrize("score", [0.5, 0.6, 0.75, 0.99])
def test_two_players_have_the_known_difference(score: float) -> None:
    games = 100_000
    elo = fit([[0, score * games], [(1 - score) * games, 0]], [[0, games], [games, 0]])
    assert elo.sum() == pytest.approx(0, abs=1e-9)
    assert elo[0] - elo[1] == pytest.approx(400 * math.log10(score / (1 - score)), abs=0.2)


def test_the_prior_keeps_a_clean_sweep_finite() -> None:
    few, many = (fit([[0, games], [0, 0]], [[0, games], [games, 0]])[0] for games in (10, 1000))
    assert 100 < few < many < 2000


def test_strengths_are_recovered() -> None:
    true = np.array([250.0, 100.0, 0.0, -50.0, -300.0])
    assert fit(*simulated(true, 2000)) == pytest.approx(true, abs=20)


def test_no_other_strengths_are_more_likely() -> None:
    points, games = simulated(np.array([900.0, 0.0, -100.0, -800.0]), 6)
    random = np.random.default_rng(2)

    def likelihood(strength: Numbers) -> float:
        won = np.log(expected(ELO * strength))
        alone = 0.5 * (np.log(1 / (1 + np.exp(-strength))) + np.log(1 / (1 + np.exp(strength))))
        return float((points * won).sum() + alone.sum())

    # the mean is shifted to 0 at the end, so the best shift is looked for
    fitted = fit(points, games) / ELO
    best = max(likelihood(fitted + shift) for shift in np.linspace(-3, 3, 6001))
    assert all(best > likelihood(fitted + random.normal(0, 0.3, 4)) for _ in range(300))


def test_other_names_do_not_matter() -> None:
    points, games = simulated(np.array([300.0, 0.0, -100.0, -200.0]), 20)
    order = np.array([2, 0, 3, 1])
    mixed = np.ix_(order, order)
    assert fit(points[mixed], games[mixed]) == pytest.approx(fit(points, games)[order], abs=1e-6)


def test_many_tables_at_once() -> None:
    tables = [simulated(np.array([lead, 0.0, -lead]), 50) for lead in (0.0, 200.0, 2000.0)]
    together = fit(np.array([points for points, _ in tables]), np.array([games for _, games in tables]))
    assert together == pytest.approx(np.array([fit(*each) for each in tables]), abs=1e-6)


def pairs_of(players: int, **found: list[int]) -> npt.NDArray[np.int64]:
    pairs = np.zeros((players, players, 5), dtype=np.int64)
    for name, counts in found.items():
        pairs[int(name[1]), int(name[2])] = counts
    return pairs


def test_ratings_with_intervals() -> None:
    few, many = (
        rate(pairs_of(2, p01=[10 * times, 10 * times, 20 * times, 30 * times, 30 * times])) for times in (1, 100)
    )
    for first, second in (few, many):
        assert first.interval.low < first.elo < first.interval.high
        assert first.elo == pytest.approx(-second.elo, abs=1e-6)
    assert many[0].elo - many[1].elo == pytest.approx(400 * math.log10(0.65 / 0.35), abs=1)
    assert few[0].interval.high - few[0].interval.low > 5 * (many[0].interval.high - many[0].interval.low)


def test_the_interval_is_that_of_theory() -> None:
    first = rate(pairs_of(2, p01=[250, 0, 500, 0, 250]))[0]
    of_score = math.sqrt(0.125 / 1000)  # a pair scores 0, ½ or 1 a game
    deviation = of_score * 4 * ELO / 2  # the score rises by 1/4 for each unit of lead, and half the lead is Elo
    assert first.interval.high == pytest.approx(1.96 * deviation, rel=0.15)


def test_a_clean_sweep_is_not_certain() -> None:
    first, second, third = rate(pairs_of(3, p01=[0, 0, 0, 0, 20], p02=[0, 0, 0, 0, 20], p12=[0, 0, 0, 0, 20]), seed=4)
    assert first.elo > second.elo > third.elo
    assert first.interval.low < first.elo - 20
    assert rate(pairs_of(2, p01=[1, 2, 3, 2, 1]), 4) == rate(pairs_of(2, p01=[1, 2, 3, 2, 1]), 4)
