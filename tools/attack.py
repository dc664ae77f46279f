"""Long attacks on everything that reads and writes, in pieces that can be resumed; `make check` runs a few of each.

python tools/attack.py mutants --number 200000     files damaged at random, every reader, memory and time limited
python tools/attack.py kills --number 500          writers killed at random moments, then run again: the same bytes
python tools/attack.py pairs                       every writer beside every other that writes to the same place
python tools/attack.py signals --load 8            every long command with SIGINT, SIGTERM and SIGHUP, on a busy machine

Each piece is a line of attack/PART.jsonl, written when it is done; the same command goes on after the last one. The
random numbers of a piece come from its number and --seed. Exit code 1 if anything fell.
"""

import argparse
import json
import mmap
import os
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count as count_from
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.attacks.commands import snapshot
from tests.attacks.harness import ADDRESSES
from tests.attacks.readers import Reader, all_readers
from tests.attacks.server import become_command, end_soon, load_kernels, load_packages
from tests.attacks.test_signals import LONG, prepared

from gridlab.core.draw import table
from gridlab.core.errors import GridlabError

A_PIECE = 250  # mutants of a piece
SLOW = {"games of 2048, parquet": 40, "games of 2048, h5": 40, "checkpoint": 4}  # so many times rarer than others
MEMORY, SECONDS = 1 << 30, 60  # what a reader may take for a file of some kilobytes; libraries of others get 5 s of CPU
STAMP = {"SOURCE_DATE_EPOCH": "1700000000"}  # so that bytes can be compared
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
EDGES = (0, 1, 2, 127, 128, 255, 256, 32767, 32768, 65535, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1)
WORDS = (
    b"null", b"true", b"-1", b"1e999", b"NaN", b"{}", b"[]", b'""', b"9" * 30, b"[" * 5000, b'"\\ud800"', b"\xff\xfe",
    b"\0", b"\r\n", b"\xef\xbb\xbf", b"0x10", b"1_0", b" ", b"\xe2\x88\x92", b"-0", b"2.5", b"," * 100,
)  # fmt: skip
WRITERS = {  # the last word is what is written: those of the same name are made to meet
    "states": "states 3x4:3 --out out.csv",
    "terminals build": "terminals build 3x4:3 --out out",
    "tablebase build": "tablebase build 4x4:3 --out out.tb",
    "tablebase build 2048": "tablebase build 2048:2x3 --out out.tb",
    "tablebase sample": "tablebase sample shipped.tb --positions 500 --seed 1 --out out.parquet",
    "2048 generate": "2048 generate -g 60 -d 2 --seed 5 --out out.jsonl",
    "2048 export": "2048 export games.jsonl --out out.csv",
    "2048 export npz": "2048 export games.jsonl --out out.npz",
    "2048 split": "2048 split games.jsonl --train 0.5 --val 0.25 --test 0.25 --seed 1 --out out",
    "match": "match 3x3:3 random 'mcts playouts=300' --games 20 --seed 1 --workers 1 --out out.jsonl",
    "tournament": "tournament 3x3:3 random heuristic 'mcts playouts=200' --games 12 --seed 1 --workers 1 --out out",
    "exam make": "exam make 3x3:3 --positions 60 --seed 1 --out out.jsonl",
    "exam sit": "exam sit squava-v1 'mcts playouts=100' --seed 1 --workers 1 --out out.jsonl",
    "train 2048": "train 2048 --rules 2048:2x3 --games 3000 --workers 1 --seed 1 --out out.ntuple",
}
RESUMED = {
    "terminals build", "tablebase build", "tablebase build 2048", "2048 generate", "tournament", "exam sit",
    "train 2048",
}  # fmt: skip


# ---- pieces


class Journal:
    """The pieces of a part that are done."""

    def __init__(self, folder: Path, part: str) -> None:
        self.path = folder / f"{part}.jsonl"
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        self.done: list[dict[str, Any]] = [json.loads(line) for line in lines if line.endswith("}")]

    def run(self, pieces: Iterable[str], work: Callable[[str], dict[str, Any]]) -> None:
        """Do what is not done yet."""
        known = {each["piece"] for each in self.done}
        for piece in tqdm([each for each in pieces if each not in known], smoothing=0.02):
            row = {"piece": piece, **work(piece)}
            self.done.append(row)
            with self.path.open("a") as file:
                file.write(json.dumps(row) + "\n")
            for fallen in row.get("fell", []):
                tqdm.write(f"FELL {piece}: {fallen}")

    @property
    def fell(self) -> list[str]:
        """Everything that went wrong."""
        return [f"{each['piece']}: {what}" for each in self.done for what in each.get("fell", [])]


# ---- mutants


def mutated(data: bytes, other: bytes, random: np.random.Generator) -> bytes:
    """A damaged copy: numbers at their limits, tokens exchanged, pieces doubled, cut, moved, or another file's."""
    found = bytearray(data)
    for _ in range(int(random.choice([1, 1, 2, 3, 6]))):
        at, some = int(random.integers(len(found) + 1)), int(random.choice([1, 2, 4, 8, 40, 300]))
        to = int(random.integers(len(found) + 1))
        match int(random.integers(9)):
            case 0:  # an integer of any width at its limits
                width, order = int(random.choice([1, 2, 4, 8])), random.choice(["little", "big"])
                value = int(EDGES[int(random.integers(len(EDGES)))]) + int(random.integers(-1, 2))
                found[at : at + width] = (value % 256**width).to_bytes(width, order)
            case 1:  # an integer a little larger or smaller
                value = int.from_bytes(found[at : at + 4], "little") + int(random.integers(-16, 17))
                found[at : at + 4] = (value % 2**32).to_bytes(4, "little")
            case 2:  # a word where a number was
                end = at + len(bytes(found[at : at + 30])) - len(bytes(found[at : at + 30]).lstrip(b"0123456789.-"))
                found[at:end] = WORDS[int(random.integers(len(WORDS)))]
            case 3:  # a line twice, or not at all
                begin, end = found.rfind(b"\n", 0, at) + 1, found.find(b"\n", at) + 1 or len(found)
                found[begin:end] = found[begin:end] * int(random.choice([0, 2, 50]))
            case 4:
                del found[at : at + some]
            case 5:  # two pieces exchanged
                low, high = sorted((at, to))
                some = min(some, high - low)
                found[low : low + some], found[high : high + some] = found[high : high + some], found[low : low + some]
            case 6:  # the beginning of this file, the end of another
                found = found[:at] + bytearray(other[int(random.integers(len(other) + 1)) :])
            case 7:
                found[at:at] = found[to : to + some] * int(random.choice([1, 3, 1000]))
            case _:
                found[at:] = b"" if random.integers(2) else bytes(random.bytes(some))
        del found[4 << 20 :]
    return bytes(found)


def attack_reader(reader: Reader, seed: tuple[int, ...], folder: Path) -> dict[str, Any]:
    """A piece of mutants, read in a process that may die: how many were refused and read, and what fell."""
    at = mmap.mmap(-1, 16)  # shared with the process: the mutant it is at, and how many were refused
    fell: list[str] = []
    begun = time.monotonic()
    while (first := int.from_bytes(at[:8], "little")) < A_PIECE:
        end, said = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(end)
            _read_all(reader, seed, folder, first, at, said)
        os.close(said)
        with os.fdopen(end, "rb") as pipe:
            told = pipe.read().decode(errors="replace")
        _, status, usage = os.wait4(child, 0)
        fell += [line for line in told.split("\0") if line]
        if status != 0:
            number = int.from_bytes(at[:8], "little")
            fell.append(f"mutant {number}: ended by {os.waitstatus_to_exitcode(status)} after {usage.ru_utime:.1f} s")
            at[:8] = (number + 1).to_bytes(8, "little")
    refused = int.from_bytes(at[8:], "little")
    return {"mutants": A_PIECE, "refused": refused, "seconds": round(time.monotonic() - begun, 2), "fell": fell}


def _read_all(reader: Reader, seed: tuple[int, ...], folder: Path, first: int, at: mmap.mmap, said: int) -> None:
    """What the process does; it never returns."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, size + MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        right = _answer(reader, reader.sound[0], folder)
        for number in range(first, A_PIECE):
            at[:8] = number.to_bytes(8, "little")
            flaw = _one(reader, np.random.default_rng([*seed, number]), folder, right, at)
            os.write(said, f"mutant {number}: {flaw}\0".encode() if flaw else b"")
        at[:8] = A_PIECE.to_bytes(8, "little")
    finally:
        os._exit(0 if int.from_bytes(at[:8], "little") == A_PIECE else 1)


def _one(reader: Reader, random: np.random.Generator, folder: Path, right: Any, at: mmap.mmap) -> str:
    sound = reader.sound[int(random.integers(len(reader.sound)))]
    other = reader.sound[int(random.integers(len(reader.sound)))]
    data = mutated(sound, other, random)
    if reader.sealed is not None and random.integers(4):
        data = reader.sealed(data)
    signal.alarm(SECONDS)  # ends the process
    try:
        found = _answer(reader, data, folder)
    except GridlabError as error:
        at[8:] = (int.from_bytes(at[8:], "little") + 1).to_bytes(8, "little")
        return "" if str(error).strip() and len(str(error)) < 2000 else "refused without a sentence"
    except BaseException:
        return traceback.format_exc()[-700:]
    finally:
        signal.alarm(0)
    return "another answer than the sound file's" if reader.exact and data != sound and found != right else ""


def _answer(reader: Reader, data: bytes, folder: Path) -> Any:
    for name, content in {**reader.beside, reader.name: data}.items():
        (folder / name).write_bytes(content)
    return reader.ask(folder / reader.name)


def mutants(journal: Journal, number: int, seed: int) -> None:
    """All readers, each in its own pieces."""
    with tempfile.TemporaryDirectory() as made:
        readers = all_readers(Path(made))
        weights = {name: 1 / SLOW.get(name, 1) for name in readers}
        pieces = {
            name: round(number * weight / sum(weights.values()) / A_PIECE) + 1 for name, weight in weights.items()
        }

        def work(piece: str) -> dict[str, Any]:
            name, _, count = piece.rpartition(" ")
            with tempfile.TemporaryDirectory() as folder:
                chance = (seed, sum(name.encode()), int(count))
                return {"reader": name} | attack_reader(readers[name], chance, Path(folder))

        order = sorted((count / pieces[name], f"{name} {count}") for name in pieces for count in range(pieces[name]))
        journal.run([piece for _, piece in order], work)
    told: dict[str, Counter[str]] = {}
    for each in journal.done:
        told.setdefault(each["reader"], Counter()).update(files=each["mutants"], refused=each["refused"])
    rows = [(name, f"{count['files']:,}", f"{count['refused']:,}") for name, count in told.items()]
    _say(table(["reader", "damaged files", "refused"], rows))


# ---- writers


def begun(words: str, folder: Path) -> "subprocess.Popen[str]":
    """A command in a session of its own, which catches every signal, whatever this tool itself was told to ignore."""
    for each in SIGNALS:
        if signal.getsignal(each) is signal.SIG_IGN:  # by `&` or nohup, and a child would inherit that
            signal.signal(each, lambda *_: None)
    return subprocess.Popen(
        ["/bin/sh", "-c", f"exec {sys.executable} -m gridlab {words}"], cwd=folder, text=True, start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=os.environ | STAMP,
    )  # fmt: skip


class Forked:
    """A command in a fork of this tool, which has imported and loaded all it needs: it is at work almost at once."""

    def __init__(self, words: str, folder: Path) -> None:
        self._told = Path(tempfile.mkdtemp())
        self._code: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            from gridlab import __main__ as command

            try:
                sys.modules["__main__"] = command  # what its workers take for their program
                wish = {"args": shlex.split(words), "cwd": str(folder), "memory": ADDRESSES, "env": STAMP}
                become_command(wish, self._told)
                end_soon(command.main)
            finally:
                os._exit(1)

    def poll(self) -> int | None:
        """How it ended, if it has."""
        if self._code is None and (found := os.waitpid(self.pid, os.WNOHANG))[0]:
            self._code = os.waitstatus_to_exitcode(found[1])
        return self._code

    def end(self, seconds: float = 300) -> tuple[int, str]:
        """How it ended, and what it said."""
        deadline, late = time.monotonic() + seconds, ""
        while (code := self.poll()) is None:
            if time.monotonic() > deadline and not late:
                late = f"late, after {seconds} s; "
                os.killpg(self.pid, signal.SIGKILL)
            time.sleep(0.005)
        err = self._told / "err"
        said = err.read_text(errors="replace") if err.exists() else ""
        shutil.rmtree(self._told)
        return code, late + said


@contextmanager
def scratch() -> Iterator[Path]:
    """A temporary folder that a fork does not remove when it ends, as it would one of tempfile.TemporaryDirectory."""
    folder = Path(tempfile.mkdtemp())
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def load_everything() -> None:
    """What a fork need not import then."""
    load_packages()
    load_kernels()
    tqdm.monitor_interval = 0  # no thread in a process that forks


def ended(run: "subprocess.Popen[str]", seconds: float = 300) -> tuple[int, str]:
    """How it ended, and what it said."""
    try:
        err = run.communicate(timeout=seconds)[1]
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGKILL)
        err = f"late, after {seconds} s; " + run.communicate()[1]
    return run.returncode, err


def living(folder: Path, seconds: float = 1.5) -> list[str]:
    """Processes that still work in a folder after so many seconds."""
    deadline = time.monotonic() + seconds
    found: list[str] = []
    while time.monotonic() < deadline:
        found.clear()
        for each in Path("/proc").glob("[0-9]*"):
            try:
                if (each / "cwd").readlink().is_relative_to(folder):
                    found.append((each / "cmdline").read_text().replace("\0", " "))
            except OSError:
                continue
        if not found:
            return []
        time.sleep(0.05)
    return found


def furnished(inputs: Path, folder: Path) -> Path:
    """A folder with what writers read."""
    shutil.copytree(inputs, folder)
    return folder


def make_inputs(folder: Path) -> Path:
    """Games and a table for those who need some."""
    from gridlab.games import game
    from gridlab.games.tablebases import tables_of

    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(tables_of(game("squava")).shipped(game("squava")), folder / "shipped.tb")
    assert ended(begun("2048 generate -g 40 -d 2 --seed 3 -o games.jsonl --quiet", folder))[0] == 0
    return folder


def written(folder: Path, by: str = "") -> dict[str, bytes]:
    """What stands in a folder, without locks and pictures, and without the state of a training, which holds times.

    Answers of an exam stand in the order in which they arrived.
    """
    untold = (".png", ".lock", ".training")
    found = {name: data for name, data in snapshot(folder).items() if not name.endswith(untold)}
    if by == "exam sit" and "out.jsonl" in found:
        found["out.jsonl"] = b"".join(sorted(found["out.jsonl"].splitlines(keepends=True)))
    return found


def state(folder: Path) -> set[tuple[str, int, int]]:
    """What changes in a folder as soon as somebody writes there; a lock is not writing yet."""
    found = set()
    for root, _, files in os.walk(folder):  # which passes over a folder that has gone
        for path in (Path(root) / name for name in files):
            with suppress(OSError):  # it has gone meanwhile
                seen = path.stat()
                found.add((str(path), seen.st_size, seen.st_mtime_ns))
    return {each for each in found if not each[0].endswith(".lock")}


def kills(journal: Journal, number: int, seed: int) -> None:
    """Each writer killed at random moments, eight times, then run to its end; until so many kills have met one."""
    load_everything()
    with scratch() as root:
        inputs = make_inputs(root / "inputs")
        whole: dict[str, tuple[float, dict[str, bytes]]] = {}

        def work(piece: str) -> dict[str, Any]:
            name, _, count = piece.rpartition(" ")
            if name not in whole:
                whole[name] = _whole(name, inputs, root / "whole")
            random = np.random.default_rng([seed, sum(name.encode()), int(count)])
            folder = furnished(inputs, root / "broken")
            try:
                return _killed(name, whole[name], folder, random)
            finally:
                shutil.rmtree(folder)

        for count in count_from(0):
            if sum(row["kills"] for row in journal.done) >= number:
                break
            journal.run([f"{name} {count}" for name in WRITERS], work)
    killed, met = (sum(row[what] for row in journal.done) for what in ("kills", "writing"))
    same, runs = sum(row["same"] for row in journal.done), len(journal.done)
    _say(
        f"{killed:,} kills of {len(WRITERS)} writers, {met:,} of them after the first write; {runs:,} runs after them, "
        f"{same:,} with the same bytes; longest life of a worker after a kill: "
        f"{max(row['outlived'] for row in journal.done):.2f} s"
    )


def _whole(name: str, inputs: Path, folder: Path) -> tuple[float, dict[str, bytes]]:
    """How long a writer takes, and what it writes."""
    furnished(inputs, folder)
    try:
        began = time.monotonic()
        code, err = Forked(f"{WRITERS[name]} --quiet", folder).end()
        assert code == 0, (name, err)
        return time.monotonic() - began, written(folder, name)
    finally:
        shutil.rmtree(folder)


def _killed(
    name: str, whole: tuple[float, dict[str, bytes]], folder: Path, random: np.random.Generator
) -> dict[str, Any]:
    fell: list[str] = []
    more = " --resume" if name in RESUMED else ""
    took, expected = whole
    kills = writing = 0
    outlived = 0.0
    for _ in range(8):
        before = state(folder)
        run = Forked(f"{WRITERS[name]} --quiet{more if kills else ''}", folder)
        _wait_for_a_moment(run, folder, took, random)
        met = run.poll() is None
        kills += met
        writing += met and state(folder) != before
        with suppress(ProcessLookupError):  # it was done before
            (os.kill if random.integers(2) else os.killpg)(run.pid, signal.SIGKILL)
        run.end()
        dead = time.monotonic()
        fell += [f"still there after SIGKILL: {each}" for each in living(folder, 10)]
        outlived = max(outlived, round(time.monotonic() - dead, 2))
    code, err = Forked(f"{WRITERS[name]} --quiet{more}", folder).end()
    if "Traceback" in err or code not in (0, 2):
        fell.append(f"ended with {code}: {err[-500:]}")
    now = written(folder, name)
    if now != expected:
        fell.append(f"other bytes: {sorted(set(now.items()) ^ set(expected.items()))!s:.300}; {err[-300:]}")
    return {"kills": kills, "writing": writing, "outlived": outlived, "same": now == expected, "fell": fell}


def _wait_for_a_moment(run: Forked, folder: Path, took: float, random: np.random.Generator) -> None:
    """Half of the moments lie anywhere; half after the first write, most of them soon, since the last write ends it."""
    if random.integers(2):
        time.sleep(float(random.uniform(0.01, 0.8 * took)))
        return
    before, late = state(folder), time.monotonic() + took
    while run.poll() is None and state(folder) == before and time.monotonic() < late:
        time.sleep(0.004)
    time.sleep(float(np.exp(random.uniform(np.log(0.0005), np.log(0.3 * took)))))


def pairs(journal: Journal) -> None:
    """Two writers of one place, at once: one is refused, or they come one after the other."""
    with scratch() as root:
        inputs = make_inputs(root / "inputs")
        alone = {name: _whole(name, inputs, root / "whole")[1] for name in WRITERS}

        def work(piece: str) -> dict[str, Any]:
            both = piece.split(" | ")
            folder = furnished(inputs, root / "both")
            try:
                runs = [begun(f"{WRITERS[name]} --quiet", folder) for name in both]
                endings = [ended(run) for run in runs]
                fell = [err[-500:] for code, err in endings if code not in (0, 2) or "Traceback" in err]
                done = [alone[name] for name, (code, _) in zip(both, endings, strict=True) if code == 0]
                fell += _mixed(folder, done)
                return {
                    "codes": [code for code, _ in endings],
                    "said": [err[-200:] for _, err in endings],
                    "fell": fell,
                }
            finally:
                shutil.rmtree(folder)

        place = {name: words.split()[-1] for name, words in WRITERS.items()}
        meeting = [(one, other) for one, other in product(WRITERS, WRITERS) if place[one] == place[other]]
        journal.run([f"{first} | {second}" for first, second in meeting], work)
    codes = Counter(str(sorted(row["codes"])) for row in journal.done)
    _say(f"{len(journal.done)} pairs of writers; exit codes: {dict(codes)}")


def _mixed(folder: Path, done: list[dict[str, bytes]]) -> list[str]:
    """What is wrong with what stands: the last of those who ended well has all its files, and no file is of nobody."""
    as_they_are, sorted_answers = written(folder), written(folder, "exam sit")

    def stands(name: str, whole: dict[str, bytes]) -> bool:
        return whole.get(name) in (as_they_are.get(name), sorted_answers.get(name))

    fell = [f"of nobody: {name}" for name in as_they_are if not any(stands(name, whole) for whole in done)]
    if not any(all(stands(name, whole) for name in whole) for whole in done):
        fell.append(f"nobody's work stands whole: {sorted(as_they_are)}")
    return fell


# ---- signals


def loaded(processes: int) -> "list[subprocess.Popen[bytes]]":
    """So many processes that do nothing but keep a core busy."""
    return [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]


def signals(journal: Journal, load: int, seed: int) -> None:
    """Every long command and every writer, ended by every signal."""
    with tempfile.TemporaryDirectory() as made:
        root = Path(made)
        inputs = prepared(make_inputs(root / "inputs"))
        commands = {f"long {name}": shlex.join(words) for name, words in LONG.items()} | WRITERS
        busy = loaded(load)

        def work(piece: str) -> dict[str, Any]:
            name, _, number = piece.rpartition(" ")
            random = np.random.default_rng([seed, sum(piece.encode())])
            folder = furnished(inputs, root / "ended")
            try:
                run = begun(commands[name], folder)
                _taken_over(run)
                time.sleep(float(random.uniform(0, 4)))
                early = run.poll() is not None
                sent = time.monotonic()
                if not early:
                    (os.kill if random.integers(2) else os.killpg)(run.pid, signal.Signals[number])
                code, err = ended(run, 120)
                took = time.monotonic() - sent
                fell = [f"ended with {code} after {took:.1f} s: {err[-500:]}"] if code not in (0, 130) else []
                fell += ["told its user of Python: " + err[-500:]] if "Traceback" in err else []
                fell += [f"left {each}" for each in snapshot(folder) if each.endswith((".part", ".lock"))]
                fell += [f"still there: {each}" for each in living(folder, 10)]
                return {
                    "early": early, "code": code, "seconds": round(took, 2), "load": round(os.getloadavg()[0], 1),
                    "fell": fell,
                }  # fmt: skip
            finally:
                shutil.rmtree(folder)

        try:
            journal.run([f"{name} {each.name}" for name in commands for each in SIGNALS], work)
        finally:
            for each in busy:
                each.kill()
                each.wait()
    met = [row for row in journal.done if not row["early"]]
    took, real = (np.array([row[what] for row in met]) for what in ("seconds", "load"))
    _say(
        f"{len(met)} signals, load {real.min():.0f} to {real.max():.0f}: {sum(row['code'] == 130 for row in met)} with "
        f"exit code 130, half within {np.median(took):.2f} s, 95% within {np.quantile(took, 0.95):.2f} s, "
        f"all within {took.max():.2f} s; {len(journal.done) - len(met)} commands had ended before"
    )


def _taken_over(run: "subprocess.Popen[str]") -> None:
    """Wait until gridlab has set its handlers: while Python itself is starting, a signal ends it in Python's way."""
    while run.poll() is None:
        with suppress(OSError):
            told = Path(f"/proc/{run.pid}/status").read_text()
            caught = int(told.partition("SigCgt:")[2].split()[0], 16)
            if all(caught >> (each - 1) & 1 for each in SIGNALS):
                return
        time.sleep(0.01)


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def main() -> list[str]:
    """What fell, after all is done."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["mutants", "kills", "pairs", "signals"])
    parser.add_argument("--number", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--load", type=int, default=8)
    parser.add_argument("--folder", type=Path, default=Path("attack"))
    told = parser.parse_args()
    told.folder.mkdir(parents=True, exist_ok=True)
    journal = Journal(told.folder, told.part)
    if told.part == "signals":
        signals(journal, told.load, told.seed)
    elif told.part == "pairs":
        pairs(journal)
    else:
        {"mutants": mutants, "kills": kills}[told.part](journal, told.number, told.seed)
    return journal.fell


if __name__ == "__main__":
    fallen = main()
    _say("\n".join(f"FELL {each}" for each in fallen) or "nothing fell")
    sys.exit(1 if fallen else 0)
