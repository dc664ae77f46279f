"""How many positions a game has: by ply, by outcome, up to symmetry. Counted, not listed.

A legal position is a pair of disjoint sets: the player who moved last has a set without a line (the game goes on)
or one whose lines all pass through one last move (it just ended); the other has a set without a line. So a ply is
counted by asking, for each set of the mover, how many line-free sets of the other's size avoid it: a sum over the
subsets of its complement, and one fast zeta transform gives that sum for all 2^cells complements at once.

Up to symmetry (Burnside's lemma): the number of orbits is the mean, over the symmetries, of the number of positions
each leaves unchanged. A set is unchanged when it is a union of the symmetry's cycles, so the same count runs over
2^cycles unions instead of 2^cells sets; the identity, whose cycles are single cells, is just one of the cases.

What is not legal comes for free: the same sets of the mover with those others that do have a line.

Games come for free: before an ending with n possible last moves every order of the other stones is a game, so the
ending closes n · (mover's stones − 1)! · (other's stones)! games.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, fields
from functools import partial
from math import comb, factorial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core import draw
from gridlab.core.arguments import counted, typed
from gridlab.core.bits import Stop, int64, lowest_bit, lowest_cell, popcount, stopped
from gridlab.core.draw import AsJson, facts
from gridlab.core.errors import TooLarge
from gridlab.core.jit import inner, kernel
from gridlab.core.progress import bar
from gridlab.core.run import available_cores, in_order, stop_flag
from gridlab.games.grid import symmetries
from gridlab.games.registry import game
from gridlab.inarow.kernels import NO_LAST_MOVE, ending, runs_of
from gridlab.inarow.rules import Rules

CENSUS_CELLS = 25  # 2^25 sets: 200 MiB and some seconds; each further cell doubles both
BLOCK = 1 << 18  # sets classified in one job
MAX_TABLES = 4  # tables of 2^cells numbers, 128 MiB each for 25 cells, that exist at a time
IN_CACHE = 1 << 15  # table entries that stay in a core's own cache


# ---- what is counted


@dataclass(frozen=True, slots=True)
class OutcomeCounts:
    """Legal positions by outcome."""

    ongoing: int = 0
    x_wins: int = 0
    o_wins: int = 0
    draws: int = 0

    @property
    def legal(self) -> int:
        return self.ongoing + self.x_wins + self.o_wins + self.draws

    @property
    def not_won(self) -> int:
        return self.ongoing + self.draws

    def __add__(self, other: "OutcomeCounts") -> "OutcomeCounts":
        return OutcomeCounts(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))

    def as_dict(self) -> dict[str, int]:
        return {"legal": self.legal, **facts(self)}


class IllegalCounts(NamedTuple):
    """Arrangements that no game leads to, by the reason (gridlab.inarow.position.Flaw)."""

    two_winners: int
    play_after_win: int
    no_last_move: int

    @property
    def all(self) -> int:
        return sum(self)

    def as_dict(self) -> dict[str, int]:
        return {"illegal": self.all, **facts(self)}


class PlyCensus(NamedTuple):
    """The positions after `ply` moves."""

    ply: int
    arrangements: int  # ways to place the stones, whether or not the game is over before
    counts: OutcomeCounts
    canonical: OutcomeCounts  # the same up to symmetry
    illegal: IllegalCounts

    @property
    def crosses(self) -> int:
        return (self.ply + 1) // 2

    @property
    def noughts(self) -> int:
        return self.ply // 2


@draw.shown
@dataclass(frozen=True)
class Census:
    """Every legal position of a game, counted."""

    rules: Rules
    plies: tuple[PlyCensus, ...]
    games: int

    @property
    def arrangements(self) -> int:
        return sum(ply.arrangements for ply in self.plies)

    @property
    def counts(self) -> OutcomeCounts:
        return sum((ply.counts for ply in self.plies), OutcomeCounts())

    @property
    def canonical(self) -> OutcomeCounts:
        return sum((ply.canonical for ply in self.plies), OutcomeCounts())

    @property
    def illegal(self) -> IllegalCounts:
        return IllegalCounts(*(sum(column) for column in zip(*(ply.illegal for ply in self.plies), strict=True)))

    def as_dict(self) -> AsJson:
        """For `--json`."""

        def row(each: "Census | PlyCensus") -> AsJson:
            counts, illegal = each.counts.as_dict(), each.illegal.as_dict()
            return facts(each, "arrangements") | counts | facts(each, "canonical") | illegal

        plies = [{"ply": ply.ply, **self._stones(ply), **row(ply)} for ply in self.plies]
        return {"rules": str(self.rules), "plies": plies, "totals": row(self), "games": self.games}

    def _stones(self, ply: PlyCensus) -> dict[str, int]:
        return {"crosses": ply.crosses, "noughts": ply.noughts, "empty": self.rules.cells - ply.ply}

    def derivation(self) -> str:
        """From all fillings of the board to the legal positions."""
        cells, counts, illegal = self.rules.cells, self.counts, self.illegal
        return "\n".join(
            [
                f"3^{cells} = {3**cells:,} ways to fill {cells} cells with X, O or nothing",
                f"-> {self.arrangements:,} with as many X as O or one more: {cells}!/(e!·x!·o!) summed over the plies",
                f"-> {self.arrangements:,} - {illegal.all:,} that no game leads to = {counts.legal:,} legal positions",
                f"   {illegal.play_after_win:,} play on after the end, {illegal.two_winners:,} have two winners"
                + (f", {illegal.no_last_move:,} have lines that no last move explains" if illegal.no_last_move else ""),
                f" = {counts.ongoing:,} ongoing + {counts.x_wins:,} won by X + {counts.o_wins:,} won by O"
                f" + {counts.draws:,} drawn; {counts.not_won:,} are not won",
                f"{self.canonical.legal:,} legal positions up to symmetry",
                f"{counted(self.games, 'game')} (sequences of moves to the end)",
            ]
        )

    def _in_short(self) -> str:
        symmetric = f"{self.canonical.legal:,} up to symmetry"
        return f"{self.rules}: {self.counts.legal:,} legal positions, {symmetric}, {_told(self.games)} games"

    def _sheet(self) -> draw.Sheet:
        header = ["ply", "arrangements", "legal", "ongoing", "X wins", "O wins", "draws", "up to symmetry"]
        rows = [(ply.ply, ply.arrangements, *ply.counts.as_dict().values(), ply.canonical.legal) for ply in self.plies]
        total = ("all", self.arrangements, *self.counts.as_dict().values(), self.canonical.legal)
        games = f"{self.games:,} games (sequences of moves to the end)"
        return draw.Sheet(f"Positions of {self.rules}", header, [*rows, total], [games])

    def __str__(self) -> str:
        header = ["ply", "X", "O", "empty", "arrangements", "legal", "ongoing", "X wins", "O wins", "draws"]
        raw = [
            (ply.ply, *self._stones(ply).values(), ply.arrangements, *ply.counts.as_dict().values())
            for ply in self.plies
        ]
        orbits = [(ply.ply, *ply.canonical.as_dict().values()) for ply in self.plies]
        return "\n".join([
            f"Positions of {self.rules}",
            draw.table(header, [*raw, ("all", "", "", "", self.arrangements, *self.counts.as_dict().values())]), "",
            "Up to symmetry",
            draw.table(header[:1] + header[5:], [*orbits, ("all", *self.canonical.as_dict().values())]), "",
            self.derivation(),
        ])  # fmt: skip


def _told(number: int) -> str:
    """A number in a few characters."""
    return f"{number:,}" if number < 10**15 else f"{number:.3e}"


# ---- how it is counted

# Columns of the counts of a ply: the mover has no line, has just won or lost; the sum of all possible last moves; and
# of pairs that are no positions (of the identity alone): both have a line, the other alone has, no last move explains.
COUNT_FREE, COUNT_WON, COUNT_LOST, COUNT_LAST_MOVES, COUNT_BOTH, COUNT_OTHER, COUNT_NO_LAST = range(7)


@typed
def census(rules: Rules | str, workers: int | None = None, progress: bool = False) -> Census:
    """Count every legal position of a game with up to 25 cells."""
    rules = game(rules, "mnk")
    if rules.cells > CENSUS_CELLS:
        raise TooLarge(
            f"the census of {rules} needs tables of 2^{rules.cells} sets; it takes boards of up to {CENSUS_CELLS} cells"
        )
    fixed, orbits = _counted(rules, range(rules.cells + 1), workers, progress)
    plies = tuple(_ply(rules, ply, fixed, orbits) for ply in range(rules.cells + 1))
    return Census(rules, plies, sum(_games(rules, ply, fixed[ply]) for ply in range(rules.cells + 1)))


def count_plies(
    rules: Rules, plies: Collection[int], workers: int | None = None, progress: bool = False
) -> dict[int, PlyCensus]:
    """The part of the census about some plies, in less time."""
    fixed, orbits = _counted(rules, plies, workers, progress)
    return {ply: _ply(rules, ply, fixed, orbits) for ply in plies}


def _counted(
    rules: Rules, plies: Collection[int], workers: int | None, progress: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """`count_pairs` of single positions and of positions up to symmetry."""
    group = symmetries(rules.rows, rules.cols)
    cycles = [np.array(symmetry.cycles(), dtype=np.int64) for symmetry in group]
    halves = sorted({ply // 2 for ply in plies})
    with bar(sum(len(halves) << len(each) for each in cycles), f"census of {rules}", "sets", progress) as shown:
        pairs = np.array([count_pairs(rules, each, halves, workers, shown.update) for each in cycles])
    return pairs[0], pairs.sum(axis=0) // len(group)


def _ply(rules: Rules, ply: int, fixed: NDArray[np.int64], orbits: NDArray[np.int64]) -> PlyCensus:
    arrangements = comb(rules.cells, ply) * comb(ply, ply // 2)  # cells! / (empty! · crosses! · noughts!)
    every, canonical = _counts(rules, ply, fixed[ply]), _counts(rules, ply, orbits[ply])
    return PlyCensus(ply, arrangements, every, canonical, IllegalCounts(*fixed[ply, COUNT_BOTH:].tolist()))


def _counts(rules: Rules, ply: int, row: NDArray[np.int64]) -> OutcomeCounts:
    """A row of `count_pairs` by winner: the mover is X at odd plies."""
    free, won, lost = (int(count) for count in row[:COUNT_LAST_MOVES])
    x_wins, o_wins = (won, lost) if ply % 2 else (lost, won)
    return OutcomeCounts(0, x_wins, o_wins, free) if ply == rules.cells else OutcomeCounts(free, x_wins, o_wins)


def _games(rules: Rules, ply: int, row: NDArray[np.int64]) -> int:
    """The games that end at this ply."""
    mover, other = (ply + 1) // 2, ply // 2
    if ply % 2 == 0:
        mover, other = other, mover
    ended = int(row[COUNT_LAST_MOVES]) * factorial(max(mover - 1, 0)) * factorial(other)
    drawn = int(row[COUNT_FREE]) * factorial(mover) * factorial(other) if ply == rules.cells else 0
    return ended + drawn


def count_pairs(
    rules: Rules, cycles: NDArray[np.int64], halves: Sequence[int], workers: int | None,
    advance: Callable[[int], object],
) -> NDArray[np.int64]:  # fmt: skip
    """The positions made of whole cycles: int64[ply, (COUNT_FREE, COUNT_WON, …)], as far as ply // 2 is in `halves`."""
    sizes, endings = classify(rules, cycles, workers)
    stop = stop_flag()
    pairs = np.zeros((rules.cells + 2, COUNT_NO_LAST + 1), dtype=np.int64)
    count = partial(count_pairs_of_size, sizes=sizes, endings=endings, pairs=pairs, stop=stop)
    threads = min(workers or available_cores(), MAX_TABLES)
    for _ in in_order(count, halves, threads, stop):
        advance(len(sizes))
    return pairs


def classify(
    rules: Rules, cycles: NDArray[np.int64], workers: int | None = None
) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Number of stones and `ending` of every union of cycles, two int8[union]; bit i of a union is cycle i."""
    sizes = np.empty(1 << len(cycles), dtype=np.int8)
    endings = np.empty_like(sizes)
    block = partial(classify_block, cycles=cycles, runs=runs_of(rules), sizes=sizes, endings=endings)
    for _ in in_order(block, range(0, len(sizes), BLOCK), workers):
        pass
    return sizes, endings


@kernel
def classify_block(
    first: int, cycles: NDArray[np.int64], runs: NDArray[np.int64], sizes: NDArray[np.int8], endings: NDArray[np.int8]
) -> None:
    """`classify` for the BLOCK unions from `first` on."""
    for index in range(first, min(first + BLOCK, len(sizes))):
        stones = 0
        rest = index
        while rest != 0:
            stones |= cycles[lowest_cell(rest)]
            rest ^= lowest_bit(rest)
        sizes[index] = popcount(stones)
        endings[index] = ending(stones, runs)


def count_pairs_of_size(
    size: int, sizes: NDArray[np.int8], endings: NDArray[np.int8], pairs: NDArray[np.int64], stop: Stop
) -> None:
    """Fill rows 2·size and 2·size + 1 of `pairs`, where the player who did not move last has `size` stones."""
    line_free_within = ((sizes == size) & (endings == 0)).astype(np.uint32)
    if not stopped(stop):
        cells = int(sizes[-1])
        partners = np.array([comb(cells - stones, size) for stones in range(cells + 1)], np.int64)
        sum_over_subsets(line_free_within)
        add_pairs(size, sizes, endings, line_free_within, partners, pairs)


@kernel
def add_pairs(
    size: int, sizes: NDArray[np.int8], endings: NDArray[np.int8], line_free_within: NDArray[np.uint32],
    partners: NDArray[np.int64], pairs: NDArray[np.int64],
) -> None:  # fmt: skip
    """Count the pairs of each set of the mover and the sets of the other within its complement, line-free or not."""
    for mover in range(len(sizes)):
        extra = sizes[mover] - size
        if 0 <= extra <= 1:
            row, end = pairs[2 * size + extra], endings[mover]
            others = int64(line_free_within[len(sizes) - 1 - mover])  # the complement of the mover's set
            row[COUNT_OTHER if end == 0 else COUNT_BOTH] += partners[sizes[mover]] - others
            if end == NO_LAST_MOVE:
                row[COUNT_NO_LAST] += others
            else:
                row[COUNT_FREE if end == 0 else COUNT_WON if end > 0 else COUNT_LOST] += others
                row[COUNT_LAST_MOVES] += others * abs(end)


@kernel
def sum_over_subsets(table: NDArray[np.uint32]) -> None:
    """Zeta transform in place: entry S becomes the sum of all entries T with T ⊆ S.

    before: f{} f{0} f{1} f{0,1}   ->   after: f{}  f{}+f{0}  f{}+f{1}  f{}+f{0}+f{1}+f{0,1}

    Piece by piece, and whenever the second of two neighbours is done, it takes in the first: 1 2 12 3 4 34 1234. What
    is added is mostly still in some cache.
    """
    piece = min(len(table), IN_CACHE)
    for end in range(piece, len(table) + 1, piece):
        sum_within(table, end - piece, end)
        width = piece
        while end & width == 0:
            add(table, end - 2 * width, end - width, width)
            width *= 2


@inner
def sum_within(table: NDArray[np.uint32], first: int, last: int) -> None:
    """The transform of a piece that fits a core's own cache."""
    width = 1
    while width < last - first:
        for start in range(first, last, 2 * width):
            add(table, start, start + width, width)
        width *= 2


@inner
def add(table: NDArray[np.uint32], source: int, target: int, width: int) -> None:
    here, there = np.uint64(target), np.uint64(source)  # unsigned: no index can count from the end
    for i in range(np.uint64(width)):
        table[here + i] += table[there + i]
