"""Terminal wins for other tools: CSV, Parquet or HDF5, with what a record leaves implicit; and a picture.

    board       X.O/.X./O.X as text (HDF5: int8[cell], 1 X, 2 O)       packed      the record itself
    winner      X or O (HDF5: 1, 2)                                      ply         stones on the board
    lines       the lines completed, by the numbers of `gridlab lines`   line_cells  the cells of each of them
    last_moves  the cells that can have been the last move               orbit       how many different images it has

Cells are numbers everywhere, from 0 at the top left, row by row. In Parquet `lines` and `last_moves` are lists and
`line_cells` a list of lists; in CSV numbers stand between spaces and the cells of a line between dashes (0-4-8 2-4-6);
in HDF5 there is a 0 or 1 for each line and each cell, and `line_cells` is an attribute [line, cell] of the same kind.
"""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import write_byte, write_bytes, write_number
from gridlab.core.charts import new_figure, save
from gridlab.core.errors import FileTrouble
from gridlab.core.files import beside, refuse_overlap, try_place, whole_file
from gridlab.core.jit import kernel
from gridlab.core.progress import Bars, bars
from gridlab.core.run import import_extra, in_order
from gridlab.core.tables import append, fill_hdf5
from gridlab.inarow.datasets.terminals import files
from gridlab.inarow.datasets.terminals.dataset import BLOCK, Terminals, layers_of
from gridlab.inarow.datasets.terminals.files import Facts, Records, checker
from gridlab.inarow.exact.states import board_texts
from gridlab.inarow.kernels import write_board
from gridlab.inarow.lines import line_cells, numbered_lines
from gridlab.inarow.rules import Rules

# ---- The picture of a dataset of terminal wins: records by ply and winner


def plot_counts(data: Terminals, path: Path) -> None:
    """Records by ply and winner, on a logarithmic scale; PNG, SVG or PDF by the name of the file."""
    counts = list(_counts(data))
    total = sum(each.x_wins + each.o_wins for each in counts)
    if not total:
        raise FileTrouble(f"the layers of {data.rules} have no records; there is nothing to draw")
    try_place(path)
    figure = new_figure(path, 4.5)
    axes = figure.add_subplot()
    for name, winner, colour, side in (("X wins", "x_wins", "#1f4e9c", -0.2), ("O wins", "o_wins", "#b3261e", 0.2)):
        won = [each for each in counts if getattr(each, winner)]
        places = [each.ply + side * (each.x_wins > 0 and each.o_wins > 0) for each in won]  # in the middle if alone
        axes.bar(places, [getattr(each, winner) for each in won], width=0.4, label=name, color=colour)
    axes.set(yscale="log", xticks=[each.ply for each in counts], xlabel="ply", ylabel="positions up to symmetry")
    axes.set_title(f"Terminal wins of {data.rules}: {total:,}")
    axes.legend()
    axes.grid(axis="y", alpha=0.3)
    save(figure, path)


def _counts(data: Terminals) -> Iterator[files.Layer]:
    """The wins of each ply: from the manifest, or without one from the records."""
    if data.manifest:
        yield from data.manifest.layers
        return
    game = checker(data.rules)
    for ply, records in layers_of(data, None).items():
        won = sum(files.count_won(np.array(block), ply, game) for block in files.in_blocks(records, BLOCK))
        yield files.Layer.of(data.rules, ply, won, len(records) - won, sha256="")


# ---- Terminal wins for other tools: CSV, Parquet or HDF5, with what a record leaves implicit


EXPORTED_AT_ONCE = 1 << 17  # records handled at a time
HEADER = b"packed,board,ply,winner,lines,line_cells,last_moves,orbit\n"
COMMA, SPACE, NEWLINE = b", \n"
WINNERS = np.frombuffer(b"-XO", dtype=np.uint8)

Rows = tuple[int, Records, Facts]  # ply, records, facts


def export(
    data: Terminals, path: Path, form: str | None = None, plies: list[int] | None = None, workers: int | None = None,
    progress: bool = False,
) -> int:  # fmt: skip
    """Write the records of these plies (all by default) as `csv`, `parquet` or `hdf5`; how many there were.

    The ending of the name says the format, unless the format is named.
    """
    form = form or ENDINGS.get(path.suffix)
    if form is None:
        raise FileTrouble(f"{path} does not say its format; end the name in {', '.join(ENDINGS)}, or add --format")
    if form not in WRITERS:
        raise FileTrouble(f"{form!r} is not a format to export to; choose one of {', '.join(WRITERS)}")
    refuse_overlap(data.folder, path)
    layers = layers_of(data, plies)
    total = sum(map(len, layers.values()))
    try_place(path)
    with bars(total, f"exporting {data.rules}", "records", progress) as shown:
        WRITERS[form](data.rules, path, _rows(data, layers, workers, shown))
    return total


def _rows(data: Terminals, layers: dict[int, Records], workers: int | None, shown: Bars) -> Iterator[Rows]:
    game = checker(data.rules)
    tolerated = files.SOUND if data.manifest else files.NOT_CANONICAL  # others may have kept other images

    def block(first: int, ply: int, records: Records) -> Rows:
        some = np.array(records[first : first + EXPORTED_AT_ONCE], dtype=np.uint64)
        return ply, some, files.facts_of(some, ply, game, tolerated)

    for ply, records in layers.items():
        with shown.part(len(records), f"ply {ply:2}", "records"):
            job = partial(block, ply=ply, records=records)
            for rows in in_order(job, range(0, len(records), EXPORTED_AT_ONCE), workers):
                yield rows
                shown.update(len(rows[1]))


# ---- CSV


def write_csv(rules: Rules, path: Path, blocks: Iterator[Rows]) -> None:
    texts = [("-".join(map(str, cells)) + " ").encode() for cells in line_cells(rules)]
    width = max(map(len, texts))
    names = np.array([list(text.ljust(width)) for text in texts], dtype=np.uint8)
    lengths = np.array([len(text) for text in texts])
    with whole_file(path) as file:
        file.write(HEADER)
        for ply, records, facts in blocks:
            longest = 20 + rules.cells + rules.rows + 12 + 3 * rules.cells
            completed = int(facts.lines.sum(axis=1).max(initial=0))
            buffer = np.empty(len(records) * (longest + completed * (4 + width)), dtype=np.uint8)
            used = write_lines(records, facts, ply, rules.rows, rules.cols, names, lengths, buffer)
            file.write(buffer[:used].data)


@kernel
def write_lines(
    records: NDArray[np.uint64], facts: Facts, ply: int, rows: int, cols: int, names: NDArray[np.uint8],
    lengths: NDArray[np.int64], buffer: NDArray[np.uint8],
) -> int:  # fmt: skip
    """All CSV lines of a block; `names` are the cells of each line with a space behind, `lengths` their letters."""
    place = 0
    for i in range(len(records)):
        place = write_byte(COMMA, buffer, write_number(records[i], buffer, place))
        place = write_byte(COMMA, buffer, write_board(facts.crosses[i], facts.noughts[i], rows, cols, buffer, place))
        place = write_byte(COMMA, buffer, write_number(ply, buffer, place))
        place = write_byte(COMMA, buffer, write_byte(WINNERS[facts.winners[i]], buffer, place))
        for line in range(facts.lines.shape[1]):
            if facts.lines[i, line]:
                place = write_byte(SPACE, buffer, write_number(line, buffer, place))
        buffer[place - 1] = COMMA
        for line in range(facts.lines.shape[1]):
            if facts.lines[i, line]:
                place = write_bytes(names[line, : lengths[line]], buffer, place)
        buffer[place - 1] = COMMA
        for cell in range(rows * cols):
            if facts.last_moves[i, cell]:
                place = write_byte(SPACE, buffer, write_number(cell, buffer, place))
        buffer[place - 1] = COMMA
        place = write_byte(NEWLINE, buffer, write_number(facts.orbits[i], buffer, place))
    return place


# ---- Parquet


def write_parquet(rules: Rules, path: Path, blocks: Iterator[Rows]) -> None:
    arrow, parquet = import_extra("pyarrow", "export"), import_extra("pyarrow.parquet", "export")
    numbers = arrow.list_(arrow.int16())
    fields = [("packed", arrow.uint64()), ("board", arrow.string()), ("ply", arrow.int8())]
    fields += [("winner", arrow.dictionary(arrow.int8(), arrow.string())), ("lines", numbers)]
    fields += [("line_cells", arrow.list_(numbers)), ("last_moves", numbers), ("orbit", arrow.int8())]
    schema = arrow.schema(fields, metadata={"rules": str(rules), "line_cells": json.dumps(line_cells(rules))})
    cells = arrow.array(line_cells(rules), numbers)
    with beside(path) as part, parquet.ParquetWriter(part, schema, compression="zstd") as writer:
        for ply, records, facts in blocks:
            columns = [
                records, board_texts(rules, facts.crosses, facts.noughts, arrow),
                np.full(len(records), ply, dtype=np.int8),
                arrow.DictionaryArray.from_arrays(facts.winners - np.int8(1), ["X", "O"]),
                lines := _list_column(arrow, facts.lines),
                arrow.ListArray.from_arrays(lines.offsets, cells.take(lines.values)),
                _list_column(arrow, facts.last_moves), facts.orbits,
            ]  # fmt: skip
            writer.write_table(arrow.table(columns, schema=schema))


def _list_column(arrow: Any, marks: NDArray[np.uint8]) -> Any:
    """[record, id] of 0 and 1 -> a column of lists of ids."""
    _, ids = np.nonzero(marks)
    offsets = np.concatenate([[0], np.cumsum(marks.sum(axis=1, dtype=np.int64))]).astype(np.int32)
    return arrow.ListArray.from_arrays(arrow.array(offsets), arrow.array(ids.astype(np.int16)))


# ---- HDF5


def write_hdf5(rules: Rules, path: Path, blocks: Iterator[Rows]) -> None:
    with beside(path) as part:
        fill_hdf5(part, partial(_fill, rules=rules, blocks=blocks))


def _fill(file: Any, rules: Rules, blocks: Iterator[Rows]) -> Iterator[None]:
    file.attrs["rules"] = str(rules)
    cells = np.arange(rules.cells)
    lines = np.array(numbered_lines(rules), dtype=np.int64)
    file.attrs["lines"] = lines
    file.attrs["line_cells"] = (lines[:, None] >> cells & 1).astype(np.uint8)
    for ply, records, facts in blocks:
        board = (facts.crosses[:, None] >> cells & 1) + 2 * (facts.noughts[:, None] >> cells & 1)
        columns: dict[str, NDArray[Any]] = {
            "packed": records, "board": board.astype(np.int8), "ply": np.full(len(records), ply, dtype=np.int8),
            "winner": facts.winners, "lines": facts.lines, "last_moves": facts.last_moves, "orbit": facts.orbits,
        }  # fmt: skip
        append(file, columns, "lzf", 4096)
        yield


WRITERS = {"csv": write_csv, "parquet": write_parquet, "hdf5": write_hdf5}
ENDINGS = {".csv": "csv", ".parquet": "parquet", ".h5": "hdf5", ".hdf5": "hdf5"}
