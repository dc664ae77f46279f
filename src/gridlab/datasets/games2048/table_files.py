"""Games as tables: CSV and Parquet with a row a move, HDF5 and NPZ with an array a column.

    game, move           numbers from 0                          board   16 tiles (CSV r0c0 … r3c3, arrays [move, 4, 4])
    direction            up, down, left, right (arrays: 0 to 3)  score   before the move
    final_score, max_tile, won, final_board, timestamp           of the game, repeated (arrays: games/…, one a game)
    about, details       what else is known of the game and of the move, as JSON

Tables are written block by block as games come, and give back the games they were made of.
"""

from collections.abc import Iterator
from pathlib import Path

from gridlab.arena.records.game2048 import Game
from gridlab.arena.records.game2048_reading import Misshapen
from gridlab.core.errors import CorruptFile, FileTrouble, MissingExtra
from gridlab.core.files import beside
from gridlab.core.untrusted import open_regular, reading, reason_of
from gridlab.datasets.games2048.array_tables import read_hdf5, read_npz, write_hdf5, write_npz
from gridlab.datasets.games2048.columns import WrongTable
from gridlab.datasets.games2048.csv_table import read_csv, write_csv
from gridlab.datasets.games2048.parquet_table import read_parquet, write_parquet
from gridlab.datasets.games2048.table_rows import Found

FORMS = {".csv": "csv", ".parquet": "parquet", ".h5": "hdf5", ".hdf5": "hdf5", ".npz": "npz"}
WRITERS = {"csv": write_csv, "parquet": write_parquet, "hdf5": write_hdf5, "npz": write_npz}
READERS = {"csv": read_csv, "parquet": read_parquet, "hdf5": read_hdf5, "npz": read_npz}


def write_table(path: Path, form: str, games: Iterator[Game]) -> int:
    """Write games in one of the forms; how many there were."""
    if form not in WRITERS:
        raise FileTrouble(f"{form!r} is not a format for games; {', '.join(WRITERS)} are")
    with beside(path) as part:
        return WRITERS[form](part, (_of_16_cells(game, form) for game in games))


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
