"""A dataset of terminal wins opened for reading: mapped arrays by ply, positions by index, bisection, descriptions.

A folder of layers without a manifest is read as well: copied layers, or those of another tool, in any order. Its rules
are told, or taken to be those of 5x5:5 if the layers fit them. A layer of it whose header has no count yet is read with
a warning.
"""

import logging
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core import draw
from gridlab.core.arguments import check_seed, counted, typed
from gridlab.core.draw import AsJson, facts
from gridlab.core.errors import BadNotation, CorruptFile, FileTrouble
from gridlab.core.jit import kernel
from gridlab.core.progress import bars
from gridlab.core.run import in_order
from gridlab.games import grid
from gridlab.games.grid import symmetries
from gridlab.games.registry import game
from gridlab.inarow.datasets.terminals import files
from gridlab.inarow.datasets.terminals.files import MANIFEST, Manifest, Records, checker, layer_name, open_layer
from gridlab.inarow.exact.terminals import RECORD_CELLS, first_ply
from gridlab.inarow.kernels import Int64s, ending, runs_of
from gridlab.inarow.lines import numbered_lines
from gridlab.inarow.position import Position
from gridlab.inarow.rules import Rules

DEFAULT_GAME = "5x5:5"  # of a folder without a manifest
NO_WINS = (files.BAD_BITS, files.BAD_COUNT, files.NOT_OVER)  # what no layer of any tool has
BLOCK = 1 << 20  # records looked at between two looks at Ctrl-C


@draw.shown
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
        loose = [] if self.manifest else self.plies
        self.uncounted = [ply for ply in loose if files.has_placeholder(self.folder / layer_name(ply))]
        self._ascending: dict[int, bool] = {}
        if self.uncounted:
            logging.getLogger("gridlab").warning(f"{self.folder}: {uncounted_text(self.uncounted)}")

    def _fitting(self, plies: list[int], guessed: bool) -> list[int]:
        """The plies of a folder without a manifest; FileTrouble if they are not of these rules."""
        if self.rules.cells > RECORD_CELLS:
            raise FileTrouble(f"{self.rules} has {self.rules.cells} cells; records hold up to {RECORD_CELLS}")
        every = range(first_ply(self.rules), self.rules.cells + 1)
        empty = {ply for ply in plies if (some := self._readable(ply)) is not None and not len(some)}
        fitting = [ply for ply in plies if ply in every or ply not in empty]  # other tools begin with empty layers
        if not fitting:
            raise FileTrouble(f"{self.folder} has no manifest, and its layers are empty; there is nothing to read")
        for ply in fitting:
            if reason := self._misfit(ply, every, guessed):
                why = f"{layer_name(ply)} is not a layer of {self.rules}: {reason}"
                raise FileTrouble(f"{self.folder} has no manifest, and {why}; say with --game which game it is")
        return fitting

    def _readable(self, ply: int) -> Records | None:
        """The records of a layer; None if something is wrong with it, of which whoever reads it will hear."""
        with suppress(CorruptFile):
            return open_layer(self.folder / layer_name(ply), placeholder=True)
        return None

    def _misfit(self, ply: int, every: range, guessed: bool) -> str:
        """Why a layer is none of these rules, as far as its name and, if they are `guessed`, its first record tell."""
        if ply not in every:
            return f"it has the plies {every[0]} to {every[-1]}" if every else "nobody can win it"
        if guessed and (some := self._readable(ply)) is not None and len(some):
            first = files.flaw_of(some[0], ply, checker(self.rules))
            return f"in its first record {files.REASONS[first]}" if first in NO_WINS else ""
        return ""

    def _in_short(self) -> str:
        plies = f"plies {self.plies[0]} to {self.plies[-1]}" if self.plies else "no plies"
        return f"{self.rules}, {draw.brief(self.folder.name)}: {len(self):,} terminal wins, {plies}"

    def _sheet(self) -> draw.Sheet:
        rows = [(ply, len(records)) for ply, records in zip(self.plies, self._mapped, strict=True)]
        header, total = ("ply", "records"), ("all", len(self))
        return draw.Sheet(f"Terminal wins of {self.rules}", header, [*rows, total], [str(self.folder)])

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
        if ply in self.uncounted and (flaw := files.flaw_of(records[-1], ply, checker(self.rules))) in NO_WINS:
            why = f"its header has no count yet, and in its last record {files.REASONS[flaw]}"
            raise CorruptFile(f"{layer_name(ply)} was not written to its end: {why}")
        if self.manifest and len(records) != (said := self.manifest.layers[self.plies.index(ply)].records):
            raise CorruptFile(f"{layer_name(ply)} has {counted(len(records), 'record')}, the manifest says {said:,}")
        return records

    @cached_property
    def _mapped(self) -> list[Records]:
        return [self.records(ply) for ply in self.plies]

    @cached_property
    def _ends(self) -> list[int]:
        return list(accumulate(map(len, self._mapped)))

    def __getstate__(self) -> AsJson:
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

    def __getitem__(self, index: int) -> AsJson:
        position = self.position(index)
        board = np.array(position.values, dtype=np.int8).reshape(self.rules.rows, self.rules.cols)
        return {"board": board, "ply": position.ply, "winner": "-XO".index(position.winner or "-")}

    def __iter__(self) -> Iterator[Position]:
        for records in self._mapped:
            for record in records:
                yield Position.unpack(int(record), self.rules)

    def show(self, ply: int, first: int, count: int) -> str:
        """Some records of a layer, drawn, with the winner and the completed lines marked."""
        records = self.records(ply)
        if not 0 <= first < len(records):
            held = counted(len(records), "record")
            raise FileTrouble(f"{layer_name(ply)} has {held}, counted from 0: no record {first}")
        some = enumerate(records[first : first + count].tolist(), first)
        boards = [f"record {index}\n{described(Position.unpack(record, self.rules))}" for index, record in some]
        return "\n\n".join([f"{self.rules}, ply {ply}: {counted(len(records), 'record')}", *in_rows(boards)])

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
            blocks = (records[max(first - 1, 0) : first + BLOCK] for first in range(0, len(records), BLOCK))
            self._ascending[position.ply] = all(files.first_disorder(each) < 0 for each in blocks)
        look = bisect if self._ascending[position.ply] else scan
        return next((index for image in sorted(images) if (index := look(records, image)) is not None), None)


def layers_of(data: Terminals, plies: Iterable[int] | None) -> dict[int, Records]:
    """The records of some plies, ascending; of all by default."""
    found = {ply: data.records(ply) for ply in (data.plies if plies is None else sorted(set(plies)))}
    if not found:
        raise FileTrouble(f"no ply is named; {data.folder} has {files.plies_text(data.plies)}")
    return found


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


def described(position: Position) -> str:
    """A terminal win for people: who has won, the board with its lines, the record."""
    return f"{position.winner or 'nobody'} wins\n{position.draw()}\n{position.packed:#x}"


def in_rows(boards: list[str]) -> list[str]:
    """Four boards beside each other, then the next four."""
    return [draw.beside(boards[start : start + 4]) for start in range(0, len(boards), 4)]


@typed
def open_terminals(folder: Path | str, rules: Rules | str | None = None) -> Terminals:
    """Open a dataset of terminal wins; `rules` for a folder of layers without a manifest."""
    return Terminals(folder, rules)


# ---- Records that answer a description: a winner, a completed line, a pattern of cells.
#
#     pattern   X?./???/..O     a mark is that mark, `.` an empty cell, `?` any
#
# A pattern and a line of the player who moved last are a mask and a value of the 64 bits of a record, so a record is
# compared once for each image that is asked for.


ANY = 3  # of a cell of a pattern: none of empty 0, X 1, O 2


class Wanted(NamedTuple):
    """What the records of one ply are compared with."""

    masks: NDArray[np.uint64]  # [image]
    values: NDArray[np.uint64]  # [image]
    winner: int  # 0 anybody, 1 the player who moved last, 2 the other


class Match(NamedTuple):
    """A record that was found."""

    ply: int
    place: int  # in its layer
    position: Position

    @property
    def winner(self) -> str:
        return self.position.winner or "nobody"

    @property
    def lines(self) -> list[int]:
        """The numbers of the lines completed."""
        mover = self.position.crosses if self.ply % 2 else self.position.noughts
        return [number for number, line in enumerate(numbered_lines(self.position.rules)) if mover & line == line]

    def as_dict(self) -> AsJson:
        known = {"ply": self.ply, "record": self.place, "board": str(self.position), "packed": self.position.packed}
        return known | facts(self, "winner lines")

    def __str__(self) -> str:
        return f"ply {self.ply} record {self.place}\n{described(self.position)}"


@draw.shown
class Found(NamedTuple):
    """How many records match, of how many, and some of them."""

    rules: Rules
    records: int
    matches: int
    shown: list[Match]

    def _in_short(self) -> str:
        return f"{self.rules}: {self.matches:,} of {self.records:,} records match"

    def _sheet(self) -> draw.Sheet:
        pictures = [each.position._repr_svg_() for each in self.shown[: draw.MOST_ROWS]]
        return draw.Sheet(self._in_short(), pictures=pictures)

    def as_dict(self) -> AsJson:
        return facts(self)

    def __str__(self) -> str:
        verb = "matches" if self.matches == 1 else "match"
        found = f"{self.rules}: {self.matches:,} of {counted(self.records, 'record')} {verb}"
        return "\n\n".join([found, *in_rows([str(each) for each in self.shown])])


@typed
def find_terminals(
    data: Terminals | Path | str, plies: Sequence[int] | None = None, winner: str | None = None,
    line: int | None = None, pattern: str = "", symmetric: bool = False, count: int = 4, sample: int | None = None,
    seed: int = 0, workers: int | None = None, progress: bool = False,
) -> Found:  # fmt: skip
    """All records that match, counted; the first `count` of them, or a random `sample` of so many.

    Boards are compared as they are stored; if `symmetric`, with any image of the pattern and the line together.
    """
    data = data if isinstance(data, Terminals) else Terminals(data)
    layers = layers_of(data, plies)
    images = _images(data.rules, _pattern(pattern, data.rules), _line(line, data.rules), symmetric)
    total = sum(map(len, layers.values()))
    keep = _Kept(count, None) if sample is None else _Kept(sample, check_seed(seed))
    with bars(total, f"searching {data.rules}", "records", progress) as shown:
        for ply, records in layers.items():
            wanted = _wanted(images, winner, ply, data.rules)
            with shown.part(len(records), f"ply {ply:2}", "records"):
                for first, looked_at, places in _search(records, ply, wanted, data.rules, workers):
                    keep.add(ply, first, places)
                    shown.update(looked_at)
    kept = [Match(ply, at, Position.unpack(int(layers[ply][at]), data.rules)) for ply, at in keep.places()]
    return Found(data.rules, total, keep.seen, kept)


# ---- what is asked for


def _pattern(text: str, rules: Rules) -> tuple[int, ...]:
    """The cells of a pattern: ANY, or the value of a mark."""
    if not text:
        return (ANY,) * rules.cells
    if text.strip().startswith("["):
        form = "rows of X, O, . and ?, such as X?./???/..O"
        raise BadNotation(f"a pattern is written as {form}, not as a list of numbers")
    values = grid.parse_board(text.replace("?", "."), rules.rows, rules.cols)
    marks = re.sub(r"[\s/]", "", text)
    return tuple(ANY if mark == "?" else value for mark, value in zip(marks, values, strict=True))


def _line(number: int | None, rules: Rules) -> int:
    """A line as a bitboard; 0 for none."""
    lines = numbered_lines(rules)
    if number is None:
        return 0
    if not 0 <= number < len(lines):
        theirs = f"0 to {len(lines) - 1}, see gridlab lines {rules}"
        raise BadNotation(f"{rules} has no line {number}; its lines are {theirs}")
    return lines[number]


def _images(rules: Rules, cells: tuple[int, ...], line: int, symmetric: bool) -> set[tuple[tuple[int, ...], int]]:
    """The pattern and the line, as they are or as every symmetry makes them."""
    every = symmetries(rules.rows, rules.cols) if symmetric else symmetries(rules.rows, rules.cols)[:1]
    return {(each.values(cells), each.stones(line)) for each in every}


def _wanted(images: set[tuple[tuple[int, ...], int]], winner: str | None, ply: int, rules: Rules) -> Wanted:
    """What a record of a ply is compared with; nothing where nothing can match."""
    mover = 1 if ply % 2 else 2
    wins = 0 if winner is None else 1 if "-XO".index(winner.upper()) == mover else 2
    pairs = [pair for cells, line in sorted(images) if (pair := _mask_and_value(cells, line, mover))]
    if not rules.losing_lines:  # whoever moved last has won
        pairs, wins = [] if wins == 2 else pairs, 0
    table = np.array(pairs, dtype=np.uint64).reshape(-1, 2)
    return Wanted(np.ascontiguousarray(table[:, 0]), np.ascontiguousarray(table[:, 1]), wins)


def _mask_and_value(cells: tuple[int, ...], line: int, mover: int) -> tuple[int, int] | None:
    """A pattern with a line of the mover in it, as bits of a record; None if they contradict each other."""
    on_line = [bool(line >> i & 1) for i in range(len(cells))]
    if any(there and cell not in (ANY, mover) for there, cell in zip(on_line, cells, strict=True)):
        return None
    marks = {i: mover if on_line[i] else cell for i, cell in enumerate(cells) if on_line[i] or cell != ANY}
    return sum(3 << 2 * i for i in marks), sum(mark << 2 * i for i, mark in marks.items())


# ---- the search


def _search(
    records: Records, ply: int, wanted: Wanted, rules: Rules, workers: int | None
) -> Iterator[tuple[int, int, Int64s]]:
    """Block by block: where it begins, how many records it has, and which of them match."""
    runs = runs_of(rules)

    def block(first: int) -> tuple[int, int, Int64s]:
        some = np.asarray(records[first : first + BLOCK])
        places = np.empty(len(some), np.int64)
        return first, len(some), places[: matching(some, ply, wanted, runs, places)].copy()

    if not len(wanted.masks):
        yield 0, len(records), np.empty(0, np.int64)
        return
    yield from in_order(block, range(0, len(records), BLOCK), workers)


@kernel
def matching(records: NDArray[np.uint64], ply: int, wanted: Wanted, runs: Int64s, places: Int64s) -> int:
    """Write down which records match; how many do."""
    number = 0
    for i in range(len(records)):
        match = False
        for image in range(len(wanted.masks)):
            match |= records[i] & wanted.masks[image] == wanted.values[image]
        if match and wanted.winner:
            mover = files.crosses_of(records[i]) if ply % 2 else files.noughts_of(records[i])
            match = (ending(mover, runs) > 0) == (wanted.winner == 1)
        places[number] = i
        number += match
    return number


# ---- which are kept


class _Kept:
    """The first so many; or with a seed as many at random: of a number for each, by block, the smallest are kept."""

    def __init__(self, most: int, seed: int | None) -> None:
        self.seen, self._most, self._seed = 0, most, seed
        self._numbers, self._kept = np.empty(0), np.empty((0, 2), np.int64)

    def add(self, ply: int, first: int, places: Int64s) -> None:
        numbers = np.arange(self.seen, self.seen + len(places), dtype=np.float64)
        if self._seed is not None:
            numbers = np.random.default_rng([self._seed, ply, first]).random(len(places))
        self.seen += len(places)
        if len(self._numbers) == self._most:
            better = np.flatnonzero(numbers < self._numbers.max(initial=0))
            numbers, places = numbers[better], places[better]
        self._numbers = np.concatenate([self._numbers, numbers])
        self._kept = np.concatenate([self._kept, np.stack([np.full(len(places), ply), first + places], axis=1)])
        best = np.argsort(self._numbers, kind="stable")[: self._most]
        self._numbers, self._kept = self._numbers[best], self._kept[best]

    def places(self) -> list[tuple[int, int]]:
        return sorted((int(ply), int(place)) for ply, place in self._kept)
