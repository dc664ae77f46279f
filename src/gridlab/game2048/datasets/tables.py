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
import re
import shutil
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import lru_cache, partial
from itertools import count, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.arguments import whole_number
from gridlab.core.errors import CorruptFile, FileTrouble, MissingExtra
from gridlab.core.files import beside, room_beside
from gridlab.core.run import import_extra
from gridlab.core.tables import append, fill_hdf5
from gridlab.core.untrusted import lines, open_regular, parse_json, reading, reason_of, sandboxed, size_of
from gridlab.game2048 import records
from gridlab.game2048.datasets import columns
from gridlab.game2048.datasets.columns import LENGTHS, LONGEST_TEXT, OF_GAME, TEXT, TYPES, Columns, WrongTable
from gridlab.game2048.kernels import pack, unpack
from gridlab.game2048.records import DIRECTION_NUMBERS, EXPONENTS, Game, Misshapen
from gridlab.game2048.rules import DIRECTIONS, MOST_MOVES

# ---- Games as what stands in tables, and back: the fields that all rows of a game share, details as text, whole games


BLOCK = 64  # games handled at a time
TILES = {str(tile): tile for tile in EXPONENTS}


class Found(NamedTuple):
    """A game of a table."""

    game: Game
    flaw: str | None  # what the table says wrongly of it
    done: float  # the share of the file that was read with it


def shared_of(game: Game) -> tuple[Any, ...]:
    """What a table repeats for every move of a game, in the order of OF_GAME."""
    final = " ".join(map(str, unpack(game.final_board)))
    return game.final_score, game.max_tile, game.won, final, game.timestamp, json.dumps(game.about)


def details_text(game: Game) -> list[str]:
    return [json.dumps(each) for each in game.details] if game.details else [""] * game.moves


def game_of(held: Columns) -> Found:
    """A game from its held."""
    moves = len(held.directions)
    if len(held.boards) != 64 * moves or len(held.scores) != 8 * moves:
        raise WrongTable("the columns are not equally long")
    tiles = [TILES.get(tile) for tile in held.final_board.split(" ")]
    if len(tiles) != 16 or None in tiles:
        raise WrongTable("final_board is not 16 tiles with a space between them")
    about = parse_json(held.about, dict[str, Any], "about")
    if records.rules_of(about).walled:
        raise WrongTable(f"a table holds games on boards of 16 cells, not of {records.rules_of(about)}")
    known = any(held.details)  # something of the moves
    details = [parse_json(text, dict[str, Any], "details") for text in held.details] if known else None
    game = records.checked_game(  # copies, as kernels are compiled once more for arrays that cannot be written to
        records.packed_of(np.frombuffer(held.boards, "<i4")), np.frombuffer(held.directions, np.int8).copy(),
        np.frombuffer(held.scores, "<i8").copy(), pack(tuple(tile for tile in tiles if tile is not None)),
        held.final_score, held.timestamp, about, details,
    )  # fmt: skip
    summary = {"totalMoves": moves, "maxTile": held.max_tile, "won": held.won}
    return Found(game, records.summary_flaw(summary, game), held.done)


def blocks(games: Iterator[Game]) -> Iterator[list[Game]]:
    while block := list(islice(games, BLOCK)):
        yield block


# ---- Games as CSV: a row a move, written by kernels where they can, read row by row


TILE_NAMES = tuple(f"r{row}c{col}" for row in range(4) for col in range(4))
LONGEST_ROW = 1 << 16  # bytes
TRUTH = {"True": True, "False": False}

CSV_HEADER = ("game", "move", *TILE_NAMES, "direction", "score", *OF_GAME, "details")


def write_csv(path: Path, games: Iterator[Game]) -> None:
    with path.open("wb") as file:
        file.write(_csv_text([CSV_HEADER]))
        for number, game in enumerate(games):
            if game.details:
                file.write(_csv_text(_csv_rows(number, game)))
            else:  # all rows end alike, and kernels write the rest
                end = _csv_text([(*shared_of(game), "")])
                file.write(records.rows_text(number, game.boards, game.directions, game.scores, end))


def _csv_text(rows: Iterable[Sequence[object]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def _csv_rows(number: int, game: Game) -> Iterator[Sequence[object]]:
    boards, shared = records.tiles_of(game.boards).reshape(-1, 16).tolist(), shared_of(game)
    moves = zip(boards, game.directions.tolist(), game.scores.tolist(), details_text(game), strict=True)
    for move, (board, direction, score, details) in enumerate(moves):
        yield (number, move, *board, DIRECTIONS[direction], score, *shared, details)


def read_csv(path: Path) -> Iterator[Found]:
    """Every field of every row is looked at: numbering, and that the rows of a game say the same of it."""
    number, moves = -1, list[list[str]]()
    for line, share, row in _rows(path):
        if row[0] == str(number + 1):
            if moves:
                yield _game(moves, share)
            number, moves = number + 1, []
        elif row[0] != str(number) or not moves:
            raise WrongTable(f"line {line}: game {row[0][:20]!r} stands behind game {number}")
        if row[1] != str(len(moves)) or len(moves) >= MOST_MOVES:
            raise WrongTable(f"line {line}: move {row[1][:20]!r} stands where move {len(moves)} should")
        if moves and row[-1] != moves[-1][-1] and _fields(row[-1])[:-1] != _fields(moves[-1][-1])[:-1]:
            raise WrongTable(f"line {line}: what it says of its game is not what the line before says")
        moves.append(row)
    if moves:
        yield _game(moves, 1.0)


def _rows(path: Path) -> Iterator[tuple[int, float, list[str]]]:
    """The rows behind the first: the number of the line, the share of the file read, the fields; all texts are one."""
    rows, read, size = lines(path, LONGEST_ROW), 0, max(1, path.stat().st_size)
    _, head = next(rows, (1, b""))
    if head.rstrip(b"\r\n").decode() != ",".join(CSV_HEADER):
        raise WrongTable("its first line does not name the columns")
    for line, text in rows:
        read += len(text)
        row = text.rstrip(b"\r\n").decode().split(",", len(TILE_NAMES) + 4)  # the last part is of the game, and details
        if len(row) != len(TILE_NAMES) + 5:
            raise WrongTable(f"line {line}: there are fields missing")
        yield line, min(1.0, read / size), row


@lru_cache(maxsize=4)
def _fields(end: str) -> tuple[str, ...]:
    """The fields of the game, and details."""
    fields = next(csv.reader([end], strict=True)) if '"' in end else end.split(",")
    if len(fields) != len(OF_GAME) + 1:
        raise WrongTable("there are too few or too many fields")
    return tuple(fields)


def _number(text: str) -> int:
    """A number written as tables write it, and in no other way."""
    number = whole_number(text)
    if text != str(number):
        raise WrongTable(f"{text!r} is a number in another form than {number}")
    return number


def _game(rows: list[list[str]], done: float) -> Found:
    *shared, _ = _fields(rows[0][-1])
    try:
        boards = np.array([[TILES[tile] for tile in row[2:18]] for row in rows], "<i4")
        directions = np.array([DIRECTION_NUMBERS[row[18]] for row in rows], np.int8)
        won = TRUTH[shared[2]]
    except KeyError as error:
        raise WrongTable(f"{error} is not a tile, no direction or no truth value") from error
    scores = np.array([_number(row[19]) for row in rows], "<i8")
    alike = rows[0][-1] == rows[-1][-1] and len({row[-1] for row in rows}) == 1
    details = [_fields(rows[0][-1])[-1]] * len(rows) if alike else [_fields(row[-1])[-1] for row in rows]
    score, tile = map(_number, shared[:2])
    final_board, timestamp, about = shared[3:]
    moves = boards.tobytes(), directions.tobytes(), scores.tobytes(), details
    return game_of(Columns(*moves, score, tile, won, final_board, timestamp, about, done))


# ---- Games as Parquet: a row a move


def write_parquet(path: Path, games: Iterator[Game]) -> None:
    arrow, parquet = import_extra("pyarrow", "export"), import_extra("pyarrow.parquet", "export")
    wanted = columns.schema(arrow, arrow.string())
    with parquet.ParquetWriter(path, wanted, compression="zstd") as writer:
        for number, block in enumerate(blocks(games)):
            writer.write_table(arrow.table(_columns(_arrays(block), BLOCK * number, arrow), schema=wanted))


def _columns(arrays: dict[str, Any], first: int, arrow: Any) -> dict[str, Any]:
    """The columns of some games, the first of them with this number; what is of a game is repeated."""
    lengths = arrays[LENGTHS].tolist()
    owners = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    shared = {name: arrow.array(arrays[f"games/{name}"]).take(arrow.array(owners)) for name in OF_GAME}
    return {
        "game": owners + np.int32(first),
        "move": np.concatenate([np.arange(length, dtype=np.int32) for length in lengths]),
        "board": arrow.FixedSizeListArray.from_arrays(arrow.array(arrays["moves/board"].ravel()), 16),
        "direction": arrow.array(DIRECTIONS).take(arrow.array(arrays["moves/direction"])),
        "score": arrays["moves/score"], "details": arrow.array(arrays["moves/details"]),
        **shared, "max_tile": shared["max_tile"].cast(arrow.int32()),
    }  # fmt: skip


# ---- Games as HDF5 and NPZ: an array a column; NPZ is read as a stream


LONGEST_HEADER = 1 << 12  # bytes of what an array says of itself
MAGIC = b"\x93NUMPY\x01\x00"
NPY_HEADER = re.compile(
    rb"\{'descr': '([<|][a-zU]\d{1,6})', 'fortran_order': False, 'shape': \(((?:\d{1,18}, ?)*(?:\d{1,18})?)\), \} *\n"
)


def write_hdf5(path: Path, games: Iterator[Game]) -> None:
    def fill(file: Any) -> Iterator[None]:
        for block in blocks(games):
            append(file, _arrays(block), "gzip")
            yield

    fill_hdf5(path, fill)


def write_npz(path: Path, games: Iterator[Game]) -> None:
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


def _assemble_npz(path: Path, folder: Path, shapes: dict[str, tuple[int, ...]], held: dict[str, list[Any]]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, allowZip64=True) as archive:
        for name, parts in held.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                whole = np.concatenate(parts)  # text of a fixed width needs no pickling
                whole = whole.astype(np.str_) if whole.dtype == object else whole
                np.lib.format.write_array(member, whole, allow_pickle=False)
        for name, shape in shapes.items():
            head = {"descr": TYPES[name], "fortran_order": False, "shape": shape}
            with (
                archive.open(f"{name}.npy", "w", force_zip64=True) as member,
                (folder / name.replace("/", "-")).open("rb") as file,
            ):
                np.lib.format.write_array_header_1_0(member, head)
                shutil.copyfileobj(file, member, 1 << 20)


def _arrays(block: list[Game]) -> dict[str, Any]:
    """The columns of some games; texts are objects."""
    found: dict[str, Any] = {
        "moves/board": np.concatenate([records.tiles_of(game.boards) for game in block]),
        "moves/direction": np.concatenate([game.directions for game in block]),
        "moves/score": np.concatenate([game.scores for game in block]),
        "moves/details": [text for game in block for text in details_text(game)],
        LENGTHS: [game.moves for game in block],
    }
    for name, values in zip(OF_GAME, zip(*map(shared_of, block), strict=True), strict=True):
        found[f"games/{name}"] = values
    return {name: np.asarray(column, object if TYPES[name] == TEXT else None) for name, column in found.items()}


def read_npz(path: Path) -> Iterator[Found]:
    with open_regular(path) as file, zipfile.ZipFile(file) as archive, ExitStack() as stack:
        names = sorted(each.filename for each in archive.infolist())
        if not names:
            return  # no games
        if names != sorted(f"{name}.npy" for name in TYPES):
            raise WrongTable("its members are not the arrays of games")
        members = {name: Member(archive, name, stack) for name in TYPES}
        yield from map(game_of, columns.games_in(members, size_of(file)))
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
        found = NPY_HEADER.fullmatch(self.file.read(min(int.from_bytes(head[8:], "little"), LONGEST_HEADER)))
        if head[:8] != MAGIC or found is None:
            raise WrongTable(f"{name} does not begin as an array does")
        kind, shape = found[1].decode(), found[2].decode()
        self.shape = tuple(int(each) for each in shape.split(",") if each.strip())
        width = int(kind[2:]) if kind.startswith("<U") else 0
        if not (0 < width <= LONGEST_TEXT if TYPES[name] == TEXT else kind == TYPES[name]):
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


# ---- Games as tables: CSV and Parquet with a row a move, HDF5 and NPZ with an array a column


def read_sandboxed(path: Path, library: str) -> Iterator[Found]:
    """A table of Parquet or HDF5, read by the program of columns.py."""
    import_extra(library, "export")
    return map(game_of, sandboxed("gridlab.game2048.datasets.columns", path, Columns, "table of games"))


FORMS = {".csv": "csv", ".parquet": "parquet", ".h5": "hdf5", ".hdf5": "hdf5", ".npz": "npz"}
WRITERS = {"csv": write_csv, "parquet": write_parquet, "hdf5": write_hdf5, "npz": write_npz}
READERS: dict[str, Callable[[Path], Iterator[Found]]] = {
    "csv": read_csv, "parquet": partial(read_sandboxed, library="pyarrow"),
    "hdf5": partial(read_sandboxed, library="h5py"), "npz": read_npz,
}  # fmt: skip


def write_table(path: Path, form: str, games: Iterator[Game]) -> int:
    """Write games in one of the forms; how many there were."""
    if form not in WRITERS:
        raise FileTrouble(f"{form!r} is not a format for games; {', '.join(WRITERS)} are")
    numbers = count()  # as many are taken as there are games
    with beside(path) as part:
        WRITERS[form](part, (_of_16_cells(game, form) for game, _ in zip(games, numbers, strict=False)))
    return next(numbers)


def _of_16_cells(game: Game, form: str) -> Game:
    if game.rules.walled:
        raise FileTrouble(
            f"a game of {game.rules} cannot stand in a table of 16 cells ({form}); json and jsonl hold it"
        )
    return game


def read_table(path: Path) -> Iterator[Found]:
    """The games of a table, each with what the table says wrongly of it; CorruptFile where it is not of the form."""
    with reading(path):
        open_regular(path).close()
    try:
        yield from READERS[FORMS[path.suffix]](path)
    except WrongTable as error:
        raise _damaged(path, error) from error
    except (FileTrouble, MissingExtra):
        raise
    except Exception as error:  # what a library raises on damaged bytes is not for us to list
        raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> CorruptFile:
    where = f"move {error.move + 1}: " if isinstance(error, Misshapen) and error.move >= 0 else ""
    return CorruptFile(
        f"{path} is not a table of games: {where}{reason_of(error)}; gridlab 2048 export makes such tables"
    )
