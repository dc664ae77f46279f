"""Files of solved games: packed blocks one after the other, behind them a directory that says where each stands.

    offset
         0   8   magic: of which kind the file is
         8   …   blocks
         D   …   directory, in one section or several
             8   offset of each section, uint64       all numbers little-endian
        -12  4   CRC-32 of the directory
         -8  8   magic of the end: the file is whole

What the sections say is up to the kind; whoever reads them checks them.
"""

import struct
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate, pairwise
from pathlib import Path
from typing import NamedTuple

from gridlab.core.errors import CorruptFile, GridlabError
from gridlab.core.files import Checksummed
from gridlab.core.untrusted import Pieces


class Kind(NamedTuple):
    """What all files of a kind have in common."""

    name: str  # with its article
    magic: bytes
    end: bytes
    sections: int
    most: int  # bytes of all sections

    @property
    def footer(self) -> struct.Struct:
        return struct.Struct(f"<{self.sections}QI{len(self.end)}s")


def write_directory(file: Checksummed, kind: Kind, sections: Sequence[bytes]) -> None:
    """End a file that begins with the magic of its kind, and then holds its blocks."""
    places, directory = list(accumulate(map(len, sections), initial=file.size)), b"".join(sections)
    file.write(directory + kind.footer.pack(*places[:-1], zlib.crc32(directory), kind.end))


class Container:
    """A file opened for reading, with both ends whole and the checksum of its directory tested."""

    def __init__(self, path: Path, kind: Kind) -> None:
        self.path, self.data = path, Pieces(path)
        with naming(path):
            places = self._read_footer(kind)
        self.blocks_end = places[0]
        self.sections = [self.data[begin:end] for begin, end in pairwise(places)]

    def _read_footer(self, kind: Kind) -> list[int]:
        """Where each section begins, and where the last one ends."""
        data, footer = self.data, kind.footer
        if not len(data):
            raise CorruptFile("the file is empty")
        if data[: len(kind.magic)] != kind.magic:
            raise CorruptFile(f"begins with {data[:8]!r}, {kind.name} with {kind.magic!r}")
        if len(data) < len(kind.magic) + footer.size or data[-len(kind.end) :] != kind.end:
            raise CorruptFile("the end is missing: the file has been cut or was never finished")
        end = len(data) - footer.size
        *begins, checksum, _ = footer.unpack(data[end:])
        places = [len(kind.magic), *begins, end]
        placed = places == sorted(places) and end <= begins[0] + kind.most
        if not placed or zlib.crc32(data[begins[0] : end]) != checksum:
            raise CorruptFile("the directory is damaged: its checksum differs")
        return places[1:]


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Say of which file it is that something is wrong."""
    try:
        yield
    except GridlabError as error:
        raise CorruptFile(f"{path}: {error}") from error
