"""Files that appear whole or not at all: written beside their place, checksummed, synced, renamed.

    with whole_file(Path("a/b.csv")) as file:      a/.b.csv.1234.part   while it is being written
        file.write(b"...")                         a/b.csv              once it is complete
    file.size, file.sha256

If anything goes wrong inside the block, the file that was there before is still there, untouched.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Protocol

from gridlab.core.errors import FileTrouble


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
    with beside(path) as part, part.open("wb") as file:
        yield Checksummed(file)


@contextmanager
def beside(path: Path) -> Iterator[Path]:
    """The same for writers that want a path: the file they make there takes the place of `path` at the end."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield part
        _sync(part, os.O_RDWR)
        part.replace(path)
        if hasattr(os, "O_DIRECTORY"):  # the rename itself must survive a power cut, where there is a way to say so
            _sync(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        reason = error.strerror or str(error)
        raise FileTrouble(f"cannot write {path}: {reason}; name a place that can be written") from error
    finally:
        with suppress(OSError):
            part.unlink()  # still there only if something went wrong


def _sync(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_json(path: Path, value: object) -> None:
    with whole_file(path) as file:
        file.write((json.dumps(value, indent=2) + "\n").encode())


def timestamp() -> str:
    """Now, in UTC with offset; SOURCE_DATE_EPOCH fixes it, so that what is made can be made again to the byte."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if epoch and not epoch.isdigit():
        raise FileTrouble(f"SOURCE_DATE_EPOCH is {epoch!r}; it takes seconds since 1970, such as 1700000000")
    moment = datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)
    return moment.isoformat(timespec="seconds")
