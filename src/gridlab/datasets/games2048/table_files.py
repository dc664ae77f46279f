"""Games as tables: CSV and Parquet with a row a move, HDF5 and NPZ with an array a column.

    game, move           numbers from 0                          board   16 tiles (CSV r0c0 … r3c3, arrays [move, 4, 4])
    direction            up, down, left, right (arrays: 0 to 3)  score   before the move
    final_score, max_tile, won, final_board, timestamp           of the game, repeated (arrays: games/…, one a game)
    about, details       what else is known of the game and of the move, as JSON

Tables are written block by block as games come, and give back the games they were made of.
"""

import csv
import io
import json
import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from gridlab.arena.records.game2048 import Game, packed_of, tiles_of
from gridlab.arena.records.moves_text import rows_text
from gridlab.core.errors import FileTrouble, SpoiltFile
from gridlab.core.extras import import_extra
from gridlab.core.files import beside
from gridlab.games.game2048.kernels import pack, unpack
from gridlab.games.game2048.reference import DIRECTIONS

FORMS = {".csv": "csv", ".parquet": "parquet", ".h5": "hdf5", ".hdf5": "hdf5", ".npz": "npz"}
CELLS = tuple(f"r{row}c{col}" for row in range(4) for col in range(4))
OF_GAME = ("final_score", "max_tile", "won", "final_board", "timestamp", "about")
BLOCK = 64  # games handled at a time
LENGTHS = "games/moves"


def write_table(path: Path, form: str, games: Iterator[Game]) -> int:
    """Write games in one of the forms; how many there were."""
    if form not in WRITERS:
        raise FileTrouble(f"{form!r} is no format for games; {', '.join(WRITERS)} are")
    with beside(path) as part:
        return WRITERS[form](part, games)


def read_table(path: Path) -> Iterator[Game]:
    """The games of a table."""
    try:
        yield from READERS[FORMS[path.suffix]](path)
    except (KeyError, ValueError, OSError, TypeError, IndexError) as error:
        raise SpoiltFile(f"{path} is no table of games: {error}; gridlab 2048 export makes such tables") from error


def _shared(game: Game) -> tuple[Any, ...]:
    """What a table repeats for every move of a game, in the order of OF_GAME."""
    final = " ".join(map(str, unpack(game.final_board)))
    return game.final_score, game.max_tile, game.won, final, game.timestamp, json.dumps(game.about)


def _details(game: Game) -> list[str]:
    return [json.dumps(each) for each in game.details] if game.details else [""] * game.moves


def _game(boards: Any, directions: Any, scores: Any, shared: dict[str, Any], details: list[str]) -> Game:
    """A game from its columns; boards [move, 4, 4]."""
    final = pack(tuple(int(tile) for tile in str(shared["final_board"]).split()))
    return Game(
        packed_of(np.asarray(boards, np.int64)), np.asarray(directions, np.int8), np.asarray(scores, np.int64), final,
        int(shared["final_score"]), str(shared["timestamp"]), json.loads(shared["about"]),
        [json.loads(each) for each in details] if details and details[0] else None,
    )  # fmt: skip


# ---- CSV

HEADER = ("game", "move", *CELLS, "direction", "score", *OF_GAME, "details")


def write_csv(path: Path, games: Iterator[Game]) -> int:
    number = -1
    with path.open("wb") as file:
        file.write(_csv_text([HEADER]))
        for number, game in enumerate(games):
            if game.details:
                file.write(_csv_text(_csv_rows(number, game)))
            else:  # all rows end alike, and kernels write the rest
                end = _csv_text([(*_shared(game), "")])
                file.write(rows_text(number, game.boards, game.directions, game.scores, end))
    return number + 1


def _csv_text(rows: Iterable[Sequence[object]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def _csv_rows(number: int, game: Game) -> Iterator[Sequence[object]]:
    boards, shared = tiles_of(game.boards).reshape(-1, 16).tolist(), _shared(game)
    columns = zip(boards, game.directions.tolist(), game.scores.tolist(), _details(game), strict=True)
    for move, (board, direction, score, details) in enumerate(columns):
        yield (number, move, *board, DIRECTIONS[direction], score, *shared, details)


def read_csv(path: Path) -> Iterator[Game]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        if tuple(next(rows, ())) != HEADER:
            raise ValueError("its first line does not name the columns")
        first = 2 + len(CELLS)
        for _, each in groupby(rows, key=itemgetter(0)):
            moves = list(each)
            boards = np.array([row[2:first] for row in moves], np.int64).reshape(-1, 4, 4)
            shared = dict(zip(OF_GAME, moves[0][first + 2 :], strict=False))
            directions = [DIRECTIONS.index(row[first]) for row in moves]
            yield _game(boards, directions, [int(row[first + 1]) for row in moves], shared, [row[-1] for row in moves])


# ---- Parquet


def write_parquet(path: Path, games: Iterator[Game]) -> int:
    arrow, parquet = import_extra("pyarrow", "export"), import_extra("pyarrow.parquet", "export")
    schema = arrow.schema(
        [("game", arrow.int32()), ("move", arrow.int32()), ("board", arrow.list_(arrow.int32(), 16)),
         ("direction", arrow.string()), ("score", arrow.int64()), ("final_score", arrow.int64()),
         ("max_tile", arrow.int32()), ("won", arrow.bool_()), ("final_board", arrow.string()),
         ("timestamp", arrow.string()), ("about", arrow.string()), ("details", arrow.string())]
    )  # fmt: skip
    count = 0
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for block in blocks(games):
            writer.write_table(arrow.table(_columns(block, count, arrow), schema=schema))
            count += len(block)
    return count


def _columns(block: list[Game], first: int, arrow: Any) -> dict[str, Any]:
    tiles = np.concatenate([tiles_of(game.boards).ravel() for game in block])
    lengths = [game.moves for game in block]
    owners = np.repeat(np.arange(len(block), dtype=np.int32), lengths)
    columns: dict[str, Any] = {
        "game": owners + np.int32(first),
        "move": np.concatenate([np.arange(length, dtype=np.int32) for length in lengths]),
        "board": arrow.FixedSizeListArray.from_arrays(arrow.array(tiles), 16),
        "direction": arrow.array(DIRECTIONS).take(arrow.array(np.concatenate([game.directions for game in block]))),
        "score": np.concatenate([game.scores for game in block]),
        "details": arrow.array([text for game in block for text in _details(game)]),
    }
    for name, values in zip(OF_GAME, zip(*map(_shared, block), strict=True), strict=True):
        columns[name] = arrow.array(values).take(arrow.array(owners))
    columns["max_tile"] = columns["max_tile"].cast(arrow.int32())
    return columns


def read_parquet(path: Path) -> Iterator[Game]:
    file = import_extra("pyarrow.parquet", "export").ParquetFile(path)
    for group in range(file.num_row_groups):
        table = file.read_row_group(group)
        numbers = table["game"].to_numpy()
        boards = table["board"].combine_chunks().flatten().to_numpy().reshape(-1, 4, 4)
        starts = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]
        for begin, end in pairwise(starts):
            part = table.slice(begin, end - begin)
            directions = [DIRECTIONS.index(name) for name in part["direction"].to_pylist()]
            shared = {name: part[name][0].as_py() for name in OF_GAME}
            yield _game(boards[begin:end], directions, part["score"].to_numpy(), shared, part["details"].to_pylist())


# ---- HDF5 and NPZ: arrays


def write_hdf5(path: Path, games: Iterator[Game]) -> int:
    count = 0
    with import_extra("h5py", "export").File(path, "w") as file:
        for block in blocks(games):
            for name, array in _arrays(block).items():
                if name not in file:
                    kind = import_extra("h5py", "export").string_dtype() if array.dtype == object else array.dtype
                    room = (None, *array.shape[1:])
                    file.create_dataset(
                        name, (0, *array.shape[1:]), kind, maxshape=room, chunks=True, compression="gzip"
                    )
                size = len(file[name])
                file[name].resize(size + len(array), axis=0)
                file[name][size:] = array
            count += len(block)
    return count


def write_npz(path: Path, games: Iterator[Game]) -> int:
    """Numbers of moves go through files of their own, so that only what belongs to games is held in memory."""
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
        held: dict[str, list[Any]] = {}
        shapes: dict[str, tuple[int, ...]] = {}
        for block in blocks(games):
            for name, array in _arrays(block).items():
                if array.dtype == object or name.startswith("games/"):
                    held.setdefault(name, []).append(array)
                    continue
                known = shapes.get(name, (0,))[0]
                shapes[name] = (known + len(array), *array.shape[1:])
                with (Path(folder) / name.replace("/", "-")).open("ab") as file:
                    file.write(array.tobytes())
        _assemble_npz(path, Path(folder), shapes, held)
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
    shared = [_shared(game) for game in block]
    return {
        "moves/board": np.concatenate([tiles_of(game.boards) for game in block]),
        "moves/direction": np.concatenate([game.directions for game in block]),
        "moves/score": np.concatenate([game.scores for game in block]),
        "moves/details": np.array([text for game in block for text in _details(game)], object),
        LENGTHS: np.array([game.moves for game in block]),
        "games/final_score": np.array([each[0] for each in shared]),
        "games/max_tile": np.array([each[1] for each in shared]),
        "games/won": np.array([each[2] for each in shared]),
        "games/final_board": np.array([each[3] for each in shared], object),
        "games/timestamp": np.array([each[4] for each in shared], object),
        "games/about": np.array([each[5] for each in shared], object),
    }


def read_hdf5(path: Path) -> Iterator[Game]:
    with import_extra("h5py", "export").File(path, "r") as file:
        texts = {name: file[f"games/{name}"].asstr()[:] for name in ("final_board", "timestamp", "about")}
        yield from _from_arrays(file, texts, file["moves/details"].asstr())


def read_npz(path: Path) -> Iterator[Game]:
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    texts = {name: arrays[f"games/{name}"] for name in ("final_board", "timestamp", "about")}
    yield from _from_arrays(arrays, texts, arrays["moves/details"])


def _from_arrays(arrays: Any, texts: dict[str, Any], details: Any) -> Iterator[Game]:
    end = 0
    scores = arrays["games/final_score"][:]
    for number, length in enumerate(arrays[LENGTHS][:].tolist()):
        begin, end = end, end + length
        shared = {"final_score": scores[number], **{name: text[number] for name, text in texts.items()}}
        yield _game(
            arrays["moves/board"][begin:end], arrays["moves/direction"][begin:end], arrays["moves/score"][begin:end],
            shared, [str(each) for each in details[begin:end]],
        )  # fmt: skip


def blocks(games: Iterator[Game]) -> Iterator[list[Game]]:
    block: list[Game] = []
    for game in games:
        block.append(game)
        if len(block) == BLOCK:
            yield block
            block = []
    if block:
        yield block


WRITERS = {"csv": write_csv, "parquet": write_parquet, "hdf5": write_hdf5, "npz": write_npz}
READERS = {"csv": read_csv, "parquet": read_parquet, "hdf5": read_hdf5, "npz": read_npz}
