"""More games, or so many that pass: the same bytes in one run or two, stopped or not, and nothing where none passes."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gridlab.core.errors import BadNotation, CorruptFile, FileTrouble
from gridlab.game2048.datasets.files import Made, index_of, known_index, write_index
from gridlab.game2048.datasets.generate import generate
from gridlab.game2048.datasets.settings import Base, Journal, journal_of, make_settings
from gridlab.game2048.datasets.verify import verify
from tests.conftest import Run, in_long_runs

pytestmark = pytest.mark.compiled
PROGRAM = """import os, sys
from gridlab.cli import run
from gridlab.game2048.datasets.settings import Journal

number, left = int(sys.argv[1]), int(sys.argv[2])  # the signal that comes after so many lines of the journal
add = Journal.add

def add_then_end(journal, line):
    global left
    add(journal, line)
    left -= 1
    if left == 0:
        os.kill(os.getpid(), number)

Journal.add = add_then_end
sys.exit(run(sys.argv[3:]))
"""
QUICK = "-d", "2", "--seed", "1", "--quiet"


@pytest.fixture(autouse=True)
def _one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767787200")


def files_of(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir()}


# ---- games that pass


def test_a_run_that_keeps_nothing_leaves_everything_as_it_was(gridlab: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    for before in ({}, {"a.jsonl": b"the last good file\n"}):
        for name, content in before.items():
            (tmp_path / name).write_bytes(content)
        code, out, _ = gridlab("2048", "generate", "-g", "3", "--min-score", "900000", "-o", str(path), *QUICK)
        assert (code, out) == (1, f"No game of 3 passes (score 900,000 or more): nothing was written to {path}.\n")
        assert files_of(tmp_path) == before
    code, out, _ = gridlab("2048", "generate", "-g", "3", "--min-tile", "32768", "-o", str(path), *QUICK, "--json")
    found = json.loads(out)
    assert (code, found["written"], found["enough"], found["played"], found["dropped"]) == (1, False, False, 3, 3)


def test_so_many_games_that_pass(gridlab: Run, tmp_path: Path) -> None:
    settings = make_settings(seed=1, depth=2, min_score=5000)
    whole = generate("2048", tmp_path / "whole.jsonl", 60, settings=settings)
    lines = (tmp_path / "whole.jsonl").read_bytes().splitlines(keepends=True)
    assert len(lines) > 6
    made = generate("2048", tmp_path / "a.jsonl", keep=6, settings=settings, workers=1)
    assert (tmp_path / "a.jsonl").read_bytes() == b"".join(lines[:6])
    assert (made.enough, made.statistics.games, made.played) == (True, 6, made.dropped + 6)
    assert made.played < whole.played
    assert generate("2048", tmp_path / "exact.jsonl", made.played, settings=settings).statistics.games == 6
    assert generate("2048", tmp_path / "short.jsonl", made.played - 1, settings=settings).statistics.games == 5
    for workers in (2, 3):
        generate("2048", tmp_path / "b.jsonl", keep=6, settings=settings, workers=workers)
        assert (tmp_path / "b.jsonl").read_bytes() == (tmp_path / "a.jsonl").read_bytes()
        assert index_of(tmp_path / "b.jsonl").read_bytes() == index_of(tmp_path / "a.jsonl").read_bytes()
    code, out, _ = gridlab("2048", "generate", "--keep", "6", "--min-score", "5000", "-o", str(tmp_path / "c"), *QUICK)
    assert (code, out) == (2, "")
    path = tmp_path / "c.jsonl"
    code, out, _ = gridlab("2048", "generate", "--keep", "6", "--min-score", "5000", "-o", str(path), *QUICK)
    assert (code, path.read_bytes()) == (0, b"".join(lines[:6]))
    assert f"Games played: {made.played}, dropped: {made.dropped}\n✅ Dataset generation complete!" in out


def test_games_that_pass_are_looked_for_so_long_and_no_longer(gridlab: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    asked = "--keep", "19", "-g", "20", "--min-score", "5000", "-o", str(path), *QUICK
    code, out, _ = gridlab("2048", "generate", *asked)
    found = len(path.read_bytes().splitlines())
    assert (code, 0 < found < 19) == (1, True)
    assert f"⚠️ Only {found} of the 19 games asked for pass (score 5,000 or more)" in out
    assert f"Games played: 20, dropped: {20 - found}\n" in out
    assert "complete" not in out
    assert not journal_of(path).exists()
    code, out, _ = gridlab("2048", "generate", "--keep", "1", "--min-score", "900000", "-o", str(path), *QUICK)
    assert (code, out.startswith("No game of 100 passes (score 900,000 or more)")) == (1, True)


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        (["--keep", "5", "-g", "4"], "4 games cannot bring 5 that pass; ask for more of them (-g)"),
        (["--keep", "0"], "'0' is not a whole number from 1"),
        (["-g", "0"], "'0' is not a whole number from 1"),
    ],
)
def test_numbers_of_games_that_make_no_sense(gridlab: Run, tmp_path: Path, asked: list[str], complaint: str) -> None:
    code, _, err = gridlab("2048", "generate", "-o", str(tmp_path / "a.jsonl"), *QUICK, *asked)
    assert (code, complaint in err) == (2, True), err
    assert files_of(tmp_path) == {}


# ---- games that are added


@pytest.mark.parametrize("more", [{}, {"min_score": 3000}, {"metadata": True}, {"curriculum": "easy"}], ids=str)
def test_two_runs_give_the_bytes_of_one(tmp_path: Path, more: dict[str, Any]) -> None:
    settings = make_settings(seed=3, depth=2, **more)
    at_once = generate("2048", tmp_path / "at_once.jsonl", 16, settings=settings)
    path = tmp_path / "a.jsonl"
    for games, workers in ((5, 1), (7, 2), (4, 3)):
        made = generate(
            "2048", path, games, settings=None if path.exists() else settings, extend=path.exists(), workers=workers
        )
    assert path.read_bytes() == (tmp_path / "at_once.jsonl").read_bytes()
    assert index_of(path).read_bytes() == index_of(tmp_path / "at_once.jsonl").read_bytes()
    assert (made.played, made.statistics) == (16, at_once.statistics)
    assert made.settings == settings
    assert verify(path).sound
    assert not journal_of(path).exists()


def test_games_that_pass_are_added(tmp_path: Path) -> None:
    settings, path = make_settings(seed=1, depth=2, min_score=5000), tmp_path / "a.jsonl"
    generate("2048", tmp_path / "at_once.jsonl", keep=5, settings=settings)
    generate("2048", path, keep=3, settings=settings)
    made = generate("2048", path, keep=2, extend=True)
    assert (made.added, made.statistics.games) == (2, 5)
    assert path.read_bytes() == (tmp_path / "at_once.jsonl").read_bytes()


def test_nothing_is_added_where_nothing_passes(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    made = generate("2048", path, keep=1, settings=make_settings(seed=1, depth=2, min_score=9000))
    before = files_of(tmp_path)
    again = generate("2048", path, 1, extend=True)
    assert (again.enough, again.added, again.played) == (False, 0, made.played + 1)
    assert str(again) == f"No game of 1 passes (score 9,000 or more): nothing was written to {path}."
    assert files_of(tmp_path) == before


def test_the_command_takes_the_settings_from_the_file(gridlab: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    asked = "2048", "generate", "-o", str(path), "--quiet"
    gridlab(*asked, "-g", "3", "-d", "2", "--seed", "7", "--max-moves", "90")
    generate("2048", tmp_path / "b.jsonl", 5, settings=make_settings(seed=7, depth=2, max_moves=90))
    code, out, _ = gridlab(*asked, "--extend", "-g", "1")
    assert (code, "Total games: 4\n" in out) == (0, True)
    code, out, _ = gridlab(*asked, "--extend", "-g", "1", "-d", "2", "--seed", "7")  # the same, said again
    assert (code, path.read_bytes()) == (0, (tmp_path / "b.jsonl").read_bytes())
    before = files_of(tmp_path)
    for said, complaint in (
        (["-d", "3"], "was made with depth 2, not 3; leave that out, or write another file"),
        (["--seed", "8", "--metadata"], "was made with seed 7, metadata False, not 8, True"),
        (["--player", "random"], "was made with no player, not 'random'"),
        (["--min-score", "5"], "was made with min_score 0, not 5"),
        (["--resume"], "there is nothing to resume: no run that extends"),
    ):
        code, _, err = gridlab(*asked, "--extend", "-g", "1", *said)
        assert (code, complaint in err, err.count("\n")) == (2, True, 1), err
    assert files_of(tmp_path) == before


def test_files_that_cannot_be_extended(gridlab: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    generate("2048", path, 2, settings=make_settings(seed=1, depth=2))
    generate("2048", tmp_path / "a.csv", 2, settings=make_settings(seed=1, depth=2))
    gridlab("2048", "split", str(path), "--out", str(tmp_path))
    (tmp_path / "alone.jsonl").write_bytes(path.read_bytes())
    for name, complaint in (
        ("a.csv", "only of JSON lines (.jsonl) is it written down how they were made"),
        ("new.jsonl", "there is no such file; leave out --extend to make it"),
        ("alone.jsonl", "alone.jsonl.index does not say which run it is of"),
        ("training_games.jsonl", "training_games.jsonl.index does not say which run it is of"),
    ):
        code, _, err = gridlab("2048", "generate", "--extend", "-g", "1", "-o", str(tmp_path / name), "--quiet")
        assert (code, complaint in err) == (2, True), err
    settings = make_settings(seed=1, depth=2).as_dict()
    write_index(path, settings, Made(2, behaviour=0))
    with pytest.raises(FileTrouble, match="made by another version, whose games differ"):
        generate("2048", path, 1, extend=True)
    write_index(path, settings, Made(1, behaviour=1))
    with pytest.raises(FileTrouble, match="more games than were played"):
        generate("2048", path, 1, extend=True)
    write_index(path, settings | {"depth": 77}, Made(2, behaviour=1))
    with pytest.raises(BadNotation, match="depth 77 is out of range"):
        generate("2048", path, 1, extend=True)
    write_index(path, settings | {"min_score": 10**6}, Made(2, behaviour=1))
    with pytest.raises(CorruptFile, match=r"game 0: score .* it cannot be extended"):
        generate("2048", path, 1, extend=True)
    assert not journal_of(path).exists()


def test_a_file_that_has_changed_is_not_extended(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    generate("2048", path, 3, settings=make_settings(seed=1, depth=2))
    index, settings = known_index(path), make_settings(seed=1, depth=2).as_dict()
    assert index is not None
    Journal(path).begin(settings, Base(3, 3, "0" * 64))
    with pytest.raises(FileTrouble, match="is not what it was when the run began"):
        generate("2048", path, 1, extend=True, resume=True)
    with pytest.raises(FileTrouble, match="adds to a file: go on with --extend"):
        generate("2048", path, 4, settings=make_settings(seed=1, depth=2), resume=True)
    Journal(path).remove()
    Journal(path).begin(settings)
    with pytest.raises(FileTrouble, match="makes a new file: leave out --extend"):
        generate("2048", path, 1, extend=True, resume=True)
    Journal(path).remove()
    middle = bytearray(path.read_bytes())
    middle[len(middle) // 2] ^= 1
    path.write_bytes(middle)  # neither size nor ends have changed, so the index is believed
    before = path.read_bytes()
    with pytest.raises(CorruptFile, match="it cannot be extended"):
        generate("2048", path, 1, extend=True)
    assert path.read_bytes() == before


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("goal", ["--keep 8", *in_long_runs("-g 25")])
def test_added_games_stopped_and_resumed(gridlab: Run, tmp_path: Path, goal: str) -> None:
    """SIGINT, SIGKILL, a torn last line, and the same bytes as without; the file is whole all the time."""
    settings, path = make_settings(seed=9, depth=3, min_score=30000), tmp_path / "a.jsonl"
    generate("2048", path, 15, settings=settings)
    first = path.read_bytes()
    plain = tmp_path / "plain.jsonl"
    generate("2048", plain, 15, settings=settings)
    asked = ["2048", "generate", "--extend", *goal.split(), "--workers", "2", "--quiet"]
    assert gridlab(*asked, "-o", str(plain))[0] == 0
    for lines, number in ((3, signal.SIGINT), (5, signal.SIGKILL)):
        resume = ["--resume"] if lines > 3 else []
        words = [sys.executable, "-c", PROGRAM, str(number.value), str(lines), *asked, "-o", str(path), *resume]
        ended = subprocess.run(words, capture_output=True, check=False).returncode
        assert ended == {signal.SIGINT: 130, signal.SIGKILL: -signal.SIGKILL}[number]
        assert path.read_bytes() == first
        with journal_of(path).open("ab") as journal:
            journal.write(b"0123 {")
    assert gridlab(*asked, "-o", str(path), "--resume")[0] == 0
    assert path.read_bytes() == plain.read_bytes()
    assert not journal_of(path).exists()
