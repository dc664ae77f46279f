"""Games as Parquet: a row a move; read in quarantine (parquet_program)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from gridlab.arena.records.game2048 import Game, tiles_of
from gridlab.core.extras import import_extra
from gridlab.core.quarantine import quarantined
from gridlab.datasets.games2048.columns import Columns
from gridlab.datasets.games2048.parquet_program import schema
from gridlab.datasets.games2048.table_rows import OF_GAME, Found, blocks, details_text, game_of, shared_of
from gridlab.games.game2048.reference import DIRECTIONS


def write_parquet(path: Path, games: Iterator[Game]) -> int:
    arrow, parquet = import_extra("pyarrow", "export"), import_extra("pyarrow.parquet", "export")
    columns = schema(arrow, arrow.string())
    count = 0
    with parquet.ParquetWriter(path, columns, compression="zstd") as writer:
        for block in blocks(games):
            writer.write_table(arrow.table(_columns(block, count, arrow), schema=columns))
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
        "details": arrow.array([text for game in block for text in details_text(game)]),
    }
    for name, values in zip(OF_GAME, zip(*map(shared_of, block), strict=True), strict=True):
        columns[name] = arrow.array(values).take(arrow.array(owners))
    columns["max_tile"] = columns["max_tile"].cast(arrow.int32())
    return columns


def read_parquet(path: Path) -> Iterator[Found]:
    import_extra("pyarrow", "export")
    program = "gridlab.datasets.games2048.parquet_program"
    return map(game_of, quarantined(program, path, Columns, "table of games"))
