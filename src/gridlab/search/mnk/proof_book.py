"""The moves that win by force, for every position the winner can come to; checked by the rules alone.

A book has a page for each two plies. What follows from a page, by its moves and every reply to them, must stand on the
next one, or have been won.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import lowest_bit, lowest_cell, popcount
from gridlab.core.jit import kernel
from gridlab.games.mnk.kernels import ending
from gridlab.search.mnk.geometry import Geometry, smallest_image
from gridlab.search.mnk.proof_kernel import ProofTable, find
from gridlab.search.mnk.tactics import completing

Stones = NDArray[np.int64]  # [position, (winner, loser)]


class Page(NamedTuple):
    """The positions of one ply in which the winner is to move, smallest images, ascending; and the moves to make."""

    stones: Stones
    moves: NDArray[np.int64]


class Replies(NamedTuple):
    """What can come of the positions of a page when their moves are made."""

    parents: NDArray[np.int64]  # [reply]: the position it is a reply to
    stones: Stones  # [reply]: the smallest image after the reply; -1, -1 if the reply loses at once
    lost: int  # the first position whose move is impossible or does not win against every reply; -1 if none


Book = tuple[Page, ...]


@kernel
def read_moves(first: int, stones: Stones, moves: NDArray[np.int64], geometry: Geometry, table: ProofTable) -> int:
    """Write a winning move for each of many won positions, from `first` on; the first that the table has lost."""
    for i in range(first, len(stones)):
        own, other = stones[i, 0], stones[i, 1]
        wins, _ = completing(own, geometry.runs)
        wins &= ~(own | other)
        if wins != 0:
            moves[i] = lowest_cell(wins)
            continue
        place = find(own, other, table)
        if place < 0 or table.phi[place] != 0:
            return i
        moves[i] = table.move[place]
    return len(stones)


@kernel
def replies_to(stones: Stones, moves: NDArray[np.int64], geometry: Geometry) -> tuple[NDArray[np.int64], Stones, int]:
    """Every reply to the moves of a page, by the rules alone: what `Replies` names."""
    full = (1 << geometry.cells) - 1
    room = 0
    for i in range(len(stones)):
        room += geometry.cells - popcount(stones[i, 0] | stones[i, 1])
    parents, after = np.empty(room, np.int64), np.full((room, 2), -1, np.int64)
    count, lost = 0, -1
    for i in range(len(stones)):
        free = full & ~(stones[i, 0] | stones[i, 1])
        if moves[i] < 0 or free >> moves[i] & 1 == 0:
            lost = i if lost < 0 else lost
            continue
        own = stones[i, 0] | 1 << moves[i]
        free ^= 1 << moves[i]
        end = ending(own, geometry.runs)
        if end > 0:
            continue
        if end < 0 or free == 0:
            lost = i if lost < 0 else lost
        while free != 0:
            stone = lowest_bit(free)
            free ^= stone
            reply = stones[i, 1] | stone
            parents[count] = i
            end = ending(reply, geometry.runs)
            if end == 0:
                after[count, 0], after[count, 1], _ = smallest_image(own, reply, geometry.images)
            if end > 0 or (end == 0 and own | reply == full):
                lost = i if lost < 0 else lost
            count += 1
    return parents[:count], after[:count], lost


def places_in(known: Stones, wanted: Stones) -> NDArray[np.int64]:
    """The place of each of the wanted rows among the known ones, which ascend; -1 if it is not there."""
    if not len(known):
        return np.full(len(wanted), -1)
    names = {stones: number for number, stones in enumerate(map(tuple, known.tolist()))}
    return np.array([names.get(stones, -1) for stones in map(tuple, wanted.tolist())], np.int64)


def flaw_of(book: Book, own: int, other: int, geometry: Geometry) -> str | None:
    """What is wrong with a book that is to win from a position; None if nothing is."""
    wanted: Stones = np.array([smallest_image(own, other, geometry.images)[:2]], np.int64)
    for number, page in enumerate(book):
        if (places_in(page.stones, wanted) < 0).any():
            return f"a position after {2 * number} plies has no move"
        replies = Replies(*replies_to(*page, geometry))
        if replies.lost >= 0:
            return f"a move after {2 * number} plies does not win"
        wanted = replies.stones[replies.stones[:, 0] >= 0]
    return f"a position after {2 * len(book)} plies has no move" if len(wanted) else None


def lengths_of(book: Book, geometry: Geometry) -> list[NDArray[np.int64]]:
    """The plies to the end from each position of a book, against the replies that hold out longest."""
    lengths: list[NDArray[np.int64]] = []
    below, length = Page(np.empty((0, 2), np.int64), np.empty(0, np.int64)), np.empty(0, np.int64)
    for page in reversed(book):
        parents, stones, _ = replies_to(*page, geometry)
        going_on = stones[:, 0] >= 0
        after = np.full(len(parents), 2)
        after[going_on] += length[places_in(below.stones, stones[going_on])]
        below, length = page, np.ones(len(page.moves), np.int64)
        np.maximum.at(length, parents, after)
        lengths.append(length)
    return lengths[::-1]


def line_of(book: Book, own: int, other: int, geometry: Geometry) -> list[int]:
    """The moves of a book against the replies that hold out longest."""
    line: list[int] = []
    lengths = [*lengths_of(book, geometry), np.empty(0, np.int64)]
    stones = [page.stones for page in book] + [np.empty((0, 2), np.int64)]
    for number, page in enumerate(book):
        one, two, symmetry = smallest_image(own, other, geometry.images)
        (place,) = places_in(page.stones, np.array([[one, two]]))
        line.append(int(geometry.back[symmetry, page.moves[place]]))
        own |= 1 << line[-1]
        free = [cell for cell in range(geometry.cells) if not (own | other) >> cell & 1]
        if ending(own, geometry.runs) > 0:
            break
        after = [smallest_image(own, other | 1 << cell, geometry.images)[:2] for cell in free]
        found = places_in(stones[number + 1], np.array(after, np.int64))
        plies = [int(lengths[number + 1][place]) if place >= 0 else 0 for place in found]  # 0: the reply loses at once
        longest = max(range(len(free)), key=plies.__getitem__)
        line.append(free[longest])
        other |= 1 << line[-1]
        if not plies[longest]:
            break
    return line
