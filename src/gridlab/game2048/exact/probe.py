"""Exact answers on small boards of 2048: what each direction is worth, the best one, and what it gains on the second.

All boards after a move of one board have the same sum of tiles and stand in one layer of the file, so a question
unpacks one layer, and the next question about the same sum none.
"""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridlab.core.arguments import typed
from gridlab.core.draw import AsJson, Sheet, brief, facts, shown
from gridlab.core.errors import FileTrouble, IllegalPosition, TooLarge
from gridlab.game2048 import kernels
from gridlab.game2048.exact.file import SCORE, TableFile2048
from gridlab.game2048.exact.layers import NONE, Values, board_of, boards_to_move, start_value
from gridlab.game2048.kernels import Boards
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import DIRECTIONS, Rules2048
from gridlab.game2048.search.play import TableMoves, after_values
from gridlab.games.tablebases import find, usual_table

KEPT_BOARDS = 1 << 22  # unpacked boards that stay in memory: 64 MiB
TIED = 1e-9  # values that differ by no more, as a share, are the same, added up in another order


@shown
@dataclass(frozen=True)
class Probe2048:
    """What is known of a board: what each direction is worth, the points of the move included."""

    position: Position2048
    target: str  # score, or the tile whose chance it is
    values: Mapping[str, float]
    source: str

    @property
    def value(self) -> float:
        """What the board is worth to whoever moves."""
        won = self.target != SCORE and self.position.max_tile >= int(self.target)
        return 1.0 if won else max(self.values.values(), default=0.0)

    @property
    def best(self) -> list[str]:
        """The directions that are worth the most; several if they are worth the same."""
        return best_of(self.values)

    @property
    def spread(self) -> float | None:
        """What the best direction is worth more than the second; None if there is no choice."""
        ordered = sorted(self.values.values(), reverse=True)
        return ordered[0] - ordered[1] if len(ordered) > 1 else None

    def as_dict(self) -> AsJson:
        """For `--json`."""
        known = {"rules": str(self.position.rules), "board": str(self.position)} | facts(self, "target value")
        return known | {"directions": dict(self.values)} | facts(self, "best spread")

    @property
    def _what(self) -> str:
        return "points to come" if self.target == SCORE else f"chance of {self.target}"

    def _in_short(self) -> str:
        best = ", ".join(self.best) or "there is no move"
        return f"{self.position.rules} {brief(self.position)}: {self.value:,.3f} {self._what}, best {best}"

    def _sheet(self) -> Sheet:
        rows = [(each, f"{value:,.6g}", "best" if each in self.best else "") for each, value in self.values.items()]
        heading = f"{self.value:,.6g} {self._what}"
        return Sheet(heading, ("direction", self._what, ""), rows, [self.source], [self.position._repr_svg_()])

    def __str__(self) -> str:
        digits = 3 if self.target == SCORE else 6
        end = f"{self.value:,.{digits}f} {self._what}" + ("" if self.values else "; there is no move")
        if self.spread is not None:
            end += f"; {self.spread:,.{digits}f} more than the second direction"
        marks = {direction: "   best" if direction in self.best else "" for direction in self.values}
        rows = [f"{each:<6}{value:>14,.{digits}f}{marks[each]}" for each, value in self.values.items()]
        return "\n".join([self.position.draw(), *rows, end])


def best_of(values: Mapping[str, float]) -> list[str]:
    """The keys of the largest values, up to the order of additions."""
    most = max(values.values(), default=0.0)
    return [each for each, value in values.items() if value >= most - TIED * max(1.0, most)]


@shown
class Tablebase2048:
    """The open table of a solved board of 2048, which answers questions about boards.

    table = Tablebase2048("3x3.tb")
    table.probe(position)          what each direction is worth; raises where the file has no answer
    table.values(position)         the values alone
    table.kernel_policy()                the whole table in memory, as kernels take it
    """

    @typed
    def __init__(self, path: Path | str) -> None:
        self.file = TableFile2048(find(path))
        self.rules, self.tile = self.file.rules, self.file.directory.tile
        self.target = self.file.directory.target
        self._goal = self.tile.bit_length() - 1 if self.tile else 0
        self._rows, self._shape = kernels.row_tables(self.rules), kernels.shape_of(self.rules)
        self._mirror = kernels.mirror_table(self.rules)
        self._layers: OrderedDict[int, tuple[Boards, Values]] = OrderedDict()
        self._chooser: TableMoves | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Sent to another process it opens its file there."""
        return Tablebase2048, (self.file.path,)

    def _in_short(self) -> str:
        boards = sum(each.boards for each in self.file.directory.layers)
        return f"{self.rules}, {brief(self.file.path.name)}: {boards:,} boards, {self.target}"

    def _sheet(self) -> Sheet:
        layers = self.file.directory.layers
        rows = [(each.sum, each.boards, each.over, each.afterstates) for each in layers]
        total = ("all", *(sum(column) for column in list(zip(*rows, strict=True))[1:]))
        header = ("sum of tiles", "boards to move", "without a move", "after a move")
        notes = [f"a game is worth {self.mean:,.4f}", str(self.file.path)]
        return Sheet(f"Table of {self.rules}, {self.target}", header, [*rows, total], notes)

    def layer(self, total: int) -> tuple[Boards, Values]:
        """The boards after a move whose tiles have this sum, ascending, and their values; none beyond the last."""
        if total not in self.file.layers:
            return NONE, np.empty(0)
        if total not in self._layers:
            self._layers[total] = self.file.layer(total)
            while len(self._layers) > 1 and sum(len(each) for each, _ in self._layers.values()) > KEPT_BOARDS:
                self._layers.popitem(last=False)
        self._layers.move_to_end(total)
        return self._layers[total]

    def boards(self, total: int) -> Boards:
        """The boards to move of a layer, ascending, up to symmetry."""
        return boards_to_move(self.rules, total, self.layer(total - 2)[0], self.layer(total - 4)[0])

    def directions(self, boards: Boards) -> NDArray[np.int64]:
        """How many directions each of some boards has."""
        counted: NDArray[np.int64] = (kernels.afterstates(boards, self._rows) != boards[:, None]).sum(axis=1)
        return counted

    def values(self, position: Position2048) -> dict[str, float]:
        """What each legal direction is worth, the points of the move included."""
        if position.rules != self.rules:
            raise FileTrouble(f"{self.file.path} is a table of {self.rules}; the board is one of {position.rules}")
        found = self.look_up(np.uint64(position.packed), sum(position.tiles))
        known = {each: float(value) for each, value in zip(DIRECTIONS, found, strict=True) if value != -np.inf}
        if any(value != value for value in known.values()):
            self._refuse(position)
        return known

    def look_up(self, board: np.uint64, total: int) -> Values:
        """Values of the moves of a packed board: minus infinity for what is no move, nan where no answer is known."""
        boards, values = self.layer(total)
        found = np.empty(4)
        slides, points, walls = self._rows
        after_values(board, slides, points, walls, self._mirror, self._shape, self._goal, boards, values, found)
        return found

    def probe(self, position: Position2048) -> Probe2048:
        """What each direction of a board is worth."""
        return Probe2048(position, self.target, self.values(position), self.file.path.name)

    def _refuse(self, position: Position2048) -> None:
        last = max(self.file.layers)
        if self.file.directory.max_sum and sum(position.tiles) > last:
            raise TooLarge(f"{self.file.path} knows boards whose tiles add up to at most {last}, not {position}")
        raise IllegalPosition(
            f"{position} cannot come up in a game of {self.rules}, so {self.file.path} has no answer", None
        )

    @property
    def mean(self) -> float:
        """What a game is worth before it begins: the mean over random starts."""
        game = board_of(self.rules, self.tile)
        return sum(start_value(self.rules, game, total, *self.layer(total)) for total in (4, 6, 8))

    def kernel_policy(self) -> TableMoves:
        """The whole table in memory, for kernels: 16 bytes for each board after a move."""
        if self._chooser is None:
            boards, values, starts = self._whole()
            counts = np.zeros(2, np.int64)
            self._chooser = TableMoves(boards, values, starts, self._mirror, self._shape, self._goal, counts)
        return self._chooser._replace(counts=np.zeros(2, np.int64))  # of boards evaluated: none

    def _whole(self) -> tuple[Boards, Values, NDArray[np.int64]]:
        """All boards after a move, layer after layer, their values, and where each layer begins, by half its sum."""
        sizes = [each.afterstates for each in self.file.directory.layers]
        starts = np.zeros(max(self.file.layers) // 2 + 2, np.int64)
        starts[min(self.file.layers) // 2 + 1 :] = np.cumsum(sizes)
        try:
            boards, values = np.empty(sum(sizes), np.uint64), np.empty(sum(sizes))
        except MemoryError as error:
            raise TooLarge(f"{self.file.path} says that it has {sum(sizes):,} boards, too many for memory") from error
        for total in self.file.layers:
            place = slice(starts[total // 2], starts[total // 2 + 1])
            boards[place], values[place] = self.file.layer(total)
        return boards, values, starts


def check_rules(table: Tablebase2048, rules: Rules2048) -> Tablebase2048:
    """The table, if it is one of these rules."""
    if table.rules != rules:
        raise FileTrouble(f"{table.file.path} is a table of {table.rules}, not of {rules}")
    return table


def table_of_points(rules: Rules2048, tablebase: Path | str | None, asker: str) -> Tablebase2048:
    """The table that is named, or the usual one, if it knows the points to come of every board: the whole truth."""
    table = Tablebase2048(tablebase) if tablebase else usual_table(rules)
    if table is None:
        raise FileTrouble(
            f"{asker} needs a table of {rules}: gridlab tablebase build {rules} -o FILE makes one where the board is "
            "small, and tablebase names it"
        )
    check_rules(table, rules)
    if table.target != SCORE or table.file.directory.max_sum:
        raise FileTrouble(
            f"{table.file.path} does not know the points to come of every board; {asker} needs a table that does"
        )
    return table
