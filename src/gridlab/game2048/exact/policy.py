"""The exact mean score of a player of 2048 on a small board, without a single game: all boards it can reach, weighted.

How likely each board of a layer is follows from the layers below: a player that knows its move sends all the weight of
a board to one board after a move, and that shares it out among its new tiles. So one way upwards is enough,

    mean score = sum over boards of   weight(board) · points of the move there

and only three layers are in memory at a time. A player that plays by no rule that symmetry keeps is followed on every
image of a board; random moves are followed up to symmetry.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import Stop, stopped
from gridlab.core.errors import PlayerFault
from gridlab.core.jit import kernel
from gridlab.core.run import interruptible
from gridlab.game2048 import kernels
from gridlab.game2048.exact import layers
from gridlab.game2048.exact.layers import (
    LEAST_PLACES,
    LOOK_AROUND,
    Board2048,
    Corners,
    Values,
    along_an_edge,
    in_a_corner,
)
from gridlab.game2048.exact.solve import FIRST_SUM, LAST_START, NONE, starts_of
from gridlab.game2048.kernels import ONE, ZERO, Boards
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import Rules2048

Directions = NDArray[np.int8]
Choose = Callable[[Boards], Directions]

POINTS, MOVES, IN_A_CORNER, ALONG_AN_EDGE = range(4)  # what is summed
EXPONENTS = 16


class Weighted(NamedTuple):
    """Boards and how likely each is to come up in a game."""

    boards: Boards
    weights: Values


class Followed(NamedTuple):
    """The exact results of a player on a small board."""

    mean_score: float
    mean_moves: float
    tiles: dict[int, float]  # how likely each tile is the largest at the end
    in_a_corner: float  # share of moves after which one of the largest tiles is in a corner
    along_an_edge: float  # share of moves after which the largest tiles fall along an edge
    boards: int  # that can come up, with a move

    def reaching(self, tile: int) -> float:
        """How likely a tile is reached."""
        return min(1.0, sum(share for each, share in self.tiles.items() if each >= tile))


def follow(rules: Rules2048, choose: Choose | None, tell: Callable[[int], object] = id) -> Followed:
    """Follow a player through all boards it can reach; `choose` gives its directions, None stands for random moves.

    `tell` hears how many boards are done.
    """
    game, by_symmetry = layers.board_of(rules), choose is None
    corners, starts = layers.corners_of(rules, game), _starts(rules, by_symmetry)
    sums, ends, seen = np.zeros(4), np.zeros(EXPONENTS), 0
    nothing = Weighted(NONE, np.empty(0))
    below, two_below, total = nothing, nothing, FIRST_SUM
    while total <= LAST_START or len(below.boards) or len(two_below.boards):
        here = spawned(below, two_below, rules, game, by_symmetry, starts.get(total, nothing))
        directions = np.full(len(here.boards), -1, np.int8) if choose is None else choose(here.boards)
        after, fault = after_layer(here, directions, choose is None, game, corners, sums, ends)
        if fault >= 0:
            board = Position2048.unpack(int(here.boards[fault]), rules=rules)
            raise PlayerFault(
                f"the player answers direction {int(directions[fault])} in {board}: no move, or none at all"
            )
        seen += len(here.boards)
        tell(len(here.boards))
        below, two_below, total = after, below, total + 2
    tiles = {1 << exponent: float(ends[exponent]) for exponent in range(EXPONENTS) if ends[exponent] > 0}
    moves = float(sums[MOVES])
    return Followed(
        float(sums[POINTS]), moves, tiles, float(sums[IN_A_CORNER]) / moves, float(sums[ALONG_AN_EDGE]) / moves, seen
    )


def _starts(rules: Rules2048, by_symmetry: bool) -> dict[int, Weighted]:
    """The starts with their weights, all images of each unless only the smallest is wanted."""
    found = {total: Weighted(*each) for total, each in starts_of(rules).items()}
    return found if by_symmetry else {total: all_images(rules, each) for total, each in found.items()}


def all_images(rules: Rules2048, smallest: Weighted) -> Weighted:
    """The weight of each board shared out among its images."""
    weights: dict[int, float] = {}
    for board, weight in zip(smallest.boards.tolist(), smallest.weights.tolist(), strict=True):
        tiles = Position2048.unpack(board, rules=rules).array()
        turns = [tiles, tiles[::-1], tiles[:, ::-1], tiles[::-1, ::-1]]
        turns += [each.T for each in turns] if rules.rows == rules.cols else []
        images = {Position2048.of_array(each, rules=rules).packed for each in turns}
        for image in images:
            weights[image] = weights.get(image, 0.0) + weight / len(images)
    return Weighted(np.array(sorted(weights), np.uint64), np.array([weights[each] for each in sorted(weights)]))


def spawned(
    below: Weighted, two_below: Weighted, rules: Rules2048, game: Board2048, by_symmetry: bool, starts: Weighted
) -> Weighted:
    """The boards to move of a layer, in the order of a hash table, which is always the same."""
    twos, fours = rules.odds
    share = fours / (twos + fours)
    return Weighted(
        *interruptible(
            lambda stop: with_weighted_tiles(*below, *two_below, *starts, 1 - share, share, game, by_symmetry, stop)
        )
    )


def after_layer(
    here: Weighted, directions: Directions, at_random: bool, game: Board2048, corners: Corners, sums: Values,
    ends: Values,
) -> tuple[Weighted, int]:  # fmt: skip
    """The boards after the moves of a layer, in no order, and the first board on which the direction is none, or -1."""
    boards, weights, fault = interruptible(
        lambda stop: after_weighted_moves(*here, directions, at_random, game, corners, sums, ends, stop)
    )
    return Weighted(boards, weights), fault


@kernel
def with_weighted_tiles(
    twos_on: Boards, two_weights: Values, fours_on: Boards, four_weights: Values, starts: Boards, start_weights: Values,
    two_share: float, four_share: float, game: Board2048, by_symmetry: bool, stop: Stop,
) -> tuple[Boards, Values]:  # fmt: skip
    """Boards after a move with their new tiles, and starts, each with all the weight that comes to it."""
    keys, weights, number = np.zeros(LEAST_PLACES, np.uint64), np.zeros(LEAST_PLACES), 0
    for i in range(len(starts)):
        place = layers.find(starts[i], keys)
        keys[place], weights[place], number = starts[i], start_weights[i], number + 1
    for four in range(2):
        afters, shares = (fours_on, four_weights) if four else (twos_on, two_weights)
        for i in range(len(afters)):
            if i & LOOK_AROUND == 0 and stopped(stop):
                break
            cells = kernels.empties(afters[i])
            weight = shares[i] * (four_share if four else two_share) / kernels.count(cells)
            while cells != ZERO and weight > 0.0:
                unit = cells & (~cells + ONE)
                cells ^= unit
                board = afters[i] | unit << np.uint64(four)
                if by_symmetry:
                    board = kernels.smallest_image(board, game.mirror, game.shape)
                place = layers.find(board, keys)
                number += keys[place] == ZERO
                keys[place] = board
                weights[place] += weight
            if 2 * (number + 32) > len(keys):
                keys, weights = larger_weighted(keys, weights)
    return listed_weighted(keys, weights, number)


@kernel
def after_weighted_moves(
    boards: Boards, weights: Values, directions: Directions, at_random: bool, game: Board2048, corners: Corners,
    sums: Values, ends: Values, stop: Stop,
) -> tuple[Boards, Values, int]:  # fmt: skip
    """Boards after the move that is played on each, or after all moves at random, which symmetry keeps alike.

    Points, moves and corners are added to `sums`; to `ends` what ends here, by the exponent of its largest tile.
    """
    (slides, points, walls), mirror, shape, _ = game
    keys, found, number = np.zeros(LEAST_PLACES, np.uint64), np.zeros(LEAST_PLACES), 0
    afters = np.empty(4, np.uint64)
    for i in range(len(boards)):
        if i & LOOK_AROUND == 0 and stopped(stop):
            break
        board, turned, legal = boards[i], kernels.transpose(boards[i]), 0
        for direction in range(4):
            afters[direction] = kernels.moved(board, turned, direction, slides)
            legal += afters[direction] != board
        if legal == 0:
            ends[kernels.largest_exponent(board ^ walls)] += weights[i]
        chosen = directions[i]
        if (not at_random and (chosen >= 0) != (legal > 0)) or (chosen >= 0 and afters[chosen] == board):
            return keys[:0], found[:0], i
        for direction in range(4):
            after = afters[direction]
            if after == board or not (at_random or direction == chosen):
                continue
            weight = weights[i] / legal if at_random else weights[i]
            sums[POINTS] += weight * kernels.points_of(board, direction, points)
            sums[MOVES] += weight
            sums[IN_A_CORNER] += weight * in_a_corner(after, corners)
            sums[ALONG_AN_EDGE] += weight * along_an_edge(after, corners)
            if at_random:
                after = kernels.smallest_image(after, mirror, shape)
            place = layers.find(after, keys)
            number += keys[place] == ZERO
            keys[place] = after
            found[place] += weight
        if 2 * (number + 8) > len(keys):
            keys, found = larger_weighted(keys, found)
    some, their = listed_weighted(keys, found, number)
    return some, their, -1


@kernel
def larger_weighted(keys: Boards, weights: Values) -> tuple[Boards, Values]:
    """The same table with twice the places."""
    grown = layers.larger(keys)
    again = np.zeros(len(grown))
    for i in range(len(keys)):
        if keys[i] != ZERO:
            again[layers.find(keys[i], grown)] = weights[i]
    return grown, again


@kernel
def listed_weighted(keys: Boards, weights: Values, number: int) -> tuple[Boards, Values]:
    """The members of a table as lists."""
    boards, found, filled = np.empty(number, np.uint64), np.empty(number), 0
    for i in range(len(keys)):
        if keys[i] != ZERO:
            boards[filled], found[filled] = keys[i], weights[i]
            filled += 1
    return boards, found
