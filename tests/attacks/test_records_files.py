"""Games, tournaments and inputs of searches that somebody has damaged: refused or found wrong, in a sentence."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from gridlab.arena.match import play_match, play_tournament
from gridlab.arena.session import ENOUGH, read_records, verify_records, write_records
from gridlab.inarow.datasets.best_first import read_start
from tests.attacks.damaging import DEEP, answer_of, changes, mutated, some_changes
from tests.attacks.harness import Attacker

pytestmark = pytest.mark.compiled

TOURNAMENT = (
    "tournament",
    "random",
    "heuristic",
    "--game",
    "3x3:3",
    "--games",
    "2",
    "-o",
    "cup",
    "--resume",
    "--quiet",
)
START = b"3\nX.O\n.X.\nO..\nX\n"


@pytest.fixture(scope="session")
def games(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("games") / "games.jsonl"
    write_records(path, play_match("random", "heuristic", "3x4:3", games=6, seed=1, workers=1).records)
    return path.read_bytes()


@pytest.fixture(scope="session")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tournament") / "cup"
    play_tournament(["random", "heuristic"], "3x3:3", out=folder, games=2, workers=1)
    return folder


def verified(path: Path, content: bytes) -> bool:
    """Whether a file of games is called sound; a line that is refused is named."""
    path.write_bytes(content)
    verdict = verify_records(path)
    assert str(verdict)
    answer_of(lambda: list(read_records(path)))
    return not verdict.complaints


def test_lines_changed_field_by_field(games: bytes, tmp_path: Path) -> None:
    """What says how the game went cannot be changed; names, seeds and openings can, and the verdict says so."""
    first, rest = games.split(b"\n", 1)
    assert verified(tmp_path / "games", games)
    for each in changes(json.loads(first)):
        sound = verified(tmp_path / "games", each.text() + b"\n" + rest)
        another_game = each.path[:1] == ("moves",) and each.name.endswith((" 1", "reversed"))  # a legal one
        unchecked = each.path[:1] in (("x",), ("o",), ("seed",), ("opening",)) or "stranger" in each.name
        assert not sound or another_game or unchecked, each.name


def test_games_damaged_by_chance(games: bytes, tmp_path: Path, random: np.random.Generator) -> None:
    for _ in range(500):
        verified(tmp_path / "games", mutated(games, random))


@pytest.mark.long
def test_many_games_damaged_by_chance(games: bytes, tmp_path: Path, random: np.random.Generator) -> None:
    for _ in range(20_000):
        verified(tmp_path / "games", mutated(games, random))


def test_commands_on_damaged_games(
    games: bytes, tmp_path: Path, attacker: Attacker, random: np.random.Generator
) -> None:
    first, rest = games.split(b"\n", 1)
    hostile = [each.text() + b"\n" + rest for each in some_changes(json.loads(first), 8, random)]
    hostile += [mutated(games, random) for _ in range(6)]
    hostile += [b"\n" * 5_000_000, DEEP.encode() + b"\n", b"{" * 100_000, b"", b"\0" * 1000, b"\xff\xfe" * 99]
    for content in hostile:
        (tmp_path / "games").write_bytes(content)
        assert attacker.attack("games", "verify", "games", cwd=tmp_path).code in (0, 1)


def test_a_line_of_gigabytes_and_files_that_are_none(tmp_path: Path, attacker: Attacker) -> None:
    with (tmp_path / "long").open("wb") as file:
        file.truncate(3 << 30)
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    for name in ("long", "folder", "loop", "none", "/dev/zero", "x" * 300):
        assert attacker.attack("games", "verify", name, cwd=tmp_path).code == 2
        assert attacker.attack("best-first", name, "--quiet", cwd=tmp_path).code == 2
    assert verify_records_stops(tmp_path / "many") == ENOUGH


def verify_records_stops(path: Path) -> int:
    path.write_bytes(b"\n" * 10 * ENOUGH)
    return verify_records(path).games


def test_damaged_tournaments(cup: Path, tmp_path: Path, attacker: Attacker, random: np.random.Generator) -> None:
    settings, pairing = cup / "tournament.json", cup / "01-02.jsonl"
    hostile = [("tournament.json", each.text()) for each in some_changes(json.loads(settings.read_text()), 7, random)]
    hostile += [("01-02.jsonl", mutated(pairing.read_bytes(), random)) for _ in range(3)]
    hostile += [("tournament.json", mutated(settings.read_bytes(), random)) for _ in range(3)]
    for name, content in hostile:
        shutil.rmtree(tmp_path / "cup", ignore_errors=True)
        shutil.copytree(cup, tmp_path / "cup")
        (tmp_path / "cup" / name).write_bytes(content)
        ending = attacker.attack(*TOURNAMENT, cwd=tmp_path)
        assert ending.code == 2 or json.loads(settings.read_text()) == json.loads(content.splitlines()[0] or content)


@pytest.mark.parametrize("name", ["tournament.json", "01-02.jsonl"])
@pytest.mark.parametrize("kind", ["folder", "pipe", "loop"])
def test_tournaments_of_no_files(cup: Path, tmp_path: Path, attacker: Attacker, name: str, kind: str) -> None:
    shutil.copytree(cup, tmp_path / "cup")
    path = tmp_path / "cup" / name
    path.unlink()
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(name)
    assert attacker.attack(*TOURNAMENT, cwd=tmp_path).code == 2


def test_damaged_inputs(tmp_path: Path, random: np.random.Generator) -> None:
    for _ in range(2000):
        (tmp_path / "input").write_bytes(mutated(START, random))
        answer_of(lambda: read_start(tmp_path / "input"))


def test_commands_on_damaged_inputs(tmp_path: Path, attacker: Attacker, random: np.random.Generator) -> None:
    hostile = [mutated(START, random) for _ in range(8)]
    hostile += [b"9" * 5000 + b"\n", "٣\n".encode(), b"3\n" + b"X" * 1_000_000, b"", b"#" * 900_000, b"\n" * 900_000]
    hostile += [b"3\nX.O\n.X.\nO..\n" + b"X" * 900_000, START + b"." * 900_000, b"\xff", b"\xef\xbb\xbf" + START]
    for content in hostile:
        (tmp_path / "input").write_bytes(content)
        ending = attacker.attack("best-first", "input", "--quiet", "--max-expansions", "50", cwd=tmp_path)
        assert len(ending.err) < 1000
