"""Games as HDF5 and NPZ: an array a column. HDF5 is read in quarantine (hdf5_program), NPZ as a stream."""

import re
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridlab.arena.records.game2048 import Game, tiles_of
from gridlab.core.extras import import_extra
from gridlab.core.files import room_beside
from gridlab.core.hdf5_file import fill_hdf5
from gridlab.core.quarantine import quarantined
from gridlab.core.untrusted import open_regular, size_of
from gridlab.datasets.games2048.columns import (
    LENGTHS,
    LONGEST_TEXT,
    NUMBERS,
    TEXTS,
    Columns,
    Shares,
    WrongTable,
    check_shapes,
)
from gridlab.datasets.games2048.table_rows import Found, blocks, details_text, game_of, shared_of

LONGEST_HEADER = 1 << 12  # bytes of what an array says of itself
MAGIC = b"\x93NUMPY\x01\x00"
HEADER = re.compile(
    rb"\{'descr': '([<|][a-zU]\d{1,6})', 'fortran_order': False, 'shape': \(((?:\d{1,18}, ?)*(?:\d{1,18})?)\), \} *\n"
)


def write_hdf5(path: Path, games: Iterator[Game]) -> int:
    count, h5py = 0, import_extra("h5py", "export")

    def fill(file: Any) -> Iterator[None]:
        nonlocal count
        for block in blocks(games):
            for name, array in _arrays(block).items():
                if name not in file:
                    kind = h5py.string_dtype() if array.dtype == object else array.dtype
                    room = (None, *array.shape[1:])
                    file.create_dataset(
                        name, (0, *array.shape[1:]), kind, maxshape=room, chunks=True, compression="gzip"
                    )
                size = len(file[name])
                file[name].resize(size + len(array), axis=0)
                file[name][size:] = array
            count += len(block)
            yield

    fill_hdf5(path, fill)
    return count


def read_hdf5(path: Path) -> Iterator[Found]:
    import_extra("h5py", "export")
    program = "gridlab.datasets.games2048.hdf5_program"
    return map(game_of, quarantined(program, path, Columns, "table of games"))


def write_npz(path: Path, games: Iterator[Game]) -> int:
    """Numbers of moves go through files of their own, so that only what belongs to games is held in memory."""
    with room_beside(path) as folder:
        held: dict[str, list[Any]] = {}
        shapes: dict[str, tuple[int, ...]] = {}
        for block in blocks(games):
            for name, array in _arrays(block).items():
                if array.dtype == object or name.startswith("games/"):
                    held.setdefault(name, []).append(array)
                    continue
                known = shapes.get(name, (0,))[0]
                shapes[name] = (known + len(array), *array.shape[1:])
                with (folder / name.replace("/", "-")).open("ab") as file:
                    file.write(array.tobytes())
        _assemble_npz(path, folder, shapes, held)
        return sum(map(len, held.get(LENGTHS, [])))


def _assemble_npz(path: Path, folder: Path, shapes: dict[str, tuple[int, ...]], held: dict[str, list[Any]]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, allowZip64=True) as archive:
        for name, parts in held.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, _plain(np.concatenate(parts)), allow_pickle=False)
        for name, shape in shapes.items():
            kind = np.dtype({"moves/board": "<i4", "moves/direction": "i1", "moves/score": "<i8"}[name])
            head = {"descr": np.lib.format.dtype_to_descr(kind), "fortran_order": False, "shape": shape}
            with (
                archive.open(f"{name}.npy", "w", force_zip64=True) as member,
                (folder / name.replace("/", "-")).open("rb") as file,
            ):
                np.lib.format.write_array_header_1_0(member, head)
                shutil.copyfileobj(file, member, 1 << 20)


def _plain(array: Any) -> Any:
    """Text of a fixed width, which needs no pickling."""
    return array.astype(np.str_) if array.dtype == object else array


def _arrays(block: list[Game]) -> dict[str, Any]:
    shared = [shared_of(game) for game in block]
    return {
        "moves/board": np.concatenate([tiles_of(game.boards) for game in block]),
        "moves/direction": np.concatenate([game.directions for game in block]),
        "moves/score": np.concatenate([game.scores for game in block]),
        "moves/details": np.array([text for game in block for text in details_text(game)], object),
        LENGTHS: np.array([game.moves for game in block]),
        "games/final_score": np.array([each[0] for each in shared]),
        "games/max_tile": np.array([each[1] for each in shared]),
        "games/won": np.array([each[2] for each in shared]),
        "games/final_board": np.array([each[3] for each in shared], object),
        "games/timestamp": np.array([each[4] for each in shared], object),
        "games/about": np.array([each[5] for each in shared], object),
    }


def read_npz(path: Path) -> Iterator[Found]:
    """Game by game: all members of the archive are read at once, each a little further with every game."""
    with open_regular(path) as file, zipfile.ZipFile(file) as archive, ExitStack() as stack:
        names = sorted(each.filename for each in archive.infolist())
        if not names:
            return  # no games
        wanted = (*NUMBERS, *TEXTS)
        if names != sorted(f"{name}.npy" for name in wanted):
            raise WrongTable("its members are not the arrays of games")
        members = {name: Member(archive, name, stack) for name in wanted}
        games, moves = check_shapes({name: member.shape for name, member in members.items()}, size_of(file))
        shares = Shares(moves)
        for number in range(games):
            length = int(members[LENGTHS].rows(1)[0])
            shares.next(length)
            boards, directions, scores = (members[name].rows(length).tobytes() for name in wanted[:3])
            score, tile, won = (members[name].rows(1)[0] for name in wanted[4:7])
            final_board, timestamp, about = (str(members[name].rows(1)[0]) for name in TEXTS[1:])
            details = members[TEXTS[0]].rows(length).tolist()
            columns = Columns(
                boards, directions, scores, int(score), int(tile), bool(won), final_board, timestamp, about, details,
                (number + 1) / games,
            )  # fmt: skip
            yield game_of(columns)
        shares.end()
        for member in members.values():
            member.end()


class Member:
    """An array in an archive, read from its first row to its last."""

    def __init__(self, archive: zipfile.ZipFile, name: str, stack: ExitStack) -> None:
        info = archive.getinfo(f"{name}.npy")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise WrongTable(f"{name} is packed in a way in which games are not")
        self.name, self.file = name, stack.enter_context(archive.open(info))
        head = self.file.read(10)
        found = HEADER.fullmatch(self.file.read(min(int.from_bytes(head[8:], "little"), LONGEST_HEADER)))
        if head[:8] != MAGIC or found is None:
            raise WrongTable(f"{name} does not begin as an array does")
        kind, shape = found[1].decode(), found[2].decode()
        self.shape = tuple(int(each) for each in shape.split(",") if each.strip())
        width = int(kind[2:]) if name in TEXTS and kind.startswith("<U") else 0
        if not (0 < width <= LONGEST_TEXT if name in TEXTS else kind == NUMBERS[name][0]):
            raise WrongTable(f"{name} is of the type {kind}, which it should not be")
        self.kind = np.dtype(kind)

    def rows(self, count: int) -> NDArray[Any]:
        """The next rows."""
        shape = (count, *self.shape[1:])
        size = int(np.prod(shape)) * self.kind.itemsize
        data = self.file.read(size)
        if len(data) != size:
            raise WrongTable(f"{self.name} ends too early")
        return np.frombuffer(data, self.kind).reshape(shape)

    def end(self) -> None:
        """Nothing is left; the archive compares its checksum now."""
        if self.file.read(1):
            raise WrongTable(f"{self.name} is longer than it says")
