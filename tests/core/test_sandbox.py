"""A program in a sandbox: what it finds, what it refuses, and that nothing it does harms anybody else."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gridlab.core import untrusted
from gridlab.core.errors import CorruptFile
from gridlab.core.untrusted import sandboxed

PROGRAM = """
import ctypes, os, sys, time
from gridlab.core import untrusted as sandbox
sandbox.SECONDS = 1
def read(path):
    yield [1, "one"]
    {body}
    yield [2, "two"]
sandbox.serve(read)
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path / "some_program.py"
    sys.modules.pop("some_program", None)


def answers(program: Path, body: str) -> Iterator[tuple[int, str]]:
    program.write_text(PROGRAM.format(body=body))
    return sandboxed("some_program", Path("a.file"), tuple[int, str], "thing")


def test_what_it_finds(program: Path) -> None:
    assert list(answers(program, "pass")) == [(1, "one"), (2, "two")]
    assert list(answers(program, "print('noise'); os.write(2, b'noise')")) == [(1, "one"), (2, "two")]
    for number, found in enumerate(answers(program, "time.sleep(60)")):
        assert (number, found) == (0, (1, "one"))
        break  # whoever has enough does not wait for the rest


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="limits of Linux")
@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("raise ValueError('bad\\nbytes')", "a.file is not a thing: bad bytes"),
        ("yield ['x', 'y']", "a.file is not a thing: Expected `int`, got `str`"),
        ("ctypes.string_at(0)", "cannot cope with it"),
        ("os._exit(0)", "cannot cope with it"),
        ("os.kill(os.getpid(), 9)", "cannot cope with it"),
        ("while True: pass", "cannot cope with it"),
        ("bytearray(8 << 30)", "a.file is not a thing: MemoryError"),
        ("os.write(1, b'x' * 100); raise OSError(5, 'some trouble')", "a.file is not a thing: some trouble"),
    ],
)
def test_what_it_does_not_survive(body: str, told: str, program: Path) -> None:
    begun = time.monotonic()
    with pytest.raises(CorruptFile) as refusal:
        list(answers(program, body))
    assert told in str(refusal.value)
    assert time.monotonic() - begun < 20


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_seconds_are_counted_for_each_answer(program: Path) -> None:
    """Answers that take half of the time each may take longer in all."""
    body = """
    for i in range(3):
        end = time.process_time() + 0.8
        while time.process_time() < end: pass
        yield [i, ""]"""
    assert len(list(answers(program, body))) == 5


def test_ctrl_c_is_for_whoever_waits(program: Path) -> None:
    found = answers(program, "os.kill(os.getpid(), 2); time.sleep(0.1)")
    assert [number for number, _ in found] == [1, 2]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert untrusted.SECONDS == 5
