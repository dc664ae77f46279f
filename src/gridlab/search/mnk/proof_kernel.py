"""Can the attacker win by force? Depth-first proof-number search (df-pn), one kernel.

The attacker wants to win, the defender wants anything else. To the player to move a position shows two numbers:

    phi     how many positions must still turn out well, at least, until this player has reached its aim
    delta   the same for the opponent

    phi = the least delta of all moves        delta = the sum of their phi        0 is reached, DONE is out of reach

The search follows the move of least delta, and stays below it until that move is no longer the best or the numbers
have outgrown what the plies above allow. It remembers positions in a table alone, under their smallest image.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import lowest_bit, lowest_cell, place_of, popcount
from gridlab.core.jit import kernel
from gridlab.core.stop import Stop, stopped
from gridlab.games.mnk.rules import Rules
from gridlab.search.mnk.board import Board, smallest_image
from gridlab.search.mnk.null_window import glance
from gridlab.search.mnk.tactics import completing, gained

ENTRIES = 1 << 22  # of a table: 29 bytes each
NEIGHBOURS = 4  # places in which an entry may stand; the one that cost least gives way
DONE = 1 << 28
PROVED, REFUTED, UNKNOWN = 1, -1, 0

MINE, THEIRS, MY_WINS, THEIR_WINS, MY_LOSSES, THEIR_LOSSES, KEY_OWN, KEY_OTHER = range(8)  # columns of a frame
SYMMETRY, MOST_PHI, MOST_DELTA, COUNT, CHOSEN, BEGAN = range(8, 14)
CELL, CHILD_PHI, CHILD_DELTA = range(3)  # columns of a move


class Table(NamedTuple):
    """What has been found out, each position in one of a few neighbouring places: [entry]."""

    own: NDArray[np.int64]  # stones of the player to move
    other: NDArray[np.int64]
    phi: NDArray[np.int32]
    delta: NDArray[np.int32]
    work: NDArray[np.int32]  # nodes it has cost; 0 if the place is empty
    move: NDArray[np.int8]  # of the image that is the key


def new_table(entries: int) -> Table:
    """Room for a power of two of positions."""
    return Table(
        np.zeros(entries, np.int64), np.zeros(entries, np.int64), np.zeros(entries, np.int32),
        np.zeros(entries, np.int32), np.zeros(entries, np.int32), np.zeros(entries, np.int8),
    )  # fmt: skip


def hopes_of(rules: Rules) -> NDArray[np.int64]:
    """The lines without which nobody can win; none where a player can also be made to lose."""
    return np.array([] if rules.losing_lines else rules.winning_lines, np.int64)


@kernel
def decide(
    own: int, other: int, board: Board, hopes: NDArray[np.int64], table: Table, nodes: NDArray[np.int64], limit: int,
    stop: Stop,
) -> int:  # fmt: skip
    """Whether the player to move, the attacker, wins by force: PROVED, REFUTED, or UNKNOWN when the limit is reached.

    A node is a position looked at, whether by the rules, by its threats or in the table. Frames as in null_window.
    """
    cells, winning, losing, images, maps = board.cells, board.winning, board.losing, board.images, board.maps
    full = (1 << cells) - 1
    root = popcount(own | other)
    frame = np.zeros((cells - root + 2, 14), np.int64)
    moves = np.zeros((cells - root + 2, cells, 3), np.int64)
    at = frame[0]
    at[MINE], at[THEIRS], at[MOST_PHI], at[MOST_DELTA], at[BEGAN] = own, other, DONE, DONE, nodes[0]
    at[MY_WINS], at[THEIR_WINS] = completing(own, board.runs, 1), completing(other, board.runs, 1)
    at[MY_LOSSES], at[THEIR_LOSSES] = completing(own, board.runs, -1), completing(other, board.runs, -1)
    free = full & ~(own | other)
    value, safe = glance(free, at[MY_WINS] & free, at[MY_LOSSES], at[THEIR_WINS] & free, root, 1)
    nodes[0] += 1
    if safe == 0:
        return PROVED if value > 0 else REFUTED
    d, entering = 0, True
    while True:
        at, stones, move = frame[d], root + d, moves[d]
        if entering:
            at[KEY_OWN], at[KEY_OTHER], at[SYMMETRY] = smallest_image(at[MINE], at[THEIRS], images)
            free = full & ~(at[MINE] | at[THEIRS])
            _, safe = glance(free, at[MY_WINS] & free, at[MY_LOSSES], at[THEIR_WINS] & free, stones, 1)
            at[COUNT] = 0
            while safe != 0:
                stone = lowest_bit(safe)
                safe ^= stone
                cell = lowest_cell(stone)
                mine, rest = at[MINE] | stone, free ^ stone
                threats = (at[MY_WINS] | gained(mine, cell, winning)) & rest
                value, replies = glance(rest, at[THEIR_WINS] & rest, at[THEIR_LOSSES], threats, stones + 1, 1)
                attacks = d % 2 == 1  # the child's player to move
                if replies != 0 and hopeless(mine, at[THEIRS], rest, attacks, hopes):
                    value, replies = 0, 0
                if replies == 0:
                    reached = value > 0 or (value == 0 and not attacks)
                    phi, delta = (0, DONE) if reached else (DONE, 0)
                else:
                    phi, delta = look_up(at[THEIRS], mine, popcount(replies), images, table)
                move[at[COUNT], CELL], move[at[COUNT], CHILD_PHI], move[at[COUNT], CHILD_DELTA] = cell, phi, delta
                at[COUNT] += 1
                nodes[0] += 1
                if delta == 0:
                    break  # this move reaches the aim; no other is needed
        least, second, total, best = DONE, DONE, 0, 0
        for i in range(at[COUNT]):
            delta = move[i, CHILD_DELTA]
            total = min(DONE, total + move[i, CHILD_PHI])
            if delta < least:
                least, second, best = delta, least, i
            else:
                second = min(second, delta)
        if least >= at[MOST_PHI] or total >= at[MOST_DELTA]:
            work = nodes[0] - at[BEGAN]
            keep(at[KEY_OWN], at[KEY_OTHER], least, total, work, maps[at[SYMMETRY], move[best, CELL]], table)
            if d == 0:
                return PROVED if least == 0 else REFUTED
            d -= 1
            moves[d, frame[d, CHOSEN], CHILD_PHI], moves[d, frame[d, CHOSEN], CHILD_DELTA] = least, total
            entering = False
            continue
        if nodes[0] > limit or stopped(stop):
            return UNKNOWN
        at[CHOSEN] = best
        cell = move[best, CELL]
        below = frame[d + 1]
        below[MINE], below[THEIRS], below[BEGAN] = at[THEIRS], at[MINE] | 1 << cell, nodes[0]
        below[MY_WINS], below[MY_LOSSES] = at[THEIR_WINS], at[THEIR_LOSSES]
        below[THEIR_WINS] = at[MY_WINS] | gained(below[THEIRS], cell, winning)
        below[THEIR_LOSSES] = at[MY_LOSSES] | gained(below[THEIRS], cell, losing)
        below[MOST_PHI] = min(DONE, at[MOST_DELTA] - total + move[best, CHILD_PHI])
        below[MOST_DELTA] = min(at[MOST_PHI], second + 1 + second // 4)
        d += 1
        entering = True


@kernel
def hopeless(mine: int, theirs: int, free: int, attacks: bool, hopes: NDArray[np.int64]) -> bool:
    """Whether no line is left that the attacker can still fill; `mine` has just moved, `theirs` attacks or defends."""
    attacker, defender = (theirs, mine) if attacks else (mine, theirs)
    left = (popcount(free) + attacks) // 2
    for i in range(len(hopes)):
        if hopes[i] & defender == 0 and popcount(hopes[i] & ~attacker) <= left:
            return False
    return len(hopes) > 0


@kernel
def look_up(own: int, other: int, replies: int, images: NDArray[np.int64], table: Table) -> tuple[int, int]:
    """The numbers of a position: those found so far, or a guess from how many moves it has."""
    place = find(own, other, images, table)
    if place < 0:
        return 1, replies
    return table.phi[place], table.delta[place]


@kernel
def find(own: int, other: int, images: NDArray[np.int64], table: Table) -> int:
    """The place of a position in the table, or -1."""
    key_own, key_other, _ = smallest_image(own, other, images)
    first = place_of(key_own, key_other, len(table.work))
    for place in range(first, min(first + NEIGHBOURS, len(table.work))):
        if table.work[place] != 0 and table.own[place] == key_own and table.other[place] == key_other:
            return place
    return -1


@kernel
def keep(own: int, other: int, phi: int, delta: int, work: int, move: int, table: Table) -> None:
    """Put an image into the table: where it stands already, or where least was spent."""
    first = place_of(own, other, len(table.work))
    best = first
    for place in range(first, min(first + NEIGHBOURS, len(table.work))):
        if table.work[place] != 0 and table.own[place] == own and table.other[place] == other:
            best = place
            work += table.work[place]
            break
        if table.work[place] < table.work[best]:
            best = place
    table.own[best], table.other[best], table.phi[best], table.delta[best] = own, other, phi, delta
    table.work[best], table.move[best] = min(work, 1 << 30), move
