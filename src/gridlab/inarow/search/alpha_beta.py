"""A position solved by alpha-beta: value, distance, both for every move, and the main line; or what a budget allows."""

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.arguments import counted, typed
from gridlab.core.bits import Stop, lowest_bit, lowest_cell, place_of, popcount, stopped
from gridlab.core.jit import kernel
from gridlab.core.run import call, stop_flag
from gridlab.inarow.kernels import Int64s
from gridlab.inarow.position import Position, position_of
from gridlab.inarow.rules import Rules
from gridlab.inarow.search import geometry as tactics
from gridlab.inarow.search.geometry import END, OTHER, OTHER_WINS, OWN, OWN_LOSSES, OWN_WINS, POSITION, Frames, Geometry
from gridlab.inarow.solution import NO_LIMIT, Budget, Move, Solution, Value

# ---- Is the score of a position at least so much? Alpha-beta with an empty window: one loop, and what happens to a ply
#
# An empty window (null window) is the question "at least the bound?", asked first by Pearl's SCOUT (1980).
#
# What a node knows without search:
#     a cell that wins                      taken: the game ends with this stone
#     the opponent threatens one cell       it must be filled; if that would lose, anything else holds out one ply
# longer
#     the opponent threatens several        lost with the opponent's next stone
#     every free cell loses                 lost with this stone
#     a move that threatens two cells, or   wins with the next stone but one, if the opponent does not win first
#     one that the opponent cannot fill
#
# The plies of the search have frames instead of a recursion:
#
#     OWN … OTHER_LOSSES                    the position (see tactics)
#     BOUND                                 what its score is to reach
#     KEY_OWN KEY_OTHER SYMMETRY ENTRY      its smallest image, the way there, its entry in the table
#     LISTED TRIED                          moves listed, and moves whose score is known
#     BEST CHOSEN                           the best score so far, and its move
#     KILLER OLD_KILLER                     the moves that were enough last at this ply, whatever the position
#
# An array that a kernel uses last on one of two ways, or before an early return, is counted (an atomic operation) at
# each call, even if the call is inlined. So the parts of this loop read first, choose then, and return at the end.


ENTRIES = 1 << 22  # of a table: 20 bytes each
STOPPED = 127  # in the place of a score
FIRST, THREAT, KILLED = 1 << 60, 1 << 50, 1 << 45  # what orders moves before their history does
COLUMNS = POSITION + 11
BOUND, KEY_OWN, KEY_OTHER, SYMMETRY, ENTRY, LISTED, TRIED, BEST, CHOSEN, KILLER, OLD_KILLER = range(POSITION, COLUMNS)

Moves = Int64s  # [ply, place]: cells, the most promising first; and their weights


class TranspositionTable(NamedTuple):
    """What has been found out: bounds and best move of positions, each in the one entry its key leads to."""

    own: Int64s  # [entry]: stones of the player to move
    other: Int64s  # [entry]
    facts: NDArray[np.int32]  # [entry]: lower bound + 128, upper bound + 128, best cell + 1, a byte each; 0 if empty


class Effort(NamedTuple):
    """What a search has cost and learnt; carried from one question to the next."""

    nodes: Int64s  # [1]
    history: Int64s  # [player, cell]: how often a move was enough, weighed by the cells left


def new_transposition_table(entries: int = ENTRIES) -> TranspositionTable:
    """Room for a power of two of positions."""
    return TranspositionTable(*tactics.columns(entries, "int64 int64 int32"))


@kernel
def prove(
    own: int, other: int, bound: int, geometry: Geometry, table: TranspositionTable, effort: Effort, limit: int,
    stop: Stop,
) -> int:  # fmt: skip
    """Whether the score of an ongoing position is at least `bound`: a lower bound that is, or an upper one that is not.

    STOPPED if `effort.nodes` has reached the limit, or `stop` is set.
    """
    cells, winning, losing = geometry.cells, geometry.winning, geometry.losing
    images, maps, back = geometry.images, geometry.maps, geometry.back
    keys_own, keys_other, facts = table.own, table.other, table.facts
    nodes, history = effort.nodes, effort.history
    root = popcount(own | other)
    plies = cells - root + 2
    frames, weights = np.empty((plies, COLUMNS), np.int64), np.empty((plies, cells), np.int64)
    moves = np.empty((plies, cells), np.int64)
    tactics.put_position(own, other, frames, geometry.runs)
    frames[0, BOUND] = bound
    for ply in range(plies):
        frames[ply, KILLER], frames[ply, OLD_KILLER] = -1, -1
    stones = root
    while True:
        ply = stones - root
        nodes[0] += 1
        if nodes[0] > limit or (nodes[0] & 4095 == 0 and stopped(stop)):
            return STOPPED
        # enter the position
        free = (1 << cells) - 1 & ~(frames[ply, OWN] | frames[ply, OTHER])
        own_wins, own_losses, other_wins = frames[ply, OWN_WINS], frames[ply, OWN_LOSSES], frames[ply, OTHER_WINS]
        score, safe = tactics.glance(free, own_wins, own_losses, other_wins, stones)
        if score == tactics.UNDECIDED:
            score = limit_of(stones, frames[ply, BOUND])
        if score == tactics.UNDECIDED:
            key_own, key_other, symmetry = tactics.smallest_image(frames[ply, OWN], frames[ply, OTHER], images)
            score, hint = probe(key_own, key_other, symmetry, ply, frames, back, keys_own, keys_other, facts)
        if score == tactics.UNDECIDED:
            score = list_moves(safe, free, hint, stones, ply, frames, moves, weights, winning, history)
        # return from it and from those above that are finished with it
        while score != tactics.UNDECIDED:
            if ply == 0:
                return score
            ply, stones = ply - 1, stones - 1
            score = take_back(-score, ply, frames, moves)
            if score >= frames[ply, BOUND]:
                remember(frames[ply, CHOSEN], (cells - stones) ** 2, stones & 1, ply, frames, history)
            if score != tactics.UNDECIDED:
                store(score, stones, ply, frames, maps, keys_own, keys_other, facts)
        # try the next move
        tactics.make_move(moves[ply, frames[ply, TRIED]], ply, frames, winning, losing)
        frames[ply + 1, BOUND] = 1 - frames[ply, BOUND]
        stones += 1


@kernel
def limit_of(stones: int, bound: int) -> int:
    """The best or worst score that a position can still have, if that answers the question."""
    if bound <= stones + 2 - END:
        return stones + 2 - END
    return END - stones - 2 if bound > END - stones - 2 else tactics.UNDECIDED


@kernel
def probe(
    key_own: int, key_other: int, symmetry: int, ply: int, frames: Frames, back: Int64s, keys_own: Int64s,
    keys_other: Int64s, facts: NDArray[np.int32],
) -> tuple[int, int]:  # fmt: skip
    """The score of a position if the table answers the question; and else its best move there, or -1."""
    entry = place_of(key_own, key_other, len(facts))
    frames[ply, KEY_OWN], frames[ply, KEY_OTHER] = key_own, key_other
    frames[ply, SYMMETRY], frames[ply, ENTRY] = symmetry, entry
    fact, bound = facts[entry], frames[ply, BOUND]
    low, high, move = (fact & 255) - 128, (fact >> 8 & 255) - 128, fact >> 16
    hint = back[symmetry, max(0, move - 1)]
    known = (fact != 0) & (keys_own[entry] == key_own) & (keys_other[entry] == key_other)
    if known and low >= bound:
        return low, -1
    if known and high < bound:
        return high, -1
    return tactics.UNDECIDED, hint if known and move != 0 else -1


@kernel
def list_moves(
    safe: int, free: int, hint: int, stones: int, ply: int, frames: Frames, moves: Moves, weights: Moves,
    winning: tactics.LinesThrough, history: Int64s,
) -> int:  # fmt: skip
    """List the safe moves, the most promising first; or the score of a threat that cannot be met, if that is enough."""
    score, number, by_threat = tactics.UNDECIDED, 0, END - stones - 3
    own, bound, killer, old_killer = frames[ply, OWN], frames[ply, BOUND], frames[ply, KILLER], frames[ply, OLD_KILLER]
    traps = frames[ply, tactics.OTHER_LOSSES] & ~frames[ply, OTHER_WINS]
    while safe != 0:
        stone = lowest_bit(safe)
        safe ^= stone
        cell = lowest_cell(stone)
        weight = history[stones & 1, cell]
        threats = tactics.gained(own | stone, cell, winning) & free & ~stone
        if threats != 0:
            weight += THREAT
            # two threats at once, or one that the opponent may not fill, win (Allis, Searching for Solutions, 1994):
            # the opponent, whose own threat this move has met if there was one, fills one cell at most
            if by_threat >= bound and (threats & (threats - 1) != 0 or threats & traps != 0):
                score, safe = by_threat, 0
        if cell == hint:
            weight += FIRST
        elif cell in (killer, old_killer):
            weight += KILLED
        place = number
        while place > 0 and weights[ply, place - 1] < weight:
            weights[ply, place], moves[ply, place] = weights[ply, place - 1], moves[ply, place - 1]
            place -= 1
        weights[ply, place], moves[ply, place] = weight, cell
        number += 1
    frames[ply, LISTED], frames[ply, TRIED], frames[ply, BEST], frames[ply, CHOSEN] = number, 0, stones + 2 - END, -1
    return score


@kernel
def take_back(score: int, ply: int, frames: Frames, moves: Moves) -> int:
    """Take back the move just tried, which has this score: the score of the position if that settles it."""
    cell = moves[ply, frames[ply, TRIED]]
    frames[ply, TRIED] += 1
    if score > frames[ply, BEST]:
        frames[ply, BEST], frames[ply, CHOSEN] = score, cell
    settled = (frames[ply, BEST] >= frames[ply, BOUND]) | (frames[ply, TRIED] == frames[ply, LISTED])
    return frames[ply, BEST] if settled else tactics.UNDECIDED


@kernel
def remember(cell: int, weight: int, player: int, ply: int, frames: Frames, history: Int64s) -> None:
    """A move was enough: it is tried early elsewhere."""
    history[player, cell] += weight
    older = frames[ply, OLD_KILLER] if frames[ply, KILLER] == cell else frames[ply, KILLER]
    frames[ply, KILLER], frames[ply, OLD_KILLER] = cell, older


@kernel
def store(
    score: int, stones: int, ply: int, frames: Frames, maps: Int64s, keys_own: Int64s, keys_other: Int64s,
    facts: NDArray[np.int32],
) -> None:  # fmt: skip
    """Write a settled position into its entry, over whichever stood there; a second bound joins the first."""
    entry, key_own, key_other = frames[ply, ENTRY], frames[ply, KEY_OWN], frames[ply, KEY_OTHER]
    low, high = stones + 2 - END, END - stones - 2
    if facts[entry] != 0 and keys_own[entry] == key_own and keys_other[entry] == key_other:
        low, high = (facts[entry] & 255) - 128, (facts[entry] >> 8 & 255) - 128
    if score >= frames[ply, BOUND]:
        low = max(low, score)
    else:
        high = min(high, score)
    chosen = frames[ply, CHOSEN]
    move = 0 if chosen < 0 else maps[frames[ply, SYMMETRY], chosen] + 1
    keys_own[entry], keys_other[entry] = key_own, key_other
    facts[entry] = (low + 128) | (high + 128) << 8 | move << 16


# ---- A position solved by alpha-beta: value, distance, both for every move, and the main line; or what a budget allows


NAMES: dict[int, Value] = {-1: "loss", 0: "draw", 1: "win"}


class Bounds(NamedTuple):
    """The scores that a position can still have."""

    low: int
    high: int

    @property
    def known(self) -> bool:
        return self.low == self.high

    @property
    def values(self) -> tuple[Value, Value]:
        """Loss, draw or win: what is known at least, and at most."""
        low, high = (NAMES[(score > 0) - (score < 0)] for score in self)
        return low, high


class OutOfBudget(Exception):
    """Nodes or time are used up; what is known then is kept by whoever asked."""


class AlphaBetaSearch:
    """Scores of the positions of one game, with the table and history that all questions share; one at a time."""

    def __init__(self, rules: Rules, entries: int | None = None) -> None:
        """A table of 2^22 entries unless told otherwise; a small game never fills it and gets a smaller one."""
        self.rules = rules
        entries = entries or min(ENTRIES, 1 << (3**rules.cells).bit_length())
        self.table = new_transposition_table(entries)
        self.effort = Effort(np.zeros(1, np.int64), np.zeros((2, rules.cells), np.int64))
        self.geometry = tactics.geometry_of(rules)
        self.stop = stop_flag()
        prove(0, 0, 0, self.geometry, self.table, self.effort, 0, self.stop)  # compiled before any clock runs
        self.effort.nodes[0] = 0
        self.limit = NO_LIMIT

    def allow(self, nodes: int | None) -> None:
        """So many more nodes, None for any number; whatever stopped the search before is forgotten."""
        self.limit = NO_LIMIT if nodes is None else self.nodes + nodes
        self.stop = stop_flag()

    @property
    def nodes(self) -> int:
        return int(self.effort.nodes[0])

    def reaches(self, position: Position, bound: int) -> bool:
        """Whether the score of an ongoing position is at least `bound`."""
        own, other = position.own, position.other
        score = prove(own, other, bound, self.geometry, self.table, self.effort, self.limit, self.stop)
        if score == STOPPED:
            raise OutOfBudget
        return score >= bound

    def value(self, position: Position, know: Callable[[Bounds], object]) -> Bounds:
        """Win, draw or loss, as bounds of which only the signs count; `know` is told what is known so far."""
        if (score := finished(position)) is not None:
            return Bounds(score, score)
        most = END - position.ply - 1
        if not self.reaches(position, 0):
            return Bounds(-most, -most)
        know(Bounds(0, most))
        won = self.reaches(position, 1)
        return Bounds(most, most) if won else Bounds(0, 0)

    def score(self, position: Position, know: Callable[[Bounds], object]) -> Bounds:
        """The exact score, by asking who wins by stone t for one t after the other."""
        if (score := finished(position)) is not None:
            return Bounds(score, score)
        for t in range(position.ply + 1, self.rules.cells + 1):
            if self.reaches(position, END - t):
                return Bounds(END - t, END - t)
            know(Bounds(t - END + 1, END - t - 1) if t < self.rules.cells else Bounds(t - END, 0))
            if not self.reaches(position, t - END + 1):
                return Bounds(t - END, t - END)
            know(Bounds(t - END + 1, END - t - 1))
        return Bounds(0, 0)

    def line(self, position: Position, score: int) -> list[int]:
        """Best moves to the end of the game, the first of equals; shorter if the budget ends."""
        played: list[int] = []
        while position.outcome() is None:
            try:
                best = next(cell for cell in position.moves() if self._at_most(position.play(cell), -score))
            except OutOfBudget:
                break
            played.append(best)
            position, score = position.play(best), -score
        return played

    def _at_most(self, position: Position, score: int) -> bool:
        ended = finished(position)
        return ended <= score if ended is not None else not self.reaches(position, score + 1)


def finished(position: Position) -> int | None:
    """The score of a finished game for the player who would be next; None if it goes on."""
    outcome = position.outcome()
    if outcome is None:
        return None
    if outcome.winner is None:
        return 0
    return END - position.ply if outcome.winner == position.to_move else position.ply - END


@typed
def solve(
    position: Position | str, budget: Budget | None = None, value_only: bool = False,
    search: AlphaBetaSearch | None = None, tell: Callable[[int, int], object] = lambda moves, nodes: None,
    show: Callable[[Solution], object] | None = None,
) -> Solution:  # fmt: skip
    """The exact value and distance of a position and of each of its moves, and the main line.

    When the budget ends the value may be `unknown`, between `at_least` and `at_most`. `tell` hears now and then how
    many moves are done, and the nodes so far; `show` what is known, whenever that is one move more: cells on many lines
    come first then, for they are known sooner. A `search` that is handed in keeps its table for the next question: the
    same one, asked again, goes on where it was stopped. The text of a board will do where its size tells the game.
    """
    position = position_of(position).require_legal()
    search = search or AlphaBetaSearch(position.rules)
    before, begun = search.nodes, time.monotonic()
    nodes, seconds = budget or Budget()
    search.allow(nodes)
    known: dict[int, Bounds] = {}
    done: list[int] = []
    shown = 0

    def watch() -> None:
        nonlocal shown
        tell(len(done), search.nodes - before)
        if show and len(done) > shown:
            shown = len(done)
            show(so_far([]))

    def so_far(line: list[int]) -> Solution:
        source = f"alpha-beta, {counted(search.nodes - before, 'node')}"
        return _solution(position, _of_moves(position, known), dict(known), value_only, line, source)

    moves = _by_lines(position) if show else position.moves()
    ended = call(lambda: _solve_moves(search, position, moves, value_only, known, done), search.stop, seconds, watch)
    watch()
    bounds = _of_moves(position, known)
    line: list[int] = []
    if ended and bounds.known and not value_only:
        left = None if seconds is None else max(0.0, seconds - (time.monotonic() - begun))
        line = call(lambda: search.line(position, bounds.low), search.stop, left)
    return so_far(line)


def _by_lines(position: Position) -> list[int]:
    """The moves, those on many lines first."""
    lines = position.rules.winning_lines + position.rules.losing_lines
    return sorted(position.moves(), key=lambda cell: -sum(line >> cell & 1 for line in lines))


def _solve_moves(
    search: AlphaBetaSearch, position: Position, moves: list[int], value_only: bool, known: dict[int, Bounds],
    done: list[int],
) -> bool:  # fmt: skip
    """Fill `known` with the bounds of every move for its maker; whether the budget was enough for all to be `done`."""
    most = END - position.ply - 1
    known.update((cell, Bounds(-most, most)) for cell in sorted(moves))
    ask = search.value if value_only else search.score
    for cell in moves:

        def know(bounds: Bounds, cell: int = cell) -> None:
            known[cell] = Bounds(-bounds.high, -bounds.low)

        try:
            know(ask(position.play(cell), know))
        except OutOfBudget:
            return False
        done.append(cell)
    return True


def _of_moves(position: Position, known: dict[int, Bounds]) -> Bounds:
    """The bounds of a position from those of its moves."""
    if (score := finished(position)) is not None:
        return Bounds(score, score)
    return Bounds(max(each.low for each in known.values()), max(each.high for each in known.values()))


def _solution(
    position: Position, bounds: Bounds, known: dict[int, Bounds], value_only: bool, line: list[int], source: str
) -> Solution:
    def words(bounds: Bounds) -> tuple[Value, int | None]:
        value, most = bounds.values
        if value != most:
            return "unknown", None
        if value_only or (not bounds.known and value != "draw"):
            return value, None
        return value, (position.rules.cells if value == "draw" else END - abs(bounds.low)) - position.ply

    value, distance = words(bounds)
    moves = tuple(Move(cell, *words(each)) for cell, each in known.items())
    return Solution(position, value, 0 if position.over else distance, moves, tuple(line), source, *bounds.values)
