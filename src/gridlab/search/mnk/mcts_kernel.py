"""Upper confidence bounds applied to trees (UCT), with results that are proved on the way; one kernel.

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
from gridlab.search.mnk.board import Board
from gridlab.search.mnk.null_window import glance
from gridlab.search.mnk.tactics import Lines, completing, gained

OPEN, LOST, DRAWN, WON = range(4)  # what is proved of a position, for its player to move


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
    own: int, other: int, playouts: int, exploration: float, proofs: bool, careful: bool, board: Board, tree: Tree,
    states: States, stop: Stop,
) -> int:  # fmt: skip
    """Add playouts to the tree of a position, until the start is proved or `stop` is set; how many were made."""
    cells, runs, winning, losing = board.cells, board.runs, board.winning, board.losing
    first, following, move, visits, total, proved, untried, rows = tree
    path = np.zeros(cells + 2, np.int64)
    left = np.zeros(cells, np.int64)
    full = (1 << cells) - 1
    root_wins, root_threats = completing(own, runs, 1), completing(other, runs, 1)
    root_losses, root_traps = completing(own, runs, -1), completing(other, runs, -1)
    if rows[0] == 0:
        rows[0] = 1
        untried[0] = full & ~(own | other)
    for number in range(playouts):
        if (proofs and proved[0] != OPEN) or stopped(stop):
            return number
        mine, theirs, depth, row = own, other, 0, 0
        wins, threats, losses, traps = root_wins, root_threats, root_losses, root_traps
        while proved[row] == OPEN:
            adding = untried[row] != 0
            if adding:
                cell = nth_cell(untried[row], below(draw(states, 0), popcount(untried[row])))
                untried[row] ^= 1 << cell
                child = rows[0]
                rows[0] += 1
                move[child], following[child], first[row] = cell, first[row], child
            else:
                child = best_child(row, exploration, proofs, tree)
                cell = int(move[child])
            won, lost = wins >> cell & 1, losses >> cell & 1
            mine |= 1 << cell
            wins |= gained(mine, cell, winning)
            losses |= gained(mine, cell, losing)
            mine, theirs, wins, threats, losses, traps = theirs, mine, threats, wins, traps, losses
            depth += 1
            row = child
            path[depth] = row
            if adding:
                free = full & ~(mine | theirs)
                if won or lost or free == 0:
                    proved[row] = LOST if won else WON if lost else DRAWN
                elif proofs:
                    value, safe = glance(free, wins & free, losses, threats & free, popcount(mine | theirs), 1)
                    untried[row] = safe
                    if safe == 0:
                        proved[row] = WON if value > 0 else LOST if value < 0 else DRAWN
                else:
                    untried[row] = free
                break
        if proved[row] != OPEN:
            value = int(proved[row]) - DRAWN
        elif careful:
            value = play_with_care(mine, theirs, full, wins, threats, losses, traps, winning, losing, states)
        else:
            value = play_out(mine, theirs, full, left, winning, losing, states)
        for i in range(depth, -1, -1):
            row = path[i]
            if proofs and i < depth and proved[path[i + 1]] != OPEN:
                proved[row] = proved_by(row, path[i + 1], tree)
                if proved[row] != OPEN:
                    value = int(proved[row]) - DRAWN
            visits[row] += 1
            total[row] -= value
            value = -value
    return playouts


@kernel
def nth_cell(cells: int, n: int) -> int:
    """The n-th of some cells, counted from 0."""
    for _ in range(n):
        cells &= cells - 1
    return lowest_cell(cells)


@kernel
def best_child(row: int, exploration: float, proofs: bool, tree: Tree) -> int:
    """The child with the highest upper bound, the latest of equals; with proofs none that is known to lose."""
    weight = exploration * math.sqrt(math.log(tree.visits[row]))
    best, highest = 0, -math.inf
    child = int(tree.first[row])
    while child != 0:
        visits = tree.visits[child]
        bound = tree.total[child] / visits + weight / math.sqrt(visits)
        if proofs and tree.proved[child] == DRAWN:
            bound = 0.0
        if bound > highest and not (proofs and tree.proved[child] == WON):
            best, highest = child, bound
        child = int(tree.following[child])
    return best


@kernel
def proved_by(row: int, latest: int, tree: Tree) -> int:
    """What is proved of a position now that its child `latest` is."""
    if tree.proved[latest] == LOST:
        return WON
    if tree.untried[row] != 0:
        return OPEN
    best = LOST
    child = int(tree.first[row])
    while child != 0:
        if tree.proved[child] == OPEN:
            return OPEN
        best = max(best, 4 - int(tree.proved[child]))
        child = int(tree.following[child])
    return best


@kernel
def play_out(
    mine: int, theirs: int, full: int, left: NDArray[np.int64], winning: Lines, losing: Lines, states: States
) -> int:
    """The result of random moves for the player to move: 1, 0 or -1. `left` is room for the free cells."""
    free, count, sign = full & ~(mine | theirs), 0, 1
    while free != 0:
        left[count] = lowest_cell(free)
        free &= free - 1
        count += 1
    while count > 0:
        chosen = below(draw(states, 0), count)
        cell = left[chosen]
        count -= 1
        left[chosen] = left[count]
        mine |= 1 << cell
        if fills(mine, cell, winning):
            return sign
        if fills(mine, cell, losing):
            return -sign
        mine, theirs, sign = theirs, mine, -sign
    return 0


@kernel
def play_with_care(
    mine: int, theirs: int, full: int, wins: int, threats: int, losses: int, traps: int, winning: Lines,
    losing: Lines, states: States,
) -> int:  # fmt: skip
    """The same with moves that take a win, avoid a loss if they can, and meet a threat."""
    sign = 1
    while True:
        free = full & ~(mine | theirs)
        if free == 0:
            return 0
        if wins & free != 0:
            return sign
        safe = free & ~losses
        if safe == 0:
            return -sign
        if threats & safe != 0:
            safe &= threats
        cell = nth_cell(safe, below(draw(states, 0), popcount(safe)))
        mine |= 1 << cell
        wins |= gained(mine, cell, winning)
        losses |= gained(mine, cell, losing)
        mine, theirs, wins, threats, losses, traps, sign = theirs, mine, threats, wins, traps, losses, -sign


@kernel
def fills(stones: int, cell: int, through: Lines) -> bool:
    """Whether a line through `cell` is full."""
    i = 0
    while through[cell, i] != 0:
        if through[cell, i] & ~stones == 0:
            return True
        i += 1
    return False
