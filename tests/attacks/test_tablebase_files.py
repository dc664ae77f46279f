"""Tablebases that somebody has damaged, by chance or on purpose, with right checksums: refused, or answered rightly."""

import json
import os
import struct
import zlib
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import zstandard

from gridlab.core.errors import CorruptFile, GridlabError
from gridlab.inarow.exact.tablebase.build import build_tablebase
from gridlab.inarow.exact.tablebase.layout import KIND, MAGIC, Directory, TableFile, all_possible, possible_scores
from gridlab.inarow.exact.tablebase.probe import Tablebase
from gridlab.inarow.exact.tablebase.sampling import draw_positions
from gridlab.inarow.exact.tablebase.verify import stats, verify
from gridlab.inarow.position import Position
from tests.attacks.damaging import Change, answer_of, changes, some_changes
from tests.attacks.harness import Attacker
from tests.attacks.tables import Commands, Damaged, by_chance

FOOTER = KIND.footer

pytestmark = pytest.mark.compiled

WORDS = (
    ("tablebase", "probe", "t.tb", "X../.O./..."),
    ("tablebase", "verify", "t.tb", "--full", "--workers", "1"),
    ("tablebase", "stats", "t.tb"),
    ("tablebase", "sample", "t.tb", "--positions", "5", "-o", "s.parquet", "--quiet"),
    ("solve", "3x3:3", "X../.O./...", "--tablebase", "t.tb"),
    ("grade", "random", "--game", "3x3:3", "--tablebase", "t.tb", "--positions", "20"),
    ("match", "perfect tablebase=t.tb", "random", "--game", "3x3:3", "--games", "2", "--workers", "1"),
    ("play", "3x3:3", "--tablebase", "t.tb"),
)
COMMANDS = Commands(WORDS, typed="values\nhint\n22\nvalues\nquit\n")


class Sound(NamedTuple):
    """A sound file, taken apart, and what it answers."""

    data: bytes
    blocks: bytes
    places: bytes
    directory: dict[str, Any]
    positions: list[Position]
    scores: list[int]


@pytest.fixture(autouse=True)
def _few_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full verification works out all positions together, after a sample of them in plain Python."""
    monkeypatch.setattr("gridlab.inarow.exact.tablebase.verify.SAMPLE", 5)


@pytest.fixture(scope="session", params=["3x3:3", "3x4:3"])
def sound(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Sound:
    return taken_apart(tmp_path_factory.mktemp("sound") / "t.tb", request.param)


@pytest.fixture(scope="session")
def tictactoe(tmp_path_factory: pytest.TempPathFactory) -> Sound:
    return taken_apart(tmp_path_factory.mktemp("sound") / "t.tb", "3x3:3")


def taken_apart(path: Path, rules: str) -> Sound:
    build_tablebase(rules, path, workers=1)
    data = path.read_bytes()
    index, text, _, _ = FOOTER.unpack(data[-FOOTER.size :])
    table, random = Tablebase(path), np.random.default_rng(0)
    boards = [draw_positions(table.rules, ply, 3, random).tolist() for ply in range(table.max_ply + 1)]
    positions = [Position(table.rules, *board) for ply in boards for board in ply]
    directory = json.loads(data[text : -FOOTER.size])
    return Sound(data, data[:index], data[index:text], directory, positions, [table.score(each) for each in positions])


def sealed(blocks: bytes, index: bytes, directory: bytes) -> bytes:
    """A file whose footer and checksum are right, whatever it holds."""
    end = FOOTER.pack(len(blocks), len(blocks) + len(index), zlib.crc32(directory, zlib.crc32(index)), b"1BATDIRG")
    return blocks + index + directory + end


def ask(path: Path, sound: Sound) -> list[int | None]:
    """Every question that can be put to a file; the scores that it gives, None where it refuses."""
    answer_of(lambda: verify(path, full=True, workers=1))
    table = answer_of(lambda: Tablebase(path))
    if table is GridlabError:
        return [None] * len(sound.positions)
    answer_of(lambda: str(stats(table)))
    found = [answer_of(partial(table.score, position)) for position in sound.positions]
    answer_of(lambda: table.probe(sound.positions[0]))
    return [None if each is GridlabError else each for each in found]


def right_or_refused(path: Path, sound: Sound, what: object) -> None:
    for position, score, known in zip(sound.positions, ask(path, sound), sound.scores, strict=True):
        assert score is None or score == known, f"{what}: {position} has score {score}, not {known}"


def damaged_directories(sound: Sound, changed: Iterable[Change]) -> Iterator[Damaged]:
    """Directories with a field changed, under a right checksum."""
    for each in changed:
        yield each.name, sealed(sound.blocks, sound.places, each.text())


def damaged_blocks(sound: Sound) -> Iterator[Damaged]:
    """The blocks of the second ply replaced, with sizes, offsets and checksums all right."""
    ply = sound.directory["plies"][1]
    slots = min(ply["a_block"], ply["crosses"]) * ply["slots"]
    pack = zstandard.ZstdCompressor(write_content_size=True).compress
    yield "more scores", replaced(sound, 1, pack(bytes(slots + 1)))
    yield "fewer scores", replaced(sound, 1, pack(bytes(slots - 1)))
    yield "none", replaced(sound, 1, pack(b""))
    yield "no frame", replaced(sound, 1, b"x" * 20)
    yield "nothing", replaced(sound, 1, b"")
    yield "two frames", replaced(sound, 1, pack(bytes(slots)) + pack(bytes(slots)))
    yield "no size", replaced(sound, 1, zstandard.ZstdCompressor(write_content_size=False).compress(bytes(slots)))
    for size in (2**31, 2**40, 2**63):  # a frame whose header claims so many bytes
        yield f"claims {size}", replaced(sound, 1, b"\x28\xb5\x2f\xfd\xe0" + struct.pack("<Q", size) + b"\x01\0\0")
    for score in (100, 101, 127, -100, -128, 50, 1, -1):
        yield f"score {score}", replaced(sound, 1, pack(bytes([score & 255]) * slots))


def replaced(sound: Sound, number: int, block: bytes) -> bytes:
    """A file whose stored ply `number`, which has one block, has another one."""
    plies = sound.directory["plies"]
    assert plies[number]["blocks"] == 1
    at = plies[number]["blocks_at"]
    after = plies[number + 1]["blocks_at"]
    index = bytearray(sound.places)
    place = plies[number]["index_at"] - len(sound.blocks)
    index[place : place + 8] = struct.pack("<II", len(block), zlib.crc32(block))
    moved = len(block) - (after - at)
    new = json.loads(json.dumps(sound.directory))
    for each in new["plies"]:
        each["blocks_at"] += moved if each["blocks_at"] > at else 0
        each["index_at"] += moved
    text = json.dumps(new, separators=(",", ":")).encode()
    return sealed(sound.blocks[:at] + block + sound.blocks[after:], bytes(index), text)


def damaged_indexes(sound: Sound) -> Iterator[Damaged]:
    text = json.dumps(sound.directory).encode()
    for at in range(0, len(sound.places), 4):
        for number in (0, 1, 2**31, 2**32 - 1):
            index = sound.places[:at] + struct.pack("<I", number) + sound.places[at + 4 :]
            yield f"index {at} = {number}", sealed(sound.blocks, index, text)
    for change in (sound.places[:-8], sound.places + bytes(8), b"", sound.places[4:]):
        yield "another index", sealed(sound.blocks, change, text)
    for offsets in ((0, 0), (2**63, 2**63), (2**64 - 1, 8), (8, 2**64 - 1), (8, 8)):
        yield f"footer {offsets}", sound.data[: -FOOTER.size] + FOOTER.pack(*offsets, 0, b"1BATDIRG")
    yield "nothing but ends", MAGIC + sound.data[-FOOTER.size :]


def test_scores_that_can_be(random: np.random.Generator) -> None:
    """The quick check agrees with the list."""
    for empty in range(1, 26):
        for score in range(-128, 128):
            block = np.array([0, score, 0], np.int8)
            assert all_possible(block, empty) == (score in possible_scores(empty)), (empty, score)
    assert all_possible(np.empty(0, np.int8), 3)


def test_crafted_directories(sound: Sound, tmp_path: Path, random: np.random.Generator) -> None:
    attack_directories(sound, some_changes(sound.directory, 250, random), tmp_path / "t.tb")


@pytest.mark.long
def test_all_crafted_directories(sound: Sound, tmp_path: Path) -> None:
    attack_directories(sound, changes(sound.directory), tmp_path / "t.tb")


def attack_directories(sound: Sound, changed: Iterable[Change], path: Path) -> None:
    """Nothing but the numbers of positions may be changed without being refused when the file is opened."""
    for name, data in damaged_directories(sound, changed):
        path.write_bytes(data)
        right_or_refused(path, sound, name)
        if not any(part in name for part in ("'behaviour'", "'every'", "'canonical'")):
            assert answer_of(lambda: TableFile(path)) is GridlabError, name


def test_crafted_blocks_and_indexes(sound: Sound, tmp_path: Path) -> None:
    path = tmp_path / "t.tb"
    for name, data in [*damaged_blocks(sound), *damaged_indexes(sound)]:
        path.write_bytes(data)
        right_or_refused(path, sound, name)
        assert verify(path, full=True, workers=1).complaints, name


def test_scores_changed_under_right_checksums(tictactoe: Sound, tmp_path: Path, random: np.random.Generator) -> None:
    """Possible scores are believed when asked for; a full verification finds every single one."""
    path, pack = tmp_path / "t.tb", zstandard.ZstdCompressor(write_content_size=True).compress
    path.write_bytes(tictactoe.data)
    scores = TableFile(path).block(2, 0).copy()
    for at in random.choice(len(scores), 8, replace=False):
        other = scores.copy()
        other[at] = 95 if other[at] == 0 else 0
        path.write_bytes(replaced(tictactoe, 1, pack(other.tobytes())))
        Tablebase(path).score(tictactoe.positions[0])
        assert verify(path, full=True, workers=1).complaints, at


def attack_files(sound: Sound, damaged: Iterable[Damaged], path: Path) -> None:
    for name, data in damaged:
        path.write_bytes(data)
        right_or_refused(path, sound, name)


def test_bytes_damaged_by_chance(sound: Sound, tmp_path: Path, random: np.random.Generator) -> None:
    attack_files(sound, by_chance(sound.data, 200, random), tmp_path / "t.tb")


@pytest.mark.long
def test_many_bytes_damaged_by_chance(sound: Sound, tmp_path: Path, random: np.random.Generator) -> None:
    attack_files(sound, by_chance(sound.data, 5000, random), tmp_path / "t.tb")


@pytest.mark.parametrize("number", [16, pytest.param(300, marks=pytest.mark.long)])
def test_commands_on_damaged_files(
    number: int, tictactoe: Sound, tmp_path: Path, attacker: Attacker, random: np.random.Generator
) -> None:
    COMMANDS.attack(damaged_files(tictactoe, number, random), number, attacker, tmp_path, random)


def damaged_files(sound: Sound, number: int, random: np.random.Generator) -> list[Damaged]:
    """Files damaged in every way: so many directories, and so many by chance."""
    directories = damaged_directories(sound, some_changes(sound.directory, number, random))
    return [*directories, *damaged_blocks(sound), *damaged_indexes(sound), *by_chance(sound.data, number, random)]


def test_the_sound_file_satisfies_every_command(tictactoe: Sound, tmp_path: Path, attacker: Attacker) -> None:
    COMMANDS.require_success(tictactoe.data, attacker, tmp_path)


def test_what_is_no_file(tmp_path: Path, attacker: Attacker) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    for name in ("folder", "pipe", "loop", "none", "/dev/zero", "/dev/null", "x" * 300, "/proc/self/mem"):
        for command in (WORDS[0], WORDS[4]):
            words = [name if word == "t.tb" else word for word in command]
            assert attacker.attack(*words, cwd=tmp_path).code == 2


def test_parts_of_a_build(tictactoe: Sound, tmp_path: Path, random: np.random.Generator) -> None:
    """A part is taken for the ply it is named after and for nothing else; crafted ones are refused."""
    text = json.dumps(tictactoe.directory).encode()
    for part in (0, 2, 8, 9):
        with pytest.raises(CorruptFile):
            Directory.parse(text, part)
    folder = tmp_path / "t.tb.plies"
    folder.mkdir()
    for name, data in damaged_directories(tictactoe, some_changes(tictactoe.directory, 20, random)):
        (folder / "8.tb").write_bytes(data)
        answer = answer_of(lambda: build_tablebase("3x3:3", tmp_path / "t.tb", workers=1, resume=True))
        assert answer is GridlabError, name
        assert (folder / "8.tb").exists()
