"""Output that cannot be written, terminals that lack characters, names that are no text."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.attacks.commands import EXAMPLES, NEW
from tests.attacks.harness import GOOD

pytestmark = [pytest.mark.compiled, pytest.mark.skipif(os.name == "nt", reason="streams of POSIX")]
COMMANDS = ("show", *(pytest.param(each, marks=pytest.mark.long) for each in ("census", "states", "2048 verify")))


def run(words: str, lab: Path, redirect: str, **more: str) -> tuple[int, str]:
    """A command in a real shell; its exit code and what it says on stderr."""
    shell = f"exec {sys.executable} -m gridlab {words} {redirect}"
    done = subprocess.run(
        ["/bin/sh", "-c", shell], cwd=lab, capture_output=True, text=True, check=False, env=os.environ | more
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert "Exception ignored" not in done.stderr, done.stderr
    return done.returncode, done.stderr


def words_of(name: str) -> str:
    words = EXAMPLES[name] if name != "states" else EXAMPLES[name][:1]
    return " ".join([name, *(f"'{word}'" for word in words if not word.startswith(NEW))])


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("redirect", [">full", ">&-", "2>&-", "2>full", ">&- 2>&- <&-"])
def test_streams_that_cannot_be_written(lab: Path, name: str, redirect: str) -> None:
    try:
        os.mknod(lab / "full", 0o666 | 0o020000, os.makedev(1, 7))  # what /dev/full is
        (lab / "full").write_bytes(b"")
    except PermissionError:
        pytest.skip("only root can make such a node")
    except OSError:
        pass  # as it should be
    code, err = run(words_of(name), lab, redirect)
    assert code in GOOD
    if redirect in (">full", ">&-"):
        assert (code, "error: the output cannot be written" in err) == (2, True), err


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437"])
def test_terminals_that_lack_characters(lab: Path, encoding: str) -> None:
    for words in ("census 3x3:3", "2048 stats games.jsonl", "terminals show wins 5"):
        assert run(words, lab, ">out", PYTHONIOENCODING=encoding)[0] == 0
        assert (lab / "out").stat().st_size > 0


@pytest.mark.long
def test_names_that_are_no_text(lab: Path) -> None:
    for name in (b"\xff\xfe.jsonl", b"a\nb.jsonl", b"\x1b[31m.jsonl"):
        path = lab / os.fsdecode(name)
        path.write_bytes((lab / "games.jsonl").read_bytes())
        for command in ("verify", "stats"):
            done = subprocess.run(
                [sys.executable, "-m", "gridlab", "2048", command, path], cwd=lab, capture_output=True, check=False
            )
            assert done.returncode in GOOD, done.stderr
            assert b"Traceback" not in done.stderr, done.stderr


def test_a_reader_that_leaves(lab: Path) -> None:
    code, err = run("states 4x3:3", lab, "| head -1 >out")
    assert err == ""
    assert code == 0
    assert (lab / "out").read_text().count("\n") == 1
