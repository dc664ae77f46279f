"""A position solved by alpha-beta: value, distance, both for every move, and the main line; or what a budget allows."""

import time
from collections.abc import Callable
from typing import NamedTuple

from gridlab.core.arguments import typed
from gridlab.core.stop import stop_flag
from gridlab.core.workers import call
from gridlab.games.mnk.position import Position, position_of
from gridlab.games.mnk.rules import Rules
from gridlab.games.mnk.solution import Move, Solution, Value
from gridlab.search.budget import NO_LIMIT, Budget
from gridlab.search.mnk.geometry import geometry_of
from gridlab.search.mnk.null_window import ENTRIES, STOPPED, new_effort, new_transposition_table, prove
from gridlab.search.mnk.tactics import END

NAMES: dict[int, Value] = {-1: "loss", 0: "draw", 1: "win"}


class Bounds(NamedTuple):
    """The scores that a position can still have."""

    low: int
    high: int

    @property
    def known(self) -> bool:
        return self.low == self.high


class OutOfBudget(Exception):
    """Nodes or time are used up; what is known then is kept by whoever asked."""


class AlphaBetaSearch:
    """Scores of the positions of one game, with the table and history that all questions share; one at a time."""

    def __init__(self, rules: Rules, entries: int | None = None) -> None:
        """A table of 2^22 entries unless told otherwise; a small game never fills it and gets a smaller one."""
        self.rules = rules
        entries = entries or min(ENTRIES, 1 << (3**rules.cells).bit_length())
        self.geometry, self.table, self.effort = geometry_of(rules), new_transposition_table(entries), new_effort(rules)
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
    position: Position | str,
    budget: Budget | None = None,
    value_only: bool = False,
    search: AlphaBetaSearch | None = None,
    tell: Callable[[int, int], object] = lambda moves, nodes: None,
    show: Callable[[Solution], object] | None = None,
) -> Solution:
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
        nodes = search.nodes - before
        source = f"alpha-beta, {nodes:,} {'node' if nodes == 1 else 'nodes'}"
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
    search: AlphaBetaSearch,
    position: Position,
    moves: list[int],
    value_only: bool,
    known: dict[int, Bounds],
    done: list[int],
) -> bool:
    """Fill `known` with the bounds of every move for its maker; whether the budget was enough for all to be `done`."""
    most = END - position.ply - 1
    known.update((cell, Bounds(-most, most)) for cell in sorted(moves))
    for cell in moves:

        def know(bounds: Bounds, cell: int = cell) -> None:
            known[cell] = Bounds(-bounds.high, -bounds.low)

        ask = search.value if value_only else search.score
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
        low, high = sign(bounds.low), sign(bounds.high)
        value = NAMES[low] if low == high else "unknown"
        if value == "unknown" or (not bounds.known and low != 0) or value_only:
            return value, None
        empty = position.rules.cells - position.ply
        return value, (empty if value == "draw" else END - abs(bounds.low) - position.ply)

    over = position.outcome() is not None
    value, distance = words(bounds)
    moves = tuple(Move(cell, *words(each)) for cell, each in known.items())
    least, most = NAMES[sign(bounds.low)], NAMES[sign(bounds.high)]
    return Solution(position, value, 0 if over else distance, moves, tuple(line), source, least, most)


def sign(number: int) -> int:
    return (number > 0) - (number < 0)
