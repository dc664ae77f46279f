"""Files that appear whole or not at all, whatever stands at their place."""

import hashlib
import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gridlab.core.errors import FileTrouble
from gridlab.core.files import (
    Appended,
    BeingWritten,
    beside,
    locked,
    locked_folder,
    refuse_overlap,
    timestamp,
    try_place,
    whole_file,
)
from tests.conftest import Python


def test_a_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "new" / "folder" / "data.bin"
    with whole_file(target) as file:
        file.write(b"one ")
        file.write(memoryview(b"two"))
        assert not target.exists()
    assert target.read_bytes() == b"one two"
    assert file.size == 7
    assert file.sha256 == hashlib.sha256(b"one two").hexdigest()
    assert [path.name for path in target.parent.iterdir()] == ["data.bin"]


def test_a_failed_run_leaves_the_last_good_file(tmp_path: Path) -> None:
    target = tmp_path / "data.bin"
    target.write_bytes(b"good")
    with pytest.raises(KeyboardInterrupt):
        interrupted_writing(target)
    assert target.read_bytes() == b"good"
    assert [path.name for path in tmp_path.iterdir()] == ["data.bin"]


def interrupted_writing(target: Path) -> None:
    with whole_file(target) as file:
        file.write(b"half of something new")
        raise KeyboardInterrupt


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    target = tmp_path / "file" / "data.bin"
    with (
        pytest.raises(FileTrouble, match=r"cannot write .*data\.bin': a file stands .*; name a place"),
        whole_file(target),
    ):
        pass
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(FileTrouble, match="cannot write"), whole_file(folder) as file:
        file.write(b"x")


def write(path: Path, data: bytes = b"new") -> None:
    with whole_file(path) as file:
        file.write(data)


def test_the_mode_of_a_file_is_kept(tmp_path: Path) -> None:
    target = tmp_path / "secret"
    target.write_bytes(b"old")
    target.chmod(0o600)
    write(target)
    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_a_link_is_followed_and_stays(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    real, link, dangling = tmp_path / "real" / "file", tmp_path / "link", tmp_path / "dangling"
    real.write_bytes(b"old")
    link.symlink_to(real)
    dangling.symlink_to(tmp_path / "real" / "another")
    write(link)
    write(dangling)
    assert link.is_symlink()
    assert dangling.is_symlink()
    assert real.read_bytes() == (tmp_path / "real" / "another").read_bytes() == b"new"


def test_pipes_and_devices_are_written_through(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write(pipe, b"through")
    reader.join(10)
    assert read == [b"through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    null = tmp_path / "null"
    try:
        os.mknod(null, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    except PermissionError:
        return  # only root makes devices; where it can, the rest is tried
    write(null)
    assert stat.S_ISCHR(null.stat().st_mode)


@pytest.mark.parametrize("name", ["", ".", "folder", "loop", "x" * 300, "null\0byte", "/"])
def test_places_that_are_none_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(FileTrouble, match="cannot write"):
        write(Path(name) if name in ("", ".", "/") else tmp_path / name)


def test_long_names_that_are_allowed_work(tmp_path: Path) -> None:
    write(tmp_path / ("x" * 255))
    assert [len(path.name) for path in tmp_path.iterdir()] == [255]


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes on Linux, and text elsewhere")
def test_names_that_are_no_text_work(tmp_path: Path) -> None:
    place = tmp_path / os.fsdecode(b"\xff\x80" * 60)
    try_place(place)
    write(place)
    assert place.exists()


def test_a_second_writer_is_refused_and_a_dead_one_is_not_waited_for(tmp_path: Path) -> None:
    target = tmp_path / "file"
    with whole_file(target) as file:
        file.write(b"first")
        with pytest.raises(FileTrouble, match="another process is writing"):
            write(target)
    assert target.read_bytes() == b"first"
    program = f"""
import os
from pathlib import Path
from gridlab.core.files import refuse_overlap, timestamp, whole_file
with whole_file(Path({str(target)!r})) as file:
    file.write(b"half")
    os.kill(os.getpid(), 9)
"""
    subprocess.run([sys.executable, "-c", program], check=False)
    assert any(path.name.endswith(".part") for path in tmp_path.iterdir())
    write(target)
    assert target.read_bytes() == b"new"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_file_of_two_names_is_one_file(tmp_path: Path) -> None:
    (tmp_path / "one").touch()
    (tmp_path / "other").hardlink_to(tmp_path / "one")
    (tmp_path / "link").symlink_to("other")
    with Appended(tmp_path / "one") as file, ThreadPoolExecutor(1) as thread:
        for name in ("one", "other", "link"):
            with pytest.raises(FileTrouble, match="another process is writing"):
                thread.submit(Appended, tmp_path / name).result()
        file.add(b"line\n")
    Appended(tmp_path / "other").close()
    assert (tmp_path / "link").read_bytes() == b"line\n"


def test_whoever_shares_a_file_waits_for_it(tmp_path: Path) -> None:
    """As workers do that keep one log: no line is lost, and nobody gives up."""
    target, lines = tmp_path / "log", [b"%d\n" % number for number in range(200)]

    def note(line: bytes) -> None:
        with Appended(target, 30) as file:
            file.add(line)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(note, lines))
    assert sorted(target.read_bytes().splitlines(keepends=True)) == sorted(lines)
    with Appended(target), ThreadPoolExecutor(1) as other:
        assert isinstance(other.submit(Appended, target, 0.01).exception(), BeingWritten)


def test_a_file_that_lines_are_added_to_is_held_until_it_is_closed(tmp_path: Path) -> None:
    target = tmp_path / "new" / "lines"
    with Appended(target) as file, ThreadPoolExecutor(1) as other:  # locks are of a thread, as they are of a process
        file.add(b"one\n")
        for attempt in (Appended, write, try_place):
            with pytest.raises(FileTrouble, match="another process is writing"):
                other.submit(attempt, target).result()
        file.add(b"two\n")
    assert target.read_bytes() == b"one\ntwo\n"
    with Appended(target) as file:
        file.add(b"three\n")
    assert target.read_bytes() == b"one\ntwo\nthree\n"
    assert [path.name for path in target.parent.iterdir()] == ["lines"]


def test_planted_links_are_not_followed(tmp_path: Path) -> None:
    """In a folder that others can write somebody has put links at every name that a part or a lock may have."""
    precious, target = tmp_path / "precious", tmp_path / "folder" / "out.csv"
    precious.write_bytes(b"precious")
    target.parent.mkdir()
    for name in (f".out.csv.{os.getpid()}.part", f".out.csv.{'0' * 16}.part"):
        (target.parent / name).symlink_to(precious)
    seen = set()
    for _ in range(3):
        with beside(target) as part:
            seen.add(part.name)
            assert part.is_file()  # ours already: nobody can put anything there
            assert not part.is_symlink()
            part.write_bytes(b"new")
    assert len(seen) == 3
    assert [path.name for path in target.parent.iterdir()] == ["out.csv"]  # what looks abandoned is removed
    (target.parent / ".out.csv.lock").symlink_to(precious)
    with pytest.raises(FileTrouble, match="cannot write"):
        write(target)
    assert precious.read_bytes() == b"precious"
    assert target.read_bytes() == b"new"


def test_a_link_at_a_name_that_was_guessed_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    precious = tmp_path / "precious"
    precious.write_bytes(b"precious")
    monkeypatch.setattr("secrets.token_hex", lambda size: "ab" * size)
    (tmp_path / ".out.csv.abababababababab.part").symlink_to(precious)
    monkeypatch.setattr("gridlab.core.files._remove_abandoned", lambda place: None)
    with pytest.raises(FileTrouble, match="cannot write"):
        write(tmp_path / "out.csv")
    assert precious.read_bytes() == b"precious"


def test_what_is_read_is_not_written(tmp_path: Path) -> None:
    source, folder = tmp_path / "file", tmp_path / "folder"
    source.write_bytes(b"")
    folder.mkdir()
    (tmp_path / "same").hardlink_to(source)
    (tmp_path / "link").symlink_to(source)
    refuse_overlap(source, tmp_path / "other")
    refuse_overlap(folder, tmp_path / "folder2")
    for target in (source, tmp_path / "same", tmp_path / "link", tmp_path / "folder" / ".." / "file"):
        with pytest.raises(FileTrouble, match="which is being read"):
            refuse_overlap(source, target)
    with pytest.raises(FileTrouble, match="which is being read"):
        refuse_overlap(folder, folder / "deep" / "file")


@pytest.mark.parametrize("epoch", ["-1", "x", "99999999999999999999", "²", "253402300800"])
def test_a_time_that_is_none_is_refused(epoch: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    with pytest.raises(FileTrouble, match="seconds since 1970"):
        timestamp()


def test_locks_make_their_folders_and_say_what_is_in_the_way(tmp_path: Path) -> None:
    with locked(tmp_path / "new" / "file"):
        assert (tmp_path / "new" / ".file.lock").exists()
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").touch()
    (tmp_path / "dir" / ".lock").mkdir(parents=True)
    (tmp_path / "loop").symlink_to("loop")
    for folder in ("file", "dir", "loop", "x" * 300, "file/deep"):
        with pytest.raises(FileTrouble), locked_folder(tmp_path / folder):
            pass


def test_a_folder_that_is_held_is_cleared_of_abandoned_parts(tmp_path: Path) -> None:
    for name in (".a.12.part", ".a.0123456789abcdef.part", ".b.part", "c.12.part", ".d.12.partial"):
        (tmp_path / name).touch()
    with locked_folder(tmp_path):
        (tmp_path / ".mine.13.part").touch()
        with locked_folder(tmp_path):  # again, by the same thread
            assert (tmp_path / ".mine.13.part").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        ".b.part",
        ".d.12.partial",
        ".mine.13.part",
        "c.12.part",
    ]


TRIED = """
import os, signal
from pathlib import Path
from gridlab.core.files import try_place

Path.unlink = lambda path: os.kill(os.getpid(), signal.SIGKILL)
try_place(Path(os.environ["PLACE"]))
"""
IN_PIECES = """
import os, signal
from pathlib import Path
from gridlab.core.files import beside, room_beside

with beside(Path(os.environ["PLACE"])) as part, room_beside(part) as room:
    (room / "piece").write_text("x")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def hold(place: Path) -> None:
    with locked_folder(place.parent):
        pass


@pytest.mark.parametrize("program", [TRIED, IN_PIECES], ids=["tried", "in pieces"])
@pytest.mark.parametrize("act", [try_place, write, hold])
def test_what_a_killed_writer_has_left_goes_with_the_next_one(
    tmp_path: Path, python: Python, program: str, act: Callable[[Path], object]
) -> None:
    """Also the file by which a place is tried, and the folder of pieces beside a part."""
    target = tmp_path / "out.csv"
    assert python(program, PLACE=str(target)).returncode == -signal.SIGKILL
    assert [each.name for each in tmp_path.iterdir() if ".part" in each.name]
    act(target)
    assert [each.name for each in tmp_path.iterdir()] == (["out.csv"] if act is write else [])


def test_what_somebody_is_writing_in_a_folder_is_not_cleared(tmp_path: Path) -> None:
    """Only the files of a folder that nobody holds are abandoned."""
    (tmp_path / ".dead.csv.0123456789abcdef.part").touch()
    (tmp_path / ".dead.csv.lock").touch()
    with beside(tmp_path / "x.csv") as part, locked(tmp_path / "y.csv"):
        part.write_bytes(b"new")
        with locked_folder(tmp_path):
            found = sorted(path.name for path in tmp_path.iterdir())
            assert found == sorted([".lock", ".x.csv.lock", ".y.csv.lock", part.name])
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"x.csv": b"new"}


def test_overlaps_of_strange_names(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    for name in ("loop", "x" * 300):
        with pytest.raises(FileTrouble):
            refuse_overlap(tmp_path / name, tmp_path / "out")


def test_a_place_deep_down_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileTrouble, match="more than 200 folders"):
        write(tmp_path / ("a/" * 2000) / "x")
