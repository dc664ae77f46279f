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

from gridlab.core.bits import lowest_cell, place_of, popcount
from gridlab.core.errors import TooLarge
from gridlab.core.interrupts import interruptible
from gridlab.core.jit import kernel
from gridlab.core.stop import LOOK_AROUND, Stop, stopped
from gridlab.search.mnk.depth_limited import DECIDED
from gridlab.search.mnk.geometry import Geometry, smallest_image
from gridlab.search.mnk.tactics import completing

Boards = NDArray[np.int64]  # [position, (stones of the player to move, stones of the other)]
Values = NDArray[np.float64]  # [position], for its player to move
Evaluate = Callable[[Boards], Values]
ENDED = -1  # in the place of an edge's target
MOST_EDGES = 1 << 24  # of a level: 1 GB


class Level(NamedTuple):
    """The moves of the positions of a level, and where they lead."""

    starts: NDArray[np.int64]  # [position + 1]: its first edge
    cells: NDArray[np.int64]  # [edge]
    targets: NDArray[np.int64]  # [edge]: a position of the next level, or ENDED
    fixed: Values  # [edge]: for the mover, if the game is over or decided there


class MoveValues(NamedTuple):
    """What every move of some positions is worth to its maker, and what it took to find out."""

    starts: NDArray[np.int64]  # [position + 1]
    cells: NDArray[np.int64]  # [move]
    values: Values  # [move]
    leaves: int  # positions that were evaluated
    edges: int  # moves looked at
    met: int  # of these, moves to a position to which another one had led before

    def of(self, position: int) -> tuple[NDArray[np.int64], Values]:
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
def expand(
    boards: Boards, left: int, geometry: Geometry, stop: Stop
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], Values, Boards]:
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
