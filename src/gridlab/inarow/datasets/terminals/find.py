"""Records that answer a description: a winner, a completed line, a pattern of cells.

    pattern   X?./???/..O     a mark is that mark, `.` an empty cell, `?` any

A pattern and a line of the player who moved last are a mask and a value of the 64 bits of a record, so a record is
compared once for each image that is asked for.
"""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core import draw
from gridlab.core.arguments import check_seed, counted, typed
from gridlab.core.draw import MOST_ROWS, Sheet, facts, shown
from gridlab.core.errors import BadNotation, FileTrouble
from gridlab.core.jit import kernel
from gridlab.core.progress import bars
from gridlab.core.run import in_order
from gridlab.games import grid
from gridlab.games.grid import symmetries
from gridlab.inarow.datasets.terminals.build import plies_text
from gridlab.inarow.datasets.terminals.dataset import Terminals
from gridlab.inarow.datasets.terminals.manifest import Records
from gridlab.inarow.datasets.terminals.records import crosses_of, noughts_of
from gridlab.inarow.kernels import ending, runs_of
from gridlab.inarow.lines import numbered_lines
from gridlab.inarow.position import Position
from gridlab.inarow.rules import Rules

BLOCK = 1 << 20  # records compared in one job
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
        outcome = self.position.outcome()
        return (outcome and outcome.winner) or "nobody"

    @property
    def lines(self) -> list[int]:
        """The numbers of the lines completed."""
        mover = self.position.crosses if self.ply % 2 else self.position.noughts
        return [number for number, line in enumerate(numbered_lines(self.position.rules)) if mover & line == line]

    def as_dict(self) -> dict[str, Any]:
        known = {"ply": self.ply, "record": self.place, "board": str(self.position), "packed": self.position.packed}
        return known | facts(self, "winner lines")

    def __str__(self) -> str:
        place = f"ply {self.ply} record {self.place}"
        return f"{place}\n{self.winner} wins\n{self.position.draw()}\n{self.position.packed:#x}"


@shown
class Found(NamedTuple):
    """How many records match, of how many, and some of them."""

    rules: Rules
    records: int
    matches: int
    shown: list[Match]

    def _in_short(self) -> str:
        return f"{self.rules}: {self.matches:,} of {self.records:,} records match"

    def _sheet(self) -> Sheet:
        return Sheet(self._in_short(), pictures=[each.position._repr_svg_() for each in self.shown[:MOST_ROWS]])

    def as_dict(self) -> dict[str, Any]:
        return facts(self)

    def __str__(self) -> str:
        boards = [str(each) for each in self.shown]
        rows = [draw.beside(boards[start : start + 4]) for start in range(0, len(boards), 4)]
        verb = "matches" if self.matches == 1 else "match"
        found = f"{self.rules}: {self.matches:,} of {counted(self.records, 'record')} {verb}"
        return "\n\n".join([found, *rows])


@typed
def find_terminals(
    data: Terminals | Path | str,
    plies: Sequence[int] | None = None,
    winner: str | None = None,
    line: int | None = None,
    pattern: str = "",
    symmetric: bool = False,
    count: int = 4,
    sample: int | None = None,
    seed: int = 0,
    workers: int | None = None,
    progress: bool = False,
) -> Found:
    """All records that match, counted; the first `count` of them, or a random `sample` of so many.

    Boards are compared as they are stored; if `symmetric`, with any image of the pattern and the line together.
    """
    data = data if isinstance(data, Terminals) else Terminals(data)
    plies = data.plies if plies is None else sorted(set(plies))
    layers = {ply: data.records(ply) for ply in plies}
    if not layers:
        raise FileTrouble(f"no ply is named; {data.folder} has {plies_text(data.plies)}")
    images = _images(data.rules, _pattern(pattern, data.rules), _line(line, data.rules), symmetric)
    total = sum(map(len, layers.values()))
    keep = _Sample(sample, check_seed(seed)) if sample is not None else _First(count)
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
        raise BadNotation(
            "a pattern is written as rows of X, O, . and ?, such as X?./???/..O, not as a list of numbers"
        )
    values = grid.parse_board(text.replace("?", "."), rules.rows, rules.cols)
    marks = re.sub(r"[\s/]", "", text)
    return tuple(ANY if mark == "?" else value for mark, value in zip(marks, values, strict=True))


def _line(number: int | None, rules: Rules) -> int:
    """A line as a bitboard; 0 for none."""
    lines = numbered_lines(rules)
    if number is None:
        return 0
    if not 0 <= number < len(lines):
        raise BadNotation(
            f"{rules} has no line {number}; its lines are 0 to {len(lines) - 1}, see gridlab lines {rules}"
        )
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
) -> Iterator[tuple[int, int, NDArray[np.int64]]]:
    """Block by block: where it begins, how many records it has, and which of them match."""
    if not len(wanted.masks):
        yield 0, len(records), np.empty(0, np.int64)
        return
    job = partial(_block, records=records, ply=ply, wanted=wanted, runs=runs_of(rules))
    yield from in_order(job, range(0, len(records), BLOCK), workers)


def _block(
    first: int, records: Records, ply: int, wanted: Wanted, runs: NDArray[np.int64]
) -> tuple[int, int, NDArray[np.int64]]:
    block = np.asarray(records[first : first + BLOCK])
    places = np.empty(len(block), np.int64)
    number = matching(block, ply, wanted, runs, places)
    return first, len(block), places[:number].copy()


@kernel
def matching(
    records: NDArray[np.uint64], ply: int, wanted: Wanted, runs: NDArray[np.int64], places: NDArray[np.int64]
) -> int:
    """Write down which records match; how many do."""
    number = 0
    for i in range(len(records)):
        match = False
        for image in range(len(wanted.masks)):
            match |= records[i] & wanted.masks[image] == wanted.values[image]
        if match and wanted.winner:
            mover = crosses_of(records[i]) if ply % 2 else noughts_of(records[i])
            match = (ending(mover, runs) > 0) == (wanted.winner == 1)
        places[number] = i
        number += match
    return number


# ---- which are kept


class _First:
    """The first so many."""

    def __init__(self, most: int) -> None:
        self.seen, self._most, self._kept = 0, most, list[tuple[int, int]]()

    def add(self, ply: int, first: int, places: NDArray[np.int64]) -> None:
        self.seen += len(places)
        self._kept += [(ply, first + int(place)) for place in places[: self._most - len(self._kept)]]

    def places(self) -> list[tuple[int, int]]:
        return self._kept


class _Sample:
    """So many at random: a random number for each, by block whoever works at it, and the smallest are kept."""

    def __init__(self, most: int, seed: int) -> None:
        self.seen, self._most, self._seed = 0, most, seed
        self._numbers, self._kept = np.empty(0), np.empty((0, 2), np.int64)

    def add(self, ply: int, first: int, places: NDArray[np.int64]) -> None:
        self.seen += len(places)
        numbers = np.random.default_rng([self._seed, ply, first]).random(len(places))
        if len(self._numbers) == self._most:
            better = np.flatnonzero(numbers < self._numbers.max(initial=0))
            numbers, places = numbers[better], places[better]
        self._numbers = np.concatenate([self._numbers, numbers])
        self._kept = np.concatenate([self._kept, np.stack([np.full(len(places), ply), first + places], axis=1)])
        best = np.argsort(self._numbers, kind="stable")[: self._most]
        self._numbers, self._kept = self._numbers[best], self._kept[best]

    def places(self) -> list[tuple[int, int]]:
        return sorted((int(ply), int(place)) for ply, place in self._kept)
