"""A forced win, proved: the moves that the winner needs to know, checked against every reply by the rules alone.

prove_win(own, other, rules)    -> Proof: proved, refuted or unknown
Proof.book                      for every position the winner can come to, up to symmetry, the winning move, ply by ply
Proof.flaw()                    walks the whole book by the rules: None, or what is wrong with it
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gridlab.core.arguments import typed
from gridlab.core.errors import IllegalMove
from gridlab.core.numbers import counted
from gridlab.core.shown import Sheet, shown
from gridlab.core.stop import stop_flag
from gridlab.core.workers import call
from gridlab.games import notation
from gridlab.games.mnk.position import Position, position_of
from gridlab.games.mnk.rules import Rules
from gridlab.search.budget import NO_LIMIT, Budget
from gridlab.search.mnk.geometry import geometry_of, smallest_image
from gridlab.search.mnk.proof_book import Book, Page, flaw_of, lengths_of, line_of, read_moves, replies_to
from gridlab.search.mnk.proof_kernel import (
    ENTRIES,
    PROVED,
    REFUTED,
    UNKNOWN,
    decide,
    hopes_of,
    new_proof_table,
)

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
        return int(lengths_of(self.book, geometry_of(self.rules))[0][0]) if self.book else None

    @cached_property
    def line(self) -> tuple[int, ...]:
        """The winner's moves from the book against the replies that hold out longest."""
        return tuple(line_of(self.book, self.own, self.other, geometry_of(self.rules)))

    def flaw(self) -> str | None:
        """None if the book wins against every reply by the rules; else what is wrong."""
        if self.result != "proved":
            return "nothing is proved"
        return flaw_of(self.book, self.own, self.other, geometry_of(self.rules))

    def as_dict(self) -> dict[str, Any]:
        """For `--json`."""
        sides = self.rules.rows, self.rules.cols
        return {
            "rules": str(self.rules),
            "forced_win": {"proved": True, "refuted": False, "unknown": None}[self.result],
            "nodes": self.nodes,
            "proof_positions": self.size,
            "plies": self.plies,
            "line": [notation.move_text(cell, *sides) for cell in self.line],
        }

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
        line = " ".join(notation.move_text(cell, self.rules.rows, self.rules.cols) for cell in self.line)
        plies = counted(self.plies or 0, "ply", "plies")
        return (
            f"the player to move wins by force within {plies}: proved in {counted(self.nodes, 'node')}\n"
            f"the proof has a move for each of {counted(self.size, 'position')}, up to symmetry\n"
            f"main line: {line}"
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
    own: int,
    other: int,
    rules: Rules,
    budget: Budget | None = None,
    entries: int | None = None,
    tell: Callable[[int], object] = lambda nodes: None,
) -> Proof:
    """Whether the player to move, with the stones `own`, wins an ongoing game by force; `tell` hears of the nodes.

    Who is to move is said by the order of the stones, so positions that no game leads to may be asked about.
    """
    limit, seconds = budget or Budget()
    search = _ProofSearch(rules, entries or min(ENTRIES, 1 << (3**rules.cells).bit_length()), limit)

    def watch() -> None:
        tell(int(search.nodes[0]))

    result = call(lambda: search.decide(own, other), search.stop, seconds, watch)
    watch()
    nodes = int(search.nodes[0])
    if result != PROVED:
        return Proof(own, other, rules, RESULTS[result], nodes, ())
    search.limit, search.stop = NO_LIMIT, stop_flag()  # the budget may be spent; what is proved is only looked up again
    book = call(lambda: search.book(own, other), search.stop, watch=watch)
    return Proof(own, other, rules, "proved", nodes, book)


class _ProofSearch:
    """A game with the table of one search."""

    def __init__(self, rules: Rules, entries: int, limit: int | None) -> None:
        self.geometry, self.hopes, self.table = geometry_of(rules), hopes_of(rules), new_proof_table(entries)
        self.nodes: NDArray[np.int64] = np.zeros(1, np.int64)
        self.limit, self.stop = limit or NO_LIMIT, stop_flag()

    def decide(self, own: int, other: int) -> int:
        return decide(own, other, self.geometry, self.hopes, self.table, self.nodes, self.limit, self.stop)

    def book(self, own: int, other: int) -> Book:
        """The winning moves of all positions that can come, a page for each two plies."""
        pages: list[Page] = []
        stones = np.array([smallest_image(own, other, self.geometry.images)[:2]], np.int64)
        while len(stones):
            moves = self.moves(stones)
            pages.append(Page(stones, moves))
            _, after, _ = replies_to(stones, moves, self.geometry)
            stones = np.unique(after[after[:, 0] >= 0], axis=0)
        return tuple(pages)

    def moves(self, stones: NDArray[np.int64]) -> NDArray[np.int64]:
        """A winning move for each of many positions that are won by force; what the table has lost is proved again."""
        moves = np.full(len(stones), -1, np.int64)
        lost = read_moves(0, stones, moves, self.geometry, self.table)
        while lost < len(stones) and self.decide(*stones[lost]) == PROVED:
            lost = read_moves(lost, stones, moves, self.geometry, self.table)
        return moves
