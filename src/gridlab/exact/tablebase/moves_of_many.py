"""What every move of many positions is worth, block by block.

The positions after the moves of plies 0 and 1 all stand in the blocks of ply 2, those of plies 2 and 3 in the blocks of
ply 4, and so on. So two plies are taken together, their moves are sorted by block, and each block is unpacked once.

    which block each move needs  ->  moves in the order of their blocks  ->  a block, and the scores of all its moves
"""

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import int64, popcount
from gridlab.core.jit import inner, kernel
from gridlab.exact.tablebase.blocks import Blocks
from gridlab.exact.tablebase.halves import Halves, canonical, split
from gridlab.exact.tablebase.lines import line_score
from gridlab.exact.tablebase.look_up import Boards, score_in
from gridlab.exact.tablebase.probe import Tablebase

NO_MOVE = 127  # in the place of a score
ONE_FOR_ALL = 1 << 40  # X in a block, where there are no blocks
DECIDED = -1  # a move that needs no block: it ends the game, or there is no move

MoveScores = NDArray[np.int8]  # [position, cell]
SplitBoards = NDArray[np.int32]  # [position, (low and high half of X, low and high half of O)]
Places = NDArray[np.int64]  # [cell]: where it stands in the order of the halves


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
    split_boards = np.empty((len(boards), 4), np.int32)
    place_moves(boards, table.halves, size, found, needed, split_boards)
    places = np.argsort(table.halves.order.cells)
    starts = np.zeros(number + 1, np.int64)
    moves = sorted_by_block(needed.ravel(), starts)
    for block in np.flatnonzero(np.diff(starts)).tolist():
        blocks = table.blocks_of(stored, block)
        some = moves[starts[block] : starts[block + 1]]
        read_moves(split_boards, some, blocks, block * size, table.halves, places, found)
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
def place_moves(
    boards: Boards, tables: Halves, size: int, found: MoveScores, needed: NDArray[np.int32], split_boards: SplitBoards
) -> None:
    """The scores of moves that end the game, the blocks of all others; `size` X share a block.

    Boards are split into their halves once, `split_boards`; a stone more is a bit more in one of them.
    """
    order, lines = tables.order, tables.lines
    cells = order.low + order.high
    for i in range(len(boards)):
        low, high = split(boards[i, 0], order)
        o_low, o_high = split(boards[i, 1], order)
        split_boards[i, 0], split_boards[i, 1], split_boards[i, 2], split_boards[i, 3] = low, high, o_low, o_high
        stones = boards[i, 0] | boards[i, 1]
        ply = popcount(stones)
        for place in range(cells):
            cell = order.cells[place]
            if stones >> cell & 1:
                continue
            more_low, more_high = stone_at(place, order.low)
            if ply % 2 == 0:
                score = line_score(low | more_low, high | more_high, lines)
            else:
                score = line_score(o_low | more_low, o_high | more_high, lines)
            if score != 0 or ply + 1 == cells:
                found[i, cell] = score
                continue
            x_low, x_high = (low | more_low, high | more_high) if ply % 2 == 0 else (low, high)
            needed[i, cell] = canonical(x_low, x_high, tables.images.high, tables.ranking)[1] // size


@inner
def stone_at(place: int, low_cells: int) -> tuple[int, int]:
    """A stone in the order of the halves, as a bit of the low half or of the high one."""
    is_low = place < low_cells
    return (1 << place if is_low else 0), (0 if is_low else 1 << place - low_cells)


@kernel
def read_moves(
    split_boards: SplitBoards, moves: NDArray[np.int64], blocks: Blocks, first: int, tables: Halves, places: Places,
    found: MoveScores,
) -> None:  # fmt: skip
    """The scores of moves, each a position times the number of cells plus a cell, all of one block."""
    cells, low_cells = found.shape[1], tables.order.low
    for move in moves:
        i, cell = move // cells, move % cells
        low, high = int64(split_boards[i, 0]), int64(split_boards[i, 1])
        o_low, o_high = int64(split_boards[i, 2]), int64(split_boards[i, 3])
        more_low, more_high = stone_at(places[cell], low_cells)
        if popcount(low) + popcount(high) == popcount(o_low) + popcount(o_high):
            low, high = low | more_low, high | more_high
        else:
            o_low, o_high = o_low | more_low, o_high | more_high
        found[i, cell] = score_in(low, high, o_low, o_high, blocks, first, tables)
