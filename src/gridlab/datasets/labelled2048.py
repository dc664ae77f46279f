"""Boards of 2048 with exact labels, for machine learning: drawn from the table of a solved board, written as Parquet.

    board    2 . 4/. . ./. 8 .   of all images the smallest, as text
    tiles    list<int32>         the same, row by row, 0 where a cell is empty
    sum      int32               of the tiles
    value    float64             of the best direction: points to come, or the chance of the tile
    values   list<float64>       of up, down, left, right, the points of the move included; null where it is no move
    best     list<bool>          which of them are the best, up to the order of additions
    split    train, validation or test: 80, 10 and 10 of a hundred

Boards are drawn uniformly among all with a move up to symmetry, each at most once. The split hangs on the symmetry
class alone (a hash of the smallest image), so that no board of one part has an image in another, in this file or in
any other sample of the game.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridlab.core.errors import CorruptFile
from gridlab.core.extras import import_extra
from gridlab.core.progress import bar
from gridlab.datasets.parquet_shards import write_sample
from gridlab.exact.game2048.probe import TIED, Tablebase2048
from gridlab.exact.game2048.sampling import draw_layers
from gridlab.games.game2048.kernels import Boards
from gridlab.games.game2048.position import Position2048

SPLITS = ("train",) * 8 + ("validation", "test")


def sample(table: Tablebase2048, path: Path, positions: int, seed: int | None = None, progress: bool = False) -> None:
    """Write `positions` labelled boards of a table to a Parquet file."""
    write_sample(path, table.file.path, labelled_tables(table, positions, seed, progress))


def labelled_tables(
    table: Tablebase2048, positions: int, seed: int | None = None, progress: bool = False
) -> Iterator[Any]:
    """The same as tables of Arrow, those of a layer each."""
    arrow = import_extra("pyarrow", "export")
    schema = _schema(arrow, table)
    yield schema.empty_table()
    with bar(positions, "labelling", "boards", progress) as shown:
        for total, boards in draw_layers(table, positions, np.random.default_rng(seed)):
            yield arrow.Table.from_pydict(label(table, total, boards), schema)
            shown.update(len(boards))


def label(table: Tablebase2048, total: int, boards: Boards) -> dict[str, Any]:
    """The columns of some boards of one layer."""
    positions = [Position2048.unpack(board, rules=table.rules) for board in boards.tolist()]
    values = np.array([table.look_up(board, total) for board in boards])
    if np.isnan(values).any():
        raise CorruptFile(f"{table.file.path} has no answer for boards of sum {total} that can come up")
    most = values.max(axis=1)
    known = np.ma.array(values, mask=np.isinf(values))
    return {
        "board": [str(position) for position in positions],
        "tiles": [list(position.tiles) for position in positions],
        "sum": np.full(len(boards), total, np.int32),
        "value": most,
        "values": known.tolist(),
        "best": (values >= (most - TIED * np.maximum(1.0, most))[:, None]).tolist(),
        "split": [SPLITS[each] for each in hashed(boards) % len(SPLITS)],
    }


def hashed(boards: Boards) -> NDArray[np.uint64]:
    """A number for each board that looks random and is always the same (a multiplicative hash)."""
    mixed = boards * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ mixed >> np.uint64(29)) * np.uint64(0xBF58476D1CE4E5B9)
    return mixed >> np.uint64(40)


def _schema(arrow: Any, table: Tablebase2048) -> Any:
    fields = {
        "board": arrow.string(),
        "tiles": arrow.list_(arrow.int32(), table.rules.cells),
        "sum": arrow.int32(),
        "value": arrow.float64(),
        "values": arrow.list_(arrow.float64(), 4),
        "best": arrow.list_(arrow.bool_(), 4),
        "split": arrow.string(),
    }
    return arrow.schema(list(fields.items()), metadata={"rules": str(table.rules), "target": table.target})
