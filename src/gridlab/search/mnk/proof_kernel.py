"""Can the attacker win by force? Depth-first proof-number search (df-pn): one loop, and what happens to a ply.

The attacker wants to win, the defender wants anything else. To the player to move a position shows two numbers:

    phi     how many positions must still turn out well, at least, until this player has reached its aim
    delta   the same for the opponent

    phi = the least delta of all moves        delta = the sum of their phi        0 is reached, DONE is out of reach

The search follows the move of least delta, and stays below it until that move is no longer the best or the numbers
have outgrown what the plies above allow. It remembers positions in a table alone, under their smallest image.

The plies of the search have frames:

    OWN … OTHER_LOSSES                    the position (see tactics)
    KEY_OWN KEY_OTHER SYMMETRY            its smallest image, and the way there
    MOST_PHI MOST_DELTA                   the search goes up when its numbers reach these
    LISTED CHOSEN                         how many moves it has, and the one that is being followed
    BEGAN                                 the nodes spent before
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import lowest_bit, lowest_cell, place_of, popcount
from gridlab.core.jit import kernel
from gridlab.core.stop import Stop, stopped
from gridlab.games.mnk.rules import Rules
from gridlab.search.mnk.geometry import Geometry, smallest_image
from gridlab.search.mnk.tactics import (
    OTHER,
    OTHER_LOSSES,
    OTHER_WINS,
    OWN,
    OWN_LOSSES,
    OWN_WINS,
    POSITION,
    Frames,
    gained,
    glance,
    make_move,
    put_position,
)

ENTRIES = 1 << 22  # of a table: 29 bytes each
NEIGHBOURS = 4  # places in which an entry may stand; the one that cost least gives way
DONE = 1 << 28
PROVED, REFUTED, UNKNOWN = 1, -1, 0

COLUMNS = POSITION + 8
KEY_OWN, KEY_OTHER, SYMMETRY, MOST_PHI, MOST_DELTA, LISTED, CHOSEN, BEGAN = range(POSITION, COLUMNS)
CELL, PHI, DELTA = range(3)  # of a move: the numbers of the position after it

Moves = NDArray[np.int64]  # [ply, move, (CELL, PHI, DELTA)]


class ProofTable(NamedTuple):
    """The numbers found so far, those of a position in one of a few neighbouring places: [place]."""

    own: NDArray[np.int64]  # stones of the player to move
    other: NDArray[np.int64]
    phi: NDArray[np.int32]
    delta: NDArray[np.int32]
    work: NDArray[np.int32]  # nodes it has cost; 0 if the place is empty
    move: NDArray[np.int8]  # of the image that is the key


def new_proof_table(entries: int) -> ProofTable:
    """Room for a power of two of positions."""
    return ProofTable(
        np.zeros(entries, np.int64), np.zeros(entries, np.int64), np.zeros(entries, np.int32),
        np.zeros(entries, np.int32), np.zeros(entries, np.int32), np.zeros(entries, np.int8),
    )  # fmt: skip


def hopes_of(rules: Rules) -> NDArray[np.int64]:
    """The lines without which nobody can win; none where a player can also be made to lose."""
    return np.array([] if rules.losing_lines else rules.winning_lines, np.int64)


@kernel
def decide(
    own: int, other: int, geometry: Geometry, hopes: NDArray[np.int64], table: ProofTable, nodes: NDArray[np.int64],
    limit: int, stop: Stop,
) -> int:  # fmt: skip
    """Whether the player to move, the attacker, wins by force: PROVED, REFUTED, or UNKNOWN when the limit is reached.

    A node is a position looked at, whether by the rules, by its threats or in the table.
    """
    cells, winning, losing = geometry.cells, geometry.winning, geometry.losing
    root = popcount(own | other)
    plies = cells - root + 2
    frames, moves = np.empty((plies, COLUMNS), np.int64), np.empty((plies, cells, 3), np.int64)
    put_position(own, other, frames, geometry.runs)
    frames[0, MOST_PHI], frames[0, MOST_DELTA], frames[0, BEGAN] = DONE, DONE, nodes[0]
    free = (1 << cells) - 1 & ~(own | other)
    score, safe = glance(free, frames[0, OWN_WINS], frames[0, OWN_LOSSES], frames[0, OTHER_WINS], root)
    nodes[0] += 1
    if safe == 0:
        return PROVED if score > 0 else REFUTED
    stones = root
    while True:
        # enter a position
        ply = stones - root
        nodes[0] += list_moves(stones, ply, frames, moves, geometry, hopes, table)
        phi, delta, second, best = sum_up(ply, frames, moves)
        # return from it and from those above that have outgrown their limits
        while phi >= frames[ply, MOST_PHI] or delta >= frames[ply, MOST_DELTA]:
            move = geometry.maps[frames[ply, SYMMETRY], moves[ply, best, CELL]]
            store(frames[ply, KEY_OWN], frames[ply, KEY_OTHER], phi, delta, nodes[0] - frames[ply, BEGAN], move, table)
            if ply == 0:
                return PROVED if phi == 0 else REFUTED
            ply, stones = ply - 1, stones - 1
            moves[ply, frames[ply, CHOSEN], PHI], moves[ply, frames[ply, CHOSEN], DELTA] = phi, delta
            phi, delta, second, best = sum_up(ply, frames, moves)
        if nodes[0] > limit or stopped(stop):
            return UNKNOWN
        # follow the best move
        make_move(moves[ply, best, CELL], ply, frames, winning, losing)
        frames[ply, CHOSEN], frames[ply + 1, BEGAN] = best, nodes[0]
        frames[ply + 1, MOST_PHI] = min(DONE, frames[ply, MOST_DELTA] - delta + moves[ply, best, PHI])
        frames[ply + 1, MOST_DELTA] = min(frames[ply, MOST_PHI], second + 1 + second // 4)
        stones += 1


@kernel
def list_moves(
    stones: int, ply: int, frames: Frames, moves: Moves, geometry: Geometry, hopes: NDArray[np.int64],
    table: ProofTable,
) -> int:  # fmt: skip
    """List the moves of a position with the numbers that are known of them, up to one that reaches the aim."""
    images, winning = geometry.images, geometry.winning
    own, other, own_wins, other_wins = (
        frames[ply, OWN],
        frames[ply, OTHER],
        frames[ply, OWN_WINS],
        frames[ply, OTHER_WINS],
    )
    frames[ply, KEY_OWN], frames[ply, KEY_OTHER], frames[ply, SYMMETRY] = smallest_image(own, other, images)
    free = (1 << geometry.cells) - 1 & ~(own | other)
    _, safe = glance(free, own_wins, frames[ply, OWN_LOSSES], other_wins, stones)
    attacks = ply % 2 == 1  # the player to move after the move
    number = 0
    while safe != 0:
        stone = lowest_bit(safe)
        safe ^= stone
        cell = lowest_cell(stone)
        mine, rest = own | stone, free ^ stone
        wins = own_wins | gained(mine, cell, winning)
        score, replies = glance(rest, other_wins, frames[ply, OTHER_LOSSES], wins, stones + 1)
        if replies != 0 and hopeless(mine, other, rest, attacks, hopes):
            score, replies = 0, 0
        if replies != 0:
            key_own, key_other, _ = smallest_image(other, mine, images)
            place = find(key_own, key_other, table)
            phi, delta = (1, popcount(replies)) if place < 0 else (table.phi[place], table.delta[place])
        else:
            reached = score > 0 or (score == 0 and not attacks)
            phi, delta = (0, DONE) if reached else (DONE, 0)
        moves[ply, number, CELL], moves[ply, number, PHI], moves[ply, number, DELTA] = cell, phi, delta
        number += 1
        if delta == 0:
            safe = 0  # this move reaches the aim; no other is needed
    frames[ply, LISTED] = number
    return number


@kernel
def sum_up(ply: int, frames: Frames, moves: Moves) -> tuple[int, int, int, int]:
    """The phi and delta of a position from those of its moves; the second least delta; and the move of the least."""
    least, second, total, best = DONE, DONE, 0, 0
    for move in range(frames[ply, LISTED]):
        delta = moves[ply, move, DELTA]
        total = min(DONE, total + moves[ply, move, PHI])
        if delta < least:
            least, second, best = delta, least, move
        else:
            second = min(second, delta)
    return least, total, second, best


@kernel
def hopeless(mine: int, theirs: int, free: int, attacks: bool, hopes: NDArray[np.int64]) -> bool:
    """Whether no line is left that the attacker can still fill; `mine` has just moved, `theirs` attacks or defends."""
    attacker, defender = (theirs, mine) if attacks else (mine, theirs)
    left = (popcount(free) + attacks) // 2
    line = 0
    while line < len(hopes) and (hopes[line] & defender != 0 or popcount(hopes[line] & ~attacker) > left):
        line += 1
    return 0 < line == len(hopes)


@kernel
def find(own: int, other: int, table: ProofTable) -> int:
    """The place of an image in the table, or -1."""
    keys_own, keys_other, work = table.own, table.other, table.work
    place = place_of(own, other, len(work))
    end, found = min(place + NEIGHBOURS, len(work)), -1
    while place < end:
        if work[place] != 0 and keys_own[place] == own and keys_other[place] == other:
            found, end = place, 0
        place += 1
    return found


@kernel
def store(own: int, other: int, phi: int, delta: int, work: int, move: int, table: ProofTable) -> None:
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
