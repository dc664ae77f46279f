"""Boards of a solved game of 2048 drawn at random, uniformly up to symmetry, each once; with labels, as Parquet."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridlab.core.errors import CorruptFile
from gridlab.core.progress import bar
from gridlab.core.run import import_extra
from gridlab.core.tables import counts_drawn, split_names, write_sample
from gridlab.game2048.exact.probe import TIED, Tablebase2048
from gridlab.game2048.kernels import Boards
from gridlab.game2048.position import Position2048

FEW_FORCED, SPARE = 1.1, 1.6  # times as many are drawn as are wanted with a choice; as many again if they are too few


def draw_layers(table: Tablebase2048, number: int, random: np.random.Generator) -> Iterator[tuple[int, Boards]]:
    """So many boards with a move, layer by layer: the sum of the tiles, and packed boards, ascending."""
    layers = table.file.directory.layers
    counts = np.array([each.boards - each.over for each in layers])
    wanted = counts_drawn(counts, number, random, table.file.path, "boards with a move")
    for layer, some in zip(layers, wanted, strict=True):
        if some:
            boards = alive(table, layer.sum)
            if len(boards) < some:
                raise CorruptFile(f"{table.file.path} counts more boards of sum {layer.sum} than there are")
            yield layer.sum, boards[np.sort(random.permutation(len(boards))[:some])]


def alive(table: Tablebase2048, total: int) -> Boards:
    """The boards of a layer that have a move."""
    boards = table.boards(total)
    return boards[table.directions(boards) > 0]


def draw_boards(
    table: Tablebase2048, number: int, random: np.random.Generator, least_directions: int = 1
) -> list[Position2048]:
    """Up to `number` boards with so many directions or more, each as one of its images, all equally likely."""
    most = sum(each.boards - each.over for each in table.file.directory.layers)
    tried, found = min(most, round(FEW_FORCED * number) + 10), np.empty(0, np.uint64)
    while True:
        drawn = np.concatenate([boards for _, boards in draw_layers(table, tried, random)] or [found])
        found = drawn[table.directions(drawn) >= least_directions]
        if len(found) >= number or tried == most:
            break
        tried = min(most, round(tried * SPARE) + 10)
    chosen = random.permutation(len(found))[:number]
    return [random_image(Position2048.unpack(int(board), rules=table.rules), random) for board in found[chosen]]


def random_image(position: Position2048, random: np.random.Generator) -> Position2048:
    """One of the images of a board, all equally likely."""
    tiles, (over, aside, turned) = position.array(), random.integers(2, size=3).tolist()
    tiles = tiles[::-1] if over else tiles
    tiles = tiles[:, ::-1] if aside else tiles
    square = position.rules.rows == position.rules.cols
    return Position2048.of_array(tiles.T if turned and square else tiles, position.score, position.rules)


# ---- Boards of 2048 with exact labels, for machine learning, drawn from the table of a solved board
#
#     board    2 . 4/. . ./. 8 .   of all images the smallest, as text
#     tiles    list<int32>         the same, row by row, 0 where a cell is empty
#     sum      int32               of the tiles
#     value    float64             of the best direction: points to come, or the chance of the tile
#     values   list<float64>       of up, down, left, right, the points of the move included; null where it is no move
#     best     list<bool>          which of them are the best, up to the order of additions
#     split    train, validation or test: 80, 10 and 10 of a hundred
#
# Boards are drawn uniformly among all with a move up to symmetry, each at most once. The split hangs on the symmetry
# class alone (a hash of the smallest image), so that no board of one part has an image in another, in this file or in
# any other sample of the game.


def sample(table: Tablebase2048, path: Path, positions: int, seed: int | None = None, progress: bool = False) -> None:
    """Write `positions` labelled boards of a table to a Parquet file."""
    write_sample(path, table.file.path, labelled_tables(table, positions, seed, progress))


def labelled_tables(
    table: Tablebase2048, positions: int, seed: int | None = None, progress: bool = False
) -> Iterator[Any]:
    """The sample as tables of Arrow, those of a layer each."""
    arrow = import_extra("pyarrow", "export")
    schema = _schema(arrow, table)
    yield schema.empty_table()
    with bar(positions, "labelling", "boards", progress) as shown:
        for total, boards in draw_layers(table, positions, np.random.default_rng(seed)):
            yield arrow.Table.from_pydict(label(table, total, boards, arrow), schema)
            shown.update(len(boards))


def label(table: Tablebase2048, total: int, boards: Boards, arrow: Any) -> dict[str, Any]:
    """The columns of some boards of one layer."""
    positions = [Position2048.unpack(board, rules=table.rules) for board in boards.tolist()]
    values = np.array([table.look_up(board, total) for board in boards])
    if np.isnan(values).any():
        raise CorruptFile(f"{table.file.path} has no answer for boards of sum {total} that can come up")
    most = values.max(axis=1)
    known = np.ma.array(values, mask=np.isinf(values))
    return {
        "board": [str(position) for position in positions], "tiles": [list(position.tiles) for position in positions],
        "sum": np.full(len(boards), total, np.int32), "value": most, "values": known.tolist(),
        "best": (values >= (most - TIED * np.maximum(1.0, most))[:, None]).tolist(),
        "split": split_names(hashed(boards), arrow),
    }  # fmt: skip


def hashed(boards: Boards) -> NDArray[np.uint64]:
    """A number for each board that looks random and is always the same (a multiplicative hash)."""
    mixed = boards * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ mixed >> np.uint64(29)) * np.uint64(0xBF58476D1CE4E5B9)
    return mixed >> np.uint64(40)


def _schema(arrow: Any, table: Tablebase2048) -> Any:
    fields = {
        "board": arrow.string(), "tiles": arrow.list_(arrow.int32(), table.rules.cells), "sum": arrow.int32(),
        "value": arrow.float64(), "values": arrow.list_(arrow.float64(), 4), "best": arrow.list_(arrow.bool_(), 4),
        "split": arrow.string(),
    }  # fmt: skip
    return arrow.schema(list(fields.items()), metadata={"rules": str(table.rules), "target": table.target})
