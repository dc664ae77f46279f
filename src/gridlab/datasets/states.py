"""Every legal position as CSV: `ply,crosses,noughts,board,outcome`, one line a position.

    2,1,16,X../.O./...,ongoing

Lines are made by a kernel, block by block; the file streams, whatever its length.
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from gridlab.core.files import Sink
from gridlab.core.jit import kernel
from gridlab.core.progress import bar
from gridlab.core.text import write_byte, write_bytes, write_number
from gridlab.core.workers import in_order
from gridlab.exact.enumerate import (
    DRAW,
    O_WINS,
    ONGOING,
    OUTCOMES,
    X_WINS,
    ListingJob,
    PositionBlock,
    count_listable,
    list_block,
    listing_jobs,
)  # fmt: skip
from gridlab.games.mnk.kernels import write_board
from gridlab.games.mnk.rules import Rules

HEADER = b"ply,crosses,noughts,board,outcome\n"
WORDS = tuple(np.frombuffer(f",{word}\n".encode(), dtype=np.uint8) for word in OUTCOMES)
COMMA = ord(",")
WANTED = {  # what --outcome says
    "all": (ONGOING, X_WINS, O_WINS, DRAW),
    "ongoing": (ONGOING,),
    "x": (X_WINS,),
    "o": (O_WINS,),
    "draw": (DRAW,),
    "not-won": (ONGOING, DRAW),
}


def write_states(
    rules: Rules,
    sink: Sink,
    canonical: bool = False,
    outcome: str = "all",
    workers: int | None = None,
    progress: bool = False,
) -> int:
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
    block = list_block(job)
    looked = len(block.crosses)
    if len(wanted) < len(OUTCOMES):
        chosen = np.isin(block.outcomes, wanted)
        block = PositionBlock(block.ply, block.crosses[chosen], block.noughts[chosen], block.outcomes[chosen])
    return looked, len(block.crosses), csv_lines(block, job.rules)


def csv_lines(block: PositionBlock, rules: Rules) -> memoryview:
    """The lines of a block."""
    longest = len(f"{rules.cells},{rules.board},{rules.board},") + rules.cells + rules.rows + max(map(len, WORDS))
    buffer = np.empty(len(block.crosses) * longest, dtype=np.uint8)
    used = write_lines(*block, rules.rows, rules.cols, WORDS, buffer)
    return buffer[:used].data


@kernel
def write_lines(
    ply: int,
    crosses: NDArray[np.int64],
    noughts: NDArray[np.int64],
    outcomes: NDArray[np.int8],
    rows: int,
    cols: int,
    words: tuple[NDArray[np.uint8], ...],
    buffer: NDArray[np.uint8],
) -> int:
    """Write all lines into `buffer`; the number of bytes used."""
    place = 0
    for i in range(len(crosses)):
        for number in (ply, crosses[i], noughts[i]):
            place = write_byte(COMMA, buffer, write_number(number, buffer, place))
        place = write_board(crosses[i], noughts[i], rows, cols, buffer, place)
        place = write_bytes(words[outcomes[i]], buffer, place)
    return place
