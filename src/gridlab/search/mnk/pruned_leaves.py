"""Minimax that judges only the leaves that matter: alpha-beta for evaluations that are cheap only in batches.

The positions some plies ahead are collected as in `leaves`; as each stands there once, the levels are the transposition
table. Every leaf begins with a guess between infinite bounds. Guesses and bounds go up to the root, and the root's
guess γ is what has to be proved:

    at least γ     of the mover's moves one is enough, the one with the best guess; of the opponent's all are needed
    at most γ      the other way round

The leaves of these two proofs are judged together. Then guess and bounds are the value, and with the new γ the next
proofs leave out whatever the bounds decide already. When nothing is left to prove, γ is the value of plain minimax.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.interrupts import interruptible
from gridlab.core.jit import kernel
from gridlab.core.stop import LOOK_AROUND, Stop, stopped
from gridlab.search.mnk.geometry import Geometry
from gridlab.search.mnk.leaves import ENDED, Evaluate, Level, Tree, Values, grow, value_moves

AT_LEAST, AT_MOST = 1, 2  # what is to be proved of a position; both together 3
BATCH = 1024  # leaves that are judged before the next look; a proof may need more
SHALLOW = 2  # plies up to which it is faster to judge every leaf

Proofs = NDArray[np.uint8]  # [position]


class Bounds(NamedTuple):
    """What is known of the positions of a level, for the player to move. [position] each."""

    guess: Values
    low: Values
    high: Values


class BestMove(NamedTuple):
    """The best move of a position, bounds for the others, and what it took to find out."""

    cell: int
    value: float
    cells: NDArray[np.int64]  # [move]
    low: Values  # [move]: what it is worth at least
    high: Values  # [move]
    leaves: int  # positions at the end of the search
    judged: int  # of these
    edges: int  # moves that lead to them and on the way
    met: int  # of these, moves to a position to which another one had led before
    rounds: int


def best_of_all(own: int, other: int, depth: int, geometry: Geometry, evaluate: Evaluate) -> BestMove:
    """The best move, the first of equals, with every leaf judged: plain minimax."""
    found = value_moves(np.array([[own, other]], np.int64), depth, geometry, evaluate)
    cells, values = found.of(0)
    counts = found.leaves, found.leaves, found.edges, found.met, int(found.leaves > 0)
    return BestMove(*found.best(0), cells, values, values, *counts)


def best_pruned(own: int, other: int, depth: int, geometry: Geometry, evaluate: Evaluate, guess: Evaluate) -> BestMove:
    """The best move of an ongoing position by minimax to `depth` plies; any of equals.

    `guess` is a cheap evaluation of about the same size: the better it is, the fewer leaves are judged.
    """
    tree = grow(np.array([[own, other]], np.int64), depth, geometry)
    leaves = Bounds(guess(tree.leaves), np.full(len(tree.leaves), -np.inf), np.full(len(tree.leaves), np.inf))
    judged = rounds = 0
    while True:
        known = bounds_of(tree, leaves)
        if known[0].low[0] == known[0].high[0]:
            break
        needed = needed_leaves(tree, known)[:BATCH]
        values = evaluate(tree.leaves[needed])
        for column in leaves:
            column[needed] = values
        judged, rounds = judged + len(needed), rounds + 1
    low, high = edge_bounds(tree.levels[0], known[1].low, known[1].high)
    best, cells = int(low.argmax()), tree.levels[0].cells
    counts = len(tree.leaves), judged, tree.edges, tree.met, rounds
    return BestMove(int(cells[best]), float(low[best]), cells, low, high, *counts)


def bounds_of(tree: Tree, leaves: Bounds) -> list[Bounds]:
    """What is known of every level, the root first."""
    known = [leaves]
    for level in reversed(tree.levels):
        known.append(Bounds(*interruptible(partial(bounds_above, level, *known[-1]))))
    return known[::-1]


def needed_leaves(tree: Tree, known: list[Bounds]) -> NDArray[np.intp]:
    """The leaves without which it cannot be proved that the root is worth its guess."""
    proofs, gamma = np.array([AT_LEAST | AT_MOST], np.uint8), float(known[0].guess[0])
    for level, here, below in zip(tree.levels, known, known[1:], strict=False):
        proofs = interruptible(partial(proofs_below, level, proofs, gamma, here, below))
        gamma = -gamma
    return np.flatnonzero(proofs)


@kernel
def bounds_above(level: Level, guess: Values, low: Values, high: Values, stop: Stop) -> tuple[Values, Values, Values]:
    """What is known of the positions of a level by what is known of the next: each is worth its best move."""
    starts, targets, fixed = level.starts, level.targets, level.fixed
    number = len(starts) - 1
    best, least, most = np.full(number, -np.inf), np.full(number, -np.inf), np.full(number, -np.inf)
    for i in range(number):
        if i & LOOK_AROUND == 0 and stopped(stop):
            break
        for edge in range(starts[i], starts[i + 1]):
            to = targets[edge]
            if to == ENDED:
                best[i], least[i] = max(best[i], fixed[edge]), max(least[i], fixed[edge])
                most[i] = max(most[i], fixed[edge])
            else:
                best[i], least[i] = max(best[i], -guess[to]), max(least[i], -high[to])
                most[i] = max(most[i], -low[to])
    return best, least, most


@kernel
def edge_bounds(level: Level, low: Values, high: Values) -> tuple[Values, Values]:
    """The bounds of each move, for its maker."""
    least, most = level.fixed.copy(), level.fixed.copy()
    for edge in range(len(least)):
        to = level.targets[edge]
        if to != ENDED:
            least[edge], most[edge] = -high[to], -low[to]
    return least, most


@kernel
def proofs_below(level: Level, proofs: Proofs, gamma: float, here: Bounds, below: Bounds, stop: Stop) -> Proofs:
    """What is to be proved of the next level for the proofs of this one; nothing where the bounds are enough."""
    starts, targets = level.starts, level.targets
    found = np.zeros(len(below.guess), np.uint8)
    for i in range(len(starts) - 1):
        if i & LOOK_AROUND == 0 and stopped(stop):
            break
        if proofs[i] & AT_LEAST and here.low[i] < gamma:
            for edge in range(starts[i], starts[i + 1]):
                to = targets[edge]
                if to != ENDED and -below.guess[to] == here.guess[i]:
                    found[to] |= AT_MOST
                    break
        if proofs[i] & AT_MOST and here.high[i] > gamma:
            for edge in range(starts[i], starts[i + 1]):
                to = targets[edge]
                if to != ENDED and below.low[to] < -gamma:
                    found[to] |= AT_LEAST
    return found
