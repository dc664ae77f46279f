"""A dataset of terminal wins opened for reading: mapped arrays by ply, positions by index, bisection by board.

A folder of layers without a manifest is read as well: copied layers, or those of another tool, in any order. Its rules
are told, or taken to be those of 5x5:5 if the layers fit them. A layer of it whose header has no count yet is read with
a warning.
"""

import logging
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from gridlab.core import draw
from gridlab.core.arguments import counted, typed
from gridlab.core.draw import Sheet, brief, shown
from gridlab.core.errors import CorruptFile, FileTrouble
from gridlab.games.grid import symmetries
from gridlab.games.registry import game
from gridlab.inarow.datasets.terminals.manifest import (
    MANIFEST,
    Manifest,
    Records,
    has_placeholder,
    layer_name,
    open_layer,
)
from gridlab.inarow.datasets.terminals.records import (
    BAD_BITS,
    BAD_COUNT,
    NOT_OVER,
    REASONS,
    checker,
    first_disorder,
    flaw_of,
)
from gridlab.inarow.exact.terminals import RECORD_CELLS, first_ply
from gridlab.inarow.position import Position
from gridlab.inarow.rules import Rules

DEFAULT_GAME = "5x5:5"  # of a folder without a manifest
NO_WINS = (BAD_BITS, BAD_COUNT, NOT_OVER)  # what no layer of any tool has
BLOCK = 1 << 20  # records looked at between two looks at Ctrl-C


@shown
class Terminals:
    """All records of a dataset, layer after layer.

    `len(data)` and `data[i]` make it a map-style PyTorch dataset: an item is a dict of `board` int8[rows, cols] with
    1 for X and 2 for O, `ply`, and `winner` (1 X, 2 O). Iterating gives Positions.
    """

    @typed
    def __init__(self, folder: Path | str, rules: Rules | str | None = None) -> None:
        self.folder = Path(folder)
        told = None if rules is None else game(rules, "mnk")
        found = layers_without_manifest(self.folder)
        self.manifest = None if found else Manifest.read(self.folder)
        if self.manifest and told not in (None, self.manifest.rules):
            raise FileTrouble(f"{folder} holds terminal wins of {self.manifest.rules}, not of {told}")
        self.rules = self.manifest.rules if self.manifest else told or game(DEFAULT_GAME, "mnk")
        self.plies = [each.ply for each in self.manifest.layers] if self.manifest else self._fitting(found, not told)
        self.uncounted = [] if self.manifest else [ply for ply in self.plies if self._is_uncounted(ply)]
        self._ascending: dict[int, bool] = {}
        if self.uncounted:
            logging.getLogger("gridlab").warning(f"{self.folder}: {uncounted_text(self.uncounted)}")

    def _fitting(self, plies: list[int], guessed: bool) -> list[int]:
        """The plies of a folder without a manifest; FileTrouble if they are not of these rules."""
        if self.rules.cells > RECORD_CELLS:
            raise FileTrouble(f"{self.rules} has {self.rules.cells} cells; records hold up to {RECORD_CELLS}")
        every = range(first_ply(self.rules), self.rules.cells + 1)
        fitting = [ply for ply in plies if ply in every or not self._is_empty(ply)]  # other tools begin with empty ones
        if not fitting:
            raise FileTrouble(f"{self.folder} has no manifest, and its layers are empty; there is nothing to read")
        for ply in fitting:
            if reason := self._misfit(ply, every, guessed):
                raise FileTrouble(
                    f"{self.folder} has no manifest, and {layer_name(ply)} is not a layer of {self.rules}: {reason}; "
                    "say with --game which game it is"
                )
        return fitting

    def _is_empty(self, ply: int) -> bool:
        with suppress(CorruptFile):  # whoever reads it will hear of it
            return len(open_layer(self.folder / layer_name(ply), placeholder=True)) == 0
        return False

    def _is_uncounted(self, ply: int) -> bool:
        """Whether the header of a layer still holds the placeholder for its count."""
        with suppress(CorruptFile):
            return has_placeholder(self.folder / layer_name(ply))
        return False

    def _misfit(self, ply: int, every: range, guessed: bool) -> str:
        """Why a layer is none of these rules, as far as its name and, if they are `guessed`, its first record tell."""
        if ply not in every:
            return f"it has the plies {every[0]} to {every[-1]}" if every else "nobody can win it"
        if guessed and not self._is_empty(ply):
            with suppress(CorruptFile):
                records = open_layer(self.folder / layer_name(ply), placeholder=True)
                first = flaw_of(records[0], ply, checker(self.rules))
                return f"in its first record {REASONS[first]}" if first in NO_WINS else ""
        return ""

    def _in_short(self) -> str:
        plies = f"plies {self.plies[0]} to {self.plies[-1]}" if self.plies else "no plies"
        return f"{self.rules}, {brief(self.folder.name)}: {len(self):,} terminal wins, {plies}"

    def _sheet(self) -> Sheet:
        rows = [(ply, len(records)) for ply, records in zip(self.plies, self._mapped, strict=True)]
        return Sheet(
            f"Terminal wins of {self.rules}", ("ply", "records"), [*rows, ("all", len(self))], [str(self.folder)]
        )

    @property
    def remark(self) -> str:
        """What the reader of a folder without a manifest should know; empty if there is one."""
        if self.manifest:
            return ""
        return f"{self.folder} has no manifest: read as {self.rules}, its checksums and counts cannot be checked"

    def records(self, ply: int) -> Records:
        """The records of one ply, ascending if there is a manifest: a mapped uint64 array."""
        if ply not in self.plies:
            raise FileTrouble(f"{self.folder} has no layer for ply {ply}; it has {self.plies}")
        records = open_layer(self.folder / layer_name(ply), placeholder=self.manifest is None)
        if ply in self.uncounted and (flaw := flaw_of(records[-1], ply, checker(self.rules))) in NO_WINS:
            raise CorruptFile(
                f"{layer_name(ply)} was not written to its end: its header has no count yet, and in its last record "
                f"{REASONS[flaw]}"
            )
        if self.manifest and len(records) != (said := self.manifest.layers[self.plies.index(ply)].records):
            raise CorruptFile(f"{layer_name(ply)} has {counted(len(records), 'record')}, the manifest says {said:,}")
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
            raise FileTrouble(
                f"{layer_name(ply)} has {counted(len(records), 'record')}, counted from 0: no record {first}"
            )
        boards = []
        for index in range(first, min(first + count, len(records))):
            position = Position.unpack(int(records[index]), self.rules)
            outcome = position.outcome()
            winner = (outcome and outcome.winner) or "nobody"
            boards.append(f"record {index}\n{winner} wins\n{position.draw()}\n{position.packed:#x}")
        shown = [draw.beside(boards[start : start + 4]) for start in range(0, len(boards), 4)]
        return "\n\n".join([f"{self.rules}, ply {ply}: {counted(len(records), 'record')}", *shown])

    def answer(self, position: Position) -> tuple[str, bool]:
        """Whether a board is in the dataset, as a sentence: where it stands, or why it does not."""
        index = self.find(position)
        if index is not None:
            stored = Position.unpack(int(self.records(position.ply)[index]), self.rules)
            every = symmetries(self.rules.rows, self.rules.cols)
            symmetry = next(each for each in every if position.image(each) == stored)
            return f"yes: {layer_name(position.ply)} record {index}, as {stored} ({symmetry.name})", True
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
        if self.manifest:
            return bisect(records, position.canonical()[0].packed)
        images = {position.image(symmetry).packed for symmetry in symmetries(self.rules.rows, self.rules.cols)}
        if position.ply not in self._ascending:
            self._ascending[position.ply] = all(
                first_disorder(records[max(first - 1, 0) : first + BLOCK]) < 0
                for first in range(0, len(records), BLOCK)
            )
        look = bisect if self._ascending[position.ply] else scan
        return next((index for image in sorted(images) if (index := look(records, image)) is not None), None)


def layers_without_manifest(folder: Path) -> list[int]:
    """The plies of the layer files of a folder that has no manifest; none if it has one."""
    if os.path.lexists(folder / MANIFEST):
        return []
    found = (re.fullmatch(r"layer_(\d\d)\.bin", path.name) for path in folder.glob("layer_*.bin"))
    return sorted(int(each[1]) for each in found if each)


def uncounted_text(plies: list[int]) -> str:
    """What the reader of layers with a placeholder for their count should know."""
    names = ", ".join(map(layer_name, plies))
    return f"{names}: the header says 0 records, as before a layer is complete; counted by the size of the file"


def bisect(records: Records, record: int) -> int | None:
    """Where a record stands among ascending ones, or None."""
    index = int(np.searchsorted(records, np.uint64(record)))
    return index if index < len(records) and records[index] == np.uint64(record) else None


def scan(records: Records, record: int) -> int | None:
    """Where a record stands among others in any order, or None."""
    for first in range(0, len(records), BLOCK):
        found = np.flatnonzero(records[first : first + BLOCK] == np.uint64(record))
        if len(found):
            return first + int(found[0])
    return None


def board_text(record: np.uint64, rules: Rules) -> str:
    """The board of a record, or its number where that is no board."""
    try:
        return str(Position.unpack(int(record), rules))
    except ValueError:
        return f"{int(record):#x}"


@typed
def open_terminals(folder: Path | str, rules: Rules | str | None = None) -> Terminals:
    """Open a dataset of terminal wins; `rules` for a folder of layers without a manifest."""
    return Terminals(folder, rules)
