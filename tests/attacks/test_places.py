"""Every output of every command, written to places of every kind."""

import os
import shlex
import stat
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.attacks.commands import EXAMPLES, NEW, NEW_FOLDERS, snapshot
from tests.attacks.harness import Attacker

pytestmark = [pytest.mark.compiled, pytest.mark.skipif(os.name == "nt", reason="places of POSIX")]

WRITERS = [name for name, words in EXAMPLES.items() if any(word.startswith(NEW) for word in words)]
FOLDERS = [name for name in WRITERS if set(NEW_FOLDERS) & set(EXAMPLES[name]) and not name.startswith("train")]
FILES = [name for name in WRITERS if name not in FOLDERS and not name.startswith("train")]
QUICK = ("states", "play", "2048 generate", "terminals export", "tournament")  # the others take minutes
IN_PLACE = ("play",)  # adds to what is there
TYPED = "22\n11\n33\n12\n13\n21\n23\n31\n32\nquit\n"


def some(names: list[str]) -> list[Any]:
    """Names for parametrize: a few at once, the others in the long tests."""
    return [name if name in QUICK else pytest.param(name, marks=pytest.mark.long) for name in names]


def output_of(name: str) -> str:
    """The last file that the example writes."""
    return next(word for word in reversed(EXAMPLES[name]) if word.startswith(NEW))


def command(name: str, place: Path | str, **more: str) -> list[str]:
    words = [str(place) if word == output_of(name) else more.get(word, word) for word in EXAMPLES[name]]
    return [*name.split(), *words]


def suffix_of(name: str) -> str:
    return Path(output_of(name)).suffix


@pytest.mark.parametrize("name", some(FILES))
def test_a_link_is_followed_and_a_mode_is_kept(attacker: Attacker, lab: Path, name: str) -> None:
    target, link = lab / f"target{suffix_of(name)}", lab / f"link{suffix_of(name)}"
    if name not in IN_PLACE:
        target.write_bytes(b"old")
        target.chmod(0o600)
    link.symlink_to(target.name)
    (lab / "typed").write_text(TYPED)
    ending = attacker.attack(*command(name, link), cwd=lab, stdin=str(lab / "typed"))
    assert ending.code == 0, ending
    assert link.is_symlink()
    assert target.read_bytes() != b"old"
    if name not in IN_PLACE:
        assert stat.S_IMODE(target.stat().st_mode) == 0o600


@pytest.mark.parametrize("name", some(FILES))
def test_a_pipe_and_a_device_are_written_through(attacker: Attacker, lab: Path, name: str) -> None:
    pipe = lab / f"pipe{suffix_of(name)}"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()), daemon=True)
    reader.start()
    (lab / "typed").write_text(TYPED)
    ending = attacker.attack(*command(name, pipe), cwd=lab, stdin=str(lab / "typed"))
    assert ending.code in (0, 2), ending
    if ending.code == 0:
        reader.join(5)
        assert got != [], ending
        assert got[0], ending
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    node = lab / f"node{suffix_of(name)}"
    try:
        os.mknod(node, 0o666 | stat.S_IFCHR, os.makedev(1, 3))  # what /dev/null is
        node.write_bytes(b"")
    except OSError:
        return  # only root can, and not everywhere
    attacker.attack(*command(name, node), cwd=lab, stdin=str(lab / "typed"))
    assert stat.S_ISCHR(node.stat().st_mode)


@pytest.mark.parametrize("name", some(WRITERS))
@pytest.mark.parametrize("place", ["folder", "loop", "", ".", "/", "x" * 300, "input.txt/x", "/proc/none/x"])
def test_places_that_are_none_are_refused_before_the_work(attacker: Attacker, lab: Path, name: str, place: str) -> None:
    if name.startswith("train") or (name in FOLDERS and place in ("folder", ".", "/")):
        pytest.skip("takes long to begin, or is a place")
    before = snapshot(lab)
    ending = attacker.attack(*command(name, place), cwd=lab)
    assert ending.code == 2, ending
    assert ending.out == ""
    assert snapshot(lab) == before


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("2048 export games.jsonl --format json -o games.jsonl", "games.jsonl"),
        ("2048 export games.jsonl --format jsonl -o ./folder/../games.jsonl", "games.jsonl"),
        ("2048 export games.jsonl --format csv -o hard.jsonl", "games.jsonl"),
        ("2048 split same/training_games.jsonl -o same", "same/training_games.jsonl"),
        ("2048 split same/validation_games.jsonl -o same", "same/validation_games.jsonl"),
        ("terminals export wins --format csv -o wins/layer_05.bin", "wins/layer_05.bin"),
        ("terminals export wins --format csv -o wins/manifest.json", "wins/manifest.json"),
        ("terminals export wins --format csv -o wins/new.csv", "wins/manifest.json"),
        ("tablebase sample t.tb --positions 5 -o t.tb", "t.tb"),
        ("best-first input.txt --steps input.txt --output b.txt", "input.txt"),
        ("best-first input.txt --steps a.txt --output input.txt", "input.txt"),
        ("best-first input.txt --steps a.txt --output a.txt", "input.txt"),
        ("match 'perfect tablebase=t.tb' random --game 3x3:3 --games 2 --out t.tb", "t.tb"),
        ("terminals build 3x3:3 --out mine", "mine/README.md"),
    ],
)
def test_what_is_read_or_not_ours_is_not_written(attacker: Attacker, lab: Path, words: str, kept: str) -> None:
    (lab / "same").mkdir()
    for name in ("training_games.jsonl", "validation_games.jsonl"):
        (lab / "same" / name).write_bytes((lab / "games.jsonl").read_bytes())
    (lab / "same" / "all_games.jsonl").write_text("something else")
    (lab / "mine").mkdir()
    (lab / "mine" / "README.md").write_text("mine")
    os.link(lab / "games.jsonl", lab / "hard.jsonl")
    before = snapshot(lab)
    ending = attacker.attack(*shlex.split(words), cwd=lab)
    assert snapshot(lab)[kept] == before[kept]
    assert ending.code == 2, ending
    assert snapshot(lab) == before


def test_the_file_that_is_named_is_written(attacker: Attacker, lab: Path) -> None:
    for form in ("json", "jsonl", "csv", "parquet", "npz", "hdf5"):
        name = f"results.{form}.v1"
        ending = attacker.attack("2048", "export", "games.jsonl", "--format", form, "-o", name, cwd=lab)
        assert (ending.code, ending.out) == (0, f"{name}\n"), ending
        assert (lab / name).stat().st_size > 0
    assert [path.name for path in lab.glob("results*") if path.suffix != ".v1"] == []


def mounted(folder: Path, size: str) -> bool:
    """A small disk at the folder; False where that is not possible."""
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", folder], capture_output=True, check=False
    )
    return done.returncode == 0


@pytest.mark.parametrize("name", some(WRITERS))
@pytest.mark.parametrize("room", [0, 4096])
def test_a_full_disk_loses_nothing(attacker: Attacker, lab: Path, name: str, room: int) -> None:
    """Whatever is there stays, a sentence is said, nothing half done is left, and a result is still shown."""
    if name.startswith("train"):
        pytest.skip("takes long to begin")
    disk = lab / "disk"
    if not mounted(disk, "64k"):
        pytest.skip("only root can mount a small disk")
    try:
        place = disk / f"kept{suffix_of(name)}"
        if name in FILES and name not in IN_PLACE:
            place.write_bytes(b"old")
        filler = disk / "filler"
        with filler.open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 4096)
            except OSError:
                pass
            file.truncate(filler.stat().st_size - room)
        (lab / "typed").write_text(TYPED)
        ending = attacker.attack(*command(name, place), cwd=lab, stdin=str(lab / "typed"))
        if name in FILES and name not in IN_PLACE and ending.code:
            assert place.read_bytes() == b"old", ending
        left = [path.name for path in disk.rglob("*") if path.name.endswith((".part", ".lock"))]
        assert not left, ending
        if name in ("match", "grade", "2048 stats", "tablebase stats") and ending.code:
            assert ending.out, f"no result: {ending}"
    finally:
        subprocess.run(["umount", disk], check=True)
