"""Datasets of terminal wins that somebody has damaged: refused, found wrong, or read without harm."""

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gridlab.core.errors import GridlabError
from gridlab.inarow.datasets.terminals.build import build_terminals, verify
from gridlab.inarow.datasets.terminals.dataset import Terminals
from gridlab.inarow.datasets.terminals.export import export
from gridlab.inarow.datasets.terminals.files import Manifest, command_for
from tests.attacks.damaging import Change, answer_of, changes, mutated, some_changes
from tests.attacks.harness import Attacker

pytestmark = pytest.mark.compiled

MANIFEST = "manifest.json"
COMMANDS = (
    ("verify", "wins", "--full", "--workers", "1", "--quiet"),
    ("verify", "wins", "--sample", "3", "--workers", "1", "--quiet", "--json"),
    ("show", "wins", "5", "--count", "3"),
    ("contains", "wins", "XXX/OO./..."),
    ("export", "wins", "--format", "csv", "-o", "w.csv", "--workers", "1", "--quiet"),
    ("export", "wins", "--format", "parquet", "-o", "w.parquet", "--workers", "1", "--quiet", "--plies", "5"),
    ("plot", "wins", "-o", "w.svg"),
    ("find", "wins", "--pattern", "X??/???/???", "--quiet", "--workers", "1"),
    ("merge", "wins", "-o", "merged", "--quiet"),
    ("build", "3x3:3", "-o", "wins", "--resume", "--plies", "5-7", "--workers", "1", "--quiet"),
)


@pytest.fixture(scope="session")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sound") / "wins"
    build_terminals("3x3:3", folder, [5, 6, 7], workers=1)
    return folder


@pytest.fixture
def wins(sound: Path, tmp_path: Path) -> Path:
    """A copy to damage."""
    return Path(shutil.copytree(sound, tmp_path / "wins"))


def manifest_of(folder: Path) -> dict[str, Any]:
    return json.loads((folder / MANIFEST).read_text())  # type: ignore[no-any-return]


def ask(folder: Path) -> bool:
    """Every question that can be put to a dataset; whether it was called sound."""
    out = folder.parent
    verdict = answer_of(lambda: verify(folder, None, workers=1))
    data = answer_of(lambda: Terminals(folder))
    if data is not GridlabError:
        answer_of(lambda: export(data, out / "w.csv", "csv", workers=1))
        answer_of(lambda: export(data, out / "w.parquet", "parquet", workers=1))
        answer_of(lambda: data.show(5, 0, 3))
        answer_of(lambda: [(data[index], data.answer(data.position(index))) for index in range(min(5, len(data)))])
        answer_of(lambda: list(data))
    return verdict is not GridlabError and not verdict.complaints


def test_a_sound_dataset(wins: Path, attacker: Attacker) -> None:
    """So that the attacks below attack something."""
    assert ask(wins)
    for command in COMMANDS:
        assert attacker.attack("terminals", *command, cwd=wins.parent).code == 0


def attack_manifests(wins: Path, changed: list[Change]) -> None:
    """Whatever is changed in the manifest, no verdict calls it sound; what is not checked is refused by its form."""
    before = (wins / MANIFEST).read_bytes()
    for each in changed:
        (wins / MANIFEST).write_bytes(each.text())
        assert not ask(wins), each.name
        (wins / MANIFEST).write_bytes(before)


def test_manifests_changed_field_by_field(wins: Path, random: np.random.Generator) -> None:
    attack_manifests(wins, some_changes(manifest_of(wins), 150, random))


@pytest.mark.long
def test_manifests_changed_in_every_field(wins: Path) -> None:
    attack_manifests(wins, list(changes(manifest_of(wins))))


def test_each_layer_twice(wins: Path) -> None:
    content = manifest_of(wins)
    content["layers"] = sorted(content["layers"] * 2, key=lambda each: int(each["ply"]))
    (wins / MANIFEST).write_text(json.dumps(content))
    assert not ask(wins)


def damaged_files(wins: Path, number: int, random: np.random.Generator) -> Iterator[tuple[Path, bytes]]:
    """Each file of the dataset, damaged by chance."""
    files = sorted(path for path in wins.iterdir() if path.is_file())
    for _ in range(number):
        path = files[random.integers(len(files))]
        yield path, mutated(path.read_bytes(), random)


def same(damaged: bytes, before: bytes) -> bool:
    """Equal but for spaces between the words of a manifest."""
    try:
        return damaged == before or bool(json.loads(damaged) == json.loads(before))
    except ValueError:
        return False


def attack_bytes(wins: Path, number: int, random: np.random.Generator) -> None:
    for path, damaged in damaged_files(wins, number, random):
        before = path.read_bytes()
        path.write_bytes(damaged)
        assert not ask(wins) or same(damaged, before), path.name
        path.write_bytes(before)


def test_bytes_damaged_by_chance(wins: Path, random: np.random.Generator) -> None:
    attack_bytes(wins, 60, random)


@pytest.mark.long
def test_many_bytes_damaged_by_chance(wins: Path, random: np.random.Generator) -> None:
    attack_bytes(wins, 3000, random)


def sealed(wins: Path, records: np.ndarray[Any, np.dtype[np.uint64]]) -> None:
    """Other records in the layer of ply 5, with a header, a manifest and a card that agree with them."""
    path, content = wins / "layer_05.bin", manifest_of(wins)
    path.write_bytes(path.read_bytes()[:4] + np.uint32(len(records)).tobytes() + records.astype("<u8").tobytes())
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    size = {"records": len(records), "x_wins": len(records), "bytes": path.stat().st_size, "sha256": digest}
    content["layers"][0] |= size
    (wins / MANIFEST).write_text(json.dumps(content))
    manifest = Manifest.read(wins)
    assert content["made"]["command"] == command_for(manifest.rules, manifest.layers)
    manifest.write_card(wins)


def attack_records(wins: Path, number: int, random: np.random.Generator) -> None:
    """Records of any bits, sorted or not, under right checksums."""
    original = np.fromfile(wins / "layer_05.bin", "<u8", offset=8)
    for each in range(number):
        records = original.copy()
        chosen = random.integers(len(records), size=random.integers(1, 4))
        records[chosen] = random.integers(2**64, size=len(chosen), dtype=np.uint64) >> np.uint64(random.integers(0, 60))
        records = np.unique(records) if each % 2 else records
        sealed(wins, records[: random.integers(1, len(records) + 1)] if each % 3 == 0 else records)
        assert not ask(wins) or np.array_equal(records, original), records


def test_crafted_records(wins: Path, random: np.random.Generator) -> None:
    attack_records(wins, 40, random)


@pytest.mark.long
def test_many_crafted_records(wins: Path, random: np.random.Generator) -> None:
    attack_records(wins, 2000, random)


def attack_commands(wins: Path, number: int, attacker: Attacker, random: np.random.Generator) -> None:
    damaged = [(wins / MANIFEST, each.text()) for each in some_changes(manifest_of(wins), number, random)]
    damaged += damaged_files(wins, number, random)
    kept = wins.with_name("kept")
    shutil.copytree(wins, kept)
    for each, chosen in enumerate(random.choice(len(damaged), number, replace=False)):
        path, content = damaged[chosen]
        path.write_bytes(content)
        attacker.attack("terminals", *COMMANDS[each % len(COMMANDS)], cwd=wins.parent)
        shutil.rmtree(wins)
        shutil.copytree(kept, wins)


def test_commands_on_damaged_datasets(wins: Path, attacker: Attacker, random: np.random.Generator) -> None:
    attack_commands(wins, 14, attacker, random)


@pytest.mark.long
def test_commands_on_many_damaged_datasets(wins: Path, attacker: Attacker, random: np.random.Generator) -> None:
    attack_commands(wins, 400, attacker, random)


@pytest.mark.parametrize("name", [MANIFEST, "README.md", "layer_05.bin"])
@pytest.mark.parametrize("kind", ["folder", "pipe", "loop", "nothing", "huge"])
def test_what_is_no_file(wins: Path, attacker: Attacker, name: str, kind: str) -> None:
    path = wins / name
    path.unlink()
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "loop":
        path.symlink_to(name)
    elif kind == "huge":
        with path.open("wb") as file:
            file.truncate(1 << 40)
    ending = attacker.attack("terminals", "verify", "wins", "--full", "--workers", "1", cwd=wins.parent)
    assert ending.code in (1, 2)
    attacker.attack("terminals", "build", "3x3:3", "-o", "wins", "--resume", "--plies", "5-7", cwd=wins.parent)
    if name == "layer_05.bin":
        (wins / MANIFEST).unlink()  # then this layer is to be made again
        ending = attacker.attack(
            "terminals", "build", "3x3:3", "-o", "wins", "--resume", "--plies", "5", cwd=wins.parent
        )
        assert ending.code == (0 if kind in ("nothing", "huge") else 2)


@pytest.mark.parametrize("plies", ["1-300000000", "9-5", "0", "-1", "5,,6", "5-", "٥", "9" * 5000, "5-6-7", " ", "8"])
def test_lists_of_plies(wins: Path, attacker: Attacker, plies: str) -> None:
    command = ("export", "wins", "--format", "csv", "-o", "w.csv", "--plies", plies)
    assert attacker.attack("terminals", *command, cwd=wins.parent).code == 2
    assert not (wins.parent / "w.csv").exists()
