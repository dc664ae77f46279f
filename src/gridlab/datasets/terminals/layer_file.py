"""One ply of positions as a file of records.

    offset 0   uint32  magic 0x54545435, on disk the bytes 35 54 54 54 ("5TTT")
           4   uint32  number of records
           8   uint64  record 0: 2 bits a cell, cell 0 (top left) lowest, row-major; 00 empty, 01 X, 10 O
          16   uint64  record 1 > record 0
           …           all little-endian; the file ends with the last record

Records ascend as integers, so a board is found by bisection.

Other tools write 0 for the number and fill it in when the layer is complete. A file that still holds this placeholder
has as many records as its size says, if its reader takes that.
"""

import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from gridlab.core.errors import CorruptFile, GridlabError, TooLarge
from gridlab.core.files import Checksummed, whole_file
from gridlab.core.untrusted import open_regular, reason_of, size_of

MAGIC = 0x54545435
HEADER = struct.Struct("<II")
RECORD = np.dtype("<u8")
MOST_RECORDS = 2**32 - 1

Records = NDArray[np.uint64]


def layer_name(ply: int) -> str:
    return f"layer_{ply:02}.bin"


def layer_size(records: int) -> int:
    """The bytes of a file of so many records."""
    return HEADER.size + RECORD.itemsize * records


def write_layer(path: Path, count: int, shards: Iterable[Records]) -> Checksummed:
    """Write `count` records given in ascending shards; the file's size and checksum."""
    if count > MOST_RECORDS:
        raise TooLarge(f"{path.name} would have {count:,} records; a layer file counts up to {MOST_RECORDS:,}")
    with whole_file(path) as file:
        file.write(HEADER.pack(MAGIC, count))
        for records in shards:
            file.write(records.astype(RECORD, copy=False).data.cast("B"))
    return file


def open_layer(path: Path, placeholder: bool = False) -> Records:
    """The records of a file, mapped; CorruptFile if it is not a whole layer.

    With `placeholder` a count of 0 stands for as many records as the file has. What stands in them is judged by
    gridlab.datasets.terminals.records.
    """
    with _opened(path) as file:
        size, count = _head_of(path, file)
        if placeholder and count == 0:
            count, left = divmod(size - HEADER.size, RECORD.itemsize)
            if left:
                raise CorruptFile(
                    f"{path.name}: its {size:,} bytes end within a record, and its header has no count yet"
                )
        if size != (expected := layer_size(count)):
            raise CorruptFile(
                f"{path.name}: {size:,} bytes do not hold the {count:,} records of its header: {expected:,} would"
            )
        return np.memmap(file, dtype=RECORD, mode="r", offset=HEADER.size) if count else np.empty(0, dtype=RECORD)


def has_placeholder(path: Path) -> bool:
    """Whether a file counts 0 records and holds some."""
    with _opened(path) as file:
        size, count = _head_of(path, file)
    return count == 0 and size > HEADER.size


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        with open_regular(path) as file:
            yield file
    except CorruptFile:
        raise
    except (OSError, GridlabError) as error:
        raise CorruptFile(f"{path.name}: cannot be read: {reason_of(error)}") from error


def _head_of(path: Path, file: BinaryIO) -> tuple[int, int]:
    """The size of a file, and the number of records in its header."""
    size, head = size_of(file), file.read(HEADER.size)
    if len(head) < HEADER.size:
        raise CorruptFile(f"{path.name}: {size} bytes are too few for a header of {HEADER.size}")
    magic, count = HEADER.unpack(head)
    if magic != MAGIC:
        raise CorruptFile(f"{path.name}: the header has magic {magic:#010x}, a layer has {MAGIC:#010x}")
    return size, int(count)
