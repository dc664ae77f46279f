"""Every legal position as CSV: `ply,crosses,noughts,board,outcome`, one line a position.

    2,1,16,X../.O./...,ongoing

Lines are made by a kernel, block by block; the file streams, whatever its length.
"""

import numpy as np
from numpy.typing import NDArray

from gridlab.exact.enumerate import OUTCOMES, Block, Job, count_listable, list_block, plan
from gridlab.files import Sink
from gridlab.games.mnk.rules import Rules
from gridlab.games.notation import MARKS
from gridlab.jit import kernel
from gridlab.progress import bar
from gridlab.workers import in_order

HEADER = b"ply,crosses,noughts,board,outcome\n"
WORDS = tuple(np.frombuffer(f",{word}\n".encode(), dtype=np.uint8) for word in OUTCOMES)
COMMA, SLASH, ZERO = b",/0"
EMPTY, CROSS, NOUGHT = MARKS.encode()


def write_states(
    rules: Rules, sink: Sink, canonical: bool = False, workers: int | None = None, progress: bool = False
) -> int:
    """Write every legal position of a game with at most 100 million of them; how many there were."""
    total = count_listable(rules, canonical)
    sink.write(HEADER)
    with bar(total, f"states of {rules}", "positions", progress) as shown:
        for count, lines in in_order(_csv_block, plan(rules, canonical), workers):
            sink.write(lines)
            shown.update(count)
    return total


def _csv_block(job: Job) -> tuple[int, memoryview]:
    block = list_block(job)
    return len(block.crosses), csv_lines(block, job.rules)


def csv_lines(block: Block, rules: Rules) -> memoryview:
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
    at = 0
    for i in range(len(crosses)):
        at = write_number(ply, buffer, at)
        at = write_number(crosses[i], buffer, at)
        at = write_number(noughts[i], buffer, at)
        at = write_board(crosses[i], noughts[i], rows, cols, buffer, at)
        for byte in words[outcomes[i]]:
            buffer[at] = byte
            at += 1
    return at


@kernel
def write_number(number: int, buffer: NDArray[np.uint8], at: int) -> int:
    """Write the number and a comma; where the next thing goes."""
    digits = 1
    while number >= 10**digits:
        digits += 1
    rest = number
    for place in range(at + digits - 1, at - 1, -1):
        buffer[place] = ZERO + rest % 10
        rest //= 10
    buffer[at + digits] = COMMA
    return at + digits + 1


@kernel
def write_board(crosses: int, noughts: int, rows: int, cols: int, buffer: NDArray[np.uint8], at: int) -> int:
    """Write the board as X.O/.X./O.X; where the next thing goes."""
    for cell in range(rows * cols):
        if cell > 0 and cell % cols == 0:
            buffer[at] = SLASH
            at += 1
        buffer[at] = CROSS if crosses >> cell & 1 else NOUGHT if noughts >> cell & 1 else EMPTY
        at += 1
    return at
