"""Everything that is read, where something else than a file stands: a sentence at once, and nobody waits for ever."""

import os
import shlex
import shutil
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gridlab.core.errors import FileTrouble
from gridlab.core.files import sha256_of
from gridlab.core.untrusted import chunks, lines, open_regular, read_bytes
from tests.attacks.commands import EXAMPLES
from tests.attacks.harness import Attacker

pytestmark = [pytest.mark.compiled, pytest.mark.skipif(os.name == "nt", reason="files of POSIX")]

AT_ONCE = 10.0  # seconds, on a busy machine


def put_pipe(path: Path) -> None:
    os.mkfifo(path)


def put_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        here = Path.cwd()
        os.chdir(path.parent)  # the name of a socket is short
        try:
            made.bind(path.name)
        finally:
            os.chdir(here)


def put_device(path: Path) -> None:
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 5))  # what /dev/zero is: it never ends
        path.open("rb").close()
    except OSError:
        pytest.skip("only root can make devices, and not everywhere")


def put_folder(path: Path) -> None:
    path.mkdir()


def put_link_to_pipe(path: Path) -> None:
    os.mkfifo(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


OTHERS: dict[str, Callable[[Path], None]] = {
    "pipe": put_pipe,
    "socket": put_socket,
    "device": put_device,
    "folder": put_folder,
    "link": put_link_to_pipe,
}
SENTENCES = {
    "folder": r"cannot be read: it is a folder; name a file",
} | dict.fromkeys(("pipe", "socket", "device", "link"), "cannot be read: it is a pipe, a socket or a device")
READERS: dict[str, Callable[[Path], object]] = {
    "open_regular": open_regular,
    "read_bytes": read_bytes,
    "lines": lambda path: list(lines(path)),
    "chunks": lambda path: list(chunks(path, 1000)),
    "sha256_of": sha256_of,
}
MORE = {  # commands that read a file which no example names, and the file
    **{
        f"2048 verify, {form}": (f"2048 verify games.{form}", f"games.{form}")
        for form in ("jsonl", "json", "csv", "parquet", "h5", "npz")
    },
    "2048 stats": ("2048 stats games.parquet", "games.parquet"),
    "2048 export": ("2048 export games.h5 -o out.csv", "games.h5"),
    "2048 extend": ("2048 generate --extend -g 1 -o games.jsonl", "games.jsonl"),
    "manifest": ("terminals verify wins", "wins/manifest.json"),
    "shard": ("terminals export wins -o out.csv", "wins/layer_05.bin"),
    "perfect": ("match 'perfect tablebase=t.tb' random --game 3x3:3 --games 2 --workers 1", "t.tb"),
    "dqn": ("match 'dqn checkpoint=net.safetensors' random --game squava --games 2 --workers 1", "net.safetensors"),
    "ntuple": ("2048 evaluate 'expectimax depth=1 evaluator=ntuple:net.ntuple' --games 1", "net.ntuple"),
    "info": ("train info net.ntuple", "net.ntuple"),
    "key": ("exam mark exam.jsonl answers.jsonl", "exam.key.jsonl"),
    "tournament": ("tournament random heuristic --game 3x3:3 --games 2 --out cup --resume", "cup/tournament.json"),
}


def named_inputs() -> Iterator[tuple[str, str, str]]:
    """Every file that an example of a command reads: a name for the case, the command, the file."""
    inputs = ("t.tb", "games.jsonl", "exam.jsonl", "answers.jsonl", "records.jsonl", "input.txt", "net.safetensors",
              "exam.key.jsonl")  # fmt: skip
    for name, words in EXAMPLES.items():
        for word in words:
            if word in inputs and not name.startswith("train"):
                yield f"{name}, {word}", shlex.join([*name.split(), *words]), word
    yield from ((name, words, file) for name, (words, file) in MORE.items())


CASES = list(named_inputs())


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("reader", READERS)
def test_readers_open_files_alone(tmp_path: Path, reader: str, other: str) -> None:
    OTHERS[other](tmp_path / "it")
    ending: list[str] = []

    def read() -> None:
        try:
            READERS[reader](tmp_path / "it")
        except FileTrouble as trouble:
            ending.append(str(trouble))

    thread = threading.Thread(target=read, daemon=True)  # one that hangs is left behind
    thread.start()
    thread.join(AT_ONCE)
    assert len(ending) == 1
    assert SENTENCES[other] in ending[0]


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize(("words", "file"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_what_is_no_file_is_refused_at_once(attacker: Attacker, lab: Path, words: str, file: str, other: str) -> None:
    place = lab / file
    place.parent.mkdir(exist_ok=True)
    if place.exists():
        place.unlink()
    OTHERS[other](place)
    ending = attacker.attack(*shlex.split(words), cwd=lab, seconds=AT_ONCE)
    assert ending.code in (1, 2), ending  # a verification answers no
    told = ending.out + ending.err
    wanted = ("folder", "no such file") if other == "folder" else ("a pipe",)  # some commands look into a folder
    assert any(each in told for each in wanted), ending


@pytest.mark.parametrize("other", OTHERS)
def test_what_stands_beside_a_file_is_not_waited_for(attacker: Attacker, lab: Path, other: str) -> None:
    """An index that is none is not believed and not written over."""
    index = lab / "games.jsonl.index"
    index.unlink()
    OTHERS[other](index)
    kind = stat.S_IFMT(index.lstat().st_mode)
    ending = attacker.attack("2048", "split", "games.jsonl", "--out", "parts", cwd=lab, seconds=AT_ONCE)
    assert ending.code == 0, ending
    assert stat.S_IFMT(index.lstat().st_mode) == kind


def test_a_file_that_changes_its_size_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    content = b"".join(b"%07d\n" % number for number in range(100_000))
    for read in (lines, lambda path: chunks(path, 1000)):
        path.write_bytes(content)
        found = read(path)
        next(found)
        with path.open("ab") as file:
            file.write(b"more\n")
        with pytest.raises(FileTrouble, match="has grown while it was read"):
            list(found)
        path.write_bytes(content)
        found = read(path)
        next(found)
        os.truncate(path, 70_000)
        with pytest.raises(FileTrouble, match="has been cut while it was read"):
            list(found)


def test_a_file_that_vanishes_or_is_replaced_while_it_is_read(tmp_path: Path) -> None:
    """What was opened is read to its end."""
    path = tmp_path / "lines"
    content = b"".join(b"%07d\n" % number for number in range(100_000))
    for change in (Path.unlink, lambda path: shutil.move(shutil.copy(__file__, tmp_path / "new"), path)):
        path.write_bytes(content)
        found = lines(path)
        first = next(found)[1]
        change(path)
        assert first + b"".join(line for _, line in found) == content


CUT = """
import os, sys
from gridlab import open_tablebase
from gridlab.core.errors import CorruptFile

path, board = sys.argv[1:]
table = open_tablebase(path)
os.truncate(path, 100)
try:
    table.probe(board)
except CorruptFile as error:
    sys.exit(str(error))
"""


@pytest.mark.parametrize(
    ("rules", "board"), [("3x3:3", "X.O/.X./..."), ("2048:2x2", "2 4/0 2"), pytest.param("4x4:4", "", id="large")]
)
def test_a_table_that_is_cut_while_it_is_open(attacker: Attacker, tmp_path: Path, rules: str, board: str) -> None:
    """Mapped into memory, it would end Python by a signal."""
    path = tmp_path / "t.tb"
    assert attacker.run("tablebase", "build", rules, "--out", path, "--workers", "1", cwd=tmp_path).code == 0
    words = [sys.executable, "-c", CUT, str(path), board or "X.../.O../..../...."]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done
    assert "has been cut since it was opened" in done.stderr
    assert "Traceback" not in done.stderr
