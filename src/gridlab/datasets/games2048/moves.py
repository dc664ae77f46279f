"""Games of 2048 as single moves for training: a map-style dataset for PyTorch, over files of any format.

    moves = Moves2048("train.jsonl", "more.parquet", symmetries=True)
    train, val, test = moves.split(0.7, 0.15, 0.15)                    by whole games; nothing is read
    moves[17]                   {"board": uint8[4, 4], "direction": 2, "legal": bool[4], "score": 120, …}
    moves[[3, 17]]              the same of several moves, as arrays
    DataLoader(train, batch_size=1024, shuffle=True, num_workers=2)    as it stands

Moves are taken out of columns mapped into memory (moves_file), a batch by one kernel (sampling). torch is not needed
unless something is handed to it.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridlab.core.arguments import typed
from gridlab.core.errors import BadNotation
from gridlab.core.extras import import_extra
from gridlab.core.numbers import check_seed, counted
from gridlab.core.shown import Sheet, shown
from gridlab.datasets.games2048.moves_file import MovesFile, open_moves
from gridlab.datasets.games2048.sampling import NO_CHANCE, Columns, Samples, new_samples, take
from gridlab.datasets.games2048.split import shared_out
from gridlab.games.game2048.images import mirror_table, shape_of
from gridlab.games.game2048.row_tables import row_tables
from gridlab.games.game2048.rules import Rules2048


@shown
class Moves2048:
    """The moves of some files of games, numbered from 0.

    With `symmetries` a move is seen as one of the eight images of its board, the direction mapped along: drawn from the
    seed, the epoch and the number of the move, so that it does not matter which worker asks for it.
    """

    @typed
    def __init__(self, *paths: Path | str, symmetries: bool = False, seed: int = 0, progress: bool = False) -> None:
        if not paths:
            raise BadNotation("no file of games was named; gridlab 2048 generate makes one")
        self.files = tuple(open_moves(Path(path), progress) for path in paths)
        self.rules = _one_shape(self.files)
        self.symmetries, self.seed, self.epoch = symmetries, check_seed(seed), 0
        self.games = np.array(
            [(number, game) for number, file in enumerate(self.files) for game in range(file.games)], np.int64
        ).reshape(-1, 2)
        self._number()

    def _number(self) -> None:
        """Find out which moves belong to which game."""
        lengths = np.empty(len(self.games), np.int64)
        self._first = np.empty(len(self.games), np.int64)
        for number, file in enumerate(self.files):
            here = self.games[:, 0] == number
            starts, games = file.starts.astype(np.int64), self.games[here, 1]
            self._first[here], lengths[here] = starts[games], np.diff(starts)[games]
        self._ends = np.cumsum(lengths)

    def __len__(self) -> int:
        return int(self._ends[-1]) if len(self._ends) else 0

    def _in_short(self) -> str:
        seen = ", with symmetries" if self.symmetries else ""
        held = f"{counted(len(self), 'move')} of {counted(len(self.games), 'game')}"
        return f"{self.rules}: {held} in {counted(len(self.files), 'file')}{seen}"

    def _sheet(self) -> Sheet:
        lengths = np.diff(self._ends, prepend=0)
        rows = []
        for number, file in enumerate(self.files):
            here = self.games[:, 0] == number
            rows.append((str(file.path), int(here.sum()), int(lengths[here].sum())))
        return Sheet(self._in_short(), ("file", "games", "moves"), rows)

    # ---- parts

    def part(self, games: Sequence[int] | NDArray[np.int64]) -> "Moves2048":
        """The moves of some games alone, by their numbers here."""
        part = copy(self)
        part.games = self.games[np.asarray(games, np.int64)]
        part._number()
        return part

    def split(self, *shares: float, seed: int = 0) -> list["Moves2048"]:
        """Whole games shared out by chance, as `gridlab 2048 split` does; each in exactly one part."""
        return [self.part(games) for games in shared_out(len(self.games), shares, seed)]

    def seen(self, symmetries: bool) -> "Moves2048":
        """The same moves, with symmetries or without."""
        other = copy(self)
        other.symmetries = symmetries
        return other

    def set_epoch(self, epoch: int) -> None:
        """Draw other symmetries; workers of a loader learn of it when they start."""
        self.epoch = epoch

    def draw(self, number: int, early: float, random: np.random.Generator) -> NDArray[np.int64]:
        """Numbers of moves by chance, early ones of a game more often: the n-th as n to the power of -`early`.

        With 0 all moves are alike, with 1 the logarithm of n is. One table of sums serves games of every length.
        """
        lengths = np.diff(self._ends, prepend=0)
        sums = np.cumsum(np.arange(1, lengths.max(initial=0) + 1) ** -float(early))
        shares = np.cumsum(np.concatenate(([0.0], sums))[lengths])
        games = np.searchsorted(shares, random.random(number) * shares[-1], "right").clip(max=len(lengths) - 1)
        places = np.searchsorted(sums, random.random(number) * sums[lengths[games] - 1], "right")
        numbers: NDArray[np.int64] = self._ends[games] - lengths[games] + places.clip(max=lengths[games] - 1)
        return numbers

    # ---- moves

    def samples(self, numbers: Sequence[int] | NDArray[np.int64]) -> Samples:
        """Some moves as arrays."""
        wanted = np.asarray(numbers, np.int64)
        if wanted.ndim != 1:
            raise BadNotation("a batch is a list of numbers of moves")
        wanted = np.where(wanted < 0, wanted + len(self), wanted)
        if len(wanted) and not 0 <= wanted.min() <= wanted.max() < len(self):
            raise IndexError(f"there are {len(self):,} moves, numbered from 0")
        places = np.searchsorted(self._ends, wanted, "right")
        before = np.concatenate(([0], self._ends))[places]
        owners, games = self.games[places].T
        chosen = np.stack((self._first[places] + wanted - before, games, np.arange(len(wanted)), wanted), axis=1)
        found, key = new_samples(len(wanted)), self._key()
        tables = row_tables(self.rules), mirror_table(self.rules), shape_of(self.rules)
        for number, file in enumerate(self.files):
            here = chosen if len(self.files) == 1 else chosen[owners == number]
            take(here, Columns(file.boards, file.scores, file.directions, file.final_scores), found, key, *tables)
        return found

    def _key(self) -> np.uint64:
        """What symmetries are drawn from."""
        if not self.symmetries:
            return NO_CHANCE
        drawn = np.random.SeedSequence(self.seed, spawn_key=(self.epoch,)).generate_state(1, np.uint64)[0]
        return np.uint64(drawn | np.uint64(1))

    def arrays(self, samples: Samples) -> dict[str, NDArray[Any]]:
        """Samples by name, as items have them."""
        rows, cols = self.rules.rows, self.rules.cols
        return {
            "board": samples.cells.reshape(-1, 4, 4)[:, :rows, :cols],
            "direction": samples.directions,
            "legal": samples.legal,
            "score": samples.scores,
            "remaining": samples.remaining,
            "phase": samples.phases,
        }

    def __getitem__(self, number: Any) -> Any:
        """A move; of several numbers all of them, as arrays."""
        if isinstance(number, (int, np.integer)):
            move: Move = Batch(self.arrays(self.samples([int(number)])))[0]
            return move
        return self.arrays(self.samples(number))

    def __getitems__(self, numbers: Sequence[int]) -> "Batch":
        """What a loader asks for: a batch at once."""
        _known_to_torch()
        return Batch(self.arrays(self.samples(numbers)))

    @staticmethod
    def collate(batch: "Batch | Sequence[Move]", **others: Any) -> dict[str, Any]:
        """A batch as tensors, without taking it apart and putting it together again."""
        torch = import_extra("torch", "learn")
        if not isinstance(batch, Batch):
            batch = Batch({name: np.stack([each[name] for each in batch]) for name in batch[0]})
        return {name: torch.from_numpy(np.ascontiguousarray(column)) for name, column in batch.columns.items()}


class Move(dict[str, Any]):
    """A move by names."""


class Batch(Sequence[Move]):
    """Some moves: a sequence of items, as loaders expect one, over arrays."""

    def __init__(self, columns: Mapping[str, NDArray[Any]]) -> None:
        self.columns = columns

    def __len__(self) -> int:
        return len(self.columns["direction"])

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[each] for each in range(len(self))[place]]
        return Move((name, column[place]) for name, column in self.columns.items())

    def __iter__(self) -> Iterator[Move]:
        return (self[place] for place in range(len(self)))


def _known_to_torch() -> None:
    """Let the usual collation of loaders, where torch is at work, take our batches whole."""
    if "torch.utils.data" in sys.modules:
        known = import_module("torch.utils.data._utils.collate").default_collate_fn_map
        known.setdefault(Move, Moves2048.collate)


def _one_shape(files: Sequence[MovesFile]) -> Rules2048:
    """The rules of all files; boards of two shapes go into no batch."""
    for each in files:
        if (each.rules.rows, each.rules.cols) != (files[0].rules.rows, files[0].rules.cols):
            raise BadNotation(
                f"{each.path} is of {each.rules}, {files[0].path} of {files[0].rules}: no batch holds both"
            )
    return files[0].rules
