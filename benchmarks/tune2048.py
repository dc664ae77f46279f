"""The weights of the evaluator `rows`, found by play: an evolution strategy over their logarithms.

python benchmarks/tune2048.py [--depth 3] [--games 150] [--minutes 15] [--seed 1]

A generation draws ten candidates around the present weights, lets all play the same games, and moves the weights to
the mean of the best four; the spread follows where good candidates were. The weights shipped were found by
15 minutes (40 generations) at depth 3 from a guess; a few generations at depth 5 found nothing better.
"""

import argparse
import time
from functools import partial

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import streams
from gridlab.core.run import in_order, stop_flag
from gridlab.game2048.kernels import exponents_of_rows
from gridlab.game2048.rules import Rules2048
from gridlab.game2048.search.evaluators import DEAD, WEIGHTS, Weights, assemble, line_values
from gridlab.game2048.search.expectimax import SearchSettings, new_expectimax
from gridlab.game2048.search.play import play_batch

RULES = Rules2048()
CANDIDATES, KEPT = 10, 4
SPREAD = np.array([0.3, 0.3, 0.3, 0.06, 0.3, 0.08, 0.5, 0.4])  # of the logarithms of the weights
MEMORY, SHRINK = 0.8, 0.985  # what stays of the spread from one generation to the next


def mean_score(logarithms: NDArray[np.float64], depth: int, games: int, seed: int) -> float:
    """What a candidate scores."""
    weights = Weights(*np.exp(logarithms).tolist())
    evaluator = assemble([line_values(exponents_of_rows(), weights)], (0, 0, 0), RULES, dead=DEAD)
    search = new_expectimax(evaluator, SearchSettings(depth, 9, 1, 0, 0.0), 1 << 12)
    return float(play_batch(search, RULES, streams(seed, games), stop_flag()).scores.mean())


def main() -> None:
    parser = argparse.ArgumentParser()
    for name, default in (("depth", 3), ("games", 150), ("minutes", 15), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    chosen = parser.parse_args()
    random = np.random.default_rng(chosen.seed)
    middle, covariance, step = np.log(np.array(WEIGHTS)), np.diag(SPREAD**2), 1.0
    shares = np.log(KEPT + 0.5) - np.log(np.arange(1, KEPT + 1))
    shares /= shares.sum()
    end, generation = time.monotonic() + 60 * chosen.minutes, 0
    while time.monotonic() < end:
        generation += 1
        steps = random.multivariate_normal(np.zeros(len(middle)), covariance, CANDIDATES)
        play = partial(mean_score, depth=chosen.depth, games=chosen.games, seed=1000 * chosen.seed + generation)
        scores = list(in_order(play, [middle + step * each for each in steps]))
        best = [steps[i] for i in np.argsort(scores)[::-1][:KEPT]]
        middle = middle + step * sum(share * each for share, each in zip(shares, best, strict=True))
        found = sum(share * np.outer(each, each) for share, each in zip(shares, best, strict=True))
        covariance, step = MEMORY * covariance + (1 - MEMORY) * found, step * SHRINK
        print(f"{generation}: median {np.median(scores):,.0f}, best {max(scores):,.0f}", end="; ")
        print(Weights(*(float(f"{each:.4g}") for each in np.exp(middle))), flush=True)


if __name__ == "__main__":
    main()
