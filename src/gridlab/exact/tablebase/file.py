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

import struct
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import zstandard
from numpy.typing import NDArray

from gridlab.core.errors import CorruptFile, GridlabError
from gridlab.core.files import Checksummed, whole_file
from gridlab.core.untrusted import Pieces, unpack
from gridlab.exact.tablebase.blocks import BLOCK
from gridlab.exact.tablebase.directory import Directory, PlyCounts, StoredPly, all_possible
from gridlab.exact.tablebase.rows import Scores
from gridlab.games.mnk.rules import Rules

MAGIC, END = b"GRIDTAB1", b"1BATDIRG"
FOOTER = struct.Struct("<QQI8s")
NUMBER = np.dtype("<u4")
LARGEST_BLOCK = BLOCK + (BLOCK >> 7) + 512  # bytes; scores that cannot be packed take a little more than they are
LARGEST_INDEX = 64 << 20  # bytes of index and directory; those of 25 cells stay far below


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
        first_index = file.size
        index = b"".join(sizes + sums for _, sizes, sums in written)
        places = np.cumsum([0] + [len(sizes) + len(sums) for _, sizes, sums in written]).tolist()
        listed = tuple(
            msgspec.structs.replace(ply, index_at=first_index + at)
            for (ply, _, _), at in zip(written, places, strict=False)
        )
        text = Directory(rules, behaviour, max_ply, listed, tuple(counts())).as_json()
        file.write(index + text)
        file.write(FOOTER.pack(first_index, first_index + len(index), zlib.crc32(text, zlib.crc32(index)), END))


def _write_blocks(file: Checksummed, new: NewPly) -> tuple[StoredPly, bytes, bytes]:
    start = file.size
    sizes, sums = [], []
    for block in new.blocks:
        file.write(block)
        sizes.append(len(block))
        sums.append(zlib.crc32(block))
    ply = StoredPly(new.ply, new.crosses, new.slots, new.a_block, len(sizes), start, 0)
    return ply, np.array(sizes, NUMBER).tobytes(), np.array(sums, NUMBER).tobytes()


class TableFile:
    """A file opened for reading: the only reader of tablebases, which checks everything.

    Opening it checks the directory, every offset and every size; a block is checked when it is unpacked: its checksum,
    its length, its scores. CorruptFile says what is wrong. `part`: the file holds one ply of a build that goes on.
    """

    def __init__(self, path: Path, part: int | None = None) -> None:
        self.path = path
        self._data = Pieces(path)
        try:
            self._index_at, self._directory_at = self._read_footer()
            self.directory = Directory.parse(self._data[self._directory_at : -FOOTER.size], part)
            self._places = self._read_index()
        except GridlabError as error:
            raise CorruptFile(f"{path}: {error}") from error
        self._plies = {each.ply: each for each in self.directory.plies}

    def _read_footer(self) -> tuple[int, int]:
        """Where index and directory begin, their checksum tested."""
        data = self._data
        if not len(data):
            raise CorruptFile("the file is empty")
        if data[: len(MAGIC)] != MAGIC:
            raise CorruptFile(f"begins with {data[:8]!r}, a tablebase with {MAGIC!r}")
        if len(data) < len(MAGIC) + FOOTER.size or data[-len(END) :] != END:
            raise CorruptFile("the end is missing: the file has been cut or was never finished")
        index, text, checksum, _ = FOOTER.unpack(data[-FOOTER.size :])
        end = len(data) - FOOTER.size
        placed = len(MAGIC) <= index <= text <= end <= index + LARGEST_INDEX
        if not placed or zlib.crc32(data[index:end]) != checksum:
            raise CorruptFile("the directory is damaged: its checksum differs")
        return index, text

    def _read_index(self) -> dict[int, tuple[NDArray[np.int64], NDArray[np.uint32]]]:
        """Where the blocks of each ply begin, and their checksums: everything in order, without a gap, to the byte."""
        plies = self.directory.plies
        if self._index_at + 2 * NUMBER.itemsize * sum(each.blocks for each in plies) != self._directory_at:
            raise CorruptFile("the index has another size than the directory says")
        found, index = {}, self._data[self._index_at : self._directory_at]
        blocks_at, index_at = len(MAGIC), self._index_at
        for each in plies:
            sizes, sums = np.frombuffer(index, NUMBER, 2 * each.blocks, index_at - self._index_at).reshape(2, -1)
            places = blocks_at + np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))
            if (each.blocks_at, each.index_at) != (blocks_at, index_at) or sizes.max(initial=0) > LARGEST_BLOCK:
                raise CorruptFile(f"the blocks of ply {each.ply} do not stand where the directory says")
            found[each.ply] = places, sums
            blocks_at, index_at = int(places[-1]), index_at + 2 * NUMBER.itemsize * each.blocks
        if blocks_at != self._index_at:
            raise CorruptFile(f"the blocks end at {blocks_at:,}, the index begins at {self._index_at:,}")
        return found

    @property
    def plies(self) -> dict[int, StoredPly]:
        """The stored plies by number."""
        return self._plies

    def packed(self, ply: int, block: int) -> bytes:
        """A block as it stands in the file, its checksum tested."""
        places, sums = self._places[ply]
        data = self._data[int(places[block]) : int(places[block + 1])]
        if zlib.crc32(data) != sums[block]:
            raise CorruptFile(f"{self.path}: block {block} of ply {ply} is damaged: its checksum differs")
        return data

    def block(self, ply: int, block: int) -> Scores:
        """The scores of a block."""
        packed, expected = self.packed(ply, block), self._plies[ply].scores_in(block)
        name = f"{self.path}: block {block} of ply {ply}"
        scores = np.frombuffer(unpack(packed, expected, name, "scores"), np.int8)
        if not all_possible(scores, self.directory.rules.cells - ply):
            raise CorruptFile(f"{name} holds scores that cannot be")
        return scores

    def range(self, ply: int, crosses: range) -> Scores:
        """The scores of a range of X that begins with a block; a copy that may be written to."""
        size = self._plies[ply].a_block
        numbers = range(crosses.start // size, -(-crosses.stop // size))
        return np.concatenate([self.block(ply, number) for number in numbers])

    def all_packed(self, ply: int) -> Iterator[bytes]:
        """Every block of a ply as it stands in the file."""
        for block in range(self._plies[ply].blocks):
            yield self.packed(ply, block)
