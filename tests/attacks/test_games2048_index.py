"""Damaged and crafted indexes and journals of 2048 games: made anew or refused in a sentence, never believed."""

import hashlib
import io
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gridlab.game2048.datasets.files import MAGIC, index_of
from gridlab.game2048.datasets.generate import generate
from gridlab.game2048.datasets.moves import Games
from gridlab.game2048.datasets.settings import DIGITS, Journal, journal_of
from gridlab.game2048.datasets.verify import verify
from tests.attacks.games2048 import damaged, judged_sound, refused, settings, text_damaged
from tests.attacks.harness import Attacker

pytestmark = pytest.mark.compiled


# ---- index


def crafted_index(path: Path, offsets: list[int], moves: list[int], **more: Any) -> bytes:
    """An index whose own checksum is right."""
    body = np.array(offsets, "<u8").tobytes() + np.array(moves, "<u4").tobytes()
    old = index_of(path).read_bytes()
    header = json.loads(old[12 : 12 + int.from_bytes(old[8:12], "little")])
    header |= {"games": len(moves), "sha256": hashlib.sha256(body).hexdigest()} | more
    text = json.dumps(header).encode()
    return MAGIC + len(text).to_bytes(4, "little") + text + body


@pytest.mark.parametrize(
    ("offsets", "moves", "more"),
    [
        ([0, 5, 3, 9], [1, 1, 1], {}), ([0, 10, 20, 2**63], [1, 1, 1], {}), ([7, 10], [1], {}), ([0], [], {}),
        ([0, 10**6], [2**32 - 1], {}), ([0, 100, 200, 300], [1, 2, 3], {"games": -1}), ([0, 1], [1], {"games": 2**62}),
        ([0, 1], [1], {"games": "1"}), ([0, 1], [1], {"settings": []}), ([0, 1], [1], {"settings": {"max_moves": "x"}}),
        ([0, 1], [1], {"settings": {"max_moves": {}}}), ([0, 1], [1], {"sha256": 5}), ([0, 1], [1], {"mark": None}),
    ],
)  # fmt: skip
def test_a_crafted_index(offsets: list[int], moves: list[int], more: Any, samples: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes((samples / "plain.jsonl").read_bytes())
    truth = [game.as_dict() for game in Games(path)]
    index_of(path).write_bytes(crafted_index(path, offsets, moves, **more))
    assert [game.as_dict() for game in Games(path)] == truth
    assert verify(path).sound


def test_damaged_indexes(samples: Path, tmp_path: Path, random: np.random.Generator) -> None:
    attack_index(samples, tmp_path, random, 150)


@pytest.mark.long
def test_thousands_of_damaged_indexes(samples: Path, tmp_path: Path, random: np.random.Generator) -> None:
    attack_index(samples, tmp_path, random, 3000)


def attack_index(samples: Path, folder: Path, random: np.random.Generator, number: int) -> None:
    path = folder / "a.jsonl"
    path.write_bytes((samples / "plain.jsonl").read_bytes())
    truth = [game.line() for game in Games(path)]
    sound = index_of(path).read_bytes()
    for _ in range(number):
        index_of(path).write_bytes(damaged(sound, random))
        assert [game.line() for game in Games(path)] == truth
        verify(path)


def test_what_is_no_index_is_left_alone(samples: Path, tmp_path: Path) -> None:
    path, precious = tmp_path / "a.jsonl", tmp_path / "precious"
    path.write_bytes((samples / "plain.jsonl").read_bytes())
    precious.write_text("precious")
    index_of(path).symlink_to(precious)
    assert len(Games(path)) == 3
    assert precious.read_text() == "precious"
    index_of(path).unlink()
    index_of(path).mkdir()
    assert (len(Games(path)), verify(path).sound) == (3, True)
    index_of(path).rmdir()
    index_of(path).write_text("notes of somebody")
    assert len(Games(path)) == 3
    assert index_of(path).read_text() == "notes of somebody"


def test_games_that_change_while_they_are_read(samples: Path, tmp_path: Path) -> None:
    """The public reader says in a sentence what is wrong with a file that was sound when it was opened."""
    path = tmp_path / "a.jsonl"
    for change in (b"", b"[]\n" * 9, bytes(10_000), (samples / "rich.jsonl").read_bytes()):
        path.write_bytes((samples / "plain.jsonl").read_bytes())
        games = Games(path)
        path.write_bytes(change)
        assert refused(lambda games=games: games[1])  # type: ignore[misc]
        assert refused(lambda games=games: list(games.batches(8, np.random.default_rng(0))))  # type: ignore[misc]
    path.unlink()
    assert refused(lambda: games[0])
    assert refused(lambda: Games(path))
    assert refused(lambda: next(games.batches(0, np.random.default_rng(0))))
    os.mkfifo(tmp_path / "pipe.jsonl")
    assert refused(lambda: Games(tmp_path / "pipe.jsonl"))


# ---- journal


def resume(folder: Path, journal: bytes, metadata: bool = False) -> bool:
    """Go on from a journal; whether that was done, and then the file is sound."""
    target = folder / "run.jsonl"
    target.unlink(missing_ok=True)
    journal_of(target).write_bytes(journal)
    if refused(lambda: generate("2048", target, 3, settings=settings(metadata), workers=1, resume=True)):
        assert journal_of(target).read_bytes() == journal, "a refused journal is left as it was"
        return False
    assert verify(target).sound
    assert len(judged_sound(target)) == 3
    return True


def test_damaged_journals(samples: Path, tmp_path: Path, random: np.random.Generator) -> None:
    attack_journal(samples, tmp_path, random, 60)


@pytest.mark.long
def test_thousands_of_damaged_journals(samples: Path, tmp_path: Path, random: np.random.Generator) -> None:
    attack_journal(samples, tmp_path, random, 2000)


def attack_journal(samples: Path, folder: Path, random: np.random.Generator, number: int) -> None:
    for _ in range(number):
        metadata = bool(random.integers(2))
        sound = journal_of(samples / f"{'rich' if metadata else 'plain'}-run.jsonl").read_bytes()
        resume(folder, damaged(sound, random), metadata)


def chained(lines: list[bytes]) -> bytes:
    """A journal of any lines, with right checksums."""
    made, digest = io.BytesIO(), hashlib.sha256()
    for line in lines:
        digest.update(line)
        made.write(digest.hexdigest()[:DIGITS].encode() + b" " + line)
    return made.getvalue()


def test_journals_with_right_checksums(samples: Path, tmp_path: Path, random: np.random.Generator) -> None:
    whole = journal_of(samples / "plain-run.jsonl").read_bytes()
    lines = [line[DIGITS + 1 :] for line in whole.splitlines(keepends=True)]
    assert resume(tmp_path, chained(lines))
    assert resume(tmp_path, chained(lines[:2]) + b"torn")
    for _ in range(60):
        place = int(random.integers(len(lines)))
        text = text_damaged(lines[place].decode().rstrip("\n"), random)
        resume(tmp_path, chained([*lines[:place], text.encode() + b"\n", *lines[place + 1 :]]))
    head = json.loads(lines[0])
    for key, value in (
        ("journal", 5), ("version", 1), ("version", "2"), ("settings", []), ("settings", {}), ("behaviour", None),
        ("settings", {**head["settings"], "seed": -1}), ("settings", {**head["settings"], "seed": 2**70}),
        ("settings", {**head["settings"], "seed": "3"}), ("settings", {**head["settings"], "more": 1}),
        ("settings", {**head["settings"], "player": ["random"]}), ("settings", {**head["settings"], "max_moves": None}),
    ):  # fmt: skip
        crafted = json.dumps({**head, key: value}).encode() + b"\n"
        assert not resume(tmp_path, chained([crafted, *lines[1:]]))
    game = json.loads(lines[1])
    for change in ({"finalScore": game["finalScore"] + 4}, {"seed": 4}, {"won": True}, {"timestamp": "now"}):
        forged = json.dumps({**game, **change}).encode() + b"\n"
        assert not resume(tmp_path, chained([lines[0], forged]))
    for line in (b"{}\n", b"[]\n", b"\n", b"nonsense\n", b"[" * 9000 + b"\n"):
        assert not resume(tmp_path, chained([lines[0], line]))


def test_a_journal_is_gone_on_with_only_as_a_whole(tmp_path: Path) -> None:
    target = tmp_path / "a.jsonl"
    journal = Journal(target)
    journal.begin(settings(False).as_dict())
    before = journal.path.read_bytes()
    assert refused(lambda: generate("2048", target, 3, settings=settings(False)))
    assert journal.path.read_bytes() == before


def test_a_journal_under_attack_by_a_command(attacker: Attacker, samples: Path, tmp_path: Path) -> None:
    whole = journal_of(samples / "plain-run.jsonl").read_bytes()
    for data in (b"", b"\n", whole[:-9], whole[: len(whole) // 2], whole[9:], b"[" * 10_000, bytes(5000)):
        journal_of(tmp_path / "a.jsonl").write_bytes(data)
        asked = ["-g", "3", "--player", "random", "--seed", "3", "--quiet", "-o", "a.jsonl", "--resume"]
        attacker.attack("2048", "generate", *asked, cwd=tmp_path)
        (tmp_path / "a.jsonl").unlink(missing_ok=True)
    journal_of(tmp_path / "a.jsonl").unlink(missing_ok=True)
    journal_of(tmp_path / "a.jsonl").mkdir()
    assert attacker.attack("2048", "generate", *asked, cwd=tmp_path).code == 2
