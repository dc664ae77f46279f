"""The evaluator `rows`: our own, much stronger than the published one, and the same for every row and column.

A line of tiles is judged by the exponents e of its tiles (2 has 1, 4 has 2, …):

    + empty    for each empty cell                     [2 . . 4] has two
    + merge    for each pair of equal neighbours, empty cells between them left out    [4 . 4 2] has one
    - weight   for each tile, times e to a power: few large tiles weigh less than many small ones
    - order    times the smaller of what rises and what falls, in powers of e: no cost for a line that only does one
    + edge     times e when the largest tile stands at an end of the line
    - locked   for a line without an empty cell and without equal neighbours

A board without a move loses DEAD besides, far more than any line can bring: the deeper a search, the more it sees of
them, and without that they would look like any crowded board.

The numbers were found by play: `python benchmarks/tune2048.py`.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.games.game2048.reference import Board
from gridlab.games.game2048.row_tables import Exponents, squeezed

DEAD = 3_000_000


class Weights(NamedTuple):
    """What the features of a line count."""

    empty: float
    merge: float
    weight: float
    weight_power: float
    order: float
    order_power: float
    edge: float
    locked: float


WEIGHTS = Weights(
    empty=3550.0,
    merge=8898.0,
    weight=164.0,
    weight_power=3.06,
    order=1062.0,
    order_power=2.38,
    edge=66.8,
    locked=13889.0,
)


def line_value(line: Board, weights: Weights = WEIGHTS) -> int:
    """What a line looks like, as a whole number, so that sums are exact in any order."""
    exponents = [tile.bit_length() - 1 for tile in line if tile]
    empty = len(line) - len(exponents)
    merges = equal_pairs(exponents)
    value: float = weights.empty * empty + weights.merge * merges
    value -= weights.weight * sum(each**weights.weight_power for each in exponents)
    value -= weights.order * disorder([max(tile.bit_length() - 1, 0) for tile in line], weights.order_power)
    if exponents and max(line) in (line[0], line[-1]):
        value += weights.edge * max(exponents)
    if not empty and not merges:
        value -= weights.locked
    return round(value)


def equal_pairs(exponents: list[int]) -> int:
    """How many neighbours are equal: [1, 1, 1] has two such pairs."""
    return sum(one == next for one, next in pairwise(exponents))


def disorder(exponents: list[int], power: float) -> float:
    """The smaller of all that rises along a line and all that falls."""
    steps: list[float] = [next**power - one**power for one, next in pairwise(exponents)]
    return min(sum(step for step in steps if step > 0), -sum(step for step in steps if step < 0))


def rows(board: Board, cols: int, weights: Weights = WEIGHTS) -> int:
    """The evaluation of a board of any size: the sum over its rows and columns."""
    across = [board[start : start + cols] for start in range(0, len(board), cols)]
    down = [board[col::cols] for col in range(cols)]
    return sum(line_value(line, weights) for line in across + down)


def line_values(lines: Exponents, weights: Weights = WEIGHTS) -> NDArray[np.int64]:
    """`line_value` of many lines of one length at once; tests hold all of them to it."""
    largest = lines.max(axis=1)
    empty = (lines == 0).sum(axis=1)
    close = squeezed(lines)
    merges = ((close[:, :-1] == close[:, 1:]) & (close[:, 1:] > 0)).sum(axis=1)
    steps = np.diff(powers(weights.order_power)[lines], axis=1)
    rises, falls = np.maximum(steps, 0).sum(axis=1), -np.minimum(steps, 0).sum(axis=1)
    at_an_end = np.maximum(lines[:, 0], lines[:, -1]) == largest
    value = weights.empty * empty + weights.merge * merges
    value -= weights.weight * powers(weights.weight_power)[lines].sum(axis=1)
    value -= weights.order * np.minimum(rises, falls)
    value += weights.edge * largest * at_an_end
    value -= weights.locked * ((empty == 0) & (merges == 0))
    return np.asarray(np.rint(value), np.int64)


def powers(power: float) -> NDArray[np.float64]:
    """Each exponent from 0 to 15 to a power, as Python takes it: that of numpy may differ in the last bit."""
    return np.array([float(exponent) ** power for exponent in range(16)])
