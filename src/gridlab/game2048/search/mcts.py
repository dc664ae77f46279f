"""Monte Carlo tree search for 2048: boards are played out by chance, more often where that brings more points.

The tree has a node for every board on which a move was to be made, found again by the board itself (no board ever
returns, as tiles only add up). A playout goes down from the start, at each node by the direction with the largest

    mean of the points from here on  +  exploration · mean of all directions · √(ln visits / visits of the direction)

and by a new tile drawn anew; the first board that is not in the tree becomes a node, and is played out. Visits are
counted on the way down, points on the way back, so several playouts can be under way at once.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import FIRST, S32, States, Stop, stopped, times
from gridlab.core.jit import kernel
from gridlab.game2048.kernels import Boards, RowTables, move, points_of, random_direction, spawn

PLAYOUTS, EXPLORATION = 200, 0.3
LONGEST = 256  # moves of a way down
NOWHERE = -1


class Tree(NamedTuple):
    """What was found so far; `size[0]` nodes are in use."""

    size: NDArray[np.int64]
    boards: Boards  # [node]
    visits: NDArray[np.int64]  # [node, direction]
    sums: NDArray[np.float64]  # [node, direction]: points from there on
    slots: NDArray[np.int64]  # where nodes are found by their boards, 1 + node; 0 for none


class Way(NamedTuple):
    """A way down the tree: [move] each."""

    nodes: NDArray[np.int64]
    directions: NDArray[np.int64]
    points: NDArray[np.int64]


class MctsMoves(NamedTuple):
    """A search by its settings, and the room it works in."""

    counts: NDArray[np.int64]  # [2], of boards played out, and 0
    tree: Tree
    way: Way
    playouts: int
    exploration: float
    twos: int
    fours: int


def new_mcts(playouts: int, exploration: float, odds: tuple[int, int]) -> MctsMoves:
    return MctsMoves(np.zeros(2, np.int64), new_tree(playouts + 1), new_way(), playouts, exploration, *odds)


def new_tree(nodes: int) -> Tree:
    slots = 1 << (2 * nodes).bit_length()
    return Tree(
        np.zeros(1, np.int64), np.empty(nodes, np.uint64), np.empty((nodes, 4), np.int64), np.empty((nodes, 4)),
        np.zeros(slots, np.int64),
    )  # fmt: skip


def new_way() -> Way:
    return Way(np.empty(LONGEST, np.int64), np.empty(LONGEST, np.int64), np.empty(LONGEST, np.int64))


@kernel
def choose(
    policy: MctsMoves, board: np.uint64, values: NDArray[np.float64], rows: RowTables, states: States, game: int,
    stop: Stop,
) -> int:  # fmt: skip
    """The direction that has brought most, -1 if there is none; chance comes from the game's stream."""
    tree, way = policy.tree, policy.way
    plant(tree, board)
    for _ in range(policy.playouts):
        if stopped(stop):
            return NOWHERE
        length, leaf = descend(tree, way, board, policy.exploration, policy.twos, policy.fours, rows, states, game)
        if length == 0:
            break
        points = play_out(leaf, policy.twos, policy.fours, rows, states, game)
        back_up(tree, way, length, float(points))
        policy.counts[0] += 1
    return best_of(tree, values)


@kernel
def plant(tree: Tree, board: np.uint64) -> None:
    """Begin a tree anew, with one node."""
    tree.slots[:] = 0
    tree.size[0] = 0
    find_or_add(tree, board)


@kernel
def find_or_add(tree: Tree, board: np.uint64) -> tuple[int, bool]:
    """The node of a board, and whether it is new; -1 if it is, and there is no room."""
    mask = len(tree.slots) - 1
    slot = np.int64(times(board ^ board >> S32, FIRST) >> S32) & mask
    while tree.slots[slot] != 0:
        if tree.boards[tree.slots[slot] - 1] == board:
            return tree.slots[slot] - 1, False
        slot = (slot + 1) & mask
    node = tree.size[0]
    if node == len(tree.boards):
        return NOWHERE, True
    tree.slots[slot], tree.size[0], tree.boards[node] = node + 1, node + 1, board
    tree.visits[node] = 0
    tree.sums[node] = 0.0
    return node, True


@kernel
def descend(
    tree: Tree, way: Way, board: np.uint64, exploration: float, twos: int, fours: int, rows: RowTables, states: States,
    game: int,
) -> tuple[int, np.uint64]:  # fmt: skip
    """Go down to a board that was not met before; how many moves that took, and the board. 0 if there is no move."""
    node = 0
    for length in range(LONGEST):
        direction = most_promising(tree, node, board, exploration, rows)
        if direction < 0:
            return length, board
        way.nodes[length], way.directions[length] = node, direction
        way.points[length] = points_of(board, direction, rows.points)
        tree.visits[node, direction] += 1
        board = spawn(move(board, direction, rows.slides), twos, fours, states, game)
        node, is_new = find_or_add(tree, board)
        if is_new or node < 0:
            return length + 1, board
    return LONGEST, board


@kernel
def most_promising(tree: Tree, node: int, board: np.uint64, exploration: float, rows: RowTables) -> int:
    """The direction to try next: one that was never tried, else by what was found; -1 if there is no move."""
    best, most = NOWHERE, -np.inf
    visits, sums = tree.visits[node], tree.sums[node]
    total = visits[0] + visits[1] + visits[2] + visits[3]
    mean = (sums[0] + sums[1] + sums[2] + sums[3]) / max(total, 1)
    for direction in range(4):
        if move(board, direction, rows.slides) == board:
            continue
        if visits[direction] == 0:
            return direction
        tried = visits[direction]
        worth = sums[direction] / tried + exploration * mean * np.sqrt(np.log(total) / tried)
        if worth > most:
            best, most = direction, worth
    return best


@kernel
def play_out(board: np.uint64, twos: int, fours: int, rows: RowTables, states: States, game: int) -> int:
    """The points of random moves from here to the end."""
    total = 0
    while True:
        direction = random_direction(board, rows.slides, states, game)
        if direction < 0:
            return total
        total += points_of(board, direction, rows.points)
        board = spawn(move(board, direction, rows.slides), twos, fours, states, game)


@kernel
def play_out_all(boards: Boards, twos: int, fours: int, rows: RowTables, states: States) -> NDArray[np.int64]:
    """Many boards, each by its own stream of chance."""
    found = np.zeros(len(boards), np.int64)
    for i in range(len(boards)):
        found[i] = play_out(boards[i], twos, fours, rows, states, i)
    return found


@kernel
def back_up(tree: Tree, way: Way, length: int, points: float) -> None:
    """Tell all nodes of a way what came of it: the points of the moves from there on, and of the playout."""
    for place in range(length - 1, -1, -1):
        points += way.points[place]
        tree.sums[way.nodes[place], way.directions[place]] += points


@kernel
def best_of(tree: Tree, values: NDArray[np.float64]) -> int:
    """The direction of the start with the largest mean, -1 if none was tried; in `values` all means."""
    best, most = NOWHERE, -np.inf
    for direction in range(4):
        visits = tree.visits[0, direction]
        values[direction] = tree.sums[0, direction] / visits if visits > 0 else -np.inf
        if values[direction] > most:
            best, most = direction, values[direction]
    return best
