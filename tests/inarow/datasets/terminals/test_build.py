"""Datasets on disk: what is written, read, resumed, refused and verified."""

import hashlib
import json
import os
import pickle
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from gridlab.core.errors import BadNotation, FileTrouble, TooLarge
from gridlab.games import game
from gridlab.games.grid import symmetries
from gridlab.inarow.datasets.terminals.build import build_terminals, verify
from gridlab.inarow.datasets.terminals.dataset import Terminals
from gridlab.inarow.datasets.terminals.files import (
    MAGIC,
    checker,
    crosses_of,
    facts_of,
    noughts_of,
    open_layer,
    parse_plies,
    plies_text,
)
from gridlab.inarow.position import Position
from tests.conftest import Run
from tests.inarow.exact.reference import terminal_wins

pytestmark = pytest.mark.compiled
TICTACTOE = game("tictactoe")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tictactoe4")
    build_terminals(game("4x4:4"), folder, range(7, 11))
    return folder


def checksums(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("layer_*.bin")}


@pytest.mark.parametrize(
    ("board", "smallest", "count"),
    [
        ("XXXXX/...../..O../.O.../.O..O", "....X/OO..X/..O.X/....X/O...X", 7428),
        ("O..../.O.X./..OX./X..O./X..XO", "....O/.X.O./.XO../.O..X/OX..X", 23462),
    ],
    ids=["A", "B"],
)
def test_one_worked_record(tmp_path: Path, board: str, smallest: str, count: int) -> None:
    """Two boards all the way: board, eight images, smallest tuple, integer, bytes."""
    rules = game("tictactoe5")
    position = Position.parse(board, rules)
    images = {position.image(symmetry).values for symmetry in symmetries(5, 5)}
    assert len(images) == 8
    best = min(images)
    assert str(Position.of_values(best, rules)) == smallest
    record = sum(value << 2 * cell for cell, value in enumerate(best))
    build_terminals(rules, tmp_path, [position.ply])
    content = (tmp_path / f"layer_{position.ply:02}.bin").read_bytes()
    assert struct.unpack_from("<II", content) == (MAGIC, count)
    assert content[:4] == b"5TTT"
    index = Terminals(tmp_path).find(position)
    assert index is not None
    assert content[8 + 8 * index : 16 + 8 * index] == record.to_bytes(8, "little")


def test_the_layers_of_tictactoe(tmp_path: Path) -> None:
    manifest = build_terminals(TICTACTOE, tmp_path)
    assert [(each.ply, each.x_wins, each.o_wins) for each in manifest.layers] == [
        (5, 21, 0),
        (6, 0, 21),
        (7, 58, 0),
        (8, 0, 23),
        (9, 12, 0),
    ]
    for each in manifest.layers:
        expected = sorted(Position.of_values(board, TICTACTOE).packed for board in terminal_wins(TICTACTOE, each.ply))
        assert open_layer(tmp_path / each.file).tolist() == expected
        assert (tmp_path / each.file).stat().st_size == each.bytes == 8 + 8 * each.records


def test_the_manifest_and_the_card(small: Path) -> None:
    content = json.loads((small / "manifest.json").read_text())
    assert (content["rules"], content["behaviour"]) == ("4x4:4", 1)
    assert {each["file"]: each["sha256"] for each in content["layers"]} == checksums(small)
    card = (small / "README.md").read_text()
    assert "| 7 | 280 | 280 | 0 | 2,248 |" in card
    program = card.partition("```python\n")[2].partition("```")[0]
    assert len(program.splitlines()) == 5
    done = subprocess.run([sys.executable, "-c", program], cwd=small, capture_output=True, text=True, check=True)
    first = Position.unpack(int(open_layer(small / "layer_07.bin")[0]), game("4x4:4"))
    assert done.stdout.replace(" ", "").split() == str(first).split("/")


def test_source_date_epoch_fixes_every_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    for name in ("one", "two"):
        build_terminals(TICTACTOE, tmp_path / name)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()
    assert "2023-11-14T22:13:20+00:00" in (tmp_path / "one" / "manifest.json").read_text()


@pytest.mark.parametrize(("text", "plies"), [("4x4:3", None), ("5x5:5", range(9, 12))])
def test_workers_do_not_change_a_byte(tmp_path: Path, text: str, plies: range | None) -> None:
    for workers in (1, 2):
        build_terminals(game(text), tmp_path / str(workers), plies, workers=workers)
    assert checksums(tmp_path / "1") == checksums(tmp_path / "2")


# ---- going on


def test_resume_adds_what_is_missing_and_leaves_the_rest(tmp_path: Path) -> None:
    build_terminals(TICTACTOE, tmp_path, [6, 8])
    before = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("layer_*.bin")}
    manifest = build_terminals(TICTACTOE, tmp_path, resume=True)
    assert [each.ply for each in manifest.layers] == [5, 6, 7, 8, 9]
    for name, moment in before.items():
        assert (tmp_path / name).stat().st_mtime_ns == moment


def test_a_whole_file_that_the_manifest_missed_is_kept(tmp_path: Path) -> None:
    build_terminals(TICTACTOE, tmp_path, [5, 6])
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    whole = manifest["layers"].pop()
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    moment = (tmp_path / "layer_06.bin").stat().st_mtime_ns
    made = build_terminals(TICTACTOE, tmp_path, [5, 6], resume=True)
    assert made.layers[1].sha256 == whole["sha256"]
    assert (tmp_path / "layer_06.bin").stat().st_mtime_ns == moment


def test_layers_without_a_manifest_are_not_touched_unasked(tmp_path: Path) -> None:
    build_terminals(TICTACTOE, tmp_path, [5])
    (tmp_path / "manifest.json").unlink()
    content = bytearray((tmp_path / "layer_05.bin").read_bytes())
    content[8:16], content[16:24] = (
        content[16:24],
        content[8:16],
    )  # in another order, as the original tool may write them
    (tmp_path / "layer_05.bin").write_bytes(content)
    with pytest.raises(FileTrouble, match=r"holds layer_05\.bin without a manifest; --resume keeps whole layers"):
        build_terminals(TICTACTOE, tmp_path)
    build_terminals(TICTACTOE, tmp_path, resume=True)
    assert verify(tmp_path, sample=None).complaints == []


def test_what_is_there_is_not_overwritten(tmp_path: Path) -> None:
    build_terminals(TICTACTOE, tmp_path, [5])
    with pytest.raises(FileTrouble, match="already holds a dataset of 3x3:3; --resume adds to it"):
        build_terminals(TICTACTOE, tmp_path)
    with pytest.raises(FileTrouble, match="holds terminal wins of 3x3:3, not of 4x4:4"):
        build_terminals(game("4x4:4"), tmp_path, resume=True)
    with pytest.raises(FileTrouble, match="no terminal win at ply 4; its layers are 5 to 9"):
        build_terminals(TICTACTOE, tmp_path / "new", [4])


SLOWLY = """
import sys, time
from gridlab.cli import run
from gridlab.inarow.datasets.terminals import build as building

advancing, plies = building._advancing, iter((7, 8, 9))

def slowly(shards, shown):
    last = next(plies) == 9
    for records in advancing(shards, shown):
        yield records
        if last:
            time.sleep(60)  # until it is killed

building._advancing = slowly
sys.exit(run(sys.argv[1:]))
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_killed_build_leaves_whole_layers_and_goes_on(gridlab: Run, tmp_path: Path) -> None:
    """A real process, killed when a part of its last layer has been handed over."""
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    command = ["terminals", "build", "4x4:4", "--plies", "7-9", "--quiet", "--out", str(killed)]
    with subprocess.Popen([sys.executable, "-c", SLOWLY, *command], stdout=subprocess.DEVNULL) as run:
        while not list(killed.glob(".layer_09.bin.*.part")):
            time.sleep(0.01)
            assert run.poll() is None
        run.send_signal(signal.SIGKILL)
    left = {path.name: path.stat().st_mtime_ns for path in killed.glob("layer_*.bin")}
    assert set(left) == {"layer_07.bin", "layer_08.bin"}
    assert verify(killed).complaints == []
    assert gridlab(*command, "--resume")[0] == 0
    build_terminals(game("4x4:4"), whole, range(7, 10))
    assert checksums(killed) == checksums(whole)
    assert all((killed / name).stat().st_mtime_ns == moment for name, moment in left.items())
    assert not list(killed.glob(".*.part"))


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_build_killed_in_the_middle_of_a_large_layer(tmp_path: Path) -> None:
    """A real process, killed while the layer of 9 million records is being written."""
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    command = [sys.executable, "-m", "gridlab", "terminals", "build", "--plies", "9-14", "--quiet", "--out"]
    with subprocess.Popen([*command, killed], stdout=subprocess.DEVNULL) as run:
        deadline = time.monotonic() + 120
        while not list(killed.glob(".layer_14.bin.*.part")) and time.monotonic() < deadline:
            time.sleep(0.005)
        run.send_signal(signal.SIGKILL)
    left = {path.name: path.stat().st_mtime_ns for path in killed.glob("layer_*.bin")}
    assert set(left) == {f"layer_{ply:02}.bin" for ply in range(9, 14)}
    assert verify(killed).complaints == []
    subprocess.run([*command, killed, "--resume"], check=True, stdout=subprocess.DEVNULL)
    build_terminals(game("tictactoe5"), whole, range(9, 15))
    assert checksums(killed) == checksums(whole)
    assert all((killed / name).stat().st_mtime_ns == moment for name, moment in left.items())
    assert not list(killed.glob(".*.part"))


# ---- reading


def test_reading_by_ply_by_index_and_in_order(small: Path) -> None:
    data = Terminals(small)
    everything = list(data)
    assert data.plies == [7, 8, 9, 10]
    assert len(data) == len(everything) == sum(len(data.records(ply)) for ply in data.plies)
    assert [data.position(index) for index in (0, 279, 280, -1)] == [everything[i] for i in (0, 279, 280, -1)]
    assert data.records(7)[0] == data.record(0)
    with pytest.raises(IndexError):
        data.record(len(data))
    with pytest.raises(FileTrouble, match=r"has no layer for ply 12; it has \[7, 8, 9, 10\]"):
        data.records(12)


def test_items_suit_a_data_loader(small: Path) -> None:
    data = pickle.loads(pickle.dumps(Terminals(small)))
    item = data[300]
    assert (item["ply"], item["winner"]) == (8, 2)
    assert item["board"].shape == (4, 4)
    assert item["board"].dtype == np.int8
    assert tuple(item["board"].ravel().tolist()) == data.position(300).values


def test_any_image_is_found(small: Path) -> None:
    data = Terminals(small)
    for index in (0, 279, 500, len(data) - 1):
        position = data.position(index)
        assert {data.find(position.image(symmetry)) for symmetry in symmetries(4, 4)} == {data.find(position)}
        assert data.records(position.ply)[data.find(position)] == position.packed
    assert data.find(Position(game("4x4:4"))) is None


def test_answers_say_why_not(small: Path) -> None:
    data = Terminals(small)

    def answer(board: str) -> str:
        return data.answer(Position.parse(board, data.rules))[0]

    assert answer("XXXX/OOO./..../....").startswith("yes: layer_07.bin record ")
    assert answer("XXX./OOO./..../....") == "no: this position is not over, and only wins are here"
    assert answer("XXXX/OOOO/..../....").startswith("no: both players")
    assert answer("XXXX/OO.O/XOXO/XOXO") == "no: it would be in the layer of ply 15, which this dataset does not have"


def test_boards_are_drawn(small: Path) -> None:
    text = Terminals(small).show(7, 278, 5)
    assert text.startswith("4x4:4, ply 7: 280 records")
    assert "record 278" in text
    assert "record 279" in text
    assert "record 280" not in text
    assert text.count("[X]") == 8
    with pytest.raises(FileTrouble, match="has 280 records, counted from 0: no record 280"):
        Terminals(small).show(7, 280, 1)


def test_facts_equal_what_positions_say(small: Path) -> None:
    data = Terminals(small)
    lines = data.rules.winning_lines
    for ply in data.plies:
        records = np.array(data.records(ply)[:200])
        facts = facts_of(records, ply, checker(data.rules))
        for i, record in enumerate(records):
            position = Position.unpack(int(record), data.rules)
            assert (crosses_of(record), noughts_of(record)) == (position.crosses, position.noughts)
            assert (facts.crosses[i], facts.noughts[i]) == (position.crosses, position.noughts)
            assert [lines[n] for n in np.flatnonzero(facts.lines[i])] == position.lines()
            assert facts.orbits[i] == len({position.image(symmetry) for symmetry in symmetries(4, 4)})
            outcome = position.outcome()
            assert outcome is not None
            assert "-XO"[facts.winners[i]] == outcome.winner
            stones = position.crosses if ply % 2 else position.noughts
            for cell in range(16):
                before = (position.crosses, position.noughts)
                if stones >> cell & 1:
                    taken = tuple(side & ~(1 << cell) for side in before)
                    assert bool(facts.last_moves[i, cell]) == (Position(data.rules, *taken).outcome() is None)
                else:
                    assert facts.last_moves[i, cell] == 0


def test_the_command_in_the_manifest_makes_the_same_layers(tmp_path: Path) -> None:
    build_terminals(TICTACTOE, tmp_path, [8])
    manifest = build_terminals(TICTACTOE, tmp_path, [5, 6], resume=True)
    assert manifest.made["command"] == "gridlab terminals build 3x3:3 --plies 5-6,8"


@pytest.mark.compiled
@pytest.mark.parametrize(("rules", "plies"), [("3x3:3", None), ("3x4:4-3", [6, 7]), ("5x5:5", [9])])
def test_typing_the_command_of_the_manifest(rules: str, plies: list[int] | None, tmp_path: Path) -> None:
    """In an empty folder, with nothing added, it makes the same layers to the byte."""
    manifest = build_terminals(rules, tmp_path / "first", plies)
    (tmp_path / "empty").mkdir()
    command = [sys.executable, "-m", *manifest.made["command"].split()]
    subprocess.run(command, cwd=tmp_path / "empty", check=True, capture_output=True)
    (made,) = (tmp_path / "empty").iterdir()
    names = [each.file for each in manifest.layers]
    assert [path.name for path in sorted(made.glob("*.bin"))] == names
    for name in names:
        assert (made / name).read_bytes() == (tmp_path / "first" / name).read_bytes()


def test_places_that_cannot_be_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FileTrouble, match=r"cannot write .*: a file stands where a folder is needed; name a place"):
        build_terminals(TICTACTOE, tmp_path / "file" / "wins")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(FileTrouble, match="SOURCE_DATE_EPOCH is 'yesterday'; it takes seconds since 1970"):
        build_terminals(TICTACTOE, tmp_path / "wins")


def test_layers_that_memory_cannot_hold_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gridlab.inarow.datasets.terminals.build.MOST_IN_MEMORY", 100)
    with pytest.raises(TooLarge, match=r"ply 9 of 5x5:5 has parts of 827 records; up to 100 are held in memory"):
        build_terminals(game("tictactoe5"), tmp_path, [9])


def test_plies_as_text() -> None:
    assert plies_text([9, 25, 10, 11]) == "9-11,25"
    assert parse_plies("9") == [9]
    assert parse_plies("9-12, 25") == [9, 10, 11, 12, 25]
    assert parse_plies("12,9-12,9") == [9, 10, 11, 12]
    for wrong in ("", "a", "9-", "-9", "9-x", "9-5", "0", "33", "1-300000000", "9" * 5000, "٩"):
        with pytest.raises(BadNotation, match="is not a list of plies"):
            parse_plies(wrong)


def test_somebody_elses_readme_is_kept(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine")
    with pytest.raises(FileTrouble, match=r"holds a README\.md that is not of a dataset of 3x3:3"):
        build_terminals(TICTACTOE, tmp_path)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("README.md", "mine")]


def test_a_layer_that_only_looks_whole_is_made_again(tmp_path: Path) -> None:
    """Right size, right order, not named by the manifest: its records are judged before it is taken."""
    build_terminals(TICTACTOE, tmp_path / "right", [5, 6])
    build_terminals(TICTACTOE, tmp_path / "wins", [6])
    content = (tmp_path / "right" / "layer_05.bin").read_bytes()
    records = np.arange(1, (len(content) - 8) // 8 + 1, dtype="<u8")
    (tmp_path / "wins" / "layer_05.bin").write_bytes(content[:8] + records.tobytes())
    build_terminals(TICTACTOE, tmp_path / "wins", [5, 6], resume=True)
    assert (tmp_path / "wins" / "layer_05.bin").read_bytes() == content


def test_a_card_that_was_not_written_is_written(tmp_path: Path) -> None:
    build_terminals(TICTACTOE, tmp_path, [5])
    (tmp_path / "README.md").unlink()
    assert [each.file for each in verify(tmp_path).complaints] == ["README.md"]
    build_terminals(TICTACTOE, tmp_path, [5], resume=True)
    assert verify(tmp_path).complaints == []


@pytest.mark.long
def test_the_whole_dataset_of_five_in_a_row(tmp_path: Path) -> None:
    """All 523,798,756 records, built and judged one by one; 4.2 GB on disk for the time of the test."""
    manifest = build_terminals(game("tictactoe5"), tmp_path)
    assert sum(each.records for each in manifest.layers) == 523_798_756
    verdict = verify(tmp_path, sample=None)
    assert verdict.checked == 523_798_756
    assert verdict.complaints == []
