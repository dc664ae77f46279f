"""Layers without a manifest: read, judged, adopted; and datasets merged."""

import json
import shutil
import struct
import threading
from pathlib import Path

import numpy as np
import pytest

from gridlab.core.errors import CorruptFile, FileTrouble
from gridlab.core.files import locked_folder
from gridlab.games import game
from gridlab.games.grid import symmetries
from gridlab.inarow.datasets.terminals.build import (
    adopt_terminals,
    build_terminals,
    merge_terminals,
    sorted_shards,
    verify,
)
from gridlab.inarow.datasets.terminals.dataset import Terminals
from gridlab.inarow.datasets.terminals.export import export, plot_counts
from gridlab.inarow.datasets.terminals.files import MAGIC, Records, checker, layer_name, open_layer
from gridlab.inarow.position import Position
from tests.conftest import in_long_runs

pytestmark = pytest.mark.compiled

GAMES = ["3x3:3", "3x4:4-3", *in_long_runs("4x4:4")]


def write(folder: Path, ply: int, records: Records) -> None:
    """A layer as any tool would write it."""
    folder.mkdir(exist_ok=True)
    head = struct.pack("<II", MAGIC, len(records))
    (folder / layer_name(ply)).write_bytes(head + records.astype("<u8").tobytes())


@pytest.fixture(scope="module", params=GAMES)
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    build_terminals(request.param, folder, [7, 8])
    return folder


@pytest.fixture
def bare(built: Path, tmp_path: Path) -> Path:
    """The layers alone, in another order."""
    for ply in (7, 8):
        write(tmp_path / "bare", ply, np.random.default_rng(ply).permutation(Terminals(built).records(ply)))
    return tmp_path / "bare"


def rules_of(built: Path) -> str:
    return str(Terminals(built).rules)


def other_images(folder: Path, ply: int, rules: str) -> None:
    """Every second record as the last of its images."""
    records = np.array(open_layer(folder / layer_name(ply)))
    positions = [Position.unpack(int(record), game(rules, "mnk")) for record in records[::2]]
    every = symmetries(positions[0].rules.rows, positions[0].rules.cols)
    images = ([each.image(symmetry) for symmetry in every] for each in positions)
    records[::2] = [max(some, key=lambda image: image.values).packed for some in images]
    write(folder, ply, records)


def test_reading(built: Path, bare: Path, tmp_path: Path) -> None:
    """In another order there is the same to show, to export and to find."""
    sound, data = Terminals(built), Terminals(bare, rules_of(built))
    assert (data.plies, len(data), data.manifest) == (sound.plies, len(sound), None)
    assert "has no manifest" in data.remark
    assert sound.remark == ""
    assert set(data) == set(sound)
    for form in ("csv", "parquet", "hdf5"):
        assert export(data, tmp_path / f"w.{form}", form) == len(sound)
    export(sound, tmp_path / "sound.csv", "csv")
    rows, wanted = ((tmp_path / name).read_text().splitlines() for name in ("w.csv", "sound.csv"))
    assert sorted(rows) == sorted(wanted)
    assert "record 3" in data.show(7, 3, 2)
    plot_counts(data, tmp_path / "w.svg")


def test_looking_up_in_any_order(built: Path, bare: Path) -> None:
    data, every = Terminals(bare, rules_of(built)), list(Terminals(built))
    for position in every[:40]:
        place = data.find(position.image(symmetries(data.rules.rows, data.rules.cols)[1]))
        assert place is not None
        assert int(data.records(position.ply)[place]) == position.packed
        assert data.answer(position)[1]
    write(bare, 7, np.sort(data.records(7)))
    ordered = Terminals(bare, rules_of(built))
    assert [ordered.find(each) for each in every if each.ply == 7][:20] == list(range(20))


def test_other_images_are_found_and_exported(built: Path, bare: Path, tmp_path: Path) -> None:
    rules = rules_of(built)
    other_images(bare, 7, rules)
    data = Terminals(bare, rules)
    assert all(data.find(each) is not None for each in Terminals(built))
    assert export(data, tmp_path / "w.csv", "csv") == len(data)


def test_verifying(built: Path, bare: Path) -> None:
    rules = rules_of(built)
    verdict = verify(bare, None, rules=rules)
    assert [(each.file, each.reason.partition(" (")[0]) for each in verdict.complaints] == [
        (layer_name(ply), "not larger than the record before it: the records are not ascending") for ply in (7, 8)
    ]
    assert verdict.checked == verdict.records == len(Terminals(built))
    assert "not checked: whether any record is there twice, where they are not ascending, checksums, " in str(verdict)
    for ply in (7, 8):
        write(bare, ply, np.sort(open_layer(bare / layer_name(ply))))
    assert verify(bare, None, rules=rules).complaints == []
    write(bare, 7, np.array(open_layer(bare / layer_name(7)))[1:])
    assert ["the census counts" in each.reason for each in verify(bare, None, rules=rules).complaints] == [True]
    (bare / layer_name(8)).write_bytes(b"5TTT")
    assert any("too few for a header" in each.reason for each in verify(bare, rules=rules).complaints)


def test_which_game(bare: Path, built: Path, tmp_path: Path) -> None:
    with pytest.raises(FileTrouble, match="say with --game which game it is"):
        Terminals(bare)
    with pytest.raises(FileTrouble, match=r"layer_07\.bin is not a layer of 5x5:5: it has the plies 9 to 25"):
        Terminals(bare, "5x5:5")
    with pytest.raises(FileTrouble, match=r"holds terminal wins of .*, not of 2x2:2"):
        Terminals(built, "2x2:2")
    with pytest.raises(FileTrouble, match="nobody can win it"):
        Terminals(bare, "1x3:3")
    write(tmp_path / "empty", 3, np.empty(0, np.uint64))
    with pytest.raises(FileTrouble, match="its layers are empty"):
        Terminals(tmp_path / "empty")
    with pytest.raises(FileTrouble, match="36 cells"):
        Terminals(bare, "6x6:4")
    write(tmp_path / "four", 9, np.array([0b01], np.uint64))
    with pytest.raises(FileTrouble, match="in its first record the stones do not count up"):
        Terminals(tmp_path / "four")


def test_five_in_a_row_is_the_default(tmp_path: Path) -> None:
    """With the empty layers that another tool may begin with."""
    build_terminals("5x5:5", tmp_path / "built", [9])
    write(tmp_path / "bare", 6, np.empty(0, np.uint64))
    write(tmp_path / "bare", 9, Terminals(tmp_path / "built").records(9)[::-1])
    data = Terminals(tmp_path / "bare")
    assert (str(data.rules), data.plies, len(data)) == ("5x5:5", [9], 7428)


@pytest.mark.parametrize("images", [False, True])
def test_adopting(built: Path, bare: Path, images: bool) -> None:
    """Whatever the order and the images, the files are those that the builder writes."""
    rules = rules_of(built)
    if images:
        other_images(bare, 7, rules)
    manifest = adopt_terminals(bare, rules)
    assert manifest.layers == Terminals(built).manifest.layers  # type: ignore[union-attr]
    for ply in (7, 8):
        assert (bare / layer_name(ply)).read_bytes() == (built / layer_name(ply)).read_bytes()
    assert verify(bare, None).complaints == []
    with pytest.raises(FileTrouble, match="has a manifest already"):
        adopt_terminals(bare, rules)


def test_sorting_in_parts(built: Path, bare: Path) -> None:
    rules = game(rules_of(built), "mnk")
    records = open_layer(bare / layer_name(8))
    shards = list(sorted_shards(records, checker(rules), 2, size=max(1, len(records) // 7)))
    assert len(shards) > 3
    assert np.array_equal(np.concatenate(shards), Terminals(built).records(8))


def test_what_is_not_adopted(built: Path, bare: Path) -> None:
    rules = rules_of(built)
    records = np.array(open_layer(bare / layer_name(8)))
    before = (bare / layer_name(7)).read_bytes()
    position = Position.unpack(int(records[0]), game(rules, "mnk"))
    image = next(
        each for each in map(position.image, symmetries(position.rules.rows, position.rules.cols)) if each != position
    )
    for damaged, reason in (
        (np.append(records[1:], records[1]), "is there twice"),
        (np.append(records[:-1], np.uint64(image.packed)), "is there twice"),
        (np.append(records[1:], np.uint64(0)), "the stones do not count up to its ply"),
        (np.append(records[1:], np.uint64(2**64 - 1)), "impossible value"),
        (records[1:], "is not the whole layer: .*--resume makes it again"),
    ):
        write(bare, 8, damaged)
        with pytest.raises(CorruptFile, match=reason):
            adopt_terminals(bare, rules)
        assert (bare / layer_name(7)).read_bytes() == before
        assert not (bare / "manifest.json").exists()
    write(bare, 8, records)
    (bare / "README.md").write_text("mine")
    with pytest.raises(FileTrouble, match=r"a README\.md that is not of a dataset"):
        adopt_terminals(bare, rules)


def unfinish(folder: Path, ply: int) -> None:
    """Put back the placeholder that a streaming writer leaves in the header until its layer is complete."""
    with (folder / layer_name(ply)).open("r+b") as file:
        file.write(struct.pack("<II", MAGIC, 0))


def test_a_layer_without_its_count(built: Path, bare: Path, caplog: pytest.LogCaptureFixture) -> None:
    """It is read with a warning, verified by its records and the census, and adopted as the builder's own bytes."""
    rules, sound = rules_of(built), Terminals(built)
    for ply in (7, 8):
        write(bare, ply, np.sort(open_layer(bare / layer_name(ply))))
    unfinish(bare, 7)
    data = Terminals(bare, rules)
    assert [each.levelname for each in caplog.records] == ["WARNING"]
    assert "layer_07.bin: the header says 0 records, as before a layer is complete" in caplog.text
    assert (data.uncounted, len(data)) == ([7], len(sound))
    assert np.array_equal(data.records(7), sound.records(7))
    verdict = verify(bare, None, rules=rules)
    assert (verdict.complaints, verdict.records, verdict.checked) == ([], len(sound), len(sound))
    assert str(verdict).startswith("layer_07.bin: the header says 0 records")
    assert json.loads(json.dumps(verdict.as_dict()))["remarks"] == list(verdict.remarks)
    assert adopt_terminals(bare, rules).layers == sound.manifest.layers  # type: ignore[union-attr]
    assert (bare / layer_name(7)).read_bytes() == (built / layer_name(7)).read_bytes()
    assert verify(bare, None).remarks == ()


def test_a_layer_that_was_not_written_to_its_end(built: Path, bare: Path) -> None:
    """Without a count, too few records are missed by the census; half a record or an empty one is no layer."""
    rules, path = rules_of(built), bare / layer_name(7)
    write(bare, 7, np.sort(open_layer(path))[:-1])
    unfinish(bare, 7)
    reasons = [each.reason for each in verify(bare, None, rules=rules).complaints]
    assert any("the census counts" in each for each in reasons)
    with pytest.raises(CorruptFile, match="is not the whole layer"):
        adopt_terminals(bare, rules)
    whole = path.read_bytes()
    path.write_bytes(whole[:-3])
    with pytest.raises(CorruptFile, match="bytes end within a record, and its header has no count yet"):
        Terminals(bare, rules).records(7)
    path.write_bytes(whole + bytes(16))
    with pytest.raises(CorruptFile, match=r"was not written to its end: .* in its last record the stones do not count"):
        Terminals(bare, rules).records(7)
    assert not (bare / "manifest.json").exists()


def test_a_manifest_takes_no_placeholder(tmp_path: Path) -> None:
    """What gridlab has named complete has its count."""
    build_terminals("3x3:3", tmp_path, [7])
    unfinish(tmp_path, 7)
    with pytest.raises(CorruptFile, match="do not hold the 0 records of its header"):
        Terminals(tmp_path).records(7)
    assert verify(tmp_path).complaints


def test_merging(tmp_path: Path) -> None:
    """What two machines have built together is what one would have built."""
    build_terminals("3x3:3", tmp_path / "a", [5, 6, 7])
    build_terminals("3x3:3", tmp_path / "b", [7, 8, 9])
    build_terminals("3x3:3", tmp_path / "all")
    manifest = merge_terminals([tmp_path / "a", tmp_path / "b"], tmp_path / "new" / "c")
    assert manifest.layers == Terminals(tmp_path / "all").manifest.layers  # type: ignore[union-attr]
    assert verify(tmp_path / "new" / "c", None).complaints == []
    assert {path.name for path in (tmp_path / "new" / "c").iterdir()} == {
        path.name for path in (tmp_path / "all").iterdir()
    }


def test_merging_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    build_terminals("3x3:3", tmp_path / "a", [5, 6])
    build_terminals("3x3:3", tmp_path / "b", [7])
    damaged = tmp_path / "b" / layer_name(7)
    content = damaged.read_bytes()
    damaged.write_bytes(content[:-1] + b"\1")
    with pytest.raises(CorruptFile, match=r"b/layer_07\.bin is damaged: it does not have the SHA-256"):
        merge_terminals([tmp_path / "a", tmp_path / "b"], tmp_path / "c")
    assert Terminals(tmp_path / "c").plies == [5, 6]
    assert not list((tmp_path / "c").glob("*07*"))
    damaged.write_bytes(content)
    with pytest.raises(FileTrouble, match="already holds a dataset"):
        merge_terminals([tmp_path / "a", tmp_path / "b"], tmp_path / "c")
    assert [
        each.ply for each in merge_terminals([tmp_path / "a", tmp_path / "b"], tmp_path / "c", resume=True).layers
    ] == [5, 6, 7]
    assert verify(tmp_path / "c", None).complaints == []


def test_what_is_not_merged(tmp_path: Path) -> None:
    a, b, c = (tmp_path / name for name in "abc")
    build_terminals("3x3:3", a, [5, 6])
    build_terminals("2x3:3", b, [5])
    with pytest.raises(FileTrouble, match=r"holds terminal wins of 3x3:3, .* of 2x3:3"):
        merge_terminals([a, b], c)
    for out in (a, a / "inside", tmp_path):
        with pytest.raises(FileTrouble, match="is, or lies inside"):
            merge_terminals([a], out)
    with pytest.raises(FileTrouble, match="is, or lies inside"):
        merge_terminals([a, a], c)
    shutil.copytree(a, tmp_path / "d")
    (tmp_path / "d" / layer_name(6)).write_bytes((a / layer_name(5)).read_bytes())
    with pytest.raises(CorruptFile, match=r"d/layer_06\.bin is damaged"):
        merge_terminals([a, tmp_path / "d"], c)
    (tmp_path / "d" / "manifest.json").unlink()
    with pytest.raises(FileTrouble, match="d has no manifest; gridlab terminals adopt makes one"):
        merge_terminals([a, tmp_path / "d"], tmp_path / "e")
    assert not (tmp_path / "e").exists()


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    """Somebody else writes into the folder: neither merged nor adopted."""
    build_terminals("3x3:3", tmp_path / "a", [5])
    write(tmp_path / "bare", 5, Terminals(tmp_path / "a").records(5))
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with locked_folder(tmp_path / "out"), locked_folder(tmp_path / "bare"):
            held.set()
            done.wait(30)

    other = threading.Thread(target=hold)
    other.start()
    held.wait(30)
    try:
        with pytest.raises(FileTrouble, match="another process is writing"):
            merge_terminals([tmp_path / "a"], tmp_path / "out")
        with pytest.raises(FileTrouble, match="another process is writing"):
            adopt_terminals(tmp_path / "bare", "3x3:3")
    finally:
        done.set()
        other.join()
    assert not (tmp_path / "bare" / "manifest.json").exists()
    assert len(merge_terminals([tmp_path / "a"], tmp_path / "out").layers) == 1
