"""Datasets that others load as they stand: the real `datasets` library, from disk."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gridlab.core.errors import CorruptFile, FileTrouble
from gridlab.core.files import sha256_of
from gridlab.core.tables import SPLITS, export_folder, features_of
from gridlab.game2048.exact import sampling as labelled2048
from gridlab.game2048.exact.probe import Tablebase2048
from gridlab.inarow.exact.tablebase import sampling as labelled
from gridlab.inarow.exact.tablebase.probe import Tablebase
from gridlab.inarow.position import Position
from tests.conftest import Run, Table

pytestmark = pytest.mark.compiled
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def small(table: Table) -> Tablebase:
    return table("3x4:4-3")


@pytest.fixture
def datasets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    found = pytest.importorskip("datasets")
    found.disable_progress_bars()
    return found


@pytest.fixture
def folder(small: Tablebase, tmp_path: Path) -> Path:
    """Two games, so two schemas, in one folder."""
    place = tmp_path / "positions"
    export_folder(place, small, labelled.labelled_tables(small, 3000, 1), 1, shard=1000)
    board = Tablebase2048("2048:2x3")
    export_folder(place, board, labelled2048.labelled_tables(board, 500, 2), 2)
    return place


@pytest.mark.filterwarnings("ignore")  # what that library says to Python, not to us
def test_the_library_loads_them_as_they_stand(folder: Path, small: Tablebase, tmp_path: Path, datasets: Any) -> None:
    cache = str(tmp_path / "cache")
    loaded = datasets.load_dataset(str(folder), "3x4_4-3", cache_dir=cache)
    assert set(loaded) == set(SPLITS)
    assert sum(len(loaded[name]) for name in SPLITS) == 3000
    for row in loaded["test"].select(range(20)):
        position = Position.parse(row["board"], small.rules)
        probe = small.probe(position)
        assert row["value"] == {"win": 1, "draw": 0, "loss": -1}[probe.value]
        assert [cell for cell, value in enumerate(row["move_values"]) if value is not None] == position.moves()
    other = datasets.load_dataset(str(folder), "2048_2x3", cache_dir=cache)
    assert sum(len(each) for each in other.values()) == 500
    assert other["train"].features != loaded["train"].features
    assert datasets.get_dataset_config_names(str(folder)) == ["3x4_4-3", "2048_2x3"]
    for name, data in (("3x4_4-3", loaded), ("2048_2x3", other)):
        said = datasets.Features._from_yaml_list(list(features_of(schema_of(folder, name))))
        assert data["train"].features == said


def schema_of(folder: Path, name: str) -> Any:
    return parquet.read_schema(folder / "data" / name / "train-00000.parquet")


def rows_of(folder: Path, name: str, split: str) -> Iterator[dict[str, Any]]:
    for path in sorted((folder / "data" / name).glob(f"{split}-*.parquet")):
        yield from parquet.read_table(path).to_pylist()


def test_shards_splits_and_manifest(folder: Path, small: Tablebase, tmp_path: Path) -> None:
    labelled.sample(small, tmp_path / "one.parquet", 3000, 1)
    every = parquet.read_table(tmp_path / "one.parquet").to_pylist()
    for split in SPLITS:
        wanted = [{key: row[key] for key in row if key != "split"} for row in every if row["split"] == split]
        assert list(rows_of(folder, "3x4_4-3", split)) == wanted
    shards = json.loads((folder / "manifest.json").read_text())["configurations"][0]["shards"]
    assert [each["rows"] for each in shards if each["split"] == "train"][:2] == [1000, 1000]
    for each in shards:
        path = folder / each["file"]
        assert (path.stat().st_size, sha256_of(path)) == (each["bytes"], each["sha256"])
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    data = {path for path in files if path.startswith("data/")}
    assert files - data == {"manifest.json", "README.md"}  # the manifest is outside the pattern of the data
    assert all(path.endswith(".parquet") for path in data)
    for name in ("3x4_4-3", "2048_2x3"):
        schemas = {parquet.read_schema(path).to_string() for path in (folder / "data" / name).iterdir()}
        assert len(schemas) == 1


def test_refusals(folder: Path, small: Tablebase, tmp_path: Path) -> None:
    with pytest.raises(FileTrouble, match="data/3x4_4-3 is there already"):
        export_folder(folder, small, labelled.labelled_tables(small, 10))
    other = tmp_path / "other"
    other.mkdir()
    (other / "mine.txt").write_text("mine")
    with pytest.raises(FileTrouble, match="holds other things"):
        export_folder(other, small, labelled.labelled_tables(small, 10))
    (folder / "manifest.json").write_text('{"configurations": 3}')
    with pytest.raises(CorruptFile, match=r"manifest\.json"):
        export_folder(folder, small, labelled.labelled_tables(small, 10))


def test_what_fails_leaves_nothing(small: Tablebase, tmp_path: Path) -> None:
    def breaking() -> Iterator[Any]:
        tables = labelled.labelled_tables(small, 3000, 1)
        yield from (next(tables) for _ in range(5))
        raise RuntimeError

    place = tmp_path / "positions"
    place.mkdir()
    with pytest.raises(RuntimeError):
        export_folder(place, small, breaking(), shard=10)
    assert not [each for each in place.rglob("*") if each.is_file() and not each.name.startswith(".")]


def test_on_the_command_line(gridlab: Run, small: Tablebase, tmp_path: Path) -> None:
    out = tmp_path / "new" / "positions"
    words = ("tablebase", "export", str(small.file.path), "--positions", "60", "-o", str(out), "--seed", "1")
    code, _, err = gridlab(*words)
    assert (code, err.splitlines()[-1]) == (0, f"{out}: 3x4_4-3, 60 positions in 3 files")
    assert gridlab(*words)[0] == 2
    assert [each.name for each in (out / "data").iterdir()] == ["3x4_4-3"]
