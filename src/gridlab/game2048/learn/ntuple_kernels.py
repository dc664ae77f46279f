"""Temporal-difference learning of an n-tuple network, game by game.

A game is played by the network as it is, each move the best of those it sees. Then the boards after its moves are gone
through from the last to the first, so that what the end has taught reaches the beginning in the same game:

    target of the last board      0, as nothing comes any more
    target of any other           points of the next move + (1 - λ) · value + λ · target of the next board
    each weight of a board        += rate · (target - value) / number of weights

With *temporal coherence* (Beal and Smith, 1999) a weight has a rate of its own, |Σ errors| / Σ |errors|: 1 while it is
pushed in one direction, near 0 once errors cancel out. A long game begins again in its middle, then in the middle of
that, and so on (Matsuzaki, 2017): the boards of late games are hard to get to, and so they are seen more often.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import States, Stop, prefetch, stopped
from gridlab.core.jit import kernel
from gridlab.game2048.kernels import ONE, Boards, RowTables, largest_exponent, spawn, start
from gridlab.game2048.rules import MOST_MOVES
from gridlab.game2048.search.ntuple import Network, Places, Weights, add_up, find_places, number_of_places, value_moves

Sums = NDArray[np.float32]  # for each weight two: Σ errors and Σ |errors|; empty without temporal coherence
Tally = NDArray[np.int64]  # [TALLY]: games, moves, scores, and games by the logarithm of their largest tile

GAMES, MOVES, SCORES, TILES = range(4)
TALLY = TILES + 16
AHEAD = 3  # boards
RING = 4  # a power of two above it


class Recipe(NamedTuple):
    """How a network learns, as kernels take it."""

    rate: float
    trace: float  # λ
    restart: int  # a game of more moves than this begins again in its middle; 0 never
    twos: int
    fours: int


class Path(NamedTuple):
    """Room for the moves of a game, and for places of weights; one for each thread."""

    afterstates: Boards  # [move]: the board after it
    points: NDArray[np.int64]  # [move]: what it brought
    places: NDArray[np.uint64]  # [4 moves, tuple and image]
    moves: Boards  # [4]
    values: NDArray[np.float64]  # [4]


def new_path(network: Network) -> Path:
    return Path(
        np.empty(MOST_MOVES + 1, np.uint64), np.empty(MOST_MOVES + 1, np.int64),
        np.empty((RING, number_of_places(network)), np.uint64), np.empty(4, np.uint64), np.empty(4),
    )  # fmt: skip


@kernel
def learn_games(
    games: int, network: Network, sums: Sums, recipe: Recipe, rows: RowTables, path: Path, states: States,
    stream: int, tally: Tally, stop: Stop,
) -> int:  # fmt: skip
    """Play games and learn from each, begun again in its middle as the recipe says; how many were played.

    Whoever wants to stop waits for the end of a game: some hundredths of a second.
    """
    for played in range(games):
        if stopped(stop):
            return played
        board = start(rows.walls, recipe.twos, recipe.fours, states, stream)
        moves = learn_game(board, network, sums, recipe, rows, path, states, stream, tally, True)
        while recipe.restart > 0 and moves > recipe.restart:
            board = spawn(path.afterstates[moves >> 1], recipe.twos, recipe.fours, states, stream)
            moves = learn_game(board, network, sums, recipe, rows, path, states, stream, tally, False)
    return games


@kernel
def learn_game(
    board: np.uint64, network: Network, sums: Sums, recipe: Recipe, rows: RowTables, path: Path, states: States,
    stream: int, tally: Tally, whole: bool,
) -> int:  # fmt: skip
    """Play a game from a board to its end and learn from it; the number of its moves. Whole games are tallied."""
    moves, score = play_game(board, network, recipe, rows, path, states, stream)
    learn_backwards(moves, network, sums, recipe, path)
    tally[MOVES] += moves
    if whole:
        tally[GAMES] += 1
        tally[SCORES] += score
        last = path.afterstates[moves - 1] if moves > 0 else board
        tally[TILES + largest_exponent(last ^ rows.walls)] += 1
    return moves


@kernel
def play_game(
    board: np.uint64, network: Network, recipe: Recipe, rows: RowTables, path: Path, states: States, stream: int
) -> tuple[int, int]:
    """The moves of a game into the path; their number, and the score."""
    weights, masks, shifts, offsets, layout = network
    afterstates, points, places, choices, values = path
    slides, row_points = rows.slides, rows.points
    moves, score = 0, 0
    while True:
        gain = value_moves(board, choices, values, places, weights, masks, shifts, offsets, layout, slides, row_points)
        if gain < 0:
            return moves, score
        best = 0
        for direction in range(1, 4):
            if values[direction] > values[best]:
                best = direction
        afterstates[moves], points[moves] = choices[best], gain
        score += gain
        board = spawn(choices[best], recipe.twos, recipe.fours, states, stream)
        moves += 1


@kernel
def learn_backwards(moves: int, network: Network, sums: Sums, recipe: Recipe, path: Path) -> None:
    """Learn from the boards of a game, the last one first; the weights of boards to come are fetched meanwhile."""
    weights, masks, shifts, offsets, layout = network
    afterstates, points, ring, _, _ = path
    coherent = len(sums) > 0
    target = 0.0
    for ahead in range(moves - 1 + AHEAD, -1, -1):
        if ahead >= AHEAD:
            coming = ring[ahead - AHEAD & RING - 1]
            find_places(afterstates[ahead - AHEAD], coming, masks, shifts, offsets, layout)
            for each in range(len(coming)):
                prefetch(weights, coming[each])
                if coherent:
                    prefetch(sums, coming[each] << ONE)
        if ahead < moves:
            places = ring[ahead & RING - 1]
            value = add_up(weights, places)
            if coherent:
                learnt = value + update_coherent(weights, sums, places, target - value, recipe.rate)
            else:
                learnt = value + update(weights, places, target - value, recipe.rate)
            target = points[ahead] + (1.0 - recipe.trace) * learnt + recipe.trace * target


@kernel
def update(weights: Weights, places: Places, error: float, rate: float) -> float:
    """Change the weights of a board by one rate; how much its value has changed."""
    step = np.float32(rate * error / len(places))
    for each in range(len(places)):
        weights[places[each]] += step
    return float(step) * len(places)


@kernel
def update_coherent(weights: Weights, sums: Sums, places: Places, error: float, rate: float) -> float:
    """Change each weight of a board by its own rate; how much its value has changed."""
    step, push = np.float32(rate * error / len(places)), np.float32(error)
    size, changed = abs(push), np.float32(0)
    for each in range(len(places)):
        place = places[each]
        at = place << ONE
        total, absolute = sums[at], sums[at | ONE]
        change = step * (abs(total) / absolute) if absolute > 0 else step
        weights[place] += change
        changed += change
        sums[at], sums[at | ONE] = total + push, absolute + size
    return float(changed)
