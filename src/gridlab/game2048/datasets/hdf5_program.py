"""The program that reads HDF5 files of games in quarantine: the library loops for ever over some damaged files."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from gridlab.core.errors import CorruptFile
from gridlab.core.machine import import_extra
from gridlab.core.sandbox import name_of, serve
from gridlab.core.untrusted import open_regular, size_of
from gridlab.game2048.datasets.columns import LENGTHS, NUMBERS, TEXTS, Columns, Shares, bytes_of, check_shapes, text_of

LARGEST_CHUNK = 64 << 20  # bytes


def read(path: Path) -> Iterator[Columns]:
    """Game by game."""
    h5py = import_extra("h5py", "export")
    with open_regular(path) as opened, h5py.File(name_of(opened, path), "r") as file:
        if not len(file):
            return  # no games
        arrays = {name: _dataset(h5py, file, name) for name in (*NUMBERS, *TEXTS)}
        games, moves = check_shapes({name: array.shape for name, array in arrays.items()}, size_of(opened))
        texts = {name: arrays[name].asstr() for name in TEXTS}
        shares = Shares(moves)
        for number in range(games):
            rows = shares.next(int(arrays[LENGTHS][number]))
            final_board, timestamp, about = (text_of(texts[name][number], name) for name in TEXTS[1:])
            yield Columns(
                bytes_of(arrays["moves/board"][rows]), bytes_of(arrays["moves/direction"][rows]),
                bytes_of(arrays["moves/score"][rows]), int(arrays["games/final_score"][number]),
                int(arrays["games/max_tile"][number]), bool(arrays["games/won"][number]),
                final_board, timestamp, about, [text_of(each, TEXTS[0]) for each in texts[TEXTS[0]][rows]],
                (number + 1) / games,
            )  # fmt: skip
        shares.end()


def _dataset(h5py: Any, file: Any, name: str) -> Any:
    """An array that lies in this file and nowhere else, of the type it should have."""
    if not isinstance(file.get(name, getlink=True), h5py.HardLink) or not isinstance(file[name], h5py.Dataset):
        raise CorruptFile(f"the array {name} is missing")
    found = file[name]
    filters = found.id.get_create_plist()
    names = {filters.get_filter(each)[0] for each in range(filters.get_nfilters())}
    if found.is_virtual or found.external or not names <= {h5py.h5z.FILTER_DEFLATE, h5py.h5z.FILTER_SHUFFLE}:
        raise CorruptFile(f"{name} is stored in a way in which games are not")
    if found.chunks and int(np.prod(found.chunks, dtype=object)) * found.dtype.itemsize > LARGEST_CHUNK:
        raise CorruptFile(f"{name} has chunks of more than {LARGEST_CHUNK:,} bytes")
    text = h5py.check_string_dtype(found.dtype)
    right = text is not None and text.length is None if name in TEXTS else found.dtype.str == NUMBERS[name][0]
    if not right:
        raise CorruptFile(f"{name} is of the type {found.dtype}, which it should not be")
    return found


if __name__ == "__main__":
    serve(read)
