"""What searches see of a game: its runs and lines, moves that win or must be answered, and random play."""

from typing import Any, NamedTuple

import numpy as np

from gridlab.core.bits import States, below, draw, lowest_cell, popcount
from gridlab.core.jit import kernel
from gridlab.games.grid import symmetries
from gridlab.inarow.kernels import LENGTH, RESULT, STARTS, STEP, Int64s, byte_tables, runs_of
from gridlab.inarow.rules import Rules

LinesThrough = Int64s  # [cell, line]: the lines through a cell as bitboards, then 0


class Geometry(NamedTuple):
    """What kernels need to know of a game."""

    cells: int
    runs: Int64s  # [run, column], as `runs_of` makes them
    winning: LinesThrough
    losing: LinesThrough
    images: Int64s  # [symmetry, byte of the bitboard, its value]: the image of these stones
    maps: Int64s  # [symmetry, cell]
    back: Int64s  # [symmetry, cell]: the inverse


def geometry_of(rules: Rules) -> Geometry:
    group = symmetries(rules.rows, rules.cols)
    images = byte_tables(rules, [1 << cell for cell in range(rules.cells)])
    winning, losing = (lines_through(lines, rules) for lines in (rules.winning_lines, rules.losing_lines))
    maps, back = np.array([(each.cells, each.inverse.cells) for each in group], np.int64).swapaxes(0, 1)
    return Geometry(rules.cells, runs_of(rules), winning, losing, images, maps.copy(), back.copy())


def columns(rows: int, kinds: str) -> list[Any]:
    """The columns of an empty table by their kinds, such as "int64 int8": what is remembered of positions."""
    return [np.zeros(rows, kind) for kind in kinds.split()]


def lines_through(lines: tuple[int, ...], rules: Rules) -> LinesThrough:
    """These lines of a game, listed for each cell that they go through."""
    through = [[line for line in lines if line >> cell & 1] for cell in range(rules.cells)]
    table = np.zeros((rules.cells, max(map(len, through)) + 1), np.int64)
    for cell, each in enumerate(through):
        table[cell, : len(each)] = each
    return table


@kernel
def smallest_image(own: int, other: int, images: Int64s) -> tuple[int, int, int]:
    """The stones as their smallest image shows them, and the symmetry that leads to it."""
    best_own, best_other, best = own, other, 0
    for symmetry in range(1, len(images)):
        own_image = 0
        for byte in range(images.shape[1]):
            own_image |= images[symmetry, byte, own >> 8 * byte & 255]
        if own_image <= best_own:
            other_image = 0
            for byte in range(images.shape[1]):
                other_image |= images[symmetry, byte, other >> 8 * byte & 255]
            if own_image < best_own or other_image < best_other:
                best_own, best_other, best = own_image, other_image, symmetry
    return best_own, best_other, best


@kernel
def smallest_images(boards: Int64s, images: Int64s) -> Int64s:
    """The smallest images of many positions [position, (own, other)]."""
    small = np.empty_like(boards)
    for i in range(len(boards)):
        small[i, 0], small[i, 1], _ = smallest_image(boards[i, 0], boards[i, 1], images)
    return small


# ---- What a player can see without looking ahead: cells that win, cells that lose, and what follows from them at once
#
#     completing(stones)    the cells that would complete a run          X X . X   ->   . . # .
#     gained(stones, cell)  those that the stone on `cell` has added
#
# A cell that completes a run goes on doing so as stones are added, so a search carries these cells along from move to
# move. It keeps a frame for each ply, a row of numbers that begins with the position as its player to move sees it:
#
#     OWN  OTHER                              stones
#     OWN_WINS  OTHER_WINS                    the cells, occupied or not, that complete a winning run
#     OWN_LOSSES  OTHER_LOSSES                those that complete a losing one
#
# A score tells when the game ends: END - t if the player to move wins and the game then has t stones, t - END if that
# player loses, 0 for a draw. It belongs to the position, not to the way there, so it can be kept in a table as it is.


Frames = Int64s  # [ply, column]

OWN, OTHER, OWN_WINS, OTHER_WINS, OWN_LOSSES, OTHER_LOSSES = range(6)
POSITION = 6  # columns that a position takes
END = 100
UNDECIDED = -(1 << 40)  # in the place of a score: it takes a search


@kernel
def completing(stones: int, runs: Int64s) -> tuple[int, int]:
    """The cells, occupied or not, that complete a winning run, and those that complete a losing one."""
    wins, losses = 0, 0
    for run in range(len(runs)):
        length, step, starts = runs[run, LENGTH], runs[run, STEP], runs[run, STARTS]
        cells = 0
        for missing in range(length):
            found = starts
            for place in range(length):
                if place != missing:
                    found &= stones >> place * step
            cells |= found << missing * step
        if runs[run, RESULT] > 0:
            wins |= cells
        else:
            losses |= cells
    return wins, losses


@kernel
def gained(stones: int, cell: int, through: LinesThrough) -> int:
    """The cells that complete a line through `cell`, which is one of the stones."""
    cells = 0
    i = 0
    while through[cell, i] != 0:
        rest = through[cell, i] & ~stones
        if rest & (rest - 1) == 0:
            cells |= rest
        i += 1
    return cells


@kernel
def fills(stones: int, cell: int, through: LinesThrough) -> bool:
    """Whether a line through `cell` is full of these stones."""
    i = 0
    while through[cell, i] & ~stones != 0:
        i += 1
    return bool(through[cell, i] != 0)


@kernel
def glance(free: int, own_wins: int, own_losses: int, other_wins: int, stones: int) -> tuple[int, int]:
    """What can be said at once of a position with so many stones: its score, or UNDECIDED and the moves to try."""
    if free == 0:
        return 0, 0
    if own_wins & free != 0:
        return END - stones - 1, 0
    safe = free & ~own_losses
    if safe == 0:
        return stones + 1 - END, 0
    threats = other_wins & free
    if threats != 0 and (threats & (threats - 1) != 0 or threats & safe == 0):
        return stones + 2 - END, 0
    if safe == free and free & (free - 1) == 0:
        return 0, 0  # the last cell, and it makes no line
    return UNDECIDED, threats if threats != 0 else safe


@kernel
def put_position(own: int, other: int, frames: Frames, runs: Int64s) -> None:
    """Begin the first frame with a position."""
    frames[0, OWN], frames[0, OTHER] = own, other
    frames[0, OWN_WINS], frames[0, OWN_LOSSES] = completing(own, runs)
    frames[0, OTHER_WINS], frames[0, OTHER_LOSSES] = completing(other, runs)


@kernel
def make_move(cell: int, ply: int, frames: Frames, winning: LinesThrough, losing: LinesThrough) -> None:
    """Begin the next frame with the position after a move that does not end the game, as the opponent sees it."""
    stones = frames[ply, OWN] | 1 << cell
    frames[ply + 1, OWN], frames[ply + 1, OTHER] = frames[ply, OTHER], stones
    frames[ply + 1, OWN_WINS], frames[ply + 1, OWN_LOSSES] = frames[ply, OTHER_WINS], frames[ply, OTHER_LOSSES]
    frames[ply + 1, OTHER_WINS] = frames[ply, OWN_WINS] | gained(stones, cell, winning)
    frames[ply + 1, OTHER_LOSSES] = frames[ply, OWN_LOSSES] | gained(stones, cell, losing)


# ---- Random moves: a cell by chance, openings that do not end the game, and how a move ends it


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
