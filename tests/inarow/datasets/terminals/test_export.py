"""Exports say what positions say, in three formats."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pyarrow.parquet as parquet
import pytest

from gridlab.core.errors import CorruptFile, FileTrouble, MissingExtra
from gridlab.core.run import import_extra, remedy
from gridlab.games import game
from gridlab.games.grid import symmetries
from gridlab.inarow.datasets.terminals.build import build_terminals
from gridlab.inarow.datasets.terminals.dataset import Terminals
from gridlab.inarow.datasets.terminals.export import export, plot_counts
from gridlab.inarow.lines import line_cells
from gridlab.inarow.position import Position
from tests.conftest import in_long_runs

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module", params=["3x3:3", "3x4:4-3", "2x10:3"])
def data(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Terminals:
    folder = tmp_path_factory.mktemp("small")
    build_terminals(game(request.param), folder, [5] if request.param == "2x10:3" else [5, 6, 7])
    return Terminals(folder)


def facts(position: Position) -> dict[str, Any]:
    """One row, from the position alone."""
    rules = position.rules
    lines = rules.winning_lines + rules.losing_lines
    mover = position.crosses if position.ply % 2 else position.noughts
    completed = [number for number, line in enumerate(lines) if mover & line == line]
    common = [cell for cell in range(rules.cells) if all(lines[number] >> cell & 1 for number in completed)]
    outcome = position.outcome()
    assert outcome is not None
    return {
        "packed": position.packed,
        "board": str(position),
        "ply": position.ply,
        "winner": outcome.winner,
        "lines": completed,
        "line_cells": [[cell for cell in range(rules.cells) if lines[number] >> cell & 1] for number in completed],
        "last_moves": common,
        "orbit": len({position.image(symmetry) for symmetry in symmetries(rules.rows, rules.cols)}),
    }


def test_csv(data: Terminals, tmp_path: Path) -> None:
    path = tmp_path / "new" / "wins.csv"
    assert export(data, path, "csv") == len(data)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row, position in zip(rows, data, strict=True):
        known = facts(position)
        known |= {name: " ".join(map(str, known[name])) for name in ("lines", "last_moves")}
        known["line_cells"] = " ".join("-".join(map(str, cells)) for cells in known["line_cells"])
        assert row == {name: str(value) for name, value in known.items()}


def test_parquet(data: Terminals, tmp_path: Path) -> None:
    path = tmp_path / "wins.parquet"
    plies = [ply for ply in data.plies if ply != 6]
    export(data, path, "parquet", plies)
    table = parquet.read_table(path)
    assert table.schema.metadata[b"rules"].decode() == str(data.rules)
    wanted = [facts(position) for position in data if position.ply in plies]
    assert table.to_pylist() == wanted
    assert json.loads(table.schema.metadata[b"line_cells"]) == line_cells(data.rules)


def test_hdf5(data: Terminals, tmp_path: Path) -> None:
    path = tmp_path / "wins.h5"
    export(data, path, "hdf5")
    with h5py.File(path) as file:
        assert file.attrs["rules"] == str(data.rules)
        line_cells = file.attrs["line_cells"]
        columns = {name: file[name][:] for name in file}
    for i, position in enumerate(data):
        known = facts(position)
        assert int(columns["packed"][i]) == known["packed"]
        assert tuple(columns["board"][i].tolist()) == position.values
        assert (columns["ply"][i], "-XO"[columns["winner"][i]]) == (known["ply"], known["winner"])
        assert np.flatnonzero(columns["lines"][i]).tolist() == known["lines"]
        assert [np.flatnonzero(line_cells[line]).tolist() for line in known["lines"]] == known["line_cells"]
        assert np.flatnonzero(columns["last_moves"][i]).tolist() == known["last_moves"]
        assert columns["orbit"][i] == known["orbit"]


@pytest.mark.parametrize("name", ["counts.png", *in_long_runs("counts.svg")])
def test_a_plot_is_a_picture(data: Terminals, tmp_path: Path, name: str) -> None:
    plot_counts(data, tmp_path / name)
    start = (tmp_path / name).read_bytes()[:100]
    assert start.startswith(b"\x89PNG") if name.endswith("png") else b"<?xml" in start


def test_what_cannot_be_exported_is_told(data: Terminals, tmp_path: Path) -> None:
    with pytest.raises(FileTrouble, match=r"is not a name for a picture; end it in \.png, \.svg, \.pdf"):
        plot_counts(data, tmp_path / "counts.jpg2")
    with pytest.raises(FileTrouble, match="'xls' is not a format to export to; choose one of csv, parquet, hdf5"):
        export(data, tmp_path / "x", "xls")
    said = f"this needs not_there, which is not installed: {remedy('export')}"
    with pytest.raises(MissingExtra, match=re.escape(said)):
        import_extra("not_there.at.all", "export")


def test_what_is_being_read_is_not_written_over(tmp_path: Path) -> None:
    build_terminals("3x3:3", tmp_path / "wins", [5])
    before = (tmp_path / "wins" / "layer_05.bin").read_bytes()
    for place in ("layer_05.bin", "new.csv", "deep/new.csv"):
        with pytest.raises(FileTrouble, match=r"is, or lies inside, .*wins, which is being read"):
            export(Terminals(tmp_path / "wins"), tmp_path / "wins" / place, "csv")
    assert (tmp_path / "wins" / "layer_05.bin").read_bytes() == before


def test_plies_are_exported_once_and_none_is_refused(tmp_path: Path) -> None:
    build_terminals("3x3:3", tmp_path / "wins", [5, 6])
    data = Terminals(tmp_path / "wins")
    assert export(data, tmp_path / "twice.csv", "csv", [6, 5, 6]) == export(data, tmp_path / "all.csv", "csv")
    assert (tmp_path / "twice.csv").read_bytes() == (tmp_path / "all.csv").read_bytes()
    with pytest.raises(FileTrouble, match=r"no ply is named; .* has 5-6"):
        export(data, tmp_path / "none.csv", "csv", [])
    with pytest.raises(FileTrouble, match=r"has no layer for ply 7; it has \[5, 6\]"):
        export(data, tmp_path / "none.csv", "csv", [5, 7])
    assert not (tmp_path / "none.csv").exists()


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (0b11, "impossible value"),
        (1 << 18, "impossible value"),
        (2**64 - 1, "impossible value"),
        (0b010101, "count up"),
        (0, "count up"),
        (0b000001000101101000, "nobody has a line"),
    ],
)
def test_a_record_that_is_none_is_not_exported(tmp_path: Path, record: int, reason: str) -> None:
    build_terminals("3x3:3", tmp_path / "wins", [5])
    path = tmp_path / "wins" / "layer_05.bin"
    content = path.read_bytes()
    path.write_bytes(content[:8] + np.array([record], "<u8").tobytes() + content[16:])
    for form in ("csv", "parquet"):
        with pytest.raises(CorruptFile, match=f"is not a record: .*{reason}"):
            export(Terminals(tmp_path / "wins"), tmp_path / f"wins.{form}", form)
        assert not (tmp_path / f"wins.{form}").exists()
