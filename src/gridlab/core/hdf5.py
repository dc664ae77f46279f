"""HDF5 files written so that a full disk, or Ctrl-C, ends in a sentence.

The library cannot give up: what it fails to write when a file is closed it tries again when the process ends, and
crashes. So it writes into a file that never fails. What the disk does not take is kept in memory for the moment; after
each block we look whether that has happened, close the file in peace, and only then raise what the disk has said.
"""

import io
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from gridlab.core.machine import import_extra
from gridlab.core.stop import Stop, stop_flag, stopped
from gridlab.core.workers import call


def fill_hdf5(path: Path, fill: Callable[[Any], Iterable[object]]) -> None:
    """Make an HDF5 file: `fill(file)` puts something into it block by block, and yields after each.

    It runs in a thread, where KeyboardInterrupt cannot be raised inside the library; Ctrl-C ends it after a block. All
    that the library uses belongs to that thread, so that nobody takes it away.
    """
    h5py, stop = import_extra("h5py", "export"), stop_flag()
    call(lambda: None if stopped(stop) else _fill(h5py, path, fill, stop), stop)


def _fill(h5py: Any, path: Path, fill: Callable[[Any], Iterable[object]], stop: Stop) -> None:
    with path.open("wb+", buffering=0) as disk:
        patient = PatientFile(disk)
        with h5py.File(patient, "w") as file:
            for _ in fill(file):
                if patient.trouble or stopped(stop):
                    break
        if patient.trouble:
            raise patient.trouble


def append(file: Any, columns: Mapping[str, NDArray[Any]], compression: str, chunk: int | None = None) -> None:
    """Put rows behind those that columns have already; texts are arrays of objects."""
    for name, column in columns.items():
        if name not in file:
            kind = import_extra("h5py", "export").string_dtype() if column.dtype == object else column.dtype
            shape = column.shape[1:]
            chunks = True if chunk is None else (chunk, *shape)
            file.create_dataset(
                name, (0, *shape), kind, maxshape=(None, *shape), chunks=chunks, compression=compression
            )
        stored = file[name]
        stored.resize(len(stored) + len(column), axis=0)
        stored[len(stored) - len(column) :] = column


class PatientFile(io.RawIOBase):
    """A file that takes everything: from the first error of the disk on it keeps in memory what is written."""

    def __init__(self, disk: io.FileIO) -> None:
        self._disk = disk
        self._place = self._size = 0
        self._kept: list[tuple[int, bytes]] = []  # in the order written
        self.trouble: OSError | None = None

    def seek(self, place: int, whence: int = io.SEEK_SET) -> int:
        self._place = place + (0, self._place, self._size)[whence]
        return self._place

    def tell(self) -> int:
        return self._place

    def truncate(self, size: int | None = None) -> int:
        self._size = self._place if size is None else size
        self._try(lambda: self._disk.truncate(self._size))
        return self._size

    def write(self, data: Any) -> int:
        written = bytes(data)
        if self.trouble is None:
            self._try(lambda: self._write_all(written))
        if self.trouble is not None:
            self._kept.append((self._place, written))
        self._place += len(written)
        self._size = max(self._size, self._place)
        return len(written)

    def _write_all(self, data: bytes) -> None:
        self._disk.seek(self._place)
        rest = memoryview(data)
        while rest:
            rest = rest[self._disk.write(rest) :]

    def readinto(self, buffer: Any) -> int:
        view, begin = memoryview(buffer).cast("B"), self._place
        view[:] = bytes(len(view))
        self._try(lambda: self._read_into(view))
        for place, data in self._kept:
            low, high = max(place, begin), min(place + len(data), begin + len(view))
            if low < high:
                view[low - begin : high - begin] = data[low - place : high - place]
        self._place += len(view)
        return len(view)

    def _read_into(self, view: memoryview) -> None:
        self._disk.seek(self._place)
        while view and (number := self._disk.readinto(view)):
            view = view[number:]

    def _try(self, action: Callable[[], object]) -> None:
        try:
            action()
        except OSError as error:
            self.trouble = self.trouble or error

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def flush(self) -> None:
        """Nothing waits here."""
