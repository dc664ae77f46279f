"""Each way to damage a tablebase is caught and named."""

import json
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gridlab.core.errors import CorruptFile, FileTrouble
from gridlab.games import game
from gridlab.inarow.exact.tablebase.build import LEVEL, build_tablebase
from gridlab.inarow.exact.tablebase.layout import KIND, MAGIC, Directory, TableFile, pack, write_table
from gridlab.inarow.exact.tablebase.probe import Tablebase
from gridlab.inarow.exact.tablebase.verify import verify
from gridlab.inarow.position import Position
from tests.conftest import Run, Table

FOOTER = KIND.footer

RULES = game("3x3:3")


@pytest.fixture
def sound(tmp_path: Path, table: Table) -> Path:
    return Path(shutil.copy(table(str(RULES)).file.path, tmp_path / "sound.tb"))


def damage(path: Path, at: int, byte: bytes = b"\xa5") -> None:
    data = bytearray(path.read_bytes())
    at %= len(data)
    assert data[at : at + 1] != byte
    data[at : at + 1] = byte
    path.write_bytes(data)


def rewrite_directory(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the directory and set its checksum right again."""
    data = path.read_bytes()
    index, text, _, end = FOOTER.unpack(data[-FOOTER.size :])
    content = json.loads(data[text : -FOOTER.size])
    change(content)
    new = data[index:text] + json.dumps(content).encode()
    path.write_bytes(data[:index] + new + FOOTER.pack(index, text, zlib.crc32(new), end))


def with_a_last_ply(content: dict[str, Any]) -> None:
    """Full boards, which are over and not stored."""
    content.update(max_ply=9)
    content["counts"].append({"ply": 9, "every": {}, "canonical": {}})


def rewrite_scores(path: Path, ply: int, change: Callable[[Any], object]) -> None:
    """Change scores and set all checksums right again."""
    file = TableFile(path)
    directory: Directory = file.directory

    def blocks(number: int, count: int) -> list[bytes]:
        scores = [file.block(number, block).copy() for block in range(count)]
        if number == ply:
            change(scores[0])
        return [pack(each, LEVEL) for each in scores]

    plies = [(p.ply, blocks(p.ply, p.blocks)) for p in directory.plies]
    write_table(path, RULES, directory.results_version, directory.max_ply, plies, lambda: list(directory.counts))


def unpack_all(path: Path) -> None:
    file = TableFile(path)
    for ply in file.directory.plies:
        for block in range(ply.blocks):
            file.block(ply.ply, block)


def complaints(path: Path, full: bool = False) -> str:
    verdict = verify(path, full)
    assert verdict.as_dict()["sound"] is (not verdict.complaints)
    return "\n".join(verdict.complaints)


def test_a_sound_file(sound: Path) -> None:
    verdict = verify(sound)
    assert (verdict.complaints, verdict.blocks) == ((), 5)
    assert verdict.remarks[0].startswith("not checked: scores other than these")
    assert verify(sound, full=True).remarks == ()
    assert str(verdict).endswith("sound")
    assert verify(sound, full=True).positions == 4520


@pytest.mark.parametrize(
    ("at", "complaint"),
    [
        (0, "begins with"),
        (len(MAGIC), "block 0 of ply 0 is damaged: its checksum differs"),
        (-1, "the end is missing: the file has been cut or was never finished"),
        (-FOOTER.size - 5, "the directory is damaged: its checksum differs"),
        (-FOOTER.size + 1, "the directory is damaged: its checksum differs"),
        (-FOOTER.size + 9, "the directory is damaged: its checksum differs"),
        (-FOOTER.size + 16, "the directory is damaged: its checksum differs"),
    ],
)
def test_a_damaged_byte(sound: Path, at: int, complaint: str) -> None:
    damage(sound, at)
    assert complaint in complaints(sound)


def test_every_single_byte_matters(sound: Path) -> None:
    """Whichever byte is changed, the file is refused or a block is named."""
    data = sound.read_bytes()
    copy = sound.with_name("copy.tb")
    for at in range(0, len(data), 7):
        copy.write_bytes(data)
        damage(copy, at, bytes([data[at] ^ 0x10]))
        with pytest.raises(CorruptFile):
            unpack_all(copy)


@pytest.mark.parametrize("size", [0, 5, 20, 200, -1])
def test_a_file_that_was_cut(sound: Path, size: int) -> None:
    sound.write_bytes(sound.read_bytes()[:size])
    expected = "the file is empty" if size == 0 else "begins with" if size == 5 else "the end is missing"
    assert expected in complaints(sound)


def test_no_file_at_all(sound: Path, tmp_path: Path, gridlab: Run) -> None:
    with pytest.raises(FileTrouble, match=r"none\.tb is neither a file nor a game"):
        verify(tmp_path / "none.tb")
    with pytest.raises(FileTrouble, match="cannot be read: it is a folder"):
        verify(tmp_path)
    code, _, err = gridlab("tablebase", "verify", str(tmp_path / "none.tb"))
    assert (code, err.count("\n")) == (2, 1)


def test_a_directory_of_something_else(sound: Path) -> None:
    changes: list[tuple[Callable[[dict[str, Any]], object], str]] = [
        (
            lambda content: content.pop("plies"),
            "the directory cannot be understood: Object missing required field `plies`",
        ),
        (lambda content: content.update(rules="3x3:9"), "the directory cannot be understood"),
        (lambda content: content.update(rules="3x3:-3"), "has score"),  # all sizes are the same, the scores are not
        (lambda content: content["plies"][1].update(slots=7), "lists other plies or sizes than 3x3:3 has"),
        (lambda content: content.update(behaviour=99), "made for results version 99"),
        (lambda content: content["counts"].pop(), "the directory does not count every ply once"),
        (lambda content: content["counts"][-1].update(every={}, canonical={}), "ply 8: 0 positions (0 up to symmetry)"),
        (with_a_last_ply, "the directory speaks of ply 9 of 3x3:3, which no tablebase holds"),
    ]
    for change, complaint in changes:
        copy = Path(shutil.copy(sound, sound.with_name("copy.tb")))
        rewrite_directory(copy, change)
        assert complaint in complaints(copy)


def test_counts_that_are_not_the_census(sound: Path) -> None:
    rewrite_directory(sound, lambda content: content["counts"][2]["every"].update({"95": 47}))
    assert "ply 2: 71 positions (12 up to symmetry), the census has 72 (12)" in complaints(sound)


def test_counts_that_are_not_what_the_blocks_hold(sound: Path) -> None:
    def change(content: dict[str, Any]) -> None:
        content["counts"][2]["every"]["95"] -= 1
        content["counts"][2]["every"]["0"] += 1

    rewrite_directory(sound, change)
    assert complaints(sound) == ""
    assert complaints(sound, full=True) == "ply 2: the directory counts other scores than its blocks hold"


def test_a_wrong_score_under_a_right_checksum(sound: Path) -> None:
    def change(scores: Any) -> None:
        scores[0] = -scores[0] or 50

    rewrite_scores(sound, 4, change)
    assert "has score" in complaints(sound)  # a small game is judged whole even by the sample


def test_full_verification_names_the_block(sound: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def change(scores: Any) -> None:
        scores[0] = -scores[0] or 50

    rewrite_scores(sound, 4, change)
    monkeypatch.setattr("gridlab.inarow.exact.tablebase.verify.SAMPLE", 0)  # nothing but the full comparison
    assert complaints(sound) == ""
    assert "sound.tb: block 0 of ply 4 is not what its successors give" in complaints(sound, full=True)


def test_scores_that_cannot_be(sound: Path) -> None:
    def change(scores: Any) -> None:
        scores[0] = 101

    rewrite_scores(sound, 2, change)
    assert "block 0 of ply 2 holds scores that cannot be" in complaints(sound)


def test_a_block_of_the_wrong_length(sound: Path) -> None:
    file = TableFile(sound)
    plies = [(p.ply, [pack(np.zeros(3, np.int8), LEVEL)]) for p in file.directory.plies]
    write_table(sound, RULES, 1, 8, plies, lambda: list(file.directory.counts))
    assert "block 0 of ply 0 has 3 scores, not 1" in complaints(sound) or "cannot be unpacked" in complaints(sound)


def test_a_part_says_what_it_rests_on(tmp_path: Path) -> None:
    build_tablebase(RULES, tmp_path / "part.tb", max_ply=4)
    verdict = verify(tmp_path / "part.tb", full=True)
    assert verdict.complaints == ()
    assert verdict.remarks == ("the scores of ply 4, the last one, rest on plies that the file does not hold",)


def test_a_damaged_block_is_named_when_asked(sound: Path) -> None:
    """A question that does not touch the block is answered; one that does names it."""
    places = TableFile(sound).plies[4]
    damage(sound, places.blocks_at + 9)
    table = Tablebase(sound)
    assert table.score(Position(RULES)) == 0
    with pytest.raises(CorruptFile, match=r"sound\.tb: block 0 of ply 4 is damaged"):
        table.score(Position.parse("XO./OX./...", RULES))


def test_on_the_command_line(gridlab: Run, sound: Path) -> None:
    code, out, _ = gridlab("tablebase", "verify", str(sound), "--full", "--json")
    assert code == 0
    assert json.loads(out)["sound"] is True
    damage(sound, len(MAGIC))
    code, out, _ = gridlab("tablebase", "verify", str(sound))
    assert code == 1
    assert "wrong: " in out
    assert "block 0 of ply 0 is damaged" in out
