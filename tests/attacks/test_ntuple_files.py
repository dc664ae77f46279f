"""N-tuple networks that somebody has damaged, also with right checksums: refused in a sentence."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zstandard

from gridlab.core.errors import GridlabError
from gridlab.game2048.learn.ntuple import train_ntuple
from gridlab.game2048.learn.ntuple_file import DIGEST, START, Learnt, read_network, write_network
from gridlab.game2048.rules import Rules2048
from gridlab.game2048.search.ntuple import parse_tuples
from tests.attacks.damaging import answer_of, changes, mutated, some_changes
from tests.attacks.harness import Attacker

pytestmark = pytest.mark.compiled

THREE = Rules2048(3, 3)
COMMANDS = (
    ("2048", "evaluate", "ntuple file=a.ntuple", "--rules", "2048:3x3", "--games", "2", "--workers", "1"),
    ("2048", "evaluate", "expectimax evaluator=ntuple:a.ntuple depth=3", "--rules", "2048:3x3", "--games", "1"),
    ("train", "2048", "--rules", "2048:3x3", "--games", "40", "--workers", "1", "--out", "a.ntuple", "--resume"),
)
BELIEVED = (("learnt",), ("behaviour",), ("streams",))  # told, not used by a player


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("ntuple")
    train_ntuple(THREE, folder / "a.ntuple", games=30, tuples="0134,4", workers=1)
    return {name: (folder / name).read_bytes() for name in ("a.ntuple", "a.ntuple.training")}


def sealed(head: bytes, tables: bytes) -> bytes:
    body = START.pack(b"GRIDNTUP", 1, len(head)) + head + tables
    return body + hashlib.sha256(body).digest()


def parts_of(content: bytes) -> tuple[dict[str, Any], bytes]:
    end = START.size + START.unpack(content[: START.size])[2]
    return json.loads(content[START.size : end]), content[end:-DIGEST]


def value_of(path: Path, content: bytes, kind: str = "network") -> Any:
    path.write_bytes(content)
    return answer_of(lambda: read_network(path, kind).weights.tobytes())


def damage_bytes(content: bytes, path: Path, random: np.random.Generator, kind: str, number: int) -> None:
    right = value_of(path, content, kind)
    assert right is not GridlabError
    for _ in range(number):
        damaged = mutated(content, random)
        assert value_of(path, damaged, kind) is GridlabError or damaged == content


@pytest.mark.parametrize(("name", "kind"), [("a.ntuple", "network"), ("a.ntuple.training", "training")])
def test_bytes_damaged_by_chance(
    sound: dict[str, bytes], tmp_path: Path, random: np.random.Generator, name: str, kind: str
) -> None:
    damage_bytes(sound[name], tmp_path / "f", random, kind, 150)


@pytest.mark.long
@pytest.mark.parametrize(("name", "kind"), [("a.ntuple", "network"), ("a.ntuple.training", "training")])
def test_many_bytes_damaged_by_chance(
    sound: dict[str, bytes], tmp_path: Path, random: np.random.Generator, name: str, kind: str
) -> None:
    damage_bytes(sound[name], tmp_path / "f", random, kind, 4000)


def test_heads_changed_field_by_field(sound: dict[str, bytes], tmp_path: Path) -> None:
    """With a right checksum: what a player uses cannot be changed into anything else that is read."""
    head, tables = parts_of(sound["a.ntuple"])
    right = value_of(tmp_path / "f", sound["a.ntuple"])
    for each in changes(head):
        found = value_of(tmp_path / "f", sealed(each.text(), tables))
        told = any(each.path[: len(path)] == path for path in BELIEVED) or "streams" in each.name
        assert found is GridlabError or (told and found == right), each.name


def test_tables_crafted(sound: dict[str, bytes], tmp_path: Path) -> None:
    """Bombs, tables that say another size than they have, and no tables."""
    head, _ = parts_of(sound["a.ntuple"])
    pack = zstandard.ZstdCompressor().compress
    small = pack(bytes(64))
    unsized = zstandard.ZstdCompressor(write_content_size=False).compress(bytes(16**4 * 4))
    for table in (pack(bytes(1 << 30)), unsized, b"", b"\x28\xb5\x2f\xfd" + bytes(50), small[:-3], pack(b"")):
        text = json.dumps({**head, "sizes": [len(table), len(small)]}).encode()
        assert value_of(tmp_path / "f", sealed(text, table + small)) is GridlabError


def damage_commands(
    sound: dict[str, bytes], folder: Path, attacker: Attacker, random: np.random.Generator, number: int
) -> None:
    for words in COMMANDS:
        name = "a.ntuple.training" if words[0] == "train" else "a.ntuple"
        head, tables = parts_of(sound[name])
        hostile = [mutated(sound[name], random) for _ in range(number)]
        hostile += [sealed(each.text(), tables) for each in some_changes(head, number, random)]
        for content in [*hostile, b"", sound[name]]:
            for each, whole in sound.items():
                (folder / each).write_bytes(whole)
            (folder / name).write_bytes(content)
            ending = attacker.attack(*words, cwd=folder)
            assert ending.code in ((0,) if content == sound[name] else (0, 2)), ending


def test_commands_on_damaged_files(
    sound: dict[str, bytes], tmp_path: Path, attacker: Attacker, random: np.random.Generator
) -> None:
    damage_commands(sound, tmp_path, attacker, random, 2)


@pytest.mark.long
def test_commands_on_many_damaged_files(
    sound: dict[str, bytes], tmp_path: Path, attacker: Attacker, random: np.random.Generator
) -> None:
    damage_commands(sound, tmp_path, attacker, random, 40)


def test_a_large_file_of_nothing(tmp_path: Path, attacker: Attacker) -> None:
    """A file that claims the largest tables, and has none."""
    tuples = parse_tuples("0123", THREE)
    write_network(tmp_path / "a.ntuple", THREE, tuples, np.zeros(16**4, np.float32), Learnt())
    head, tables = parts_of((tmp_path / "a.ntuple").read_bytes())
    text = json.dumps({**head, "tuples": "012345,012346,012347", "sizes": [len(tables), 0, 0]}).encode()
    (tmp_path / "a.ntuple").write_bytes(sealed(text, tables))
    assert attacker.attack(*COMMANDS[0], cwd=tmp_path).code == 2
    with (tmp_path / "a.ntuple").open("wb") as file:
        file.truncate(5 << 30)
    assert attacker.attack(*COMMANDS[0], cwd=tmp_path).code == 2
