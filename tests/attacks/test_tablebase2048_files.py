"""Tables of solved 2048 boards that somebody has damaged, with right checksums too: refused, or answered rightly."""

import json
import struct
import zlib
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import zstandard

from gridlab.core.errors import GridlabError
from gridlab.game2048.exact.build import build_tablebase2048
from gridlab.game2048.exact.file import KIND, MAGIC
from gridlab.game2048.exact.probe import Tablebase2048
from gridlab.game2048.exact.verify import stats, verify
from gridlab.game2048.players import PerfectPlayer2048
from gridlab.game2048.position import Position2048
from tests.attacks.damaging import Change, answer_of, changes, some_changes
from tests.attacks.harness import Attacker
from tests.attacks.tables import Commands, Damaged, by_chance

FOOTER = KIND.footer
END = KIND.end

pytestmark = pytest.mark.compiled

WORDS = (
    ("tablebase", "probe", "t.tb", "2 ./. 2"),
    ("tablebase", "verify", "t.tb", "--full", "--workers", "1"),
    ("tablebase", "stats", "t.tb"),
    ("tablebase", "sample", "t.tb", "--positions", "5", "-o", "s.parquet", "--quiet"),
    ("grade", "random", "--game", "2048:2x2", "--tablebase", "t.tb", "--positions", "20"),
    ("grade", "perfect", "--game", "2048:2x2", "--tablebase", "t.tb", "--positions", "20", "--whole"),
    ("2048", "evaluate", "perfect tablebase=t.tb", "--rules", "2048:2x2", "--games", "2", "--workers", "1"),
    ("play", "2048:2x2", "--tablebase", "t.tb"),
)
COMMANDS = Commands(WORDS, typed="values\nhint\nleft\nvalues\nauto\nquit\n")


class Sound(NamedTuple):
    """A sound file, taken apart, and what it answers."""

    data: bytes
    layers: bytes
    directory: dict[str, Any]
    positions: list[Position2048]
    values: list[dict[str, float]]


@pytest.fixture(scope="session")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Sound:
    path = tmp_path_factory.mktemp("solved") / "t.tb"
    build_tablebase2048("2048:2x2", path, workers=1)
    data = path.read_bytes()
    at, _, _ = FOOTER.unpack(data[-FOOTER.size :])
    table = Tablebase2048(path)
    boards = [board for total in table.file.layers for board in table.boards(total)[:2].tolist()]
    positions = [Position2048.unpack(board, rules=table.rules) for board in boards]
    directory = json.loads(data[at : -FOOTER.size])
    return Sound(data, data[:at], directory, positions, [table.values(each) for each in positions])


def sealed(layers: bytes, directory: bytes) -> bytes:
    """A file whose footer and checksum are right, whatever it holds."""
    return layers + directory + FOOTER.pack(len(layers), zlib.crc32(directory), END)


def ask(path: Path, solved: Sound) -> list[Any]:
    """Every question that can be put to a file; the values that it gives, GridlabError where it refuses."""
    answer_of(lambda: verify(path, full=True))
    table = answer_of(lambda: Tablebase2048(path))
    if table is GridlabError:
        return [GridlabError] * len(solved.positions)
    answer_of(lambda: str(stats(table)))
    answer_of(lambda: PerfectPlayer2048(solved.positions[0].rules, str(path)).kernel_policy())
    return [answer_of(partial(table.values, position)) for position in solved.positions]


def right_or_refused(path: Path, solved: Sound, what: object) -> None:
    for position, values, known in zip(solved.positions, ask(path, solved), solved.values, strict=True):
        assert values is GridlabError or values == known, f"{what}: {position} has {values}, not {known}"


def damaged_directories(solved: Sound, changed: Iterable[Change]) -> Iterator[Damaged]:
    """Directories with a field changed, under a right checksum."""
    for each in changed:
        yield each.name, sealed(solved.layers, each.text())


def with_frame(solved: Sound, number: int, values: bool, frame: bytes, afterstates: int | None = None) -> bytes:
    """A file in which the boards or values of a layer are other bytes, sizes and checksums right."""
    directory = json.loads(json.dumps(solved.directory))
    listed = directory["layers"]
    at = len(MAGIC) + sum(each[4] + each[6] for each in listed[:number]) + (listed[number][4] if values else 0)
    size = listed[number][6 if values else 4]
    listed[number][6 if values else 4], listed[number][7 if values else 5] = len(frame), zlib.crc32(frame)
    if afterstates is not None:
        listed[number][3] = afterstates
    layers = solved.layers[:at] + frame + solved.layers[at + size :]
    return sealed(layers, json.dumps(directory).encode())


def damaged_layers(solved: Sound) -> Iterator[Damaged]:
    """Frames of one layer replaced, with sizes and checksums all right."""
    pack = zstandard.ZstdCompressor(write_content_size=True).compress
    number = 8
    afterstates = solved.directory["layers"][number][3]
    for values, size in ((False, 2 * afterstates), (True, 8 * afterstates)):
        replace = partial(with_frame, solved, number, values)
        yield "longer", replace(pack(bytes(size + 1)))
        yield "shorter", replace(pack(bytes(size - 1)))
        yield "none", replace(pack(b""))
        yield "no frame", replace(b"x" * 20)
        yield "nothing", replace(b"")
        yield "two frames", replace(pack(bytes(size)) + pack(bytes(size)))
        yield "no size", replace(zstandard.ZstdCompressor(write_content_size=False).compress(bytes(size)))
        yield "ones", replace(pack(b"\xff" * size))
        for claimed in (2**31, 2**40, 2**63):  # a frame whose header claims so many bytes
            yield f"claims {claimed}", replace(b"\x28\xb5\x2f\xfd\xe0" + struct.pack("<Q", claimed) + b"\x01\0\0")
    yield "zero boards", with_frame(solved, number, False, pack(bytes(2 * afterstates)))
    bomb = pack(bytes(2 << 24))
    yield "a layer of 2^24 boards", with_frame(solved, number, False, bomb, 1 << 24)
    for value in (float("nan"), float("inf"), -1.0, 1e300):
        yield f"value {value}", with_frame(solved, number, True, pack(struct.pack("<d", value) * afterstates))


def damaged_footers(solved: Sound) -> Iterator[Damaged]:
    for at in (0, 7, 8, 2**63, 2**64 - 1):
        yield f"footer {at}", solved.data[: -FOOTER.size] + FOOTER.pack(at, 0, END)
    yield "nothing but ends", MAGIC + solved.data[-FOOTER.size :]


def test_crafted_directories(solved: Sound, tmp_path: Path, random: np.random.Generator) -> None:
    attack_files(solved, damaged_directories(solved, some_changes(solved.directory, 250, random)), tmp_path / "t.tb")


@pytest.mark.long
def test_all_crafted_directories(solved: Sound, tmp_path: Path) -> None:
    attack_files(solved, damaged_directories(solved, changes(solved.directory)), tmp_path / "t.tb")


def test_crafted_layers_and_footers(solved: Sound, tmp_path: Path) -> None:
    path = tmp_path / "t.tb"
    for name, data in [*damaged_layers(solved), *damaged_footers(solved)]:
        path.write_bytes(data)
        right_or_refused(path, solved, name)
        assert verify(path, full=True).complaints, name


def test_values_changed_under_right_checksums(solved: Sound, tmp_path: Path, random: np.random.Generator) -> None:
    """Possible values are believed when asked for; a full verification finds every single one."""
    path, pack = tmp_path / "t.tb", zstandard.ZstdCompressor(write_content_size=True).compress
    path.write_bytes(solved.data)
    table = Tablebase2048(path)
    for number in random.choice(len(table.file.layers) - 1, 8, replace=False).tolist():
        values = table.layer(4 + 2 * number)[1].copy()
        if len(values):
            values[random.integers(len(values))] += 1e-9
            path.write_bytes(with_frame(solved, number, True, pack(values.tobytes())))
            answer_of(lambda: Tablebase2048(path).values(solved.positions[0]))
            assert verify(path, full=True).complaints, number


def attack_files(solved: Sound, damaged: Iterable[Damaged], path: Path) -> None:
    for name, data in damaged:
        path.write_bytes(data)
        right_or_refused(path, solved, name)


def test_bytes_damaged_by_chance(solved: Sound, tmp_path: Path, random: np.random.Generator) -> None:
    attack_files(solved, by_chance(solved.data, 200, random), tmp_path / "t.tb")


@pytest.mark.long
def test_many_bytes_damaged_by_chance(solved: Sound, tmp_path: Path, random: np.random.Generator) -> None:
    attack_files(solved, by_chance(solved.data, 5000, random), tmp_path / "t.tb")


@pytest.mark.parametrize("number", [16, pytest.param(300, marks=pytest.mark.long)])
def test_commands_on_damaged_files(
    number: int, solved: Sound, tmp_path: Path, attacker: Attacker, random: np.random.Generator
) -> None:
    COMMANDS.attack(damaged_files(solved, number, random), number, attacker, tmp_path, random)


def damaged_files(solved: Sound, number: int, random: np.random.Generator) -> list[Damaged]:
    """Files damaged in every way: so many directories, and so many by chance."""
    directories = damaged_directories(solved, some_changes(solved.directory, number, random))
    return [*directories, *damaged_layers(solved), *damaged_footers(solved), *by_chance(solved.data, number, random)]


def test_the_sound_file_satisfies_every_command(solved: Sound, tmp_path: Path, attacker: Attacker) -> None:
    COMMANDS.require_success(solved.data, attacker, tmp_path)


def test_tables_of_another_family(solved: Sound, tmp_path: Path, attacker: Attacker) -> None:
    """A table of 2048 where one of in-a-row games is needed, and the other way round."""
    (tmp_path / "t.tb").write_bytes(solved.data)
    for command in (
        ("solve", "3x3:3", "--tablebase", "t.tb"),
        ("grade", "random", "--game", "3x3:3", "--tablebase", "t.tb"),
        ("2048", "evaluate", "perfect tablebase=squava", "--rules", "2048:2x2", "--games", "1"),
    ):
        assert attacker.attack(*command, cwd=tmp_path).code == 2


def test_parts_of_a_build(solved: Sound, tmp_path: Path, random: np.random.Generator) -> None:
    """Crafted parts are refused, or the file that comes of them is the sound one."""
    folder = tmp_path / "t.tb.layers"
    for name, data in damaged_directories(solved, some_changes(solved.directory, 30, random)):
        folder.mkdir(exist_ok=True)
        (folder / "4.tb").write_bytes(data)
        answer = answer_of(lambda: build_tablebase2048("2048:2x2", tmp_path / "t.tb", workers=1, resume=True))
        if answer is not GridlabError:
            right_or_refused(tmp_path / "t.tb", solved, name)
