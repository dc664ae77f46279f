"""Files that appear whole or not at all: written beside their place, checksummed, synced, renamed.

    with whole_file(Path("a/b.csv")) as file:      a/.b.csv.1234.part   while it is being written
        file.write(b"...")                         a/b.csv              once it is complete
    file.size, file.sha256

If anything goes wrong inside the block, the file that was there before is still there, untouched.
"""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Protocol

from gridlab.errors import FileTrouble


class Sink(Protocol):
    """Anything that bytes can be written to."""

    def write(self, data: bytes | memoryview, /) -> object: ...


class Checksummed:
    """A file being written that knows its size and SHA-256."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self.size = 0

    def write(self, data: bytes | memoryview, /) -> None:
        self._file.write(data)
        self._digest.update(data)
        self.size += len(data)

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()


@contextmanager
def whole_file(path: Path) -> Iterator[Checksummed]:
    """Write `path` beside its place and rename it there when the block ends well; folders are made as needed."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as file:
            yield Checksummed(file)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        raise FileTrouble(
            f"cannot write {path}: {error.strerror or error}; name a place that can be written"
        ) from error
    finally:
        with suppress(OSError):
            part.unlink()  # still there only if something went wrong


def _sync_folder(folder: Path) -> None:
    """Make the rename itself survive a power cut, where the system has a way to say so."""
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
