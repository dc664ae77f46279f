"""A game as the columns of a table, and the program that takes games out of HDF5 and Parquet.

    moves/…   board, direction, score, details       a row a move, those of all games one after the other
    games/…   moves, final_score, …                  a row a game; `games/moves` moves belong to each

So they stand in the arrays of HDF5 and NPZ. Parquet has a row a move, in which what is of the game is repeated. The
libraries of HDF5 and Parquet run in a sandbox: one loops for ever over some damaged files, and a page of the other may
hold more than its file says. Nothing is compiled here, as the program begins with it.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from gridlab.core.errors import CorruptFile
from gridlab.core.run import import_extra
from gridlab.core.untrusted import name_of, open_regular, serve, size_of
from gridlab.game2048.rules import DIRECTIONS, MOST_MOVES

TEXT = ""  # instead of the type of an array
TYPES = {
    "moves/board": "<i4", "moves/direction": "|i1", "moves/score": "<i8", "moves/details": TEXT,
    "games/moves": "<i8", "games/final_score": "<i8", "games/max_tile": "<i8", "games/won": "|b1",
    "games/final_board": TEXT, "games/timestamp": TEXT, "games/about": TEXT,
}  # fmt: skip
CELLS = {"moves/board": (4, 4)}  # what a row is, if it is not one number
LENGTHS = "games/moves"
OF_GAME = tuple(name.removeprefix("games/") for name in TYPES if name.startswith("games/") and name != LENGTHS)
LONGEST_TEXT = 1 << 14  # letters of any text
TIGHTEST = 1100  # nothing is deflated to less than a part in 1,032

Text = Annotated[str, msgspec.Meta(max_length=LONGEST_TEXT)]


class WrongTable(CorruptFile):
    """What is wrong with a table; whoever reads it says which table it is."""


class Columns(msgspec.Struct, array_like=True):
    """The rows of one game; numbers as bytes, so that they can travel."""

    boards: bytes  # int32[move, 16]: tiles
    directions: bytes  # int8[move]
    scores: bytes  # int64[move]
    details: list[Text]  # [move]
    final_score: int
    max_tile: int
    won: bool
    final_board: Text
    timestamp: Text
    about: Text
    done: Annotated[float, msgspec.Meta(ge=0, le=1)]  # the share of the file that was read with this game


def text_of(value: Any, name: str) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise WrongTable(f"{name} is not text of at most {LONGEST_TEXT:,} letters")
    return value


def bytes_of(array: NDArray[Any]) -> bytes:
    return np.ascontiguousarray(array).tobytes()


# ---- Arrays, one a column: of HDF5 here, of NPZ in tables.py


class Array(Protocol):
    """An array that is read from its first row to its last."""

    shape: tuple[int, ...]

    def rows(self, count: int) -> NDArray[Any]:
        """The next rows."""


def games_in(arrays: Mapping[str, Array], size: int) -> Iterator[Columns]:
    """Game by game: all arrays of a file of this size, each read a little further with every game."""
    games, moves = check_shapes({name: array.shape for name, array in arrays.items()}, size)
    given = 0
    for number in range(games):
        length = int(arrays[LENGTHS].rows(1)[0])
        if not 1 <= length <= MOST_MOVES:
            raise WrongTable(f"a game of {length:,} moves is none; 1 to {MOST_MOVES:,} are possible")
        given += length
        if given > moves:
            raise WrongTable(f"the games have more than the {moves:,} moves that are there")
        boards, directions, scores = (
            bytes_of(arrays[f"moves/{name}"].rows(length)) for name in ("board", "direction", "score")
        )
        details = [text_of(each, "moves/details") for each in arrays["moves/details"].rows(length).tolist()]
        shared = {name: arrays[f"games/{name}"].rows(1).tolist()[0] for name in OF_GAME}
        for name in ("final_board", "timestamp", "about"):
            text_of(shared[name], f"games/{name}")
        yield Columns(boards, directions, scores, details, done=(number + 1) / games, **shared)
    if given != moves:
        raise WrongTable(f"there are {moves:,} moves, but the games have {given:,} of them")


def check_shapes(shapes: Mapping[str, tuple[int, ...]], size: int) -> tuple[int, int]:
    """How many games and moves some arrays are, if all have fitting shapes and a file of this size can hold them."""
    games, moves = shapes[LENGTHS][:1] or (0,), shapes["moves/score"][:1] or (0,)
    for name, shape in shapes.items():
        wanted = (*(moves if name.startswith("moves/") else games), *CELLS.get(name, ()))
        if shape != wanted:
            raise WrongTable(f"{name} has the shape {list(shape)}, not {list(wanted)}")
        if np.dtype(TYPES[name] or "<i4").itemsize * int(np.prod(shape, dtype=object)) > TIGHTEST * size + (1 << 20):
            raise WrongTable(f"{name} has the shape {list(shape)}, which no file of {size:,} bytes can hold")
    return games[0], moves[0]


# ---- HDF5


LARGEST_CHUNK = 64 << 20  # bytes


class Dataset:
    """An array that lies in this file and nowhere else, of the type it should have."""

    def __init__(self, h5py: Any, file: Any, name: str) -> None:
        if not isinstance(file.get(name, getlink=True), h5py.HardLink) or not isinstance(file[name], h5py.Dataset):
            raise CorruptFile(f"the array {name} is missing")
        found = file[name]
        filters = found.id.get_create_plist()
        names = {filters.get_filter(each)[0] for each in range(filters.get_nfilters())}
        if found.is_virtual or found.external or not names <= {h5py.h5z.FILTER_DEFLATE, h5py.h5z.FILTER_SHUFFLE}:
            raise CorruptFile(f"{name} is stored in a way in which games are not")
        if found.chunks and int(np.prod(found.chunks, dtype=object)) * found.dtype.itemsize > LARGEST_CHUNK:
            raise CorruptFile(f"{name} has chunks of more than {LARGEST_CHUNK:,} bytes")
        kind, text = TYPES[name], h5py.check_string_dtype(found.dtype)
        if not (text is not None and text.length is None if kind == TEXT else found.dtype.str == kind):
            raise CorruptFile(f"{name} is of the type {found.dtype}, which it should not be")
        self.shape, self._stored, self._read = found.shape, found.asstr() if kind == TEXT else found, 0

    def rows(self, count: int) -> NDArray[Any]:
        self._read += count
        found: NDArray[Any] = self._stored[self._read - count : self._read]
        return found


def read_hdf5(path: Path) -> Iterator[Columns]:
    h5py = import_extra("h5py", "export")
    with open_regular(path) as opened, h5py.File(name_of(opened, path), "r") as file:
        if len(file):  # otherwise there are no games
            yield from games_in({name: Dataset(h5py, file, name) for name in TYPES}, size_of(opened))


# ---- Parquet


ROWS = 1 << 14  # read at a time
LARGEST_COLUMN = 512 << 20  # bytes of a column in one group of rows
LONGEST_NAME = 1 << 20  # bytes of a text, and number of things, in what the file says of itself
CODED = ("direction", "final_board", "timestamp", "about", "details")  # texts, read as numbers of different ones

Part = dict[str, Any]  # some rows of one game: NumPy arrays, lists, and OF_GAME


def schema(arrow: Any, text: Any) -> Any:
    """The columns of the file; `text` is the type of those that hold text."""
    return arrow.schema(
        [("game", arrow.int32()), ("move", arrow.int32()), ("board", arrow.list_(arrow.int32(), 16)),
         ("direction", text), ("score", arrow.int64()), ("final_score", arrow.int64()),
         ("max_tile", arrow.int32()), ("won", arrow.bool_()), ("final_board", text),
         ("timestamp", text), ("about", text), ("details", text)]
    )  # fmt: skip


def read_parquet(path: Path) -> Iterator[Columns]:
    """Game by game; a game may go over from one batch of rows to the next."""
    number, parts, moves = -1, list[Part](), 0
    for part in _parts(path):
        if part["game"] == number and parts:
            if any(part[name] != parts[0][name] for name in OF_GAME):
                raise CorruptFile(f"the rows of game {number} contradict each other")
        elif part["game"] == number + 1:
            if parts:
                yield _columns(parts)
            number, parts, moves = number + 1, [], 0
        else:
            raise CorruptFile(f"game {part['game']} stands behind game {number}; games are numbered from 0")
        rows = len(part["move"])
        if moves + rows > MOST_MOVES or not (part["move"] == np.arange(moves, moves + rows)).all():
            raise CorruptFile(f"the moves of game {number} are not numbered from 0 to at most {MOST_MOVES - 1:,}")
        moves += rows
        parts.append(part)
    if parts:
        yield _columns(parts)


def _parts(path: Path) -> Iterator[Part]:
    arrow, parquet = import_extra("pyarrow", "export"), import_extra("pyarrow.parquet", "export")
    with open_regular(path) as opened:
        file = parquet.ParquetFile(
            name_of(opened, path), read_dictionary=CODED, thrift_string_size_limit=LONGEST_NAME,
            thrift_container_size_limit=LONGEST_NAME,
        )  # fmt: skip
    wanted = schema(arrow, arrow.dictionary(arrow.int32(), arrow.string()))
    if not file.schema_arrow.equals(wanted):
        raise CorruptFile(f"its columns are not {', '.join(wanted.names)}, or not of their types")
    seen = 0
    for group in range(file.num_row_groups):
        known = file.metadata.row_group(group)
        if max(known.column(each).total_uncompressed_size for each in range(known.num_columns)) > LARGEST_COLUMN:
            raise CorruptFile(f"a column has more than {LARGEST_COLUMN:,} bytes in one group of rows")
        for batch in file.iter_batches(ROWS, row_groups=[group], use_threads=False):
            seen += batch.num_rows
            for part in _split(batch):
                yield {**part, "done": min(1.0, seen / max(1, file.metadata.num_rows))}


def _split(batch: Any) -> Iterator[Part]:
    """The rows of a batch by games."""
    batch.validate(full=True)
    if any(column.null_count for column in batch.columns) or batch["board"].values.null_count:
        raise CorruptFile("some fields are empty")
    numbers = batch["game"].to_numpy()
    boards = batch["board"].flatten().to_numpy().reshape(-1, 16)
    moves, scores, directions = batch["move"].to_numpy(), batch["score"].to_numpy(), _directions(batch["direction"])
    starts = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist()] if len(numbers) else []
    for begin, end in zip(starts, [*starts[1:], len(numbers)], strict=False):
        rows = slice(begin, end)
        part = {name: _shared(batch[name][rows], name) for name in OF_GAME}
        details = batch["details"][rows]
        part |= {"game": int(numbers[begin]), "move": moves[rows], "board": boards[rows], "score": scores[rows]}
        yield part | {"direction": directions[rows], "details": [text_of(each, "details") for each in _texts(details)]}


def _directions(column: Any) -> NDArray[np.int8]:
    names = column.dictionary.to_pylist()
    if not set(names) <= set(DIRECTIONS):
        raise CorruptFile(f"direction is none of {', '.join(DIRECTIONS)}")
    codes = np.array([DIRECTIONS.index(name) for name in names], np.int8)
    found: NDArray[np.int8] = codes[column.indices.to_numpy()]
    return found


def _texts(column: Any) -> list[str]:
    known = column.dictionary.to_pylist()
    return [known[code] for code in column.indices.to_pylist()]


def _shared(column: Any, name: str) -> Any:
    """What all rows of a game have in common."""
    codes = (column.indices if name in CODED else column).to_numpy(zero_copy_only=False)
    if (codes != codes[0]).any() and (name not in CODED or len(set(_texts(column))) > 1):
        raise CorruptFile(f"{name} is not the same in all rows of a game")
    return text_of(column[0].as_py(), name) if name in CODED else column[0].as_py()


def _columns(parts: list[Part]) -> Columns:
    boards, directions, scores = (
        bytes_of(np.concatenate([part[name] for part in parts])) for name in ("board", "direction", "score")
    )
    details = [text for part in parts for text in part["details"]]
    shared = {name: parts[0][name] for name in OF_GAME}
    return Columns(boards, directions, scores, details, done=parts[-1]["done"], **shared)


if __name__ == "__main__":
    serve(lambda path: read_parquet(path) if path.suffix == ".parquet" else read_hdf5(path))
