"""Minimax whose leaves are all judged at once: for evaluations that are cheap only in large batches.

The positions some plies ahead are collected level by level, each symmetry class once however many moves lead to it;
the last level is handed to the evaluation as one array; then values go up again. Nothing is cut off, so the result is
that of plain minimax. A decided position outranks every evaluation, and a sooner win a later one.

    level 0      o          edges     0 -> 1 2 3 …       a move that ends the game has no target but a value
    level 1    o o o        starts    where the edges of each position begin
    level 2   o o o o o     own, other as their smallest image shows them
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import LOOK_AROUND, Stop, lowest_cell, place_of, popcount, stopped
from gridlab.core.errors import TooLarge
from gridlab.core.jit import kernel
from gridlab.core.run import interruptible
from gridlab.inarow.kernels import Int64s
from gridlab.inarow.search.depth_limited import DECIDED
from gridlab.inarow.search.geometry import Geometry, completing, smallest_image

Boards = Int64s  # [position, (stones of the player to move, stones of the other)]
Values = NDArray[np.float64]  # [position], for its player to move
Evaluate = Callable[[Boards], Values]
ENDED = -1  # in the place of an edge's target
MOST_EDGES = 1 << 24  # of a level: 1 GB


class Level(NamedTuple):
    """The moves of the positions of a level, and where they lead."""

    starts: Int64s  # [position + 1]: its first edge
    cells: Int64s  # [edge]
    targets: Int64s  # [edge]: a position of the next level, or ENDED
    fixed: Values  # [edge]: for the mover, if the game is over or decided there


class MoveValues(NamedTuple):
    """What every move of some positions is worth to its maker, and what it took to find out."""

    starts: Int64s  # [position + 1]
    cells: Int64s  # [move]
    values: Values  # [move]
    leaves: int  # positions that were evaluated
    edges: int  # moves looked at
    met: int  # of these, moves to a position to which another one had led before

    def of(self, position: int) -> tuple[Int64s, Values]:
        """The moves of one position, and their values."""
        part = slice(self.starts[position], self.starts[position + 1])
        return self.cells[part], self.values[part]

    def best(self, position: int) -> tuple[int, float]:
        """The best move, the first of equals, and its value."""
        cells, values = self.of(position)
        first = int(values.argmax())
        return int(cells[first]), float(values[first])


class Tree(NamedTuple):
    """The positions some plies ahead."""

    levels: list[Level]
    leaves: Boards  # where the last level leads; none if all is decided before

    @property
    def edges(self) -> int:
        return sum(len(level.cells) for level in self.levels)

    @property
    def met(self) -> int:
        """Moves to a position to which another one had led before."""
        led = sum(int(np.count_nonzero(level.targets != ENDED)) for level in self.levels)
        return led - sum(len(level.starts) - 1 for level in self.levels[1:]) - len(self.leaves)


def grow(boards: Boards, depth: int, geometry: Geometry) -> Tree:
    """All positions up to `depth` plies after ongoing ones."""
    levels: list[Level] = []
    here = np.ascontiguousarray(boards, np.int64)
    for left in range(depth, 0, -1):
        if len(here) * geometry.cells > MOST_EDGES:
            raise TooLarge(f"{depth} plies lead to more than {MOST_EDGES:,} moves here; look less far ahead")
        starts, cells, targets, fixed, here = interruptible(partial(expand, here, left, geometry))
        levels.append(Level(starts, cells, targets, fixed))
        if not len(here):
            break
    return Tree(levels, here)


def value_moves(boards: Boards, depth: int, geometry: Geometry, evaluate: Evaluate) -> MoveValues:
    """Minimax to `depth` plies for every move of ongoing positions, all with the same number of stones or not.

    Moves that cannot be best may be missing: beside one that wins at once there is no other.
    """
    tree = grow(boards, depth, geometry)
    values = evaluate(tree.leaves) if len(tree.leaves) else np.empty(0, np.float64)
    for level in reversed(tree.levels[1:]):
        values = best_values(level, values)
    root = tree.levels[0]
    return MoveValues(root.starts, root.cells, edge_values(root, values), len(tree.leaves), tree.edges, tree.met)


@kernel
def expand(boards: Boards, left: int, geometry: Geometry, stop: Stop) -> tuple[Int64s, Int64s, Int64s, Values, Boards]:
    """The columns of a Level and the positions after its moves, with `left` plies to look at.

    A move that wins at once is the only one listed. With two plies left a move that lets the opponent win at once is
    decided as well; where only one is left, that is for the evaluation to see.
    """
    cells, runs, images = geometry.cells, geometry.runs, geometry.images
    full = (1 << cells) - 1
    most = 0
    for i in range(len(boards)):
        most += cells - popcount(boards[i, 0] | boards[i, 1])
    places = 16
    while places < 2 * most:
        places *= 2
    table = np.full(places, -1, np.int64)
    starts = np.zeros(len(boards) + 1, np.int64)
    moves, targets, fixed = np.empty(most, np.int64), np.empty(most, np.int64), np.zeros(most, np.float64)
    after = np.empty((most, 2), np.int64)
    edge, number = 0, 0
    for i in range(len(boards)):
        if i & LOOK_AROUND == 0 and stopped(stop):
            break
        own, other = boards[i, 0], boards[i, 1]
        free, stones = full & ~(own | other), popcount(own | other)
        wins, losses = completing(own, runs)
        threats, _ = completing(other, runs)
        wins, threats = wins & free, threats & free
        rest = wins & -wins if wins != 0 else free
        while rest != 0:
            cell = lowest_cell(rest)
            rest &= rest - 1
            moves[edge], targets[edge] = cell, ENDED
            mine = own | 1 << cell
            if wins != 0:
                fixed[edge] = DECIDED - stones - 1
            elif losses >> cell & 1:
                fixed[edge] = stones + 1 - DECIDED
            elif stones + 1 == cells:
                fixed[edge] = 0.0
            elif left > 1 and threats & ~(1 << cell) != 0:
                fixed[edge] = stones + 2 - DECIDED
            else:
                small_own, small_other, _ = smallest_image(other, mine, images)
                place = place_of(small_own, small_other, places)
                while table[place] >= 0 and (
                    after[table[place], 0] != small_own or after[table[place], 1] != small_other
                ):
                    place = place + 1 & places - 1
                if table[place] < 0:
                    table[place] = number
                    after[number, 0], after[number, 1] = small_own, small_other
                    number += 1
                targets[edge] = table[place]
            edge += 1
        starts[i + 1] = edge
    return starts, moves[:edge].copy(), targets[:edge].copy(), fixed[:edge].copy(), after[:number].copy()


@kernel
def edge_values(level: Level, below: Values) -> Values:
    """What each move is worth to its maker, from the values of the next level."""
    targets, values = level.targets, level.fixed.copy()
    for edge in range(len(values)):
        if targets[edge] != ENDED:
            values[edge] = -below[targets[edge]]
    return values


@kernel
def best_values(level: Level, below: Values) -> Values:
    """What each position of a level is worth: its best move."""
    starts, moves = level.starts, edge_values(level, below)
    values = np.empty(len(starts) - 1, np.float64)
    for i in range(len(values)):
        values[i] = moves[starts[i] : starts[i + 1]].max()
    return values


# ---- Minimax that judges only the leaves that matter: alpha-beta for evaluations that are cheap only in batches
#
# The positions some plies ahead are collected as in `leaves`; as each stands there once, the levels are the
# transposition table. Every leaf begins with a guess between infinite bounds. Guesses and bounds go up to the root, and
# the root's guess γ is what has to be proved:
#
#     at least γ     of the mover's moves one is enough, the one with the best guess; of the opponent's all are needed
#     at most γ      the other way round
#
# The leaves of these two proofs are judged together. Then guess and bounds are the value, and with the new γ the next
# proofs leave out whatever the bounds decide already. When nothing is left to prove, γ is the value of plain minimax.


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
    cells: Int64s  # [move]
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
