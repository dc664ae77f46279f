"""The exact value of one position by alpha-beta, without any table made before.

A score tells when the game ends: END - t if the player to move wins and the game then has t stones, t - END if that
player loses, 0 for a draw. It belongs to the position, not to the way there, so it can be kept in a table as it is.

Whether a player wins by stone t is one search with an empty window, and it need not look beyond stone t. So the
distance is found by asking for t = next, next + 1, … (iterative deepening), or the value alone by asking for any t.

What a node knows without search:
    a cell that wins                      taken: the game ends with this stone
    the opponent threatens one cell       it must be filled; if that would lose, anything else holds out one ply longer
    the opponent threatens several        lost with the opponent's next stone
    every free cell loses                 lost with this stone
    a move that threatens two cells, or   wins with the next stone but one, if the opponent does not win first
    one that the opponent cannot fill
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import lowest_bit, lowest_cell, place_of, popcount
from gridlab.core.jit import kernel
from gridlab.core.stop import Stop, stopped
from gridlab.games.mnk.rules import Rules
from gridlab.search.mnk.board import Board, smallest_image
from gridlab.search.mnk.tactics import completing, gained

END = 100
ENTRIES = 1 << 22  # of a table: 20 bytes each
UNKNOWN = 127  # the search was stopped
FIRST, THREAT, KILLER = 1 << 60, 1 << 50, 1 << 45  # what orders moves before their history does


class Table(NamedTuple):
    """What has been found out: bounds and best move of positions, each in the one place its key leads to."""

    own: NDArray[np.int64]  # [entry]: stones of the player to move
    other: NDArray[np.int64]  # [entry]
    facts: NDArray[np.int32]  # [entry]: lower bound + 128, upper bound + 128, best cell + 1, a byte each; 0 if empty


class Effort(NamedTuple):
    """What a search has cost and learnt; carried from one question to the next."""

    nodes: NDArray[np.int64]  # [1]
    history: NDArray[np.int64]  # [player, cell]: how often a move was enough, weighed by the cells left


def new_table(entries: int = ENTRIES) -> Table:
    """Room for a power of two of positions."""
    return Table(np.zeros(entries, np.int64), np.zeros(entries, np.int64), np.zeros(entries, np.int32))


def new_effort(rules: Rules) -> Effort:
    return Effort(np.zeros(1, np.int64), np.zeros((2, rules.cells), np.int64))


@kernel
def prove(own: int, other: int, bound: int, board: Board, table: Table, effort: Effort, limit: int, stop: Stop) -> int:
    """Whether the score of a position is at least `bound`: a lower bound that is, or an upper bound that is not.

    UNKNOWN if `effort.nodes` has reached the limit, or `stop` is set. The position must be ongoing.

    Every ply has its frame in arrays, so that nothing is called again and again: `value` goes up, moves go down.
    """
    cells, winning, losing = board.cells, board.winning, board.losing
    images, maps, back = board.images, board.maps, board.back
    keys_own, keys_other, facts = table.own, table.other, table.facts
    nodes, history = effort.nodes, effort.history
    full = (1 << cells) - 1
    root = popcount(own | other)
    deep = cells - root + 2
    frame = np.zeros((deep, 15), np.int64)
    moves = np.empty((deep, cells + 1), np.int64)
    weights = np.empty(cells + 1, np.int64)
    killers = np.full((deep, 2), -1, np.int64)
    frame[0, MINE], frame[0, THEIRS], frame[0, WANTED] = own, other, bound
    frame[0, MY_WINS], frame[0, THEIR_WINS] = completing(own, board.runs, 1), completing(other, board.runs, 1)
    frame[0, MY_LOSSES], frame[0, THEIR_LOSSES] = completing(own, board.runs, -1), completing(other, board.runs, -1)
    d, value, entering = 0, 0, True
    while True:
        at = frame[d]
        stones = root + d
        if entering:
            nodes[0] += 1
            if nodes[0] > limit or (nodes[0] & 4095 == 0 and stopped(stop)):
                return UNKNOWN
            free = full & ~(at[MINE] | at[THEIRS])
            value, safe = glance(free, at[MY_WINS] & free, at[MY_LOSSES], at[THEIR_WINS] & free, stones, at[WANTED])
            if safe != 0:
                at[KEY_OWN], at[KEY_OTHER], symmetry = smallest_image(at[MINE], at[THEIRS], images)
                place = place_of(at[KEY_OWN], at[KEY_OTHER], len(facts))
                hint = -1
                at[PLACE], at[SYMMETRY] = place, symmetry
                if facts[place] != 0 and keys_own[place] == at[KEY_OWN] and keys_other[place] == at[KEY_OTHER]:
                    fact = facts[place]
                    low, high = (fact & 255) - 128, (fact >> 8 & 255) - 128
                    if low >= at[WANTED] or high < at[WANTED]:
                        value, safe = (low if low >= at[WANTED] else high), 0
                    elif fact >> 16 != 0:
                        hint = back[symmetry, (fact >> 16) - 1]
            if safe != 0:
                number = 0
                traps = at[THEIR_LOSSES] & ~at[THEIR_WINS]
                rest = safe
                while rest != 0:
                    stone = lowest_bit(rest)
                    rest ^= stone
                    cell = lowest_cell(stone)
                    weight = history[stones & 1, cell]
                    threats = gained(at[MINE] | stone, cell, winning) & free & ~stone
                    if threats != 0:
                        if END - stones - 3 >= at[WANTED] and (threats & (threats - 1) != 0 or threats & traps != 0):
                            value, safe = END - stones - 3, 0
                            break
                        weight += THREAT
                    if cell == hint:
                        weight += FIRST
                    elif cell == killers[d, 0] or cell == killers[d, 1]:
                        weight += KILLER
                    i = number
                    while i > 0 and weights[i - 1] < weight:
                        weights[i] = weights[i - 1]
                        moves[d, i] = moves[d, i - 1]
                        i -= 1
                    weights[i] = weight
                    moves[d, i] = cell
                    number += 1
                at[COUNT], at[INDEX], at[BEST], at[CHOSEN] = number, 0, stones + 2 - END, -1
            returning = safe == 0
        else:
            cell = moves[d, at[INDEX]]
            at[INDEX] += 1
            if -value > at[BEST]:
                at[BEST], at[CHOSEN] = -value, cell
            returning = at[BEST] >= at[WANTED] or at[INDEX] == at[COUNT]
            if at[BEST] >= at[WANTED]:
                history[stones & 1, cell] += (cells - stones) * (cells - stones)
                if killers[d, 0] != cell:
                    killers[d, 1], killers[d, 0] = killers[d, 0], cell
            if returning:
                value = at[BEST]
                place = at[PLACE]
                low, high = stones + 2 - END, END - stones - 2
                if facts[place] != 0 and keys_own[place] == at[KEY_OWN] and keys_other[place] == at[KEY_OTHER]:
                    low, high = (facts[place] & 255) - 128, (facts[place] >> 8 & 255) - 128
                if value >= at[WANTED]:
                    low = max(low, value)
                else:
                    high = min(high, value)
                move = 0 if at[CHOSEN] < 0 else maps[at[SYMMETRY], at[CHOSEN]] + 1
                keys_own[place], keys_other[place] = at[KEY_OWN], at[KEY_OTHER]
                facts[place] = (low + 128) | (high + 128) << 8 | move << 16
        if returning:
            if d == 0:
                return value
            d -= 1
            entering = False
            continue
        cell = moves[d, at[INDEX]]
        below = frame[d + 1]
        below[MINE], below[THEIRS] = at[THEIRS], at[MINE] | 1 << cell
        below[MY_WINS], below[MY_LOSSES] = at[THEIR_WINS], at[THEIR_LOSSES]
        below[THEIR_WINS] = at[MY_WINS] | gained(below[THEIRS], cell, winning)
        below[THEIR_LOSSES] = at[MY_LOSSES] | gained(below[THEIRS], cell, losing)
        below[WANTED] = 1 - at[WANTED]
        d += 1
        entering = True


MINE, THEIRS, MY_WINS, THEIR_WINS, MY_LOSSES, THEIR_LOSSES, WANTED = range(7)  # columns of a frame
KEY_OWN, KEY_OTHER, SYMMETRY, PLACE, COUNT, INDEX, BEST = range(7, 14)
CHOSEN = 14


@kernel
def glance(free: int, wins: int, losses: int, threats: int, stones: int, wanted: int) -> tuple[int, int]:
    """What can be said at once: a score and 0, or nothing and the moves to be tried."""
    if free == 0:
        return 0, 0
    if wins != 0:
        return END - stones - 1, 0
    safe = free & ~losses
    if safe == 0:
        return stones + 1 - END, 0
    if threats != 0 and (threats & (threats - 1) != 0 or threats & safe == 0):
        return stones + 2 - END, 0
    if safe == free and free & (free - 1) == 0:
        return 0, 0  # the last cell, and it makes no line
    if wanted <= stones + 2 - END:
        return stones + 2 - END, 0
    if wanted > END - stones - 2:
        return END - stones - 2, 0
    return 0, threats if threats != 0 else safe
