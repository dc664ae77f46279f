"""The file of a tablebase: blocks of scores, an index of them, a directory, a footer.

    offset
         0   8   magic "GRIDTAB1"
         8   …   blocks, ply after ply: each a zstd frame of its own, one after the other
         I   4n  for each ply: the sizes of its n blocks, uint32
             4n  and their CRC-32, uint32
         D   …   directory: JSON (rules, plies, counts)
        -28  8   offset I, uint64            all numbers little-endian
        -20  8   offset D, uint64
        -12  4   CRC-32 of everything from I to here
         -8  8   magic "1BATDIRG": the file is whole

A block holds the scores of a few whole X, so any value is found by unpacking one block. Only plies with X to move are
stored: a position with O to move is decided by its successors, and they lie in one block.
"""

import zlib
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from math import comb
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
import numpy as np
import zstandard
from numpy.typing import NDArray

from gridlab.core.errors import CorruptFile
from gridlab.core.files import Checksummed, Container, Kind, naming, whole_file, write_directory
from gridlab.core.untrusted import Count, parse_json, unpack
from gridlab.inarow.exact.tablebase.blocks import BLOCK, Scores, a_block, shape, stored_plies
from gridlab.inarow.exact.tablebase.halves import TABLEBASE_CELLS, WON, halves
from gridlab.inarow.rules import Rules

# ---- The directory of a tablebase: which plies stand where, and how many positions have which score
#
# It is read by its form and then compared, number by number, with what a file of these rules must hold. Whoever has a
# Directory from `Directory.parse` may believe all of it but the numbers of positions, which `verify` works out anew.


MOST_BYTES = 1 << 20  # of a directory; 25 plies of 100 scores take a tenth of it
ScoreCounts = dict[str, Count]  # by score, as text


class StoredPly(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the directory says of a stored ply."""

    ply: Count
    crosses: Count  # how many canonical X there are
    slots: Count  # scores for each of them
    a_block: Count  # X in a block
    blocks: Count
    blocks_at: Count  # offset of the first block
    index_at: Count  # offset of the sizes and checksums

    def scores_in(self, block: int) -> int:
        """How many scores a block holds; the last one has what is left."""
        return min(self.a_block, self.crosses - block * self.a_block) * self.slots


class PlyCounts(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """The ongoing positions of a ply by score: all of them, and up to symmetry."""

    ply: Count
    every: ScoreCounts
    canonical: ScoreCounts


class Directory(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"game": "rules"}):
    """What a file holds."""

    game: Annotated[str, msgspec.Meta(max_length=20)]
    behaviour: Count
    max_ply: Count
    plies: Annotated[tuple[StoredPly, ...], msgspec.Meta(max_length=TABLEBASE_CELLS)]
    counts: Annotated[tuple[PlyCounts, ...], msgspec.Meta(max_length=TABLEBASE_CELLS)]

    @property
    def rules(self) -> Rules:
        return Rules.parse(self.game)

    @classmethod
    def parse(cls, text: bytes, part: int | None = None) -> "Directory":
        """Read a directory, of a whole file or of a part that holds one ply; CorruptFile says what is wrong."""
        if len(text) > MOST_BYTES:
            raise CorruptFile(f"the directory has {len(text):,} bytes; {MOST_BYTES:,} are the most it can have")
        directory = parse_json(text, cls, "the directory cannot be understood")
        try:
            rules = directory.rules
        except ValueError as error:
            raise CorruptFile(f"the directory cannot be understood: {error}") from error
        directory._check_sizes(rules, part)
        directory._check_counts(rules.cells, part)
        return directory

    def _check_sizes(self, rules: Rules, part: int | None) -> None:
        """Are these the plies and sizes of the rules?"""
        last = self.max_ply
        if rules.cells > TABLEBASE_CELLS or last >= rules.cells:
            raise CorruptFile(f"the directory speaks of ply {last} of {rules}, which no tablebase holds")
        if part not in (None, last):
            raise CorruptFile(f"the directory ends with ply {last}, not {part}")
        wanted = stored_plies(rules, last) if part is None else [part]
        if [_sizes(each) for each in self.plies] != [_expected(rules, ply) for ply in wanted]:
            raise CorruptFile(f"the directory lists other plies or sizes than {rules} has")

    def _check_counts(self, cells: int, part: int | None) -> None:
        """Are these numbers of positions possible?"""
        wanted = range(self.max_ply + 1) if part is None else range(part, min(part + 2, cells))
        if [each.ply for each in self.counts] != list(wanted):
            raise CorruptFile("the directory does not count every ply once")
        for each in self.counts:
            possible = {str(score) for score in possible_scores(cells - each.ply)}
            if not possible.issuperset(each.every) or each.every.keys() != each.canonical.keys():
                raise CorruptFile(f"the directory counts scores of ply {each.ply} that cannot be")
            most = comb(cells, (each.ply + 1) // 2) * comb(cells - (each.ply + 1) // 2, each.ply // 2)
            if sum(each.every.values()) > most or sum(each.canonical.values()) > most:
                raise CorruptFile(f"the directory counts more positions of ply {each.ply} than {self.game} has")


def _sizes(ply: StoredPly) -> tuple[int, ...]:
    return ply.ply, ply.crosses, ply.slots, ply.a_block, ply.blocks


def _expected(rules: Rules, ply: int) -> tuple[int, ...]:
    crosses, _, _, slots = shape(rules.cells, ply)
    number, size = halves(rules).count(crosses), a_block(slots)
    return ply, number, slots, size, -(-number // size)


def possible_scores(empty: int) -> Iterable[int]:
    """The scores of ongoing positions with so many empty cells: a draw, or an end within them."""
    lowest = WON - empty
    return [0, *range(lowest, WON), *range(-WON + 1, -lowest + 1)]


def all_possible(scores: Scores, empty: int) -> bool:
    """Whether all scores are possible, in four passes that the processor does many scores at a time."""
    if not len(scores) or scores.min() <= -WON or scores.max() >= WON:
        return not len(scores)
    below: NDArray[np.uint8] = np.abs(scores).view(np.uint8) - np.uint8(1)  # a draw is 255 now
    return bool(below.min() >= WON - empty - 1)


# ---- The file of a tablebase: blocks of scores, an index of them, a directory, a footer


MAGIC = b"GRIDTAB1"
KIND = Kind("a tablebase", MAGIC, b"1BATDIRG", sections=2, most=64 << 20)  # index and directory of 25 cells are less
NUMBER = np.dtype("<u4")
LARGEST_BLOCK = BLOCK + (BLOCK >> 7) + 512  # bytes; scores that cannot be packed take a little more than they are


class NewPly(NamedTuple):
    """A ply to be written, its blocks already packed."""

    ply: int
    crosses: int
    slots: int
    a_block: int
    blocks: Iterable[bytes]


def pack(scores: Scores, level: int) -> bytes:
    """A block as it stands in the file."""
    return zstandard.ZstdCompressor(level=level, write_content_size=True).compress(scores.data)


def write_table(
    path: Path,
    rules: Rules,
    behaviour: int,
    max_ply: int,
    plies: Iterable[NewPly],
    counts: Callable[[], list[PlyCounts]],
) -> None:
    """Write a file; `counts` is asked for when all blocks have been written."""
    with whole_file(path) as file:
        file.write(MAGIC)
        written = [_write_blocks(file, each) for each in plies]
        places = accumulate((len(index) for _, index in written), initial=file.size)
        listed = tuple(msgspec.structs.replace(ply, index_at=at) for (ply, _), at in zip(written, places, strict=False))
        text = msgspec.json.encode(Directory(str(rules), behaviour, max_ply, listed, tuple(counts())))
        write_directory(file, KIND, [b"".join(index for _, index in written), text])


def _write_blocks(file: Checksummed, new: NewPly) -> tuple[StoredPly, bytes]:
    """What the directory says of a ply, and its part of the index."""
    start = file.size
    sizes, sums = [], []
    for block in new.blocks:
        file.write(block)
        sizes.append(len(block))
        sums.append(zlib.crc32(block))
    ply = StoredPly(new.ply, new.crosses, new.slots, new.a_block, len(sizes), start, 0)
    return ply, np.array([sizes, sums], NUMBER).tobytes()


class TableFile(Container):
    """A file opened for reading: the only reader of tablebases, which checks everything.

    Opening it checks the directory, every offset and every size; a block is checked when it is unpacked: its checksum,
    its length, its scores. CorruptFile says what is wrong. `part`: the file holds one ply of a build that goes on.
    """

    def __init__(self, path: Path, part: int | None = None) -> None:
        super().__init__(path, KIND)
        index, text = self.sections
        with naming(path):
            self.directory = Directory.parse(text, part)
            self._places = self._read_index(index)
        self.rules = self.directory.rules
        self.plies = {each.ply: each for each in self.directory.plies}

    def _read_index(self, index: bytes) -> dict[int, tuple[NDArray[np.int64], NDArray[np.uint32]]]:
        """Where the blocks of each ply begin, and their checksums: everything in order, without a gap, to the byte."""
        plies = self.directory.plies
        if 2 * NUMBER.itemsize * sum(each.blocks for each in plies) != len(index):
            raise CorruptFile("the index has another size than the directory says")
        found, blocks_at, index_at = {}, len(MAGIC), self.blocks_end
        for each in plies:
            sizes, sums = np.frombuffer(index, NUMBER, 2 * each.blocks, index_at - self.blocks_end).reshape(2, -1)
            places = blocks_at + np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))
            if (each.blocks_at, each.index_at) != (blocks_at, index_at) or sizes.max(initial=0) > LARGEST_BLOCK:
                raise CorruptFile(f"the blocks of ply {each.ply} do not stand where the directory says")
            found[each.ply] = places, sums
            blocks_at, index_at = int(places[-1]), index_at + 2 * NUMBER.itemsize * each.blocks
        if blocks_at != self.blocks_end:
            raise CorruptFile(f"the blocks end at {blocks_at:,}, the index begins at {self.blocks_end:,}")
        return found

    def packed(self, ply: int, block: int) -> bytes:
        """A block as it stands in the file, its checksum tested."""
        places, sums = self._places[ply]
        data = self.data[int(places[block]) : int(places[block + 1])]
        if zlib.crc32(data) != sums[block]:
            raise CorruptFile(f"{self.path}: block {block} of ply {ply} is damaged: its checksum differs")
        return data

    def block(self, ply: int, block: int) -> Scores:
        """The scores of a block."""
        packed, expected = self.packed(ply, block), self.plies[ply].scores_in(block)
        name = f"{self.path}: block {block} of ply {ply}"
        scores = np.frombuffer(unpack(packed, expected, name, "scores"), np.int8)
        if not all_possible(scores, self.rules.cells - ply):
            raise CorruptFile(f"{name} holds scores that cannot be")
        return scores

    def range(self, ply: int, crosses: range) -> Scores:
        """The scores of a range of X that begins with a block; a copy that may be written to."""
        size = self.plies[ply].a_block
        numbers = range(crosses.start // size, -(-crosses.stop // size))
        return np.concatenate([self.block(ply, number) for number in numbers])

    def all_packed(self, ply: int) -> Iterator[bytes]:
        """Every block of a ply as it stands in the file."""
        for block in range(self.plies[ply].blocks):
            yield self.packed(ply, block)
