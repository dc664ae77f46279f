"""Whole plies, solved by many workers: O to move in memory, X to move a range of X at a time.

What a range is good for is the caller's business: a build packs it and writes it, a verification compares it.
"""

from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gridlab.core.errors import CorruptFile
from gridlab.core.stop import stop_flag
from gridlab.core.workers import in_order
from gridlab.exact.census import Census
from gridlab.exact.tablebase.blocks import a_block, shape
from gridlab.exact.tablebase.directory import PlyCounts, ScoreCounts
from gridlab.exact.tablebase.halves import halves
from gridlab.exact.tablebase.rows import Scores, fill_dead
from gridlab.exact.tablebase.scores import DEAD
from gridlab.exact.tablebase.solve import crosses_move, noughts_move
from gridlab.exact.tablebase.tally import new_counts, totals
from gridlab.games.mnk.rules import Rules

JOB = 1 << 22  # scores that a worker solves at a time, about

Result = TypeVar("Result")
Read = Callable[[range], Scores]  # the blocks of a range of X, one after the other, for the solver to write in
Advance = Callable[[int], object]  # told how many scores have been done


class Solver:
    """Solves the plies of a game from the last to the first, two by two."""

    def __init__(self, rules: Rules, counts: Census, workers: int | None, advance: Advance) -> None:
        self.rules, self.census, self.workers, self.advance = rules, counts, workers, advance
        self.halves = halves(rules)
        self.stop = stop_flag()
        odd = range(1, rules.cells + 1, 2)
        self._memory: Scores = np.empty(max((self.slots(ply) for ply in odd), default=0), np.int8)  # for each in turn

    def slots(self, ply: int) -> int:
        crosses, _, _, slots = shape(self.rules.cells, ply)
        return self.halves.count(crosses) * slots

    def noughts_ply(self, ply: int, read: Read | None) -> list[PlyCounts]:
        """Solve a ply with O to move in memory; `read` gives the blocks of the next ply. Its counts, if it has any."""
        crosses, _, _, slots = shape(self.rules.cells, ply)
        scores = self._memory[: self.slots(ply)]
        if ply == self.rules.cells:
            scores[:] = 0  # a full board without a line
            self.advance(len(scores))
            return []
        slots_after = shape(self.rules.cells, ply + 1)[3]

        def solve(job: range) -> NDArray[np.int64]:
            found = new_counts()
            after = read(job) if read else np.zeros(len(job) * slots_after, np.int8)  # full boards
            noughts_move(ply, job, scores, after, self.halves, found, self.stop)
            return found

        counts = new_counts()
        for job, found in self._run(solve, crosses, slots_after):
            counts += found
            self.advance(len(job) * slots)
        return [self._counts(ply, counts)]

    def crosses_ply(
        self, ply: int, use: Callable[[range, Scores], Result], listed: list[PlyCounts]
    ) -> Iterator[Result]:
        """Solve a ply with X to move after `noughts_ply` of the next; yields what `use` makes of each range of X.

        Its counts are added to `listed` at the end.
        """
        crosses, _, _, slots = shape(self.rules.cells, ply)
        after = self._memory[: self.slots(ply + 1)]

        def solve(job: range) -> tuple[Result, NDArray[np.int64]]:
            found = new_counts()
            blocks = np.empty(len(job) * slots, np.int8)
            crosses_move(ply, job, blocks, after, self.halves, found, self.stop)
            for block in in_blocks(blocks, slots):
                fill_dead(block, DEAD)
            return use(job, blocks), found

        counts = new_counts()
        for job, (result, found) in self._run(solve, crosses, slots):
            counts += found
            self.advance(len(job) * slots)
            yield result
        listed.append(self._counts(ply, counts))

    def _run(self, solve: Callable[[range], Result], crosses: int, slots: int) -> Iterator[tuple[range, Result]]:
        """Jobs of whole blocks, and their results in order."""
        size = a_block(slots) * max(1, JOB // (a_block(slots) * slots))
        number = self.halves.count(crosses)
        jobs = [range(first, min(first + size, number)) for first in range(0, number, size)]
        yield from zip(jobs, in_order(solve, jobs, self.workers, self.stop), strict=True)

    def _counts(self, ply: int, counts: NDArray[np.int64]) -> PlyCounts:
        """The counts of a ply, which must be those of the census."""
        every, canonical = (by_score(each) for each in totals(counts, len(self.halves.images.low)))
        known = self.census.plies[ply]
        for found, expected in ((every, known.counts.ongoing), (canonical, known.canonical.ongoing)):
            if sum(found.values()) != expected:
                raise CorruptFile(
                    f"ply {ply} of {self.rules}: {sum(found.values()):,} positions solved, the census has {expected:,}"
                )
        return PlyCounts(ply, every, canonical)


def in_blocks(scores: Scores, slots: int) -> list[Scores]:
    """The scores of a range of X, cut as they stand in the file."""
    step = a_block(slots) * slots
    return [scores[at : at + step] for at in range(0, len(scores), step)]


def by_score(counts: NDArray[np.int64]) -> ScoreCounts:
    """{"99": 12, …}: the scores that occur, dead slots left out."""
    return {str(score): int(counts[score + 128]) for score in range(-100, 101) if counts[score + 128]}
