"""Searches of 2048 that ask a network about many boards at once: some moves and tiles ahead, and playouts of a tree."""

import numpy as np
from numpy.typing import NDArray

from gridlab.core.interrupts import pause
from gridlab.core.splitmix import States
from gridlab.games.game2048.kernels import Boards
from gridlab.games.game2048.replay import afters
from gridlab.games.game2048.side_by_side import all_spawns, can_move, points_of_moves, step_games
from gridlab.nets.policy import Numbers, Policy
from gridlab.search.game2048.mcts import back_up, best_of, descend, new_tree, new_way, plant, play_out_all

TOGETHER = 16  # playouts under way at once


def expected_values(boards: Boards, depth: int, policy: Policy) -> Numbers:
    """The points of each direction, those of the move and those to come: [board, direction], an even depth ahead.

    Every tile that can appear is looked at, and what stands at the end is valued by the network; no move is worth
    minus infinity.
    """
    pause()
    after, gained = afters(boards, policy.rows), points_of_moves(boards, policy.rows)
    legal = after != boards[:, None]
    leaves, owners, chances = all_spawns(after[legal], policy.rules.odds)
    unique, places = np.unique(leaves, return_inverse=True)
    if depth <= 2:
        worth = policy.judge(unique)[1]
    else:
        best = expected_values(unique, depth - 2, policy).max(axis=1)
        worth = np.where(np.isfinite(best), best, 0.0)  # without a move nothing is to come
    found = np.full((len(boards), 4), -np.inf)
    found[legal] = gained[legal] + np.bincount(owners, chances * worth[places], minlength=int(legal.sum()))
    return found


def playout_values(
    board: np.uint64, playouts: int, exploration: float, moves: int, policy: Policy, states: States
) -> Numbers:
    """What each direction has brought in a tree of playouts by the network: [direction].

    The network plays so many moves of a playout. What then is to come its value head says, or else random moves do.
    As many playouts are under way at once as there are streams of chance.
    """
    tree, values, (twos, fours) = new_tree(playouts + 1), np.empty(4), policy.rules.odds
    ways = [new_way() for _ in states]
    plant(tree, board)
    for first in range(0, playouts, len(ways)):
        pause()
        leaves, lengths = np.empty(len(ways), np.uint64), [0] * len(ways)
        under_way = min(len(ways), playouts - first)
        for i in range(under_way):
            lengths[i], leaves[i] = descend(tree, ways[i], board, exploration, twos, fours, policy.rows, states, i)
        if not any(lengths):
            break
        points = play_on(leaves[:under_way], moves, policy, states)
        for i in range(under_way):
            back_up(tree, ways[i], lengths[i], float(points[i]))
    best_of(tree, values)
    return values


def play_on(boards: Boards, moves: int, policy: Policy, states: States) -> Numbers:
    """The points from some boards on: so many moves by the network, then what it thinks is to come, or random moves."""
    boards, points, odds = boards.copy(), np.zeros(len(boards), np.int64), policy.rules.odds
    for _ in range(moves):
        going: NDArray[np.int64] = np.flatnonzero(can_move(boards, policy.rows))
        if not len(going):
            break
        chosen = policy.directions(boards[going]).argmax(axis=1).astype(np.int8)
        step_games(going, chosen, boards, points, policy.rows, odds, states)
    if policy.network.value is not None:
        return points + policy.judge(boards)[1]
    rest = play_out_all(boards, odds[0], odds[1], policy.rows, states)
    return np.asarray(points + rest, np.float64)
