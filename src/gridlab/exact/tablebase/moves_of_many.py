"""What every move of many positions is worth, block by block.

The positions after the moves of plies 0 and 1 all stand in the blocks of ply 2, those of plies 2 and 3 in the blocks of
ply 4, and so on. So two plies are taken together, their moves are sorted by block, and each block is unpacked once.

    which block each move needs  ->  moves in the order of their blocks  ->  a block, and the scores of all its moves
"""

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import popcount
from gridlab.core.jit import kernel
from gridlab.exact.tablebase.blocks import Blocks
from gridlab.exact.tablebase.halves import Halves, canonical, split
from gridlab.exact.tablebase.lines import line_score
from gridlab.exact.tablebase.look_up import Boards, score_in
from gridlab.exact.tablebase.probe import Tablebase
from gridlab.exact.tablebase.rows import Scores

NO_MOVE = 127  # in the place of a score
ONE_FOR_ALL = 1 << 40  # X in a block, where there are no blocks
DECIDED = -1  # a move that needs no block: it ends the game, or there is no move

MoveScores = NDArray[np.int8]  # [position, cell]


def scores_of_moves(table: Tablebase, boards: Boards) -> MoveScores:
    """The score after every move, for the opponent; NO_MOVE where a cell is not free.

    `boards` are legal positions that are not over, of two plies 2n and 2n + 1, all of whose moves the table knows.
    """
    found = np.full((len(boards), table.rules.cells), NO_MOVE, np.int8)
    if not len(boards):
        return found
    ply = int(np.bitwise_count(boards[0]).sum())
    stored = ply - ply % 2 + 2
    on_file = table.file.plies.get(stored)  # full boards, which the rules decide, are not
    size, number = (on_file.a_block, on_file.blocks) if on_file else (ONE_FOR_ALL, 1)
    needed = np.full(found.shape, DECIDED, np.int32)
    place_moves(boards, table.halves, size, found, needed)
    starts = np.zeros(number + 1, np.int64)
    moves = sorted_by_block(needed.ravel(), starts)
    for block in np.flatnonzero(np.diff(starts)).tolist():
        blocks = table.blocks_of(stored, block)
        read_moves(boards, moves[starts[block] : starts[block + 1]], blocks, block * size, table.halves, found)
    return found


def sorted_by_block(needed: NDArray[np.int32], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The moves that need a block, in the order of their blocks; those of block b begin at starts[b]."""
    starts[1:] = np.cumsum(np.bincount(needed[needed != DECIDED], minlength=len(starts) - 1))
    moves = np.empty(starts[-1], np.int64)
    sort_moves(needed, starts[:-1].copy(), moves)
    return moves


@kernel
def sort_moves(needed: NDArray[np.int32], places: NDArray[np.int64], moves: NDArray[np.int64]) -> None:
    """A counting sort: every move to the next place of its block."""
    for move in range(len(needed)):
        block = needed[move]
        if block != DECIDED:
            moves[places[block]] = move
            places[block] += 1


@kernel
def place_moves(boards: Boards, tables: Halves, size: int, found: MoveScores, needed: NDArray[np.int32]) -> None:
    """The scores of moves that end the game, the blocks of all others; `size` X share a block."""
    order, lines = tables.order, tables.lines
    cells = order.low + order.high
    for i in range(len(boards)):
        crosses, noughts = boards[i, 0], boards[i, 1]
        ply = popcount(crosses) + popcount(noughts)
        for cell in range(cells):
            stone = 1 << cell
            if (crosses | noughts) & stone != 0:
                continue
            x, o = (crosses | stone, noughts) if ply % 2 == 0 else (crosses, noughts | stone)
            low, high = split(x if ply % 2 == 0 else o, order)
            score = line_score(low, high, lines)
            if score != 0 or ply + 1 == cells:
                found[i, cell] = score
                continue
            low, high = split(x, order)
            needed[i, cell] = canonical(low, high, tables.images.high, tables.ranking)[1] // size


@kernel
def read_moves(
    boards: Boards, moves: NDArray[np.int64], blocks: Blocks, first: int, tables: Halves, found: Scores
) -> None:
    """The scores of moves, each a position times the number of cells plus a cell, all of one block."""
    cells = found.shape[1]
    for move in moves:
        i, cell = move // cells, move % cells
        crosses, noughts = boards[i, 0], boards[i, 1]
        if popcount(crosses) == popcount(noughts):
            crosses |= 1 << cell
        else:
            noughts |= 1 << cell
        found[i, cell] = score_in(crosses, noughts, blocks, first, tables)
