"""The program that reads Parquet files of games in quarantine: a page may hold more than its file says."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridlab.core.errors import CorruptFile
from gridlab.core.machine import import_extra
from gridlab.core.sandbox import name_of, serve
from gridlab.core.untrusted import open_regular
from gridlab.game2048.datasets.columns import Columns, bytes_of, text_of
from gridlab.game2048.rules import DIRECTIONS, MOST_MOVES

ROWS = 1 << 14  # read at a time
LARGEST_COLUMN = 512 << 20  # bytes of a column in one group of rows
LONGEST_NAME = 1 << 20  # bytes of a text, and number of things, in what the file says of itself
OF_GAME = ("final_score", "max_tile", "won", "final_board", "timestamp", "about")
TEXTS = ("direction", "final_board", "timestamp", "about", "details")

Part = dict[str, Any]  # some rows of one game: NumPy arrays, lists, and OF_GAME


def schema(arrow: Any, text: Any) -> Any:
    """The columns of the file; `text` is the type of those that hold text."""
    return arrow.schema(
        [("game", arrow.int32()), ("move", arrow.int32()), ("board", arrow.list_(arrow.int32(), 16)),
         ("direction", text), ("score", arrow.int64()), ("final_score", arrow.int64()),
         ("max_tile", arrow.int32()), ("won", arrow.bool_()), ("final_board", text),
         ("timestamp", text), ("about", text), ("details", text)]
    )  # fmt: skip


def read(path: Path) -> Iterator[Columns]:
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
            name_of(opened, path),
            read_dictionary=TEXTS,
            thrift_string_size_limit=LONGEST_NAME,
            thrift_container_size_limit=LONGEST_NAME,
        )
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
    codes = (column.indices if name in TEXTS else column).to_numpy(zero_copy_only=False)
    if (codes != codes[0]).any() and (name not in TEXTS or len(set(_texts(column))) > 1):
        raise CorruptFile(f"{name} is not the same in all rows of a game")
    return text_of(column[0].as_py(), name) if name in TEXTS else column[0].as_py()


def _columns(parts: list[Part]) -> Columns:
    joined = {name: np.concatenate([part[name] for part in parts]) for name in ("board", "direction", "score")}
    shared = {name: parts[0][name] for name in OF_GAME}
    return Columns(
        boards=bytes_of(joined["board"]),
        directions=bytes_of(joined["direction"]),
        scores=bytes_of(joined["score"]),
        details=[text for part in parts for text in part["details"]],
        done=parts[-1]["done"],
        **shared,
    )


if __name__ == "__main__":
    serve(read)
