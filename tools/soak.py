"""Long work watched for leaks: games of 2048 generated, the web lab under load, a training, all at once.

python tools/soak.py                       an hour
python tools/soak.py --minutes 5 --web     a short look at the web lab alone
python tools/soak.py --json soak.json      the samples too

The web lab has fifty clients, on this machine alone: most play, some start long work and listen to it, some are slow
(bytes trickle in and out), some rude (connections reset, requests half sent, huge bodies, wrong types, streams that are
dropped). Every status of 500 or more, every request of a well-behaved client that fails, and every half-sent request
that the server keeps is a failure. Beside them somebody asks twice a second whether the server is well.

Every process runs from beginning to end. Memory and open files of each, with all it has started, are looked at every
few seconds; the first fifth, in which kernels are loaded and caches fill, does not count. What is printed: memory at
the beginning, at the end and at most, how it grows (the slope of a straight line through the samples), the same for
open files, how requests ended, the server minute by minute, and the work that was done. Exit code 1 if anything has
failed, or has grown by more than a leak may.

The server has more or less to do from one moment to the next, and a table of 80 MiB for each long search. So twelve
times in the course of it, at most once a minute, all clients rest for a while, and what the server then still holds is
what counts: the middle value of its last third may not lie above that of its first third by more than a leak may. With
1,600 requests a minute for an hour that is a leak of 150 bytes a request. At work the most that it holds may not grow
by more than one table.
"""

import argparse
import json
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from shlex import split
from typing import NamedTuple
from urllib.request import urlopen

import httpx
import numpy as np

from gridlab.core.draw import table

CLIENTS, PAUSE = 50, 1.0  # of the web lab, and the seconds that each waits between two requests, more or less
STARTERS, SLOW, RUDE = 6, 6, 8  # of those clients; the others play
HALF_SENT = 20.0  # seconds in which the server must have closed a request that was not finished, if it is never late
GIVE_UP = 90.0  # seconds after which nobody waits for that any more
ASK_HEALTH = 0.5  # seconds between two questions whether the server is well
MOST_GROWTH = 8.0  # MiB that an end may lie above the beginning
MOST_FILES = 3
WARM = 0.2  # the share of the time that does not count
RESTS, REST = 12, 20.0  # how often the clients rest, at most once a minute, and for how many seconds
TABLE = 80.0  # MiB of a long search
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
JOBS: list[tuple[str, dict[str, object]]] = [
    ("/jobs/solve", {"game": "4x4:4", "board": "", "seconds": 5}),
    ("/jobs/solve", {"game": "7x7:6", "board": "", "seconds": 10}),
    ("/jobs/match", {"game": "tictactoe", "a": "heuristic", "b": "random", "games": 200}),
    ("/jobs/match", {"game": "squava", "a": "mcts playouts=500", "b": "heuristic", "games": 20}),
    ("/jobs/grade", {"game": "tictactoe", "player": "heuristic", "positions": 50}),
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
    at_rest: list[Sample] = field(default_factory=list)  # those of them that were taken at the end of a rest

    def look(self, begun: float) -> None:
        found = [(own_memory(pid), open_files(pid)) for pid in family(self.process.pid)]
        memory, files = (sum(each) for each in zip(*found, strict=True))
        self.samples.append(Sample(time.monotonic() - begun, memory / 1024, files))

    def row(self) -> tuple[str | int, ...]:
        (first, last), counted = ends(counts(self.samples), "memory", 10), counts(self.samples)
        return (
            self.name, f"{first:.1f}", f"{last:.1f}", f"{max(each.memory for each in counted):.1f}",
            f"{slope(counted):+.1f}", counted[0].files, counted[-1].files, max(each.files for each in counted),
        )  # fmt: skip

    @property
    def flaw(self) -> str:
        opened, open_still = ends(counts(self.samples), "files", 10)
        if open_still - opened > MOST_FILES:
            return f"{self.name} holds {open_still - opened:.0f} files more than at the beginning"
        return self._flaw_at_rest if self.at_rest else growth(self.name, *ends(counts(self.samples), "memory", 10))

    @property
    def _flaw_at_rest(self) -> str:
        resting, working = counts(self.at_rest), counts(self.samples)
        half = len(working) // 2
        before, after = (max(each.memory for each in part) for part in (working[:half], working[half:]))
        grown = growth(f"{self.name}, at rest,", *ends(resting, "memory", 3))
        return grown or growth(f"the most that {self.name} holds", before, after, TABLE)


def counts(samples: list[Sample]) -> list[Sample]:
    """Those that count."""
    return samples[int(WARM * len(samples)) :]


def ends(samples: list[Sample], what: str, parts: int) -> tuple[float, float]:
    """The middle value of the first and of the last of so many parts."""
    values = [getattr(each, what) for each in samples]
    part = max(1, len(values) // parts)
    return float(np.median(values[:part])), float(np.median(values[-part:]))


def slope(samples: list[Sample]) -> float:
    """MiB an hour."""
    return 3600 * float(np.polyfit([each.seconds for each in samples], [each.memory for each in samples], 1)[0])


def growth(what: str, first: float, last: float, most: float = MOST_GROWTH) -> str:
    return f"{what} has grown by {last - first:.1f} MiB" if last - first > most else ""


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

    def __init__(self, address: str, clients: int) -> None:
        self.address, self.leave = address, threading.Event()
        self.work = threading.Event()  # not set while all rest
        self.work.set()
        self.place = httpx.URL(address).host, httpx.URL(address).port or 80
        self.counts: Counter[tuple[str, str]] = Counter()  # of a kind of client: how its requests ended
        self.errors: list[str] = []
        self.health: list[tuple[float, float]] = []  # when, and how many seconds the answer took
        self._begun, self._lock = time.monotonic(), threading.Lock()
        kinds = [self.start_work] * STARTERS + [self.be_slow] * SLOW + [self.be_rude] * RUDE
        kinds = (kinds + [self.play] * max(0, clients - len(kinds)))[:clients]
        self._threads = [threading.Thread(target=self._stay, args=each) for each in enumerate(kinds)]
        self._threads.append(threading.Thread(target=self._watch_health))
        for thread in self._threads:
            thread.start()

    def _stay(self, number: int, visit: Callable[[random.Random], None]) -> None:
        chance = random.Random(number)
        while not self._pause(chance):
            try:
                visit(chance)
            except (httpx.HTTPError, OSError) as error:
                if not self.leave.is_set():
                    self._note(visit.__name__, f"failed: {type(error).__name__}", f"{visit.__name__}: {error!r}")

    def _pause(self, chance: random.Random) -> bool:
        """Wait a little, and for the end of a rest; whether it is time to leave."""
        self.leave.wait(chance.uniform(0, 2 * PAUSE))
        self.work.wait()
        return self.leave.is_set()

    def _note(self, kind: str, ending: str, error: str = "") -> None:
        with self._lock:
            self.counts[kind, ending] += 1
            if error:
                self.errors.append(error)

    def _check(self, kind: str, what: str, status: int) -> None:
        """Count an answer; 409 and 429 say that there is much to do, and 4xx is what the rude deserve."""
        fine = status < 400 or status in (409, 429) or (kind == "be_rude" and status < 500)
        self._note(kind, str(status), "" if fine else f"{kind}: {what}: {status}")

    def play(self, chance: random.Random) -> None:
        """Some requests, one after the other, over one connection."""
        with httpx.Client(base_url=self.address, timeout=60, verify=False) as client:
            for _ in range(chance.randrange(1, 20)):
                method, path, said = chance.choice(VISITS)
                said = said | ({"seed": chance.randrange(1000)} if "seed" in said else {})
                answer = client.request(method, path, **{"params" if method == "GET" else "json": said})  # type: ignore[arg-type]
                self._check("play", path, answer.status_code)
                if self._pause(chance):
                    return

    def start_work(self, chance: random.Random) -> None:
        """Long work, listened to until its end, or stopped on the way."""
        path, said = chance.choice(JOBS)
        with httpx.Client(base_url=self.address, timeout=60, verify=False) as client:
            answer = client.post(path, json=said)
            self._check("start_work", path, answer.status_code)
            if answer.status_code != 202:
                return
            number, until = answer.json()["id"], time.monotonic() + chance.uniform(0, 20)
            with client.stream("GET", f"/jobs/{number}/events") as events:
                for _ in events.iter_lines():
                    if time.monotonic() > until or self.leave.is_set() or not self.work.is_set():
                        break
            stopped = client.delete(f"/jobs/{number}").status_code
            self._check("start_work", "DELETE", 200 if stopped == 404 else stopped)  # forgotten: others came later

    def be_slow(self, chance: random.Random) -> None:
        """A request in small pieces, and an answer read in small pieces."""
        asked = self._request("GET", chance.choice(("/", "/js/main.js", "/api/v1/lab", "/api/v1/openapi.json")))
        with self._connected() as client:
            for place in range(0, len(asked), 12):
                client.sendall(asked[place : place + 12])
                self.leave.wait(chance.uniform(0, 0.5))
            answer = client.recv(64)
            while piece := client.recv(1024):
                answer += piece
                self.leave.wait(0.02)
            self._check("be_slow", "GET", int(answer.split()[1]) if answer else 599)

    def be_rude(self, chance: random.Random) -> None:
        chance.choice((self._reset, self._send_half, self._send_much, self._send_nonsense, self._drop_stream))(chance)

    def _reset(self, chance: random.Random) -> None:
        with self._connected() as client:
            client.sendall(self._request("GET", "/api/v1/values?game=squava"))
            self.leave.wait(chance.uniform(0, 0.1))
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._note("be_rude", "reset")

    def _send_half(self, chance: random.Random) -> None:
        asked = self._request("POST", "/api/v1/play", b"{" * 20)
        with self._connected() as client:
            client.sendall(asked[: chance.randrange(len(asked) - 20)])
            begun, closed = time.monotonic(), False
            client.settimeout(1)
            while not closed and time.monotonic() - begun < GIVE_UP and not self.leave.is_set():
                try:
                    closed = not client.recv(4096)
                except TimeoutError:
                    continue
                except OSError:
                    closed = True
        took = time.monotonic() - begun
        if not self.leave.is_set():
            in_time = closed and took < self._time_to_close(begun)
            error = "" if in_time else f"a request half sent is open after {took:.0f} s"
            self._note("be_rude", "half sent, closed" if in_time else "half sent, open", error)

    def _time_to_close(self, begun: float) -> float:
        """Seconds that a half-sent request may stay open: a server that answers late accepts late, and closes late."""
        late = [took for asked, took in self.health if asked + took > begun - self._begun]
        return HALF_SENT + 2 * max(late, default=0.0)

    def _send_much(self, chance: random.Random) -> None:
        """Ten megabytes, said so or not."""
        head = self._request("POST", "/api/v1/play").rstrip(b"\r\n")
        chunked = chance.random() < 0.5
        more = b"\r\nTransfer-Encoding: chunked\r\n\r\n" if chunked else b"\r\nContent-Length: 10000000\r\n\r\n"
        answer = b""
        with self._connected() as client:
            with suppress(OSError):  # the server has heard enough
                client.sendall(head + more)
                for _ in range(160):
                    client.sendall(b"10000\r\n" + b" " * 65536 + b"\r\n" if chunked else b" " * 65536)
            with suppress(OSError):
                answer = client.recv(4096)
        if answer:
            self._check("be_rude", "ten megabytes", int(answer.split()[1]))
        else:
            self._note("be_rude", "hung up on")

    def _send_nonsense(self, chance: random.Random) -> None:
        if chance.random() < 0.3:
            with self._connected() as client:
                client.sendall(bytes(chance.randrange(256) for _ in range(200)) + b"\r\n\r\n")
                answer = client.recv(100).split()
            self._check("be_rude", "bytes", int(answer[1]) if len(answer) > 1 else 400)
            return
        method, path, said = chance.choice([each for each in VISITS if each[0] == "POST"])
        wrong: object = chance.choice((None, [], {}, -1, 1e308, "\udc00", "x" * 5000, {"a": {"b": [[[[1]]]]}}, True))
        said = said | {chance.choice([*said, "surprise"]): wrong}
        answered = httpx.request(
            method,
            self.address + path,
            content=json.dumps(said),
            headers={"content-type": "application/json"},
            timeout=60,
            verify=False,
        )
        self._check("be_rude", f"{path} {said}"[:300], answered.status_code)

    def _drop_stream(self, chance: random.Random) -> None:
        """Leave in the midst of a stream, without a word."""
        with httpx.Client(base_url=self.address, timeout=60, verify=False) as client:
            begun = client.post("/jobs/solve", json={"game": "7x7:6", "seconds": 30})
            self._check("be_rude", "/jobs/solve", begun.status_code)
            if begun.status_code == 202:
                with client.stream("GET", f"/jobs/{begun.json()['id']}/events") as events:
                    next(events.iter_raw())
                    self.leave.wait(chance.uniform(0, 1))
                self._note("be_rude", "stream dropped")

    def _request(self, method: str, path: str, body: bytes = b"") -> bytes:
        length = f"Content-Length: {len(body)}\r\n" if body else ""
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        return f"{head}Connection: close\r\n{length}\r\n".encode() + body

    def _connected(self) -> socket.socket:
        return socket.create_connection(self.place, timeout=60)

    def _watch_health(self) -> None:
        address = f"http://{self.place[0]}:{self.place[1]}/health"
        while not self.leave.wait(ASK_HEALTH):
            asked = time.monotonic()
            try:
                with urlopen(address, timeout=30) as answer:  # costs this process little, which has much else to do
                    status = answer.status
            except OSError as error:
                self._note("health", "failed", f"health: {error!r}")
            else:
                self._check("health", "health", status)
                self.health.append((asked - self._begun, time.monotonic() - asked))

    def rest(self, rest: bool) -> None:
        """Let all rest, or let them work again."""
        if rest:
            self.work.clear()
        else:
            self.work.set()

    def go(self) -> None:
        self.leave.set()
        self.work.set()
        for thread in self._threads:
            thread.join()

    def endings(self) -> str:
        """How the requests of every kind of client ended."""
        ordered = sorted(self.counts.items(), key=lambda each: (each[0][0], -each[1]))
        return table(("clients", "ending", "requests"), [(kind, ending, count) for (kind, ending), count in ordered])

    def by_minute(self, server: Watched) -> str:
        """Memory and open files of the server, and how soon it said that it was well, in every minute."""
        rows = []
        for minute in range(int(server.samples[-1].seconds / 60) + 1):
            seen = [each for each in server.samples if minute <= each.seconds / 60 < minute + 1]
            took = [1000 * took for asked, took in self.health if minute <= asked / 60 < minute + 1]
            if seen and took:
                middle, late = np.percentile(took, (50, 99))
                rows.append((
                    minute + 1, f"{max(each.memory for each in seen):.1f}", max(each.files for each in seen),
                    f"{middle:.0f}", f"{late:.0f}", f"{max(took):.0f}",
                ))  # fmt: skip
        return table(("minute", "MiB at most", "files at most", "health, ms: p50", "p99", "worst"), rows)


def soak(
    minutes: float, every: float, folder: Path, clients: int, web: bool
) -> tuple[list[Watched], Visitors, list[str]]:
    """Run all for so long, or the web lab alone; what was seen, and what has failed."""
    (folder / "web").mkdir()
    watched = []
    if not web:
        generate = "2048 generate -g 100000000 -d 5 --seed 1 --workers 1 -o games.jsonl"
        learn = f"train 2048 --tuples 5x4 --minutes {minutes + 60} --workers 1 --seed 1 --quiet -o net.ntuple"
        watched += [Watched("2048 generate", begin(folder, *split(generate)))]
        watched += [Watched("train 2048", begin(folder, *split(learn)))]
    serving = begin(folder, "serve", "--port", "0", "--folder", "web")
    assert serving.stderr is not None
    found = re.search(r"http://\S+", serving.stderr.readline())
    assert found, "the server does not say where it is"
    watched += [Watched("serve", serving)]
    said: list[str] = []  # by the server
    for each in watched:
        kept = said if each.process is serving else None
        threading.Thread(target=drain, args=(each.process, kept), daemon=True).start()
    visitors = Visitors(found.group(0).rstrip("/") + "/api/v1", clients)
    begun, failed = time.monotonic(), list[str]()
    try:
        for end, rest in hours(60 * minutes):
            visitors.rest(rest)
            while time.monotonic() - begun < end and not failed:
                time.sleep(min(every, max(0.0, begun + end - time.monotonic())))
                for each in watched:
                    each.look(begun)
                over = [each for each in watched if each.process.poll() is not None]
                failed = [f"{each.name} has ended: {each.process.returncode}" for each in over]
            if rest and not failed:
                watched[-1].at_rest.append(watched[-1].samples[-1])
    finally:
        visitors.go()
        for each in watched:
            each.process.send_signal(signal.SIGINT)
        failed += [f"{each.name} does not end" for each in watched if not has_ended(each.process)]
        remarks = [line for line in said if line.strip() not in ("", "interrupted")]
        failed += [f"the server says: {line.rstrip()}" for line in remarks[:20] if "Invalid HTTP request" not in line]
    return watched, visitors, failed


def hours(seconds: float) -> list[tuple[float, bool]]:
    """When work and rest end, in turn: seconds from the beginning, and whether it is a rest."""
    number = max(1, min(RESTS, int(seconds / 60)))
    whole = [seconds * each / number for each in range(1, number + 1)]
    return [(end - (0 if rest else REST), rest) for end in whole for rest in (False, True)]


def drain(process: "subprocess.Popen[str]", kept: list[str] | None) -> None:
    """Remarks are read, so that nobody waits for a full pipe; some are kept."""
    assert process.stderr is not None
    for line in process.stderr:
        if kept is not None and len(kept) < 1000:
            kept.append(line)


def has_ended(process: "subprocess.Popen[str]") -> bool:
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
    parser.add_argument("--clients", type=int, default=CLIENTS, help="of the web lab")
    parser.add_argument("--web", action="store_true", help="the web lab alone")
    parser.add_argument("--json", type=Path, help="where the samples go")
    asked = parser.parse_args()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # begun by `&`: children would inherit that, and never end
        signal.signal(signal.SIGINT, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        watched, visitors, failed = soak(asked.minutes, asked.every, folder, asked.clients, asked.web)
        journal = folder / ".games.jsonl.journal"
        made = (
            ""
            if asked.web
            else f"{count_lines(journal) - 1:,} games generated ({journal.stat().st_size >> 20:,} MiB), "
        )
    failed += [each.flaw for each in watched if each.flaw] + visitors.errors[:20]
    heads = ("", "MiB at first", "at the end", "at most", "an hour", "files at first", "at the end", "at most")
    seconds = watched[0].samples[-1].seconds
    took = [1000 * each for _, each in visitors.health]
    lines = [
        f"{seconds / 60:.1f} minutes, a look every {asked.every:g} s; the first fifth does not count",
        table(heads, [each.row() for each in watched]),
        "serve at rest, MiB: " + " ".join(f"{each.memory:.1f}" for each in watched[-1].at_rest),
        visitors.endings(),
        visitors.by_minute(watched[-1]),
        "health of the server, ms: p50 {:.0f}, p99 {:.0f}, worst {:.0f}".format(*np.percentile(took, (50, 99, 100))),
        f"{made}{sum(visitors.counts.values()):,} requests of {asked.clients} clients, {len(visitors.errors)} failed",
        *failed,
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    if asked.json:
        samples = {each.name: each.samples for each in watched} | {"at rest": watched[-1].at_rest}
        asked.json.write_text(json.dumps(samples | {"health": visitors.health}))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
