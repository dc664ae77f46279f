"""Long work watched for leaks: games of 2048 generated, the web lab under load, a training, all at once.

python tools/soak.py                       an hour
python tools/soak.py --minutes 5           a short look
python tools/soak.py --json soak.json      the samples too

Every process runs from beginning to end. Memory and open files of each, with all it has started, are looked at every
few seconds; the first fifth, in which kernels are loaded and caches fill, does not count. What is printed: memory at
the beginning, at the end and at most, how it grows (the slope of a straight line through the samples), the same for
open files, and the work that was done. Exit code 1 if anything has failed, or has grown by more than a leak may.
"""

import argparse
import json
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from shlex import split
from typing import NamedTuple

import httpx
import numpy as np

from gridlab.core.draw import table

CLIENTS, PAUSE = 6, 0.25  # of the web lab, and the seconds that each waits between two requests
MOST_GROWTH = 8.0  # MiB that an end may lie above the beginning
MOST_FILES = 3
WARM = 0.2  # the share of the time that does not count
VISITS: list[tuple[str, str, dict[str, object]]] = [
    ("GET", "/lab", {}),
    ("POST", "/jobs/solve", {"game": "tictactoe", "board": "", "seconds": 1}),
    ("GET", "/values", {"game": "tictactoe", "board": "X.O/.X./..."}),
    ("GET", "/values", {"game": "squava", "board": "X..../...../...../...../....."}),
    ("POST", "/play", {"game": "4x4:3", "moves": ["11"], "x": "random", "o": "heuristic", "reply": True}),
    (
        "POST",
        "/2048/play",
        {"board": "2 . . ./. 4 . ./. . . 2/. . 8 16", "player": "expectimax depth=2", "seed": 0, "count": 5},
    ),
    ("POST", "/review", {"game": "tictactoe", "moves": ["22", "11", "13"]}),
]


class Sample(NamedTuple):
    """A look at a process and all it has started."""

    seconds: float
    memory: float  # MiB that are its own
    files: int


@dataclass
class Watched:
    """A process, and what was seen of it."""

    name: str
    process: "subprocess.Popen[str]"
    samples: list[Sample] = field(default_factory=list)

    def look(self, begun: float) -> None:
        found = [(own_memory(pid), open_files(pid)) for pid in family(self.process.pid)]
        self.samples.append(
            Sample(time.monotonic() - begun, sum(each for each, _ in found) / 1024, sum(each for _, each in found))
        )

    def row(self) -> tuple[str | int, ...]:
        first, last = self.ends("memory")
        slope = np.polyfit([each.seconds for each in self.counted], [each.memory for each in self.counted], 1)[0]
        files = [each.files for each in self.counted]
        return (
            self.name, f"{first:.1f}", f"{last:.1f}", f"{max(each.memory for each in self.counted):.1f}",
            f"{3600 * slope:+.1f}", files[0], files[-1], max(files),
        )  # fmt: skip

    @property
    def counted(self) -> list[Sample]:
        return self.samples[int(WARM * len(self.samples)) :]

    def ends(self, what: str) -> tuple[float, float]:
        """The middle value of the first and of the last tenth."""
        values = [getattr(each, what) for each in self.counted]
        tenth = max(1, len(values) // 10)
        return float(np.median(values[:tenth])), float(np.median(values[-tenth:]))

    @property
    def flaw(self) -> str:
        (first, last), (opened, open_still) = self.ends("memory"), self.ends("files")
        if last - first > MOST_GROWTH:
            return f"{self.name} has grown by {last - first:.1f} MiB"
        if open_still - opened > MOST_FILES:
            return f"{self.name} holds {open_still - opened:.0f} files more than at the beginning"
        return ""


def family(pid: int) -> list[int]:
    """A process and all it has started, as far as they live."""
    found, unseen = [], [pid]
    while unseen:
        each = unseen.pop()
        found.append(each)
        for task in Path(f"/proc/{each}/task").glob("*/children"):
            unseen.extend(map(int, text_of(task).split()))
    return found


def own_memory(pid: int) -> int:
    """KiB in memory that no file stands behind."""
    found = re.search(r"^RssAnon:\s+(\d+) kB", text_of(Path(f"/proc/{pid}/status")), re.MULTILINE)
    return int(found.group(1)) if found else 0


def open_files(pid: int) -> int:
    try:
        return sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return 0


def text_of(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def begin(folder: Path, *words: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "gridlab", *words], cwd=folder, text=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip


class Visitors:
    """Clients of the web lab, each in a thread."""

    def __init__(self, address: str) -> None:
        self.address, self.leave = address, threading.Event()
        self.answers, self.errors = 0, list[str]()
        self._threads = [threading.Thread(target=self._stay, args=(number,)) for number in range(CLIENTS)]
        for thread in self._threads:
            thread.start()

    def _stay(self, number: int) -> None:
        chance = random.Random(number)
        while not self.leave.is_set():
            with httpx.Client(base_url=self.address, timeout=60) as client:  # one connection for some
                for _ in range(chance.randrange(1, 20)):
                    self._ask(client, chance)
                    if self.leave.wait(PAUSE):
                        break

    def _ask(self, client: httpx.Client, chance: random.Random) -> None:
        method, path, said = chance.choice(VISITS)
        said = said | ({"seed": chance.randrange(1000)} if "seed" in said else {})
        try:
            answer = client.request(method, path, **{"params" if method == "GET" else "json": said})  # type: ignore[arg-type]
            answer.raise_for_status()
            self.answers += 1
        except httpx.HTTPError as error:
            self.errors.append(f"{path}: {error}")

    def go(self) -> None:
        self.leave.set()
        for thread in self._threads:
            thread.join()


def soak(minutes: float, every: float, folder: Path) -> tuple[list[Watched], Visitors, list[str]]:
    """Run all for so long; what was seen, and what has failed."""
    (folder / "web").mkdir()
    generating = begin(folder, *split("2048 generate -g 100000000 -d 5 --seed 1 --workers 1 -o games.jsonl"))
    learn = f"train 2048 --tuples 5x4 --minutes {minutes + 60} --workers 1 --seed 1 --quiet -o net.ntuple"
    training = begin(folder, *split(learn))
    serving = begin(folder, "serve", "--port", "0", "--folder", "web")
    assert serving.stderr is not None
    found = re.search(r"http://\S+", serving.stderr.readline())
    assert found, "the server does not say where it is"
    visitors = Visitors(found.group(0).rstrip("/") + "/api/v1")
    watched = [Watched("2048 generate", generating), Watched("train 2048", training), Watched("serve", serving)]
    drains = [threading.Thread(target=drain, args=(each.process,), daemon=True) for each in watched]
    for thread in drains:
        thread.start()
    begun, failed = time.monotonic(), list[str]()
    try:
        while time.monotonic() - begun < 60 * minutes and not failed:
            time.sleep(every)
            for each in watched:
                each.look(begun)
            failed = [f"{each.name} has ended: {each.process.returncode}" for each in watched if each.process.poll()]
    finally:
        visitors.go()
        for each in watched:
            each.process.send_signal(signal.SIGINT)
        failed += [f"{each.name} does not end" for each in watched if not ends(each.process)]
    return watched, visitors, failed


def drain(process: "subprocess.Popen[str]") -> None:
    """Remarks are read, so that nobody waits for a full pipe."""
    assert process.stderr is not None
    for _ in process.stderr:
        pass


def ends(process: "subprocess.Popen[str]") -> bool:
    try:
        process.wait(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        return False
    return True


def count_lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for _ in file)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--every", type=float, default=5, help="seconds between two looks")
    parser.add_argument("--json", type=Path, help="where the samples go")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        watched, visitors, failed = soak(asked.minutes, asked.every, folder)
        games = count_lines(folder / ".games.jsonl.journal") - 1
        size = (folder / ".games.jsonl.journal").stat().st_size
    failed += [each.flaw for each in watched if each.flaw] + visitors.errors[:5]
    heads = ("", "MiB at first", "at the end", "at most", "an hour", "files at first", "at the end", "at most")
    seconds = watched[0].samples[-1].seconds
    lines = [
        f"{seconds / 60:.1f} minutes, a look every {asked.every:g} s; the first fifth does not count",
        table(heads, [each.row() for each in watched]),
        f"{games:,} games generated ({size / 2**20:,.0f} MiB), {visitors.answers:,} requests answered, "
        f"{len(visitors.errors)} failed",
        *failed,
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    if asked.json:
        asked.json.write_text(json.dumps({each.name: each.samples for each in watched}))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
