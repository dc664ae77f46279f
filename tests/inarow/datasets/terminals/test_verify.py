"""Every way to damage a dataset is found and named."""

import json
import shutil
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gridlab.core.errors import CorruptFile, FileTrouble
from gridlab.core.files import sha256_of
from gridlab.games import game
from gridlab.games.grid import symmetries
from gridlab.inarow.datasets.terminals.build import build_terminals, verify
from gridlab.inarow.datasets.terminals.files import MAGIC, REASONS, Manifest, checker, flaw_of, open_layer
from gridlab.inarow.position import Position

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tictactoe4")
    build_terminals(game("4x4:4"), folder, range(7, 11))
    return folder


def flip_a_bit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[8 + 8 * 100] ^= 4
    path.write_bytes(content)


def cut_a_record(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-8])


def cut_half_a_header(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5])


def change_the_magic(path: Path) -> None:
    path.write_bytes(b"\0" + path.read_bytes()[1:])


def change_the_count(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:4] + struct.pack("<I", 5) + content[8:])


def swap_two_records(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:800] + content[808:816] + content[800:808] + content[816:])


def replace_records(path: Path, change: Callable[[list[int]], None]) -> None:
    records = open_layer(path).tolist()
    change(records)
    path.write_bytes(struct.pack("<II", MAGIC, len(records)) + np.array(records, dtype="<u8").tobytes())


def add_a_mirrored_board(path: Path) -> None:
    def change(records: list[int]) -> None:
        position = Position.unpack(records[3], game("4x4:4"))
        images = {position.image(symmetry).packed for symmetry in symmetries(4, 4)} - {records[3]}
        records.append(max(images))
        records.sort()

    replace_records(path, change)


def exchange_for(board: str) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        replace_records(path, lambda records: records.__setitem__(7, Position.parse(board, game("4x4:4")).packed))

    return damage


def remove_the_file(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (flip_a_bit, "record 100:"),
        (cut_a_record, "bytes do not hold the 4,942 records of its header"),
        (cut_half_a_header, "5 bytes are too few for a header of 8"),
        (change_the_magic, "the header has magic 0x54545400, a layer has 0x54545435"),
        (change_the_count, "bytes do not hold the 5 records of its header"),
        (swap_two_records, "record 100: not larger than the record before it"),
        (add_a_mirrored_board, "not canonical: a symmetric image comes before it"),
        (exchange_for("XXX./OOO./XX../O..."), "record 7: nobody has a line"),
        (exchange_for("XXXX/OOO./..../...."), "record 7: the stones do not count up to its ply"),
        (exchange_for("OOOO/XX.X/X..X/...."), "record 7: the player who did not move last has a line"),
        (remove_the_file, "cannot be read: No such file"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_every_way_to_damage_a_file_is_named(
    small: Path, tmp_path: Path, damage: Callable[[Path], None], reason: str
) -> None:
    folder = tmp_path / "damaged"
    shutil.copytree(small, folder)
    damage(folder / "layer_09.bin")
    said = [str(complaint) for complaint in verify(folder).complaints]
    assert said
    assert all(line.startswith("layer_09.bin: ") for line in said)
    assert any(reason in line for line in said), said


def test_a_missing_record_is_missed(small: Path, tmp_path: Path) -> None:
    """A layer without one record whose manifest has the right counts, size and checksum is still not complete."""
    folder = tmp_path / "incomplete"
    shutil.copytree(small, folder)
    path = folder / "layer_08.bin"
    replace_records(path, lambda records: records.__delitem__(-1))
    change_entry(folder, lambda entry: {"bytes": entry["bytes"] - 8, "sha256": sha256_of(path)})
    with pytest.raises(CorruptFile, match=r"layer_08\.bin: 642 records are not 5,136 bytes"):
        verify(folder)
    change_entry(folder, lambda entry: {"records": entry["records"] - 1, "o_wins": entry["o_wins"] - 1})
    Manifest.read(folder).write_card(folder)
    complaint = "layer_08.bin: X wins 0 and O 641; the census counts 0 and 642"
    assert [str(each) for each in verify(folder).complaints] == [complaint]


def change_entry(folder: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["layers"][1] |= change(manifest["layers"][1])
    (folder / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda content: content.update(behaviour=9), "manifest.json: it was made by results version 9; this is 1"),
        (lambda content: content["layers"][0].update(candidates=1), "candidates, not 1"),
        (lambda content: content["made"].update(command="gridlab something"), "these layers are not made by"),
        (lambda content: content["made"].update(by="gridlab 77"), "README.md: it is not what the manifest says"),
    ],
)
def test_every_field_of_the_manifest_counts(
    small: Path, tmp_path: Path, change: Callable[[dict[str, Any]], None], complaint: str
) -> None:
    folder = tmp_path / "changed"
    shutil.copytree(small, folder)
    content = json.loads((folder / "manifest.json").read_text())
    change(content)
    (folder / "manifest.json").write_text(json.dumps(content))
    assert any(complaint in str(each) for each in verify(folder).complaints)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda content: content["layers"].append(content["layers"][-1]), "the layers do not ascend by ply, each once"),
        (lambda content: content["layers"].reverse(), "the layers do not ascend by ply, each once"),
        (lambda content: content.update(layers=[]), "length >= 1"),
        (lambda content: content["layers"][0].update(file="../layer_07.bin"), "is not a layer of ply 7 of 4x4:4"),
        (lambda content: content["layers"][0].update(ply=6, file="layer_06.bin"), "is not a layer of ply 6 of 4x4:4"),
        (lambda content: content["layers"][0].update(x_wins=1), "280 records, 1 won by X and 0 by O"),
        (lambda content: content["layers"][0].update(sha256="0"), "matching regex"),
        (lambda content: content.update(rules="6x6:4"), "6x6:4 has 36 cells; records hold up to 32"),
        (lambda content: content.update(more=1), "unknown field `more`"),
    ],
)
def test_a_manifest_that_contradicts_itself_is_refused(
    small: Path, tmp_path: Path, change: Callable[[dict[str, Any]], None], reason: str
) -> None:
    content = json.loads((small / "manifest.json").read_text())
    change(content)
    (tmp_path / "manifest.json").write_text(json.dumps(content))
    with pytest.raises(CorruptFile, match=reason):
        verify(tmp_path)


def test_a_sound_dataset_is_found_sound(small: Path) -> None:
    verdict = verify(small, sample=None)
    assert verdict.complaints == []
    assert verdict.checked == verdict.records == sum(len(open_layer(path)) for path in small.glob("layer_*.bin"))
    assert str(verdict).endswith("all sound; not checked: who made it and when")
    assert 0 < (some := verify(small, sample=10)).checked < 100
    assert f"not checked: the other {some.records - some.checked:,} records one by one (--full)" in str(some)


def test_a_folder_without_a_dataset_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileTrouble, match=r"holds no dataset: .*manifest\.json cannot be read"):
        verify(tmp_path)
    (tmp_path / "manifest.json").write_text('{"format": "something else", "version": 1}')
    with pytest.raises(CorruptFile, match="this is 'something else' version 1"):
        verify(tmp_path)
    (tmp_path / "manifest.json").write_text("[")
    with pytest.raises(CorruptFile, match="not a manifest of terminal wins"):
        verify(tmp_path)


def test_every_reason_can_be_reached() -> None:
    """Records that are no layer can hold, judged by the kernel one by one."""
    rules = game("3x6:3")
    boards = {
        "XXX.../OO.O.O/XXX..O": "no single last move explains the lines",
        "XX..../OO..../......": "nobody has a line: this is not a terminal position",
        "XXX.../OO..../......": "not canonical: a symmetric image comes before it",
    }
    for board, reason in boards.items():
        position = Position.parse(board, rules)
        assert REASONS[flaw_of(np.uint64(position.packed), position.ply, checker(rules))] == reason
    assert REASONS[flaw_of(np.uint64(3), 1, checker(rules))] == REASONS[1]
    assert REASONS[flaw_of(np.uint64(1 << 36), 1, checker(rules))] == REASONS[1]
