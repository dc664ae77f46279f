"""Games to learn from, played by Monte Carlo tree search with random playouts; one kernel.

A game opens with some random moves that do not end it, so that positions are of all kinds. Then every position is
searched, and the move tried most is made, or at times a random one. What a position is worth is a λ-return: partly
what its own search says, partly what came of it, which is again partly the next search, and so on to the end.

    return(t) = (1 - λ)·search(t) - λ·return(t + 1)        and search(t) alone where a random move was made

No result of the search is proved (`proofs` is off): nothing here is an exact value but by luck.
"""

from typing import Annotated, NamedTuple

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from gridlab.core.jit import kernel
from gridlab.core.splitmix import States, below, draw, streams
from gridlab.core.stop import Stop, stopped
from gridlab.search.mnk.geometry import Geometry
from gridlab.search.mnk.mcts_kernel import Tree, grow, new_tree
from gridlab.search.mnk.random_play import DRAWS, GOES_ON, ending_by, open_game, random_cell

EXPLORATION = 1.0
PARTS = 1 << 20  # probabilities are counted in parts of this


class Lessons(NamedTuple):
    """Positions and what they are worth to the player to move."""

    own: NDArray[np.int64]  # [position]
    other: NDArray[np.int64]
    value: NDArray[np.float32]


class Course(NamedTuple):
    """How games to learn from are played."""

    playouts: Annotated[int, Meta(ge=1, le=1_000_000)]
    longest_opening: Annotated[int, Meta(ge=0, le=24)]  # random moves, from none to so many
    random_moves: Annotated[float, Meta(ge=0, le=1)]  # how often a move after the opening is random
    trust: Annotated[float, Meta(ge=0, le=1)]  # λ: how much what came of a position counts


def teach(course: Course, seed: int, games: range, geometry: Geometry, stop: Stop) -> Lessons:
    """The positions of some games, which hang on the seed and their numbers alone."""
    most = geometry.cells * len(games)
    lessons = Lessons(np.zeros(most, np.int64), np.zeros(most, np.int64), np.zeros(most, np.float32))
    states = streams(seed, len(games), games.start)
    number = play_games(course, geometry, new_tree(course.playouts + 1), states, lessons, stop)
    return Lessons(lessons.own[:number], lessons.other[:number], lessons.value[:number])


@kernel
def play_games(course: Course, geometry: Geometry, tree: Tree, states: States, lessons: Lessons, stop: Stop) -> int:
    """Play a game from every stream; how many positions were written down."""
    searched, surprises = np.zeros(geometry.cells + 1), np.zeros(geometry.cells + 1, np.bool_)
    number = 0
    for game in range(len(states)):
        state = states[game : game + 1]
        own, other = open_game(course.longest_opening, geometry, state)
        first, ending = number, GOES_ON
        while ending == GOES_ON:
            clear(tree)
            grow(own, other, course.playouts, EXPLORATION, False, True, geometry, tree, state, stop)
            if stopped(stop):
                return number
            cell, value = favourite(tree)
            at = number - first
            lessons.own[number], lessons.other[number], searched[at] = own, other, value
            number += 1
            surprises[at] = below(draw(state, 0), PARTS) < course.random_moves * PARTS
            if surprises[at]:
                free = ((1 << geometry.cells) - 1) & ~(own | other)
                cell = random_cell(free, state)
            ending = ending_by(own, other, cell, geometry)
            own, other = other, own | 1 << cell
        write_returns(course.trust, ending, searched, surprises, lessons.value[first:number])
    return number


@kernel
def write_returns(
    trust: float, ending: int, searched: NDArray[np.float64], surprises: NDArray[np.bool_], out: NDArray[np.float32]
) -> None:
    """The λ-returns of a game, from its last move up; `ending` is what that one did."""
    following = 0.0 if ending == DRAWS else -float(ending)  # for the opponent of the last mover
    for at in range(len(out) - 1, -1, -1):
        value = searched[at]
        if not surprises[at]:
            value = (1 - trust) * value - trust * following
        out[at] = value
        following = value


@kernel
def favourite(tree: Tree) -> tuple[int, float]:
    """The move tried most, the lowest cell of equals, and its mean result."""
    best, cell = 0, 63
    child = tree.first[0]
    while child != 0:
        more = tree.visits[child] > tree.visits[best] if best != 0 else True
        if more or (tree.visits[child] == tree.visits[best] and tree.move[child] < cell):
            best, cell = child, int(tree.move[child])
        child = tree.following[child]
    return cell, tree.total[best] / tree.visits[best]


@kernel
def clear(tree: Tree) -> None:
    """Forget all positions of a tree."""
    used = tree.rows[0]
    tree.first[:used] = 0
    tree.visits[:used] = 0
    tree.total[:used] = 0
    tree.proved[:used] = 0
    tree.rows[0] = 0
