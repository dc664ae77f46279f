"""A dataset of terminal wins opened for reading: mapped arrays by ply, positions by index, bisection by board."""

from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from gridlab.core import draw
from gridlab.core.errors import FileTrouble, SpoiltFile
from gridlab.datasets.terminals.layer_file import Records, layer_name, open_layer
from gridlab.datasets.terminals.manifest import Manifest
from gridlab.games.mnk.position import Position


class Terminals:
    """All records of a dataset, layer after layer.

    `len(data)` and `data[i]` make it a map-style PyTorch dataset: an item is a dict of `board` int8[rows, cols] with
    1 for X and 2 for O, `ply`, and `winner` (1 X, 2 O). Iterating gives Positions.
    """

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        self.manifest = Manifest.read(self.folder)
        self.rules = self.manifest.rules

    @property
    def plies(self) -> list[int]:
        return [each.ply for each in self.manifest.layers]

    def records(self, ply: int) -> Records:
        """The records of one ply, ascending: a mapped uint64 array."""
        if ply not in self.plies:
            raise FileTrouble(f"{self.folder} has no layer for ply {ply}; it has {self.plies}")
        records, entry = open_layer(self.folder / layer_name(ply)), self.manifest.layers[self.plies.index(ply)]
        if len(records) != entry.records:
            raise SpoiltFile(f"{entry.file} has {len(records):,} records, the manifest says {entry.records:,}")
        return records

    @cached_property
    def _mapped(self) -> list[Records]:
        return [self.records(ply) for ply in self.plies]

    @cached_property
    def _ends(self) -> list[int]:
        return list(accumulate(map(len, self._mapped)))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_mapped"}  # each process maps anew

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def record(self, index: int) -> int:
        """Record `index`, counted through all layers."""
        if not -len(self) <= index < len(self):
            raise IndexError(f"record {index} of {len(self)}")
        index %= len(self)
        which = int(np.searchsorted(self._ends, index, side="right"))
        return int(self._mapped[which][index - self._ends[which]])

    def position(self, index: int) -> Position:
        return Position.unpack(self.record(index), self.rules)

    def __getitem__(self, index: int) -> dict[str, Any]:
        position = self.position(index)
        board = np.array(position.values, dtype=np.int8).reshape(self.rules.rows, self.rules.cols)
        outcome = position.outcome()
        return {"board": board, "ply": position.ply, "winner": "-XO".index((outcome and outcome.winner) or "-")}

    def __iter__(self) -> Iterator[Position]:
        for records in self._mapped:
            for record in records:
                yield Position.unpack(int(record), self.rules)

    def show(self, ply: int, first: int, count: int) -> str:
        """Some records of a layer, drawn, with the winner and the completed lines marked."""
        records = self.records(ply)
        if not 0 <= first < len(records):
            raise FileTrouble(f"{layer_name(ply)} has {len(records):,} records, counted from 0: no record {first}")
        boards = []
        for index in range(first, min(first + count, len(records))):
            position = Position.unpack(int(records[index]), self.rules)
            outcome = position.outcome()
            winner = (outcome and outcome.winner) or "nobody"
            boards.append(f"record {index}\n{winner} wins\n{position.draw()}\n{position.packed:#x}")
        shown = [draw.beside(boards[start : start + 4]) for start in range(0, len(boards), 4)]
        return "\n\n".join([f"{self.rules}, ply {ply}: {len(records):,} records", *shown])

    def answer(self, position: Position) -> tuple[str, bool]:
        """Whether a board is in the dataset, as a sentence: where it stands, or why it does not."""
        index = self.find(position)
        if index is not None:
            best, symmetry = position.canonical()
            return f"yes: {layer_name(position.ply)} record {index}, as {best} ({symmetry.name})", True
        if flaw := position.flaw():
            return f"no: {flaw.value}", False
        outcome = position.outcome()
        if outcome is None or outcome.winner is None:
            return f"no: this position is {'a draw' if outcome else 'not over'}, and only wins are here", False
        if position.ply in self.plies:
            return f"no: it should be in {layer_name(position.ply)} and is not: verify this dataset", False
        return f"no: it would be in the layer of ply {position.ply}, which this dataset does not have", False

    def find(self, position: Position) -> int | None:
        """Where a position or one of its images stands in its layer, or None."""
        if position.ply not in self.plies:
            return None
        records = self.records(position.ply)
        record = np.uint64(position.canonical()[0].packed)
        index = int(np.searchsorted(records, record))
        return index if index < len(records) and records[index] == record else None


def open_terminals(folder: Path | str) -> Terminals:
    """Open a dataset of terminal wins."""
    return Terminals(folder)
