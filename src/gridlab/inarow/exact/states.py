"""Every legal position of a small game, ascending by ply, then crosses, then noughts; also written as CSV.

One table over all sets of cells tells which sets of crosses and which sets of noughts can stand at a ply. The
positions are the pairs of those that share no cell; running through both lists in order lists them in order.
"""

from collections.abc import Iterator
from functools import partial
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.arguments import typed
from gridlab.core.bits import write_byte, write_bytes, write_number
from gridlab.core.errors import TooLarge
from gridlab.core.files import Sink
from gridlab.core.jit import inner, kernel
from gridlab.core.progress import bar
from gridlab.core.run import in_order
from gridlab.games.registry import game
from gridlab.inarow.exact.census import census, classify
from gridlab.inarow.kernels import NO_LAST_MOVE, Int64s, image_keys, is_canonical, write_board
from gridlab.inarow.position import Position
from gridlab.inarow.rules import Rules

MOST_POSITIONS = 100_000_000
BLOCK = 1 << 16  # positions, about, that are listed at a time
OUTCOMES = ("ongoing", "x_wins", "o_wins", "draw")
ONGOING, X_WINS, O_WINS, DRAW = range(4)


class PositionBlock(NamedTuple):
    """Some positions of one ply."""

    ply: int
    crosses: Int64s  # [position]
    noughts: Int64s  # [position]
    outcomes: NDArray[np.int8]  # [position], an index into OUTCOMES


class ListingJob(NamedTuple):
    """The sets from which one block is made."""

    rules: Rules
    ply: int
    crosses: Int64s  # [set]
    noughts: Int64s  # [set]
    endings: NDArray[np.int8]  # [set of cells], as `census.classify` gives them
    keys: Int64s  # of `image_keys`; the identity alone keeps every position


def count_listable(rules: Rules, canonical: bool = False, workers: int | None = None, progress: bool = False) -> int:
    """How many positions `blocks` will list; TooLarge if that is more than anyone can use."""
    counted = census(rules, workers, progress)
    total = (counted.canonical if canonical else counted.counts).legal
    if total > MOST_POSITIONS:
        held = f"{rules} has {total:,} legal positions{' up to symmetry' if canonical else ''}"
        instead = f"`gridlab census {rules}` counts them instead"
        raise TooLarge(f"{held}; at most {MOST_POSITIONS:,} are listed: {instead}")
    return total


def blocks(rules: Rules, canonical: bool = False, workers: int | None = None) -> Iterator[PositionBlock]:
    """Every legal position, or with `canonical` one of each symmetry class, as arrays."""
    return in_order(list_block, listing_jobs(rules, canonical, workers), workers)


@typed
def positions(rules: Rules | str, canonical: bool = False) -> Iterator[Position]:
    """Every legal position, or with `canonical` one of each symmetry class."""
    rules = game(rules, "mnk")
    count_listable(rules, canonical)
    for block in blocks(rules, canonical):
        for crosses, noughts in zip(block.crosses.tolist(), block.noughts.tolist(), strict=True):
            yield Position(rules, crosses, noughts)


def listing_jobs(rules: Rules, canonical: bool, workers: int | None = None) -> Iterator[ListingJob]:
    """The jobs of a listing, in order, each of a bounded size."""
    sizes, endings = classify(rules, np.array([1 << cell for cell in range(rules.cells)], dtype=np.int64), workers)
    keys = image_keys(rules) if canonical else image_keys(rules)[:1]
    for ply in range(rules.cells + 1):
        x_moved = ply % 2 == 1
        crosses = _sets((ply + 1) // 2, x_moved, sizes, endings)
        noughts = _sets(ply // 2, not x_moved, sizes, endings)
        step = max(1, BLOCK // _most_noughts(rules, ply, noughts))
        for first in range(0, len(crosses), step):
            yield ListingJob(rules, ply, crosses[first : first + step], noughts, endings, keys)


def _sets(size: int, moved_last: bool, sizes: NDArray[np.int8], endings: NDArray[np.int8]) -> Int64s:
    """The sets of that size that a player can have, ascending."""
    may_stand = endings != NO_LAST_MOVE if moved_last else endings == 0
    return np.flatnonzero((sizes == size) & may_stand)


def _most_noughts(rules: Rules, ply: int, noughts: Int64s) -> int:
    """How many sets of noughts can go with one set of crosses."""
    return max(1, min(len(noughts), comb(rules.cells - (ply + 1) // 2, ply // 2)))


def list_block(job: ListingJob) -> PositionBlock:
    """The positions of one job."""
    room = len(job.crosses) * _most_noughts(job.rules, job.ply, job.noughts)
    crosses, noughts, outcomes = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int8)
    count = list_positions(job[1:], job.rules.cells, crosses, noughts, outcomes)
    return PositionBlock(job.ply, crosses[:count], noughts[:count], outcomes[:count])


@kernel
def list_positions(
    job: tuple[int, Int64s, Int64s, NDArray[np.int8], Int64s], cells: int, all_crosses: Int64s, all_noughts: Int64s,
    outcomes: NDArray[np.int8],
) -> int:  # fmt: skip
    """Write the disjoint pairs of a job (without its rules) that are positions; how many there are."""
    ply, crosses_sets, noughts_sets, endings, keys = job
    found = 0
    for crosses in crosses_sets:
        for noughts in noughts_sets:
            if crosses & noughts == 0 and is_canonical(crosses, noughts, keys):
                all_crosses[found], all_noughts[found] = crosses, noughts
                outcomes[found] = outcome_of(ply, cells, endings[crosses if ply % 2 else noughts])
                found += 1
    return found


@inner
def outcome_of(ply: int, cells: int, ending: int) -> int:
    """An index into OUTCOMES, from the ending of the player who moved last: X at odd plies."""
    if ending == 0:
        return DRAW if ply == cells else ONGOING
    return X_WINS if (ending > 0) == (ply % 2 == 1) else O_WINS


# ---- Every legal position as CSV: `ply,crosses,noughts,board,outcome`, one line a position
#
#     2,1,16,X../.O./...,ongoing
#
# Lines are made by a kernel, block by block; the file streams, whatever its length.


HEADER = b"ply,crosses,noughts,board,outcome\n"
WORDS = tuple(np.frombuffer(f",{word}\n".encode(), dtype=np.uint8) for word in OUTCOMES)
COMMA = ord(",")
# What --outcome says.
WANTED = {
    "all": (ONGOING, X_WINS, O_WINS, DRAW), "ongoing": (ONGOING,), "x": (X_WINS,), "o": (O_WINS,), "draw": (DRAW,),
    "not-won": (ONGOING, DRAW),
}  # fmt: skip


def write_states(
    rules: Rules, sink: Sink, canonical: bool = False, outcome: str = "all", workers: int | None = None,
    progress: bool = False,
) -> int:  # fmt: skip
    """Write every legal position of a game with at most 100 million of them, or those of an outcome; how many."""
    total, written = count_listable(rules, canonical, workers, progress), 0
    sink.write(HEADER)
    with bar(total, f"states of {rules}", "positions", progress) as shown:
        make = partial(_csv_block, wanted=WANTED[outcome])
        for looked, count, lines in in_order(make, listing_jobs(rules, canonical, workers), workers):
            sink.write(lines)
            shown.update(looked)
            written += count
    return written


def _csv_block(job: ListingJob, wanted: tuple[int, ...]) -> tuple[int, int, memoryview]:
    """Positions looked at, those that are wanted, and their lines."""
    block, rules = list_block(job), job.rules
    looked = len(block.crosses)
    if len(wanted) < len(OUTCOMES):
        chosen = np.isin(block.outcomes, wanted)
        block = PositionBlock(block.ply, block.crosses[chosen], block.noughts[chosen], block.outcomes[chosen])
    longest = len(f"{rules.cells},{rules.board},{rules.board},") + rules.cells + rules.rows + max(map(len, WORDS))
    buffer = np.empty(len(block.crosses) * longest, dtype=np.uint8)
    used = write_lines(*block, rules.rows, rules.cols, WORDS, buffer)
    return looked, len(block.crosses), buffer[:used].data


@kernel
def write_lines(
    ply: int, crosses: Int64s, noughts: Int64s, outcomes: NDArray[np.int8], rows: int, cols: int,
    words: tuple[NDArray[np.uint8], ...], buffer: NDArray[np.uint8],
) -> int:  # fmt: skip
    """Write all lines into `buffer`; the number of bytes used."""
    place = 0
    for i in range(len(crosses)):
        for number in (ply, crosses[i], noughts[i]):
            place = write_byte(COMMA, buffer, write_number(number, buffer, place))
        place = write_board(crosses[i], noughts[i], rows, cols, buffer, place)
        place = write_bytes(words[outcomes[i]], buffer, place)
    return place


# ---- Boards as a column of texts


def board_texts(rules: Rules, crosses: Int64s, noughts: Int64s, arrow: Any) -> Any:
    """Boards as X.O/.X./..., all equally long, in one buffer of Arrow."""
    length = rules.cells + rules.rows - 1
    buffer = np.empty(len(crosses) * length, np.uint8)
    write_boards(np.ascontiguousarray(crosses), np.ascontiguousarray(noughts), rules.rows, rules.cols, buffer)
    ends = np.arange(0, len(buffer) + 1, length, dtype=np.int32)
    return arrow.StringArray.from_buffers(len(crosses), arrow.py_buffer(ends), arrow.py_buffer(buffer))


@kernel
def write_boards(crosses: Int64s, noughts: Int64s, rows: int, cols: int, buffer: NDArray[np.uint8]) -> None:
    """Boards one after the other."""
    place = 0
    for i in range(len(crosses)):
        place = write_board(crosses[i], noughts[i], rows, cols, buffer, place)
