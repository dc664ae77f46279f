"""Exact answers from a tablebase: the score of a position, of each move, and the best line.

X to move: the score stands in the file. O to move: the lowest of its successors, which all lie in one block, decides.
"""

from collections import OrderedDict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridlab.core.arguments import typed
from gridlab.core.errors import FileTrouble, TooLarge
from gridlab.core.shown import Sheet, brief, shown
from gridlab.exact.tablebase.blocks import Blocks, blocks_at
from gridlab.exact.tablebase.file import MAGIC, TableFile
from gridlab.exact.tablebase.halves import halves
from gridlab.exact.tablebase.look_up import Boards, Places, look_up, read_scores
from gridlab.exact.tablebase.rows import Scores
from gridlab.exact.tablebase.scores import before, value_and_distance
from gridlab.exact.tables import find, tables_of_file
from gridlab.games.mnk.kernels import first_illegal, runs_of
from gridlab.games.mnk.position import Position, position_of
from gridlab.games.mnk.rules import Rules
from gridlab.games.mnk.solution import Move, Solution

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
    table.score(position)          the score byte alone (gridlab.exact.tablebase.scores)
    table.probe_many(boards)       the scores of many positions
    """

    @typed
    def __new__(cls, path: Path | str) -> Any:
        """A table of another family is opened by that family."""
        theirs = tables_of_file(found := find(path))
        return super().__new__(cls) if theirs.MAGIC == MAGIC else theirs.open_table(found)

    def __init__(self, path: Path | str) -> None:
        self.file = TableFile(find(path))
        self.rules = self.file.directory.rules
        self.max_ply = self.file.directory.max_ply
        self.halves = halves(self.rules)
        self._runs = runs_of(self.rules)
        self._sizes = {each.ply: each.a_block for each in self.file.directory.plies} | {self.rules.cells: 1}
        nothing = np.empty(0, np.int8)
        self._layouts = {ply: blocks_at(ply, nothing, self.halves.order) for ply in self._sizes}
        self._blocks: OrderedDict[tuple[int, int], Scores] = OrderedDict()

    def __reduce__(self) -> tuple[type["Tablebase"], tuple[Path]]:
        """Sent to another process it opens its file there."""
        return Tablebase, (self.file.path,)

    def _in_short(self) -> str:
        held = sum(sum(each.every.values()) for each in self.file.directory.counts)
        return f"{self.rules}, {brief(self.file.path.name)}: {held:,} ongoing positions, plies 0 to {self.max_ply}"

    def _sheet(self) -> Sheet:
        rows = [
            (each.ply, sum(each.every.values()), sum(each.canonical.values()), *_by_value(each.every))
            for each in self.file.directory.counts
        ]
        header = ("ply", "ongoing", "up to symmetry", "won", "drawn", "lost")
        return Sheet(f"Tablebase of {self.rules}", header, rows, [str(self.file.path)])

    def probe(self, position: Position | str) -> Solution:
        """Value, distance, both for every move, and the best line, of a legal position that the file holds.

        A position of the last ply of a file that holds the first ones only has no moves.
        """
        position = self._own(position)
        score = self.score(position)
        empty = 0 if position.outcome() else self.rules.cells - position.ply
        moves = {cell: before([after]) for cell, after in self.after(position).items()}
        return Solution(
            position,
            *value_and_distance(score, empty),
            tuple(Move(cell, *value_and_distance(each, empty)) for cell, each in moves.items()),
            tuple(self.line(position)),
            source=str(self.file.path.name),
        )

    def get(self, position: Position | str) -> Solution | None:
        """The same, or None where that would raise: another game, no legal position, or beyond the file's last ply."""
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
        self._require_legal(boards)
        places = look_up(boards, self.halves)
        for (ply, block), chosen in self._by_block(boards, places):
            first = block * self._sizes[ply]
            read_scores(boards, chosen, self.blocks_of(ply, block), first, self.halves, places.scores)
        return places.scores

    def _by_block(self, boards: Boards, places: Places) -> Iterator[tuple[tuple[int, int], NDArray[np.int64]]]:
        """Which boards each block decides."""
        wanted = np.flatnonzero(places.plies >= 0)
        plies, blocks = places.plies[wanted], places.ranks[wanted]
        for ply in np.unique(plies).tolist() if len(plies) > 1 else plies.tolist():
            if ply not in self._sizes:
                self._refuse(boards[wanted[plies == ply][0]])
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

    def _require_legal(self, boards: Boards) -> None:
        bad = first_illegal(boards, self.rules.cells, self._runs)
        if bad >= 0:
            Position(self.rules, *boards[bad].tolist()).require_legal()

    def _refuse(self, board: NDArray[np.int64]) -> None:
        position = Position(self.rules, *board.tolist())
        raise TooLarge(f"{self.file.path} knows positions of up to {self.max_ply} plies; {position} has {position.ply}")


def _by_value(counts: dict[str, int]) -> tuple[int, int, int]:
    """Positions won, drawn and lost for the player to move, from those by score."""
    found = dict.fromkeys(("win", "draw", "loss"), 0)
    for score, number in counts.items():
        found[value_and_distance(int(score), 0)[0]] += number
    return found["win"], found["draw"], found["loss"]
