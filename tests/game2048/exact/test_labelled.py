"""Boards of 2048 with exact labels."""

from pathlib import Path

import pytest

from gridlab.core.errors import FileTrouble, TooLarge
from gridlab.game2048.exact.probe import Tablebase2048
from gridlab.game2048.exact.sampling import sample
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import DIRECTIONS
from tests.conftest import Run

parquet = pytest.importorskip("pyarrow.parquet")


def test_labels_are_the_tables(tmp_path: Path) -> None:
    table = Tablebase2048("2048:2x2")
    sample(table, tmp_path / "s.parquet", 74, seed=1)
    read = parquet.read_table(tmp_path / "s.parquet")
    rows = read.to_pylist()
    assert read.schema.metadata[b"rules"] == b"2048:2x2"
    assert read.schema.metadata[b"target"] == b"score"
    assert len({row["board"] for row in rows}) == len(rows) == 74
    for row in rows:
        probe = table.probe(Position2048.parse(row["board"], table.rules))
        assert tuple(row["tiles"]) == probe.position.tiles
        assert row["sum"] == sum(row["tiles"])
        assert row["value"] == probe.value
        assert row["values"] == [probe.values.get(direction) for direction in DIRECTIONS]
        assert [each for each, best in zip(DIRECTIONS, row["best"], strict=True) if best] == probe.best


@pytest.mark.compiled
def test_the_split_hangs_on_the_board_alone(tmp_path: Path) -> None:
    table, seen = Tablebase2048("2048:2x3"), dict[str, str]()
    for seed in range(2):
        sample(table, tmp_path / "s.parquet", 3000, seed=seed)
        for row in parquet.read_table(tmp_path / "s.parquet").to_pylist():
            assert seen.setdefault(row["board"], row["split"]) == row["split"]
    shares = {name: list(seen.values()).count(name) / len(seen) for name in ("train", "validation", "test")}
    assert shares["train"] == pytest.approx(0.8, abs=0.04)
    assert shares["validation"] == pytest.approx(0.1, abs=0.03)


def test_refusals(tmp_path: Path) -> None:
    table = Tablebase2048("2048:2x2")
    with pytest.raises(FileTrouble, match=r"end it in \.parquet"):
        sample(table, tmp_path / "s.csv", 5)
    with pytest.raises(TooLarge, match="holds 74 boards with a move, not 75"):
        sample(table, tmp_path / "s.parquet", 75)


def test_on_the_command_line(gridlab: Run, tmp_path: Path) -> None:
    words = ("tablebase", "sample", "2048:2x3", "--positions", "20", "-o", str(tmp_path / "s.parquet"), "--quiet")
    assert gridlab(*words)[0] == 0
    assert parquet.read_table(tmp_path / "s.parquet").num_rows == 20
