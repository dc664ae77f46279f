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

import json
import mmap
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import zstandard
from numpy.typing import NDArray

from gridlab.core.errors import FileTrouble, GridlabError, SpoiltFile
from gridlab.core.files import Checksummed, whole_file
from gridlab.exact.tablebase.rows import Scores
from gridlab.games.mnk.rules import Rules

MAGIC, END = b"GRIDTAB1", b"1BATDIRG"
FOOTER = struct.Struct("<QQI8s")
NUMBER = np.dtype("<u4")
ScoreCounts = dict[str, int]  # by score, as text


class StoredPly(NamedTuple):
    """What the directory says of a stored ply."""

    ply: int
    crosses: int  # how many canonical X there are
    slots: int  # scores for each of them
    a_block: int  # X in a block
    blocks: int
    blocks_at: int  # offset of the first block
    index_at: int  # offset of the sizes and checksums


class PlyCounts(NamedTuple):
    """The ongoing positions of a ply by score: all of them, and up to symmetry."""

    ply: int
    every: ScoreCounts
    canonical: ScoreCounts


class Directory(NamedTuple):
    """What a file holds."""

    rules: Rules
    behaviour: int
    max_ply: int
    plies: tuple[StoredPly, ...]
    counts: tuple[PlyCounts, ...]

    def as_json(self) -> bytes:
        content = {
            "rules": str(self.rules),
            "behaviour": self.behaviour,
            "max_ply": self.max_ply,
            "plies": [each._asdict() for each in self.plies],
            "counts": [each._asdict() for each in self.counts],
        }
        return json.dumps(content, separators=(",", ":")).encode()

    @classmethod
    def parse(cls, text: bytes) -> "Directory":
        content = json.loads(text)
        return cls(
            Rules.parse(content["rules"]),
            int(content["behaviour"]),
            int(content["max_ply"]),
            tuple(StoredPly(**each) for each in content["plies"]),
            tuple(PlyCounts(**each) for each in content["counts"]),
        )


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
) -> Checksummed:
    """Write a file; `counts` is asked for when all blocks have been written."""
    with whole_file(path) as file:
        file.write(MAGIC)
        written = [_write_blocks(file, each) for each in plies]
        first_index = file.size
        index = b"".join(sizes + sums for _, sizes, sums in written)
        places = np.cumsum([0] + [len(sizes) + len(sums) for _, sizes, sums in written]).tolist()
        listed = tuple(
            ply._replace(index_at=first_index + at) for (ply, _, _), at in zip(written, places, strict=False)
        )
        text = Directory(rules, behaviour, max_ply, listed, tuple(counts())).as_json()
        file.write(index + text)
        file.write(FOOTER.pack(first_index, first_index + len(index), zlib.crc32(text, zlib.crc32(index)), END))
    return file


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
    """A file opened for reading, mapped; SpoiltFile with the reason if it is not whole."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError as error:
            raise SpoiltFile(f"{path}: the file is empty") from error
        except OSError as error:
            raise FileTrouble(f"{path} cannot be read: {error.strerror}") from error
        self.directory = self._read_directory()
        self._places: dict[int, tuple[NDArray[np.int64], NDArray[np.uint32]]] = {}
        self._plies = {each.ply: each for each in self.directory.plies}

    def _read_directory(self) -> Directory:
        data, name = self._map, self.path
        if data[: len(MAGIC)] != MAGIC:
            raise SpoiltFile(f"{name}: begins with {data[:8]!r}, a tablebase with {MAGIC!r}")
        if len(data) < len(MAGIC) + FOOTER.size or data[-len(END) :] != END:
            raise SpoiltFile(f"{name}: the end is missing: the file has been cut or was never finished")
        index, text, checksum, _ = FOOTER.unpack(data[-FOOTER.size :])
        end = len(data) - FOOTER.size
        if not len(MAGIC) <= index <= text <= end or zlib.crc32(data[index:end]) != checksum:
            raise SpoiltFile(f"{name}: the directory is spoilt: its checksum differs")
        try:
            return Directory.parse(data[text:end])
        except (ValueError, KeyError, TypeError, GridlabError) as error:
            raise SpoiltFile(f"{name}: the directory cannot be understood: {error}") from error

    @property
    def plies(self) -> dict[int, StoredPly]:
        """The stored plies by number."""
        return self._plies

    def _index(self, ply: StoredPly) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """Where the blocks of a ply begin, and their checksums."""
        if ply.ply not in self._places:
            sizes, sums = np.frombuffer(self._map, NUMBER, 2 * ply.blocks, ply.index_at).reshape(2, -1)
            places = ply.blocks_at + np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))
            self._places[ply.ply] = places, sums
        return self._places[ply.ply]

    def packed(self, ply: int, block: int) -> bytes:
        """A block as it stands in the file, its checksum tested."""
        places, sums = self._index(self._plies[ply])
        data = self._map[int(places[block]) : int(places[block + 1])]
        if zlib.crc32(data) != sums[block]:
            raise SpoiltFile(f"{self.path}: block {block} of ply {ply} is spoilt: its checksum differs")
        return data

    def block(self, ply: int, block: int) -> Scores:
        """The scores of a block."""
        about = self._plies[ply]
        expected = min(about.a_block, about.crosses - block * about.a_block) * about.slots
        try:
            data = zstandard.ZstdDecompressor().decompress(self.packed(ply, block), max_output_size=expected)
        except zstandard.ZstdError as error:
            raise SpoiltFile(f"{self.path}: block {block} of ply {ply} cannot be unpacked: {error}") from error
        if len(data) != expected:
            raise SpoiltFile(f"{self.path}: block {block} of ply {ply} has {len(data):,} scores, not {expected:,}")
        return np.frombuffer(data, np.int8)

    def range(self, ply: int, crosses: range) -> Scores:
        """The scores of a range of X that begins with a block; a copy that may be written to."""
        size = self._plies[ply].a_block
        numbers = range(crosses.start // size, -(-crosses.stop // size))
        return np.concatenate([self.block(ply, number) for number in numbers])

    def all_packed(self, ply: int) -> Iterator[bytes]:
        """Every block of a ply as it stands in the file."""
        for block in range(self._plies[ply].blocks):
            yield self.packed(ply, block)
