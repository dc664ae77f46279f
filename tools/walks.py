"""The way through the package for three things that people do: the files whose functions are entered, in this order.

python tools/walks.py            print the three ways
python tools/walks.py --json     for programs

A function counts when it is called, not when its module is imported. A kernel counts when Python calls it for the first
time, by the file that it is written in. Only files of the package are listed.
"""

import argparse
import contextlib
import io
import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "gridlab"
CLICK = {  # what the page sends when a person has played the middle of tic-tac-toe against perfect play
    "game": "tictactoe", "start": "", "moves": [], "x": "", "o": "perfect", "seed": 1, "next": ["22"], "reply": True,
    "values": True, "opinion": False, "network": False, "review": "over",
}  # fmt: skip


class Trace:
    """The files whose functions are entered, by any thread, while it is on."""

    def __init__(self) -> None:
        self.files: list[str] = []
        self._on = False
        self._importing: dict[int, int] = {}  # modules whose text is being run, by thread
        threading.setprofile(self._hear)
        sys.setprofile(self._hear)

    @contextlib.contextmanager
    def on(self) -> Iterator[None]:
        """Let what is entered now count."""
        self._on = True
        try:
            yield
        finally:
            self._on = False

    def _hear(self, frame: FrameType, event: str, argument: object) -> None:
        if event not in ("call", "return"):
            return
        code, thread = frame.f_code, threading.get_ident()
        if code.co_name == "<module>":
            self._importing[thread] = self._importing.get(thread, 0) + (1 if event == "call" else -1)
        elif event == "call" and self._on and not self._importing.get(thread):
            self._enter(code.co_filename)
            cache: Any = frame.f_locals.get("self")
            if code.co_name == "load_overload" and not getattr(cache, "inner", True):
                self._enter(source_of(cache.folder))

    def _enter(self, file: str) -> None:
        path = Path(file)
        if path.is_relative_to(PACKAGE) and (name := path.relative_to(PACKAGE).as_posix()) not in self.files:
            self.files.append(name)


def source_of(folder: str) -> str:
    """The file of a kernel, from the folder of the cache that holds it: gridlab.core.bits-3f0c9a."""
    module = folder.rpartition("-")[0]
    return f"{PACKAGE / Path(*module.split('.')[1:])}.py"


def command(*words: str) -> list[str]:
    """The way of a command, which is run where it may write."""
    from gridlab import cli

    trace = Trace()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), trace.on():
        code = cli.run(words)
    if code:
        raise SystemExit(f"gridlab {' '.join(words)} ended with exit code {code}")
    return trace.files


def click() -> list[str]:
    """The way of the one request that the page makes when somebody plays."""
    trace = Trace()
    from starlette.testclient import TestClient

    from gridlab.web.app import make_app
    from gridlab.web.work import Settings

    with tempfile.TemporaryDirectory() as folder:
        page = TestClient(make_app(Settings(Path(folder))), "http://localhost")
        with trace.on():
            answer = page.post("/api/v1/play", json=CLICK)
    parts = [json.loads(line)["part"] for line in answer.text.splitlines()]
    if not {"game", "reply", "values", "end"} <= set(parts):
        raise SystemExit(f"the click was answered by {', '.join(parts)}")
    return trace.files


WALKS: dict[str, tuple[Callable[[], list[str]], int]] = {  # and how many files each passes through: it may become fewer
    "tablebase build 3x3:3": (lambda: command("tablebase", "build", "3x3:3", "-o", "t.tb"), 19),
    "2048 generate -g 2 -d 2": (lambda: command("2048", "generate", "-g", "2", "-d", "2", "-o", "games.jsonl"), 24),
    "a click on the board": (click, 19),
}


def walk(name: str) -> list[str]:
    """The files of a walk, taken in a process of its own: what an earlier one has loaded would be passed by."""
    words = [sys.executable, __file__, "--take", name]
    while True:
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{name}: {done.stderr.strip()[-2000:]}")
        if "compiling" not in done.stderr:  # which takes a way of its own, the first time
            return list(json.loads(done.stdout))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__.partition("\n")[0], formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="as one line of JSON")
    parser.add_argument("--take", choices=WALKS, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.take:
        with contextlib.redirect_stdout(io.StringIO()):
            files = WALKS[asked.take][0]()
        text = json.dumps(files)
    elif asked.json:
        text = json.dumps({name: walk(name) for name in WALKS})
    else:
        parts = []
        for name, (_, most) in WALKS.items():
            files = walk(name)
            listed = "\n".join(f"  {number:3d}  {file}" for number, file in enumerate(files, 1))
            parts.append(f"{name}: {len(files)} files, at most {most}\n{listed}")
        text = "\n\n".join(parts)
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    main()
