"""Every legal position as CSV: `ply,crosses,noughts,board,outcome`, one line a position.

    2,1,16,X../.O./...,ongoing

Lines are made by a kernel, block by block; the file streams, whatever its length.
"""

import numpy as np
from numpy.typing import NDArray

from gridlab.core.files import Sink
from gridlab.core.jit import kernel
from gridlab.core.progress import bar
from gridlab.core.text import write_byte, write_bytes, write_number
from gridlab.core.workers import in_order
from gridlab.exact.enumerate import OUTCOMES, ListingJob, PositionBlock, count_listable, list_block, listing_jobs
from gridlab.games.mnk.kernels import write_board
from gridlab.games.mnk.rules import Rules

HEADER = b"ply,crosses,noughts,board,outcome\n"
WORDS = tuple(np.frombuffer(f",{word}\n".encode(), dtype=np.uint8) for word in OUTCOMES)
COMMA = ord(",")


def write_states(
    rules: Rules, sink: Sink, canonical: bool = False, workers: int | None = None, progress: bool = False
) -> int:
    """Write every legal position of a game with at most 100 million of them; how many there were."""
    total = count_listable(rules, canonical, workers)
    sink.write(HEADER)
    with bar(total, f"states of {rules}", "positions", progress) as shown:
        for count, lines in in_order(_csv_block, listing_jobs(rules, canonical, workers), workers):
            sink.write(lines)
            shown.update(count)
    return total


def _csv_block(job: ListingJob) -> tuple[int, memoryview]:
    block = list_block(job)
    return len(block.crosses), csv_lines(block, job.rules)


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
