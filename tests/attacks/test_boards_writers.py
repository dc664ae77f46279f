"""Writers of in-a-row games: two at once, killed ones, disks that are full. Nothing is lost, nothing is left behind."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gridlab.arena.match import play_match
from gridlab.inarow.datasets.terminals.build import build_terminals
from gridlab.inarow.datasets.terminals.build import verify as verify_terminals
from gridlab.inarow.exact.tablebase.build import build_tablebase
from gridlab.inarow.exact.tablebase.verify import verify
from tests.attacks.harness import Attacker

pytestmark = pytest.mark.compiled

SIZES = (500, 1500, 6000)  # bytes that a file may have; less would not hold what is said on stderr


@contextmanager
def running(folder: Path, until: str, *words: str) -> Iterator["subprocess.Popen[bytes]"]:
    """A command that has begun to write: the file `until` is there."""
    command = [sys.executable, "-m", "gridlab", *words]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 60
        while not (folder / until).exists():
            assert process.poll() is None, "it has ended before anybody could come second"
            assert time.monotonic() < end
            time.sleep(0.01)
        yield process
    finally:
        process.kill()
        process.wait()


def rest(folder: Path) -> list[str]:
    """Parts and locks, which nobody wants to find."""
    return [path.name for path in folder.rglob("*") if path.name.endswith((".part", "lock"))]


def test_two_builds_of_terminals(tmp_path: Path, attacker: Attacker) -> None:
    first = ("terminals", "build", "4x6:4", "-o", "wins", "--plies", "7-24", "--workers", "1", "--quiet")
    second = ("terminals", "build", "3x3:3", "-o", "wins", "--plies", "5", "--workers", "1", "--quiet")
    with running(tmp_path, "wins/.lock", *first) as process:
        ending = attacker.attack(*second, "--resume", cwd=tmp_path)
        assert (ending.code, ending.seconds < 5) == (2, True)
        assert "another process is writing wins; wait for it, or name another place" in ending.err
        process.send_signal(signal.SIGKILL)
        process.wait()
    (tmp_path / "wins" / ".layer_11.bin.99999.part").write_bytes(b"half a layer")
    again = [*first[:5], "--plies", "7", "--resume", "--workers", "1", "--quiet"]
    assert attacker.attack(*again, cwd=tmp_path).code == 0
    assert rest(tmp_path) == []
    assert verify_terminals(tmp_path / "wins", workers=1).complaints == []


def test_two_builds_of_a_tablebase(tmp_path: Path, attacker: Attacker) -> None:
    first = ("tablebase", "build", "4x5:4", "-o", "new/t.tb", "--workers", "1", "--quiet")
    with running(tmp_path, "new/t.tb.plies", *first):
        ending = attacker.attack("tablebase", "build", "3x3:3", "-o", "new/t.tb", "--quiet", "--resume", cwd=tmp_path)
        assert (ending.code, ending.seconds < 5) == (2, True)
        assert "new/t.tb; wait for it, or name another place" in ending.err
    shutil.rmtree(tmp_path / "new" / "t.tb.plies", ignore_errors=True)
    assert attacker.attack("tablebase", "build", "3x3:3", "-o", "new/t.tb", "--quiet", cwd=tmp_path).code == 0
    assert rest(tmp_path) == []
    assert verify(tmp_path / "new" / "t.tb", workers=1).complaints == ()


def test_two_tournaments(tmp_path: Path, attacker: Attacker) -> None:
    first = ("tournament", "mcts playouts=2000", "random", "--game", "squava", "--games", "200", "-o", "cup")
    second = ("tournament", "random", "heuristic", "--game", "3x3:3", "--games", "2", "-o", "cup", "--resume")
    with running(tmp_path, "cup/tournament.json", *first, "--workers", "1", "--quiet"):
        ending = attacker.attack(*second, cwd=tmp_path)
        assert (ending.code, ending.seconds < 5) == (2, True)
        assert "another process is writing cup" in ending.err


@pytest.mark.long
def test_two_trainings(tmp_path: Path) -> None:
    words = ("train", "squava", "--preset", "guide", "--episodes", "2000", "--workers", "1", "-o", "run", "--quiet")
    with running(tmp_path, "run/.lock", *words):
        ending = subprocess.run([sys.executable, "-m", "gridlab", *words], cwd=tmp_path, capture_output=True, text=True)
        assert ending.returncode == 2
        assert "another process is writing run" in ending.stderr


# ---- full disks


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the writers below read."""
    folder = tmp_path_factory.mktemp("sources")
    build_tablebase("3x4:3", folder / "t.tb", workers=1)
    build_terminals("4x4:4", folder / "wins", range(7, 9), workers=1)
    (folder / "input").write_text("3\nX.O\n.X.\nO..\nX\n")
    play_match("random", "random", "3x3:3", games=2, workers=1).save(folder / "games.jsonl")
    return folder


WRITERS = {
    "new.tb": "tablebase build 3x4:3 -o out/new.tb --workers 1 --quiet --resume",
    "p.png": "tablebase stats SOURCES/t.tb --plot -o out/p.png",
    "s.parquet": "tablebase sample SOURCES/t.tb --positions 500 -o out/s.parquet --quiet",
    "w.csv": "terminals export SOURCES/wins --format csv -o out/w.csv --workers 1 --quiet",
    "w.parquet": "terminals export SOURCES/wins --format parquet -o out/w.parquet --workers 1 --quiet",
    "w.svg": "terminals plot SOURCES/wins -o out/w.svg",
    "games.jsonl": "match random heuristic --game 3x4:3 --games 40 --workers 1 --out out/games.jsonl --quiet",
    "steps.txt": "best-first SOURCES/input --steps out/steps.txt --output out/output.txt --quiet",
    "states.csv": "states 3x3:3 -o out/states.csv --workers 1 --quiet",
}


@pytest.mark.parametrize("name", WRITERS)
def test_files_that_may_not_grow(name: str, sources: Path, tmp_path: Path, attacker: Attacker) -> None:
    """The old file stays, nothing is left, and with room the same command goes on."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / name).write_text("old")
    words = WRITERS[name].replace("SOURCES", str(sources)).split()
    for size in SIZES:
        ending = attacker.attack(*words, cwd=tmp_path, biggest_file=size)
        assert ending.code == 0 or (tmp_path / "out" / name).read_text() == "old", ending
        assert rest(tmp_path) == []
        if ending.code == 0:
            return
        assert ending.code == 2
    assert attacker.attack(*words, cwd=tmp_path).code == 0
    assert (tmp_path / "out" / name).stat().st_size > 3
    assert rest(tmp_path) == []


@pytest.mark.parametrize("command", ["terminals build 4x4:4 --plies 7-9 -o out", "tournament random heuristic -o out"])
def test_folders_that_may_not_grow(command: str, tmp_path: Path, attacker: Attacker) -> None:
    words = [*command.split(), "--workers", "1", "--quiet", *(["--game", "3x3:3"] if "tourn" in command else [])]
    resume: tuple[str, ...] = ()
    for size in SIZES:
        ending = attacker.attack(*words, *resume, cwd=tmp_path, biggest_file=size)
        assert ending.code in (0, 2)
        assert rest(tmp_path) == []
        resume = ("--resume",)
    assert attacker.attack(*words, *resume, cwd=tmp_path).code == 0
    if "terminals" in command:
        assert verify_terminals(tmp_path / "out", workers=1).complaints == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of a megabyte, nearly full."""
    disk = tmp_path / "out"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("only root can mount a disk")
    try:
        (disk / "filler").write_bytes(bytes((1 << 20) - (12 << 10)))
        yield disk
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk(name: str, sources: Path, small_disk: Path, attacker: Attacker) -> None:
    (small_disk / name).write_text("old")
    (small_disk / "more").write_bytes(bytes(4 << 10))
    words = WRITERS[name].replace("SOURCES", str(sources)).split()
    ending = attacker.attack(*words, cwd=small_disk.parent)
    assert ending.code in (0, 2)
    assert ending.code == 0 or (small_disk / name).read_text() == "old"
    assert rest(small_disk) == []


def test_places_that_cannot_be(sources: Path, tmp_path: Path, attacker: Attacker) -> None:
    """Told before the work: a folder where the file should be, a file where the folder should be."""
    (tmp_path / "out").write_text("a file")
    for name, command in WRITERS.items():
        ending = attacker.attack(*command.replace("SOURCES", str(sources)).split(), cwd=tmp_path)
        assert ending.code == 2, name
        assert (tmp_path / "out").read_text() == "a file"
    for command in ("terminals build 3x3:3 -o out", "tournament random heuristic --game 3x3:3 -o out"):
        assert attacker.attack(*command.split(), cwd=tmp_path).code == 2
