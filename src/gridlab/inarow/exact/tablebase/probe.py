"""Exact answers from a tablebase: the score of a position, of each move, and the best line.

X to move: the score stands in the file. O to move: the lowest of its successors, which all lie in one block, decides.
"""

from collections import OrderedDict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.arguments import typed
from gridlab.core.bits import int64, lowest_bit, popcount
from gridlab.core.draw import Sheet, brief, shown
from gridlab.core.errors import FileTrouble, TooLarge
from gridlab.core.jit import inner, kernel
from gridlab.games.tablebases import find, tables_of_file
from gridlab.inarow.exact.tablebase import layout
from gridlab.inarow.exact.tablebase.layout import CHOOSE, MAGIC, Blocks, Halves, Parts, Scores, TableFile, blocks_at
from gridlab.inarow.kernels import Int64s, first_illegal, runs_of
from gridlab.inarow.position import Position, position_of
from gridlab.inarow.rules import Rules
from gridlab.inarow.solution import Move, Solution

# ---- From boards to places in a tablebase, for the compiler: many boards at a time


Boards = Int64s  # [board, (crosses, noughts)]


class Places(NamedTuple):
    """What is known of boards before any block is unpacked."""

    scores: Scores  # [board]: of finished games
    plies: Int64s  # [board]: the stored ply that decides it, or -1 if the game is over
    ranks: Int64s  # [board]: the X whose block decides it


def look_up(boards: Boards, tables: Halves) -> Places:
    """The score of finished games, the place of all others."""
    number = len(boards)
    places = Places(np.zeros(number, np.int8), np.full(number, -1), np.zeros(number, np.int64))
    find_places(boards, tables, places)
    return places


@kernel
def find_places(boards: Boards, tables: Halves, places: Places) -> None:
    """Fill `places`."""
    order, lines = tables.order, tables.lines
    for i in range(len(boards)):
        low, high = layout.split(boards[i, 0], order)
        o_low, o_high = layout.split(boards[i, 1], order)
        ply = popcount(boards[i, 0]) + popcount(boards[i, 1])
        moved_low, moved_high = (low, high) if ply % 2 else (o_low, o_high)
        places.scores[i] = layout.line_score(moved_low, moved_high, lines)
        if places.scores[i] == 0 and ply < order.low + order.high:
            places.plies[i] = ply + ply % 2
            places.ranks[i] = layout.canonical(low, high, tables.images.high, tables.ranking)[1]


@kernel
def read_scores(boards: Boards, chosen: Int64s, blocks: Blocks, first: int, tables: Halves, scores: Scores) -> None:
    """Scores of the chosen boards, all decided by blocks of the X from rank `first` on."""
    for i in chosen:
        low, high = layout.split(boards[i, 0], tables.order)
        o_low, o_high = layout.split(boards[i, 1], tables.order)
        scores[i] = score_in(low, high, o_low, o_high, blocks, first, tables)


@inner
def score_in(low: int, high: int, o_low: int, o_high: int, blocks: Blocks, first: int, tables: Halves) -> int:
    """The score of a position that is not over, given in halves, from the blocks of the X from rank `first` on."""
    order, images, parts, lines = tables.order, tables.images, tables.parts, tables.lines
    symmetry, rank = layout.canonical(low, high, images.high, tables.ranking)
    low, high = int64(images.low[symmetry, low]), int64(images.high[symmetry, high])
    o_low, o_high = int64(images.low[symmetry, o_low]), int64(images.high[symmetry, o_high])
    free_low, free_high = ~low & (1 << order.low) - 1, ~high & (1 << order.high) - 1
    at = (rank - first) * blocks.slots
    if popcount(o_low) + popcount(o_high) == blocks.noughts:
        offset = offset_in_block(o_low, o_high, free_low, free_high, blocks.offsets, parts)
        return int64(blocks.scores[at + offset])
    lowest = 127
    rest = free_low & ~o_low | (free_high & ~o_high) << order.low
    last = rest & rest - 1 == 0  # a nought on the last cell ends the game
    while rest != 0:
        stone = lowest_bit(rest)
        rest ^= stone
        next_low, next_high = o_low | stone & (1 << order.low) - 1, o_high | stone >> order.low
        score = layout.line_score(next_low, next_high, lines)
        if score == 0 and not last:
            offset = offset_in_block(next_low, next_high, free_low, free_high, blocks.offsets, parts)
            score = int64(blocks.scores[at + offset])
        lowest = min(lowest, score)
    return -lowest + (lowest > 0) - (lowest < 0)


@inner
def offset_in_block(low: int, high: int, free_low: int, free_high: int, offsets: Int64s, parts: Parts) -> int:
    """Where an O stands in the block of an X that leaves these cells free."""
    width = popcount(free_low)
    row = parts.ranks[parts.trits[free_high] + parts.trits[high]]
    column = parts.ranks[parts.trits[free_low] + parts.trits[low]]
    return int64(offsets[width, popcount(high)] + row * CHOOSE[width, popcount(low)] + column)


# ---- Exact answers from a tablebase: the score of a position, of each move, and the best line


KEPT_BLOCKS = 1024  # unpacked blocks that stay in memory: about 64 MiB


def shipped(rules: Rules) -> Path | None:
    """The table of the first plies of a game that comes with the package, if there is one."""
    path = Path(__file__).parent / "shipped" / f"{rules.rows}x{rules.cols}_{rules.win or ''}-{rules.lose or ''}.tb"
    return path if path.exists() else None


@shown
class Tablebase:
    """An open tablebase file, which answers questions about positions.

    table = Tablebase("squava.tb")  the table of a board of 2048 is opened as what it is, a Tablebase2048
    table.probe(position)          value, distance, moves, line; raises where the file has no answer
    table.get(position)            the same, or None
    table.score(position)          the score byte alone (gridlab.inarow.exact.tablebase.layout)
    table.probe_many(boards)       the scores of many positions
    """

    @typed
    def __new__(cls, path: Path | str) -> Any:
        """A table of another family is opened by that family."""
        theirs = tables_of_file(found := find(path))
        return super().__new__(cls) if theirs.MAGIC == MAGIC else theirs.open_table(found)

    def __init__(self, path: Path | str) -> None:
        self.file = TableFile(find(path))
        self.rules = self.file.rules
        self.max_ply = self.file.directory.max_ply
        self.halves = layout.halves(self.rules)
        self._runs = runs_of(self.rules)
        self._sizes = {each.ply: each.a_block for each in self.file.directory.plies} | {self.rules.cells: 1}
        nothing = np.empty(0, np.int8)
        self._layouts = {ply: blocks_at(ply, nothing, self.halves.order) for ply in self._sizes}
        self._blocks: OrderedDict[tuple[int, int], Scores] = OrderedDict()

    def __reduce__(self) -> tuple[type["Tablebase"], tuple[Path]]:
        """Sent to another process it opens its file there."""
        return Tablebase, (self.file.path,)

    def _in_short(self) -> str:
        held = sum(each.totals[0] for each in self.file.directory.counts)
        return f"{self.rules}, {brief(self.file.path.name)}: {held:,} ongoing positions, plies 0 to {self.max_ply}"

    def _sheet(self) -> Sheet:
        counts = self.file.directory.counts
        rows = [(each.ply, *each.totals, *layout.by_value(each.every)) for each in counts]
        header = ("ply", "ongoing", "up to symmetry", "won", "drawn", "lost")
        return Sheet(f"Tablebase of {self.rules}", header, rows, [str(self.file.path)])

    def probe(self, position: Position | str) -> Solution:
        """Value, distance, both for every move, and the best line, of a legal position that the file holds.

        A position of the last ply of a file that holds the first ones only has no moves.
        """
        position = self._own(position)
        score = self.score(position)
        empty = 0 if position.outcome() else self.rules.cells - position.ply
        moves = {cell: layout.before([after]) for cell, after in self.after(position).items()}
        return Solution(
            position, *layout.value_and_distance(score, empty),
            tuple(Move(cell, *layout.value_and_distance(each, empty)) for cell, each in moves.items()),
            tuple(self.line(position)), source=str(self.file.path.name),
        )  # fmt: skip

    def get(self, position: Position | str) -> Solution | None:
        """What `probe` finds, or None where it would raise: another game, no legal position, or beyond the last ply."""
        position = self._own(position)
        if position.rules != self.rules or position.flaw():
            return None
        return self.probe(position) if self._holds(position) else None

    def _own(self, position: Position | str) -> Position:
        """A position; the text of a board is one of the game of the file."""
        return Position.parse(position, self.rules) if isinstance(position, str) else position_of(position)

    def score(self, position: Position | str) -> int:
        """The score of a position for the player to move."""
        position = self._own(position)
        if position.rules != self.rules:
            raise FileTrouble(f"{self.file.path} is a tablebase of {self.rules}; the position is of {position.rules}")
        return int(self.probe_many(np.array([[position.crosses, position.noughts]]))[0])

    def line(self, position: Position) -> list[int]:
        """The best moves from here to the end, or as far as the file goes; the first of equals."""
        played: list[int] = []
        while after := self.after(position):
            best = min(after, key=after.__getitem__)
            played.append(best)
            position = position.play(best)
        return played

    def after(self, position: Position) -> dict[int, int]:
        """The scores after each move, for the opponent; none if the file does not reach so far."""
        children = {cell: position.play(cell) for cell in position.moves()}
        if not all(self._holds(child) for child in children.values()):
            return {}
        boards = np.array([[child.crosses, child.noughts] for child in children.values()], np.int64).reshape(-1, 2)
        return dict(zip(children, self.probe_many(boards).tolist(), strict=True))

    def _holds(self, position: Position) -> bool:
        return position.ply + position.ply % 2 in self._sizes or position.outcome() is not None

    # ---- many positions

    def probe_many(self, boards: Boards) -> Scores:
        """The scores of many positions, each for its player to move: int8[board].

        `boards` is int64[board, (crosses, noughts)]. Each block that decides some of them is unpacked once.
        """
        boards = np.ascontiguousarray(boards, dtype=np.int64)
        if (bad := first_illegal(boards, self.rules.cells, self._runs)) >= 0:
            Position(self.rules, *boards[bad].tolist()).require_legal()
        places = look_up(boards, self.halves)
        for (ply, block), chosen in self._by_block(boards, places):
            first = block * self._sizes[ply]
            read_scores(boards, chosen, self.blocks_of(ply, block), first, self.halves, places.scores)
        return places.scores

    def _by_block(self, boards: Boards, places: Places) -> Iterator[tuple[tuple[int, int], Int64s]]:
        """Which boards each block decides."""
        wanted = np.flatnonzero(places.plies >= 0)
        plies, blocks = places.plies[wanted], places.ranks[wanted]
        for ply in np.unique(plies).tolist() if len(plies) > 1 else plies.tolist():
            if ply not in self._sizes:
                position = Position(self.rules, *boards[wanted[plies == ply][0]].tolist())
                reach = f"{self.file.path} knows positions of up to {self.max_ply} plies"
                raise TooLarge(f"{reach}; {position} has {position.ply}")
            blocks[plies == ply] //= self._sizes[ply]
        if len(wanted) < 2:  # a single position is the most frequent question: no sorting for it
            yield from (((ply, block), wanted) for ply, block in zip(plies.tolist(), blocks.tolist(), strict=True))
            return
        order = np.lexsort((blocks, plies))
        keys = np.stack((plies, blocks))[:, order]
        starts = np.flatnonzero(np.any(np.diff(keys, prepend=-1), axis=0)).tolist()
        for start, stop in pairwise([*starts, len(order)]):
            yield (int(keys[0, start]), int(keys[1, start])), wanted[order[start:stop]]

    def blocks_of(self, ply: int, block: int) -> Blocks:
        """A block of the file as the blocks of its X."""
        return self._layouts[ply]._replace(scores=self._block(ply, block))

    def _block(self, ply: int, block: int) -> Scores:
        if ply == self.rules.cells:
            return np.empty(0, np.int8)  # full boards are decided by the rules
        key = ply, block
        if key not in self._blocks:
            self._blocks[key] = self.file.block(ply, block)
            if len(self._blocks) > KEPT_BLOCKS:
                self._blocks.popitem(last=False)
        self._blocks.move_to_end(key)
        return self._blocks[key]


# ---- What every move of many positions is worth, block by block
#
# The positions after the moves of plies 0 and 1 all stand in the blocks of ply 2, those of plies 2 and 3 in the blocks
# of ply 4, and so on. So two plies are taken together, their moves are sorted by block, and each block is unpacked
# once.
#
#     which block each move needs  ->  moves in the order of their blocks  ->  a block, and the scores of all its moves


NO_MOVE = 127  # in the place of a score
ONE_FOR_ALL = 1 << 40  # X in a block, where there are no blocks
DECIDED = -1  # a move that needs no block: it ends the game, or there is no move

MoveScores = NDArray[np.int8]  # [position, cell]
SplitBoards = NDArray[np.int32]  # [position, (low and high half of X, low and high half of O)]
CellOrder = Int64s  # [cell]: where it stands in the order of the halves


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


def sorted_by_block(needed: NDArray[np.int32], starts: Int64s) -> Int64s:
    """The moves that need a block, in the order of their blocks; those of block b begin at starts[b]."""
    starts[1:] = np.cumsum(np.bincount(needed[needed != DECIDED], minlength=len(starts) - 1))
    moves = np.empty(starts[-1], np.int64)
    sort_moves(needed, starts[:-1].copy(), moves)
    return moves


@kernel
def sort_moves(needed: NDArray[np.int32], places: Int64s, moves: Int64s) -> None:
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
        low, high = layout.split(boards[i, 0], order)
        o_low, o_high = layout.split(boards[i, 1], order)
        split_boards[i, 0], split_boards[i, 1], split_boards[i, 2], split_boards[i, 3] = low, high, o_low, o_high
        stones = boards[i, 0] | boards[i, 1]
        ply = popcount(stones)
        for place in range(cells):
            cell = order.cells[place]
            if stones >> cell & 1:
                continue
            more_low, more_high = stone_at(place, order.low)
            if ply % 2 == 0:
                score = layout.line_score(low | more_low, high | more_high, lines)
            else:
                score = layout.line_score(o_low | more_low, o_high | more_high, lines)
            if score != 0 or ply + 1 == cells:
                found[i, cell] = score
                continue
            x_low, x_high = (low | more_low, high | more_high) if ply % 2 == 0 else (low, high)
            needed[i, cell] = layout.canonical(x_low, x_high, tables.images.high, tables.ranking)[1] // size


@inner
def stone_at(place: int, low_cells: int) -> tuple[int, int]:
    """A stone in the order of the halves, as a bit of the low half or of the high one."""
    is_low = place < low_cells
    return (1 << place if is_low else 0), (0 if is_low else 1 << place - low_cells)


@kernel
def read_moves(
    split_boards: SplitBoards, moves: Int64s, blocks: Blocks, first: int, tables: Halves, places: CellOrder,
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
