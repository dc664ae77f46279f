"""A forced win, proved: the moves that the winner needs to know, checked against every reply by the rules alone.

prove_win(own, other, rules)    -> Proof: proved, refuted or unknown
Proof.book                      for every position the winner can come to, up to symmetry, the winning move, ply by ply
Proof.flaw()                    walks the whole book by the rules: None, or what is wrong with it
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.arguments import counted, typed
from gridlab.core.bits import Stop, lowest_bit, lowest_cell, place_of, popcount, stopped
from gridlab.core.draw import AsJson, Sheet, shown
from gridlab.core.errors import IllegalMove
from gridlab.core.jit import kernel
from gridlab.core.run import call, stop_flag
from gridlab.games import grid
from gridlab.inarow.kernels import Int64s, ending
from gridlab.inarow.position import Position, position_of
from gridlab.inarow.rules import Rules
from gridlab.inarow.search import geometry as tactics
from gridlab.inarow.search.geometry import OTHER, OTHER_WINS, OWN, OWN_LOSSES, OWN_WINS, POSITION, Frames, Geometry
from gridlab.inarow.solution import NO_LIMIT, Budget

# ---- Can the attacker win by force? Depth-first proof-number search (df-pn): one loop, and what happens to a ply
#
# The attacker wants to win, the defender wants anything else. To the player to move a position shows two numbers:
#
#     phi     how many positions must still turn out well, at least, until this player has reached its aim
#     delta   the same for the opponent
#
#     phi = the least delta of all moves        delta = the sum of their phi        0 is reached, DONE is out of reach
#
# The search (Nagai 2002) follows the move of least delta, and stays below it until that move is no longer the best or
# the numbers have outgrown what the plies above allow. It remembers positions in a table alone, under their smallest
# image.
#
# The plies of the search have frames:
#
#     OWN … OTHER_LOSSES                    the position (see tactics)
#     KEY_OWN KEY_OTHER SYMMETRY            its smallest image, and the way there
#     MOST_PHI MOST_DELTA                   the search goes up when its numbers reach these
#     LISTED CHOSEN                         how many moves it has, and the one that is being followed
#     BEGAN                                 the nodes spent before


ENTRIES = 1 << 22  # of a table: 29 bytes each
NEIGHBOURS = 4  # places in which an entry may stand; the one that cost least gives way
DONE = 1 << 28
PROVED, REFUTED, UNKNOWN = 1, -1, 0

COLUMNS = POSITION + 8
KEY_OWN, KEY_OTHER, SYMMETRY, MOST_PHI, MOST_DELTA, LISTED, CHOSEN, BEGAN = range(POSITION, COLUMNS)
CELL, PHI, DELTA = range(3)  # of a move: the numbers of the position after it

Moves = Int64s  # [ply, move, (CELL, PHI, DELTA)]


class ProofTable(NamedTuple):
    """The numbers found so far, those of a position in one of a few neighbouring places: [place]."""

    own: Int64s  # stones of the player to move
    other: Int64s
    phi: NDArray[np.int32]
    delta: NDArray[np.int32]
    work: NDArray[np.int32]  # nodes it has cost; 0 if the place is empty
    move: NDArray[np.int8]  # of the image that is the key


def new_proof_table(entries: int) -> ProofTable:
    """Room for a power of two of positions."""
    return ProofTable(*tactics.columns(entries, "int64 int64 int32 int32 int32 int8"))


def hopes_of(rules: Rules) -> Int64s:
    """The lines without which nobody can win; none where a player can also be made to lose."""
    return np.array([] if rules.losing_lines else rules.winning_lines, np.int64)


@kernel
def decide(
    own: int, other: int, geometry: Geometry, hopes: Int64s, table: ProofTable, nodes: Int64s, limit: int, stop: Stop
) -> int:
    """Whether the player to move, the attacker, wins by force: PROVED, REFUTED, or UNKNOWN when the limit is reached.

    A node is a position looked at, whether by the rules, by its threats or in the table.
    """
    cells, winning, losing = geometry.cells, geometry.winning, geometry.losing
    root = popcount(own | other)
    plies = cells - root + 2
    frames, moves = np.empty((plies, COLUMNS), np.int64), np.empty((plies, cells, 3), np.int64)
    tactics.put_position(own, other, frames, geometry.runs)
    frames[0, MOST_PHI], frames[0, MOST_DELTA], frames[0, BEGAN] = DONE, DONE, nodes[0]
    free = (1 << cells) - 1 & ~(own | other)
    score, safe = tactics.glance(free, frames[0, OWN_WINS], frames[0, OWN_LOSSES], frames[0, OTHER_WINS], root)
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
        tactics.make_move(moves[ply, best, CELL], ply, frames, winning, losing)
        frames[ply, CHOSEN], frames[ply + 1, BEGAN] = best, nodes[0]
        # the second best is allowed a quarter more than it has, or the search would change moves at nearly every node:
        # the 1+ε trick of Pawlewicz and Lew (Improving Depth-First PN-Search, CG 2006), here with ε = 1/4
        frames[ply + 1, MOST_PHI] = min(DONE, frames[ply, MOST_DELTA] - delta + moves[ply, best, PHI])
        frames[ply + 1, MOST_DELTA] = min(frames[ply, MOST_PHI], second + 1 + second // 4)
        stones += 1


@kernel
def list_moves(
    stones: int, ply: int, frames: Frames, moves: Moves, geometry: Geometry, hopes: Int64s, table: ProofTable
) -> int:
    """List the moves of a position with the numbers that are known of them, up to one that reaches the aim."""
    images, winning = geometry.images, geometry.winning
    own, other = frames[ply, OWN], frames[ply, OTHER]
    own_wins, other_wins = frames[ply, OWN_WINS], frames[ply, OTHER_WINS]
    frames[ply, KEY_OWN], frames[ply, KEY_OTHER], frames[ply, SYMMETRY] = tactics.smallest_image(own, other, images)
    free = (1 << geometry.cells) - 1 & ~(own | other)
    _, safe = tactics.glance(free, own_wins, frames[ply, OWN_LOSSES], other_wins, stones)
    attacks = ply % 2 == 1  # the player to move after the move
    number = 0
    while safe != 0:
        stone = lowest_bit(safe)
        safe ^= stone
        cell = lowest_cell(stone)
        mine, rest = own | stone, free ^ stone
        wins = own_wins | tactics.gained(mine, cell, winning)
        score, replies = tactics.glance(rest, other_wins, frames[ply, tactics.OTHER_LOSSES], wins, stones + 1)
        if replies != 0 and hopeless(mine, other, rest, attacks, hopes):
            score, replies = 0, 0
        if replies != 0:
            key_own, key_other, _ = tactics.smallest_image(other, mine, images)
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
def hopeless(mine: int, theirs: int, free: int, attacks: bool, hopes: Int64s) -> bool:
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


# ---- The moves that win by force, for every position the winner can come to; checked by the rules alone
#
# A book has a page for each two plies. What follows from a page, by its moves and every reply to them, must stand on
# the next one, or have been won.


Stones = Int64s  # [position, (winner, loser)]


class Page(NamedTuple):
    """The positions of one ply in which the winner is to move, smallest images, ascending; and the moves to make."""

    stones: Stones
    moves: Int64s


Book = tuple[Page, ...]


@kernel
def read_moves(first: int, stones: Stones, moves: Int64s, geometry: Geometry, table: ProofTable) -> int:
    """Write a winning move for each of many won positions, from `first` on; the first that the table has lost."""
    for i in range(first, len(stones)):
        own, other = stones[i, 0], stones[i, 1]
        wins, _ = tactics.completing(own, geometry.runs)
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
def replies_to(stones: Stones, moves: Int64s, geometry: Geometry) -> tuple[Int64s, Stones, int]:
    """What can come of the positions of a page when their moves are made, by the rules alone.

    For each reply the position it is a reply to, and the smallest image after it, -1, -1 if it loses at once; and the
    first position whose move is impossible or does not win against every reply, -1 if there is none.
    """
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
                after[count, 0], after[count, 1], _ = tactics.smallest_image(own, reply, geometry.images)
            if end > 0 or (end == 0 and own | reply == full):
                lost = i if lost < 0 else lost
            count += 1
    return parents[:count], after[:count], lost


def places_in(known: Stones, wanted: Stones) -> Int64s:
    """The place of each of the wanted rows among the known ones, which ascend; -1 if it is not there."""
    if not len(known):
        return np.full(len(wanted), -1)
    names = {stones: number for number, stones in enumerate(map(tuple, known.tolist()))}
    return np.array([names.get(stones, -1) for stones in map(tuple, wanted.tolist())], np.int64)


def flaw_of(book: Book, own: int, other: int, geometry: Geometry) -> str | None:
    """What is wrong with a book that is to win from a position; None if nothing is."""
    wanted: Stones = np.array([tactics.smallest_image(own, other, geometry.images)[:2]], np.int64)
    for number, page in enumerate(book):
        if (places_in(page.stones, wanted) < 0).any():
            return f"a position after {2 * number} plies has no move"
        _, after, lost = replies_to(*page, geometry)
        if lost >= 0:
            return f"a move after {2 * number} plies does not win"
        wanted = after[after[:, 0] >= 0]
    return f"a position after {2 * len(book)} plies has no move" if len(wanted) else None


def lengths_of(book: Book, geometry: Geometry) -> list[Int64s]:
    """The plies to the end from each position of a book, against the replies that hold out longest."""
    lengths: list[Int64s] = []
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
        one, two, symmetry = tactics.smallest_image(own, other, geometry.images)
        (place,) = places_in(page.stones, np.array([[one, two]]))
        line.append(int(geometry.back[symmetry, page.moves[place]]))
        own |= 1 << line[-1]
        free = [cell for cell in range(geometry.cells) if not (own | other) >> cell & 1]
        if ending(own, geometry.runs) > 0:
            break
        after = [tactics.smallest_image(own, other | 1 << cell, geometry.images)[:2] for cell in free]
        found = places_in(stones[number + 1], np.array(after, np.int64))
        plies = [int(lengths[number + 1][place]) if place >= 0 else 0 for place in found]  # 0: the reply loses at once
        longest = max(range(len(free)), key=plies.__getitem__)
        line.append(free[longest])
        other |= 1 << line[-1]
        if not plies[longest]:
            break
    return line


# ---- A forced win, proved: the moves that the winner needs to know, checked against every reply by the rules alone


Result = Literal["proved", "refuted", "unknown"]
RESULTS: dict[int, Result] = {PROVED: "proved", REFUTED: "refuted", UNKNOWN: "unknown"}


@shown
@dataclass(frozen=True)
class Proof:
    """Whether the player to move wins by force, and if so how."""

    own: int
    other: int
    rules: Rules
    result: Result
    nodes: int  # positions looked at
    book: Book  # empty unless proved; ends early where the winner's moves all win at once

    @property
    def size(self) -> int:
        """How many positions the winner needs to know a move for, up to symmetry."""
        return sum(len(page.moves) for page in self.book)

    @cached_property
    def plies(self) -> int | None:
        """Within how many plies this strategy wins, whatever the opponent does; there may be a faster one."""
        return int(lengths_of(self.book, tactics.geometry_of(self.rules))[0][0]) if self.book else None

    @cached_property
    def line(self) -> tuple[int, ...]:
        """The winner's moves from the book against the replies that hold out longest."""
        return tuple(line_of(self.book, self.own, self.other, tactics.geometry_of(self.rules)))

    def flaw(self) -> str | None:
        """None if the book wins against every reply by the rules; else what is wrong."""
        if self.result != "proved":
            return "nothing is proved"
        return flaw_of(self.book, self.own, self.other, tactics.geometry_of(self.rules))

    def as_dict(self) -> AsJson:
        """For `--json`."""
        forced = {"proved": True, "refuted": False, "unknown": None}[self.result]
        answer = {"rules": str(self.rules), "forced_win": forced, "nodes": self.nodes, "proof_positions": self.size}
        return answer | {"plies": self.plies, "line": self._moves}

    @property
    def _moves(self) -> list[str]:
        return [grid.move_text(cell, self.rules.rows, self.rules.cols) for cell in self.line]

    def _in_short(self) -> str:
        how = f" within {self.plies} plies, {self.size:,} positions" if self.result == "proved" else ""
        return f"{self.rules}, a forced win: {self.result}{how}, {self.nodes:,} nodes"

    def _sheet(self) -> Sheet:
        heading, *notes = str(self).splitlines()
        return Sheet(heading, notes=notes)

    def __str__(self) -> str:
        if self.result == "unknown":
            return f"a forced win is neither proved nor refuted in {counted(self.nodes, 'node')}"
        if self.result == "refuted":
            return f"there is no forced win for the player to move: refuted in {counted(self.nodes, 'node')}"
        plies = counted(self.plies or 0, "ply", "plies")
        return (
            f"the player to move wins by force within {plies}: proved in {counted(self.nodes, 'node')}\n"
            f"the proof has a move for each of {counted(self.size, 'position')}, up to symmetry\n"
            f"main line: {' '.join(self._moves)}"
        )


@typed
def prove(
    position: Position | str, budget: Budget | None = None, tell: Callable[[int], object] = lambda nodes: None
) -> Proof:
    """Whether the player to move of a legal position wins by force."""
    position = position_of(position).require_legal()
    if outcome := position.outcome():
        raise IllegalMove(f"the game {position} is over ({outcome.value}): there is nothing to prove")
    return prove_win(position.own, position.other, position.rules, budget, tell=tell)


def prove_win(
    own: int, other: int, rules: Rules, budget: Budget | None = None, entries: int | None = None,
    tell: Callable[[int], object] = lambda nodes: None,
) -> Proof:  # fmt: skip
    """Whether the player to move, with the stones `own`, wins an ongoing game by force; `tell` hears of the nodes.

    Who is to move is said by the order of the stones, so positions that no game leads to may be asked about.
    """
    limit, seconds = budget or Budget()
    search = _ProofSearch(rules, entries or min(ENTRIES, 1 << (3**rules.cells).bit_length()), limit)

    def watch() -> None:
        tell(int(search.nodes[0]))

    result = call(lambda: search.decide(own, other), search.stop, seconds, watch)
    watch()
    book: Book = ()
    nodes = int(search.nodes[0])
    if result == PROVED:
        search.limit, search.stop = NO_LIMIT, stop_flag()  # the budget may be spent; what is proved is only looked up
        book = call(lambda: search.book(own, other), search.stop, watch=watch)
    return Proof(own, other, rules, RESULTS[result], nodes, book)


class _ProofSearch:
    """A game with the table of one search."""

    def __init__(self, rules: Rules, entries: int, limit: int | None) -> None:
        self.geometry, self.hopes, self.table = tactics.geometry_of(rules), hopes_of(rules), new_proof_table(entries)
        self.nodes: Int64s = np.zeros(1, np.int64)
        self.limit, self.stop = limit or NO_LIMIT, stop_flag()

    def decide(self, own: int, other: int) -> int:
        return decide(own, other, self.geometry, self.hopes, self.table, self.nodes, self.limit, self.stop)

    def book(self, own: int, other: int) -> Book:
        """The winning moves of all positions that can come, a page for each two plies."""
        pages: list[Page] = []
        stones = np.array([tactics.smallest_image(own, other, self.geometry.images)[:2]], np.int64)
        while len(stones):
            moves = self.moves(stones)
            pages.append(Page(stones, moves))
            _, after, _ = replies_to(stones, moves, self.geometry)
            stones = np.unique(after[after[:, 0] >= 0], axis=0)
        return tuple(pages)

    def moves(self, stones: Int64s) -> Int64s:
        """A winning move for each of many positions that are won by force; what the table has lost is proved again."""
        moves = np.full(len(stones), -1, np.int64)
        lost = read_moves(0, stones, moves, self.geometry, self.table)
        while lost < len(stones) and self.decide(*stones[lost]) == PROVED:
            lost = read_moves(lost, stones, moves, self.geometry, self.table)
        return moves
