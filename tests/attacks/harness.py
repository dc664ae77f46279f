"""Commands under attack: run in a process of their own with limits, and judged by how they end."""

import json
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

SERVER = Path(__file__).with_name("server.py")
GOOD = (0, 1, 2, 130)
TRIED: Counter[tuple[str, str]] = Counter()  # attacks of this session, by module and kind; told at its end
ADDRESSES = 8 << 30  # bytes of address space on top of what is imported: more is refused by the system
MEMORY = 1 << 30  # bytes of memory that an attacked command may use; more is a flaw
SECONDS = 20.0


def tried(kind: str) -> None:
    """Count an attack of the test that is running."""
    module = os.environ.get("PYTEST_CURRENT_TEST", "").partition("::")[0]
    TRIED[Path(module).stem.removeprefix("test_"), kind] += 1


@dataclass(frozen=True)
class Ending:
    """How a command has ended."""

    args: Sequence[str]
    code: int | str
    out: str
    err: str
    seconds: float
    peak: int
    most: int = MEMORY

    def __str__(self) -> str:
        shown = " ".join(repr(each if len(each) < 200 else each[:200] + "…") for each in self.args)
        return f"gridlab {shown}\n-> {self.code} in {self.seconds:.2f} s\n{self.out[-300:]}\n{self.err[-900:]}"

    @property
    def flaw(self) -> str:
        """What is wrong with it, whatever the command was; empty if nothing is."""
        if self.code not in GOOD:
            return f"ended with {self.code}"
        if self.peak > self.most:
            return f"took {self.peak:,} bytes of memory"
        if "Traceback" in self.err or "Exception ignored" in self.err or "Warning:" in self.err:
            return "told its user of Python"
        if self.code == 2 and not self.err.splitlines()[-1].startswith("error: "):
            return "refused without a sentence"
        if self.code == 0 and "error: " in self.err:
            return "ended well with an error"
        return ""


class Attacker:
    """Runs commands, one after the other; a thread of its own may have one each."""

    def __init__(self, *modules: str, bare: bool = False) -> None:
        """What they import is imported once; a `bare` one knows the named modules alone."""
        self._modules = ("bare" if bare else "", "gridlab.cli", "numba", *modules)
        self._lock = threading.Lock()
        self._server = self._start()

    def _start(self) -> "subprocess.Popen[str]":
        server = subprocess.Popen(
            [sys.executable, SERVER, *self._modules],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert server.stdout is not None
        assert server.stdout.readline() == "ready\n"
        return server

    def run(
        self,
        *args: str | Path,
        cwd: Path,
        memory: int = ADDRESSES,
        seconds: float = SECONDS,
        signals: Sequence[tuple[float, int]] = (),
        **more: Any,
    ) -> Ending:
        """Run one command; `signals` are sent after so many seconds each."""
        words = [str(each) for each in args]
        tried("commands")
        wish = {"args": words, "cwd": str(cwd), "memory": memory, "seconds": seconds, "signals": signals, **more}
        with self._lock:
            assert self._server.stdin is not None
            assert self._server.stdout is not None
            self._server.stdin.write(json.dumps(wish) + "\n")
            self._server.stdin.flush()
            answer = json.loads(self._server.stdout.readline())
        return Ending(words, **answer)

    def attack(self, *args: str | Path, cwd: Path, peak: int = MEMORY, **more: Any) -> Ending:
        """Run a command that may fail, but only in the way in which commands fail."""
        ending = replace(self.run(*args, cwd=cwd, **more), most=peak)
        assert not ending.flaw, f"{ending.flaw}: {ending}"
        return ending

    def close(self) -> None:
        assert self._server.stdin is not None
        self._server.communicate()
