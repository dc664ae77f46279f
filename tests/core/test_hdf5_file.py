"""HDF5 files on disks that fail: closed in peace, and the first trouble told."""

import _thread
import io
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gridlab.core.tables import PatientFile, fill_hdf5

h5py = pytest.importorskip("h5py")

ROWS = 500  # of a block


def blocks(file: Any, number: int = 50) -> Iterator[None]:
    """Random bytes, which nothing packs."""
    random = np.random.default_rng(0)
    stored = file.create_dataset("a", (0, 1000), "u1", maxshape=(None, 1000), chunks=(100, 1000))
    for _ in range(number):
        stored.resize(len(stored) + ROWS, axis=0)
        stored[-ROWS:] = np.frombuffer(random.bytes(ROWS * 1000), np.uint8).reshape(ROWS, 1000)
        yield


def test_a_file_is_what_it_is_anyway(tmp_path: Path) -> None:
    fill_hdf5(tmp_path / "a.h5", blocks)
    with h5py.File(tmp_path / "b.h5", "w") as file:
        list(blocks(file))
    with h5py.File(tmp_path / "a.h5") as one, h5py.File(tmp_path / "b.h5") as other:
        assert one["a"].shape == (50 * ROWS, 1000)
        assert (one["a"][:] == other["a"][:]).all()


class FullDisk(io.FileIO):
    """Takes so many bytes, and not one more."""

    room = 0

    def write(self, data: Any) -> int:
        self.room -= len(data)
        if self.room < 0:
            raise OSError(28, "No space left on device")
        return super().write(data)


@pytest.mark.parametrize("room", [0, 100, 3000, 20_000, 300_000])
def test_a_full_disk(room: int, tmp_path: Path) -> None:
    with FullDisk(tmp_path / "a.h5", "wb+") as disk:
        disk.room = room
        patient, done = PatientFile(disk), 0
        with h5py.File(patient, "w") as file:
            for _ in blocks(file):
                done += 1
                if patient.trouble:
                    break
            assert file["a"].shape[0] == ROWS * done
        assert isinstance(patient.trouble, OSError)
        assert patient.trouble.strerror == "No space left on device"
        assert done < 50  # the library keeps some megabytes before it writes any


def test_what_the_disk_does_not_take_can_be_read_back(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    for _ in range(20):
        with FullDisk(tmp_path / "a", "wb+") as disk:
            disk.room = int(random.integers(600))
            patient, truth = PatientFile(disk), bytearray(400)
            patient.truncate(400)
            for _ in range(30):
                place, data = int(random.integers(300)), random.bytes(int(random.integers(1, 100)))
                patient.seek(place)
                assert patient.write(data) == len(data)
                truth[place : place + len(data)] = data
                patient.seek(begin := int(random.integers(300)))
                found = bytearray(50)
                patient.readinto(found)
                assert found == truth[begin : begin + 50]


def test_trouble_and_errors_of_the_filler_are_raised(tmp_path: Path) -> None:
    def failing(file: Any) -> Iterator[None]:
        yield from blocks(file, 3)
        raise KeyError("something of the filler")

    with pytest.raises(KeyError, match="something of the filler"):
        fill_hdf5(tmp_path / "a.h5", failing)


def test_ctrl_c_ends_it_after_a_block(tmp_path: Path) -> None:
    done = []

    def endless(file: Any) -> Iterator[None]:
        for number, _ in enumerate(blocks(file, 10**6)):
            done.append(number)
            if number == 20:
                threading.Thread(target=_thread.interrupt_main).start()
            yield

    with pytest.raises(KeyboardInterrupt):
        fill_hdf5(tmp_path / "a.h5", endless)
    assert 20 < len(done) < 10**6
    with h5py.File(tmp_path / "a.h5") as file:  # closed in peace
        assert len(file["a"]) == ROWS * len(done)
