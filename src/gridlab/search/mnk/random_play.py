"""Random moves: a cell by chance, openings that do not end the game, and how a move ends it."""

from gridlab.core.bits import lowest_cell, popcount
from gridlab.core.jit import kernel
from gridlab.core.splitmix import States, below, draw
from gridlab.search.mnk.geometry import Geometry
from gridlab.search.mnk.tactics import completing

LOSES, GOES_ON, WINS, DRAWS = range(-1, 3)  # what a move does


@kernel
def random_cell(cells: int, states: States) -> int:
    """One of some cells, all equally likely."""
    for _ in range(below(draw(states, 0), popcount(cells))):
        cells &= cells - 1
    return lowest_cell(cells)


@kernel
def open_game(longest: int, geometry: Geometry, states: States) -> tuple[int, int]:
    """Random moves, none of which ends the game; fewer than drawn if there are no more such moves."""
    own, other = 0, 0
    for _ in range(below(draw(states, 0), longest + 1)):
        wins, losses = completing(own, geometry.runs)
        quiet = ((1 << geometry.cells) - 1) & ~(own | other | wins | losses)
        if quiet == 0 or popcount(own | other) >= geometry.cells - 1:
            break
        own, other = other, own | 1 << random_cell(quiet, states)
    return own, other


@kernel
def ending_by(own: int, other: int, cell: int, geometry: Geometry) -> int:
    """How a move ends the game, if it does."""
    wins, losses = completing(own, geometry.runs)
    if wins >> cell & 1:
        return WINS
    if losses >> cell & 1:
        return LOSES
    return DRAWS if popcount(own | other) + 1 == geometry.cells else GOES_ON
