"""Upper confidence bounds applied to trees (UCT), with results that are proved on the way.

A playout goes down the tree by the move of the highest  mean + c·sqrt(ln N / n),  adds one position, plays at random to
the end, and tells every position on its way the result. The tree is flat: a row a position, children in a chain.

    row      0     1     2     3     4         first   0 -> 4 -> 2 -> 1, the latest child first
    parent         0     0     1     0         untried the moves of a position that have no row yet

With proofs, a position that is decided (by the rules, or at a glance) is not played out, and may decide its parent: a
move to a lost position wins; if all moves are decided the best of them counts. Moves that are known to lose are left
alone, and a draw is worth 0 with nothing more to be learnt from it.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import lowest_cell, popcount
from gridlab.core.jit import kernel
from gridlab.core.splitmix import States, below, draw
from gridlab.core.stop import Stop, stopped
from gridlab.search.mnk.geometry import Geometry, LinesThrough
from gridlab.search.mnk.random_play import random_cell
from gridlab.search.mnk.tactics import (
    OTHER,
    OTHER_WINS,
    OWN,
    OWN_LOSSES,
    OWN_WINS,
    POSITION,
    Frames,
    fills,
    glance,
    make_move,
    put_position,
)

UNPROVED, PROVED_LOSS, PROVED_DRAW, PROVED_WIN = range(4)  # of a position, for its player to move


class Tree(NamedTuple):
    """A tree of positions, the start in row 0: [row]."""

    first: NDArray[np.int32]  # its latest child, or 0
    following: NDArray[np.int32]  # the next child of its parent, or 0
    move: NDArray[np.int8]  # the cell that led here
    visits: NDArray[np.int32]
    total: NDArray[np.int32]  # results for the player who moved here: 1, 0 or -1 a visit
    proved: NDArray[np.int8]
    untried: NDArray[np.int64]  # cells
    rows: NDArray[np.int64]  # [1]: how many are in use


def new_tree(rows: int) -> Tree:
    return Tree(
        np.zeros(rows, np.int32), np.zeros(rows, np.int32), np.zeros(rows, np.int8), np.zeros(rows, np.int32),
        np.zeros(rows, np.int32), np.zeros(rows, np.int8), np.zeros(rows, np.int64), np.zeros(1, np.int64),
    )  # fmt: skip


@kernel
def grow(
    own: int, other: int, playouts: int, exploration: float, proofs: bool, careful: bool, geometry: Geometry,
    tree: Tree, states: States, stop: Stop,
) -> int:  # fmt: skip
    """Add playouts to the tree of a position, until the start is proved or `stop` is set; how many were made."""
    cells, winning, losing = geometry.cells, geometry.winning, geometry.losing
    move, proved, untried, rows = tree.move, tree.proved, tree.untried, tree.rows
    full = (1 << cells) - 1
    root = popcount(own | other)
    frames = np.empty((cells - root + 2, POSITION), np.int64)
    path, left = np.zeros(cells + 2, np.int64), np.zeros(cells, np.int64)
    put_position(own, other, frames, geometry.runs)
    if rows[0] == 0:
        rows[0] = 1
        untried[0] = full & ~(own | other)
    for number in range(playouts):
        if (proofs and proved[0] != UNPROVED) or stopped(stop):
            return number
        # selection and expansion: down the tree to a position that is proved, or to a new one
        stones, row, adding = root, path[0], False
        while proved[row] == UNPROVED and not adding:
            ply = stones - root
            adding = untried[row] != 0
            if adding:
                child = add_child(row, random_cell(untried[row], states), tree)
            else:
                child = best_child(row, exploration, proofs, tree)
            row, cell = child, int(move[child])
            wins, losses = frames[ply, OWN_WINS], frames[ply, OWN_LOSSES]
            make_move(cell, ply, frames, winning, losing)
            stones += 1
            path[ply + 1] = row
            if adding:
                judge(row, wins >> cell & 1, losses >> cell & 1, proofs, ply + 1, stones, full, frames, proved, untried)
        # simulation
        ply = stones - root
        if proved[row] != UNPROVED:
            value = int(proved[row]) - PROVED_DRAW
        elif careful:
            value = play_with_care(ply, frames, full, winning, losing, states)
        else:
            value = play_out(frames[ply, OWN], frames[ply, OTHER], full, left, winning, losing, states)
        back_up(value, ply, path, proofs, tree)
    return playouts


@kernel
def add_child(row: int, cell: int, tree: Tree) -> int:
    """A new row for the position after a move that was untried."""
    child = int(tree.rows[0])
    tree.rows[0] += 1
    tree.untried[row] ^= 1 << cell
    tree.move[child], tree.following[child], tree.first[row] = cell, tree.first[row], child
    return child


@kernel
def best_child(row: int, exploration: float, proofs: bool, tree: Tree) -> int:
    """The child with the highest upper bound, the latest of equals; with proofs none that is known to lose."""
    weight = exploration * math.sqrt(math.log(tree.visits[row]))
    best, highest = 0, -math.inf
    child = int(tree.first[row])
    while child != 0:
        visits = tree.visits[child]
        bound = tree.total[child] / visits + weight / math.sqrt(visits)
        if proofs and tree.proved[child] == PROVED_DRAW:
            bound = 0.0
        if bound > highest and not (proofs and tree.proved[child] == PROVED_WIN):
            best, highest = child, bound
        child = int(tree.following[child])
    return best


@kernel
def judge(
    row: int, won: int, lost: int, proofs: bool, ply: int, stones: int, full: int, frames: Frames,
    proved: NDArray[np.int8], untried: NDArray[np.int64],
) -> None:  # fmt: skip
    """What is proved of a new position at once: how the move to it ended the game, or with proofs at a glance."""
    free = full & ~(frames[ply, OWN] | frames[ply, OTHER])
    own_wins, own_losses, other_wins = frames[ply, OWN_WINS], frames[ply, OWN_LOSSES], frames[ply, OTHER_WINS]
    known, moves = UNPROVED, free
    if won or lost or free == 0:
        known, moves = PROVED_LOSS if won else PROVED_WIN if lost else PROVED_DRAW, 0
    elif proofs:
        score, moves = glance(free, own_wins, own_losses, other_wins, stones)
        if moves == 0:
            known = PROVED_WIN if score > 0 else PROVED_LOSS if score < 0 else PROVED_DRAW
    proved[row], untried[row] = known, moves


@kernel
def back_up(value: int, ply: int, path: NDArray[np.int64], proofs: bool, tree: Tree) -> None:
    """Tell every position on the way the result, which is for the player to move at its end; and what it proves."""
    visits, total, proved = tree.visits, tree.total, tree.proved
    for i in range(ply, -1, -1):
        row = path[i]
        if proofs and i < ply and proved[path[i + 1]] != UNPROVED:
            proved[row] = proved_by(row, path[i + 1], tree)
            if proved[row] != UNPROVED:
                value = int(proved[row]) - PROVED_DRAW
        visits[row] += 1
        total[row] -= value
        value = -value


@kernel
def proved_by(row: int, latest: int, tree: Tree) -> int:
    """What is proved of a position now that its child `latest` is."""
    if tree.proved[latest] == PROVED_LOSS:
        return PROVED_WIN
    if tree.untried[row] != 0:
        return UNPROVED
    best = PROVED_LOSS
    child = int(tree.first[row])
    while child != 0:
        if tree.proved[child] == UNPROVED:
            return UNPROVED
        best = max(best, 4 - int(tree.proved[child]))
        child = int(tree.following[child])
    return best


@kernel
def play_out(
    own: int, other: int, full: int, left: NDArray[np.int64], winning: LinesThrough, losing: LinesThrough,
    states: States,
) -> int:  # fmt: skip
    """The result of random moves for the player to move: 1, 0 or -1. `left` is room for the free cells."""
    free, count, sign, result = full & ~(own | other), 0, 1, 0
    while free != 0:
        left[count] = lowest_cell(free)
        free &= free - 1
        count += 1
    while count > 0:
        chosen = below(draw(states, 0), count)
        cell = left[chosen]
        count -= 1
        left[chosen] = left[count]
        own |= 1 << cell
        if fills(own, cell, winning):
            count, result = 0, sign
        elif fills(own, cell, losing):
            count, result = 0, -sign
        own, other, sign = other, own, -sign
    return result


@kernel
def play_with_care(
    ply: int, frames: Frames, full: int, winning: LinesThrough, losing: LinesThrough, states: States
) -> int:
    """The same with moves that take a win, avoid a loss if they can, and meet a threat; over the frames below `ply`."""
    sign = 1
    free = full & ~(frames[ply, OWN] | frames[ply, OTHER])
    safe = free & ~frames[ply, OWN_LOSSES]
    while safe != 0 and frames[ply, OWN_WINS] & free == 0:
        forced = frames[ply, OTHER_WINS] & safe
        make_move(random_cell(forced if forced != 0 else safe, states), ply, frames, winning, losing)
        ply, sign = ply + 1, -sign
        free = full & ~(frames[ply, OWN] | frames[ply, OTHER])
        safe = free & ~frames[ply, OWN_LOSSES]
    won = frames[ply, OWN_WINS] & free != 0
    return 0 if free == 0 else sign if won else -sign
