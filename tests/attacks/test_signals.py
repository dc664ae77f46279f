"""Every long command interrupted, by every signal, at any moment; and killed, with nothing left behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.attacks.commands import snapshot
from tests.attacks.harness import Attacker
from tests.conftest import Python

pytestmark = [pytest.mark.compiled, pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")]

ROOT = Path(__file__).parents[2]
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
LONG = {
    "alpha-beta": ["match", "alpha-beta depth=12", "alpha-beta depth=12", "--game", "7x9:5", "--workers", "1"],
    "alpha-beta, two workers": ["match", "alpha-beta depth=12", "random", "--game", "7x9:5", "--workers", "2"],
    "mcts": ["match", "mcts playouts=20000000", "random", "--game", "7x9:5", "--workers", "1"],
    "perfect": ["match", "perfect", "random", "--game", "5x5:4", "--workers", "1"],
    "best-first player": ["match", "best-first expansions=100000000", "random", "--game", "7x7:7", "--workers", "1"],
    "tournament": ["tournament", "alpha-beta depth=12", "heuristic", "--game", "7x9:5", "--out", "cup"],
    "grade": ["grade", "alpha-beta depth=14", "--game", "squava", "--positions", "10"],
    "play": ["play", "7x9:5", "--against", "alpha-beta depth=14", "--side", "o"],
    "solve": ["solve", "5x5:4", "--search-only"],
    "prove": ["solve", "7x7:5", "--prove"],
    "best-first": ["best-first", "seven.txt", "--max-expansions", "1000000000"],
    "forced": ["best-first", "empty.txt", "--forced", "--max-expansions", "100000000000"],
    "census": ["census", "5x5:5"],
    "states": ["states", "4x4:4", "--out", "states.csv"],
    "terminals": ["terminals", "build", "5x5:4", "--out", "w"],
    "tablebase": ["tablebase", "build", "5x5:4", "--out", "five.tb"],
    "tablebase 2048": ["tablebase", "build", "2048:3x3", "--out", "three.tb"],
    "follow": ["grade", "expectimax depth=4", "--game", "2048:2x3", "--positions", "100000", "--whole"],
    "evaluate": ["2048", "evaluate", "expectimax depth=8", "--games", "100"],
    "evaluate 5x5": ["2048", "evaluate", "expectimax depth=5", "--rules", "2048:5x5", "--games", "10"],
    "match 2048": ["match", "expectimax depth=8", "random", "--game", "2048", "--games", "2"],
    "generate": ["2048", "generate", "-g", "100000", "-o", "g.jsonl"],
    "generate deep": ["2048", "generate", "-g", "2", "-o", "g.jsonl", "--player", "expectimax depth=8"],
}
GOES_ON = ("tournament", "terminals", "tablebase", "tablebase 2048", "generate", "generate deep")
SOON = 1.5  # seconds; half a second on a machine that has nothing else to do
QUICK = (
    "alpha-beta",
    "alpha-beta, two workers",
    "evaluate 5x5",
    "generate deep",
    "tablebase",
    "tablebase 2048",
    "best-first",
)


def prepared(folder: Path) -> Path:
    rows = [["." for _ in range(7)] for _ in range(7)]
    for row, col in enumerate((0, 5, 3, 1, 6, 2, 4)):  # no line is left for X to go for
        rows[row][col], rows[row][(col + 2) % 7] = "O", "X"
    (folder / "seven.txt").write_text("\n".join(["7", *map("".join, rows), "X", ""]))
    (folder / "empty.txt").write_text("5\n" + ".....\n" * 5 + "X\n")
    return folder


def workers_of(folder: Path) -> list[str]:
    """Processes that work in a folder: what they are."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            if (each / "cwd").readlink() == folder:
                found.append((each / "cmdline").read_text().replace("\0", " "))
        except OSError:  # it has ended by now
            continue
    return found


def gone(folder: Path) -> list[str]:
    """Who is still there after a second."""
    deadline = time.monotonic() + 1
    while (left := workers_of(folder)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return left


@pytest.mark.parametrize(
    "name", [each if each in QUICK else pytest.param(each, marks=pytest.mark.long) for each in LONG]
)
def test_signals_stop_long_work(attacker: Attacker, tmp_path: Path, name: str) -> None:
    """Once kernels are compiled, half a second is enough; and what was being written is not there, or is whole."""
    folder = prepared(tmp_path)
    attacker.run(*LONG[name], cwd=folder, signals=[(1.5, signal.SIGINT), (20, signal.SIGINT)], seconds=60)  # compiled
    moments = [(number, delay) for number in SIGNALS for delay in ((0.4,) if name in QUICK else (0.4, 0.9, 1.5, 2.2))]
    for number, delay in moments:
        more = ["--resume"] if name in GOES_ON else []
        ending = attacker.attack(*LONG[name], *more, cwd=folder, signals=[(delay, number)], seconds=30, peak=4 << 30)
        if ending.seconds < delay + 0.3 and ending.code == 0:
            continue  # it was done before, or at that very moment
        assert ending.code == 130, ending
        assert ending.seconds - delay < SOON, ending
        assert not [each for each in snapshot(folder) if each.endswith((".part", ".lock"))], ending
    assert gone(folder) == []


INSIDE_C = """
import importlib._bootstrap as bootstrap
import os, signal, sys, time
from gridlab.core import run as signals

sent = []

def unlock(name):
    frame = sys._getframe()
    while frame := frame.f_back:
        if frame.f_code is signals.ExtensionFileLoader.exec_module.__code__ and not sent:
            sent.append(name)
            os.kill(os.getpid(), signal.SIGTERM)
    usual(name)

signals.listen()
usual, bootstrap._lock_unlock_module = bootstrap._lock_unlock_module, unlock
try:
    import yaml
    time.sleep(2)
    print("lost" if sent else "never sent")
except KeyboardInterrupt:
    print("heard")
"""


def test_a_signal_while_a_module_in_c_is_imported_is_not_lost(python: Python) -> None:
    """What Cython makes forgives any error of the imports that a module begins with, Ctrl-C too."""
    pytest.importorskip("yaml._yaml")
    assert python(INSIDE_C).stdout == "heard\n"


IN_A_TEXT = """
import os, signal, sys, threading
import gridlab.cli
from gridlab.__main__ import main

def run(args, script):
    threading.Thread(target=threading.Event().wait, daemon=True).start()  # as those of libraries, which block no signal
    exec("os.kill(os.getpid(), signal.SIGTERM)\\nfor each in range(1000): pass")

gridlab.cli.run = run
main()
"""


def test_a_signal_while_a_text_is_executed_ends_with_130(tmp_path: Path) -> None:
    """Dataclasses and named tuples are made so; `python -m` remembers such an interrupt and would end by SIGINT."""
    (tmp_path / "textual.py").write_text(IN_A_TEXT)
    assert subprocess.run([sys.executable, "-m", "textual"], cwd=tmp_path, check=False).returncode == 130


LATE = """
import os, signal, time
from gridlab.core import run as signals

signals.listen()
os.kill(os.getpid(), signal.SIGALRM)  # late: nothing was put off, or it has been raised
time.sleep(0.1)
signals._put_it_off()
signals.ignore_signals()  # as the process does before it ends
time.sleep(0.1)
print("quiet")
"""


def test_an_alarm_that_comes_late_interrupts_nobody(python: Python) -> None:
    """Otherwise a signal interrupts twice, the second time while Python ends, and the exit code is not 130."""
    ending = python(LATE)
    assert (ending.returncode, ending.stdout, ending.stderr) == (0, "quiet\n", "")


KILLED = {
    "match": ["match", "mcts playouts=3000000", "random", "--game", "7x9:5", "--workers", "2", "--games", "20"],
    "terminals": ["terminals", "build", "4x4:4", "--out", "w", "--resume"],
    "tablebase": ["tablebase", "build", "4x4:3", "--out", "four.tb", "--resume"],
    "generate": ["2048", "generate", "-g", "40", "-d", "2", "--seed", "5", "-o", "g.jsonl", "--resume"],
    "states": ["states", "4x3:3", "--out", "states.csv"],
}


STAMP = {"SOURCE_DATE_EPOCH": "1700000000"}  # so that bytes can be compared


def begun(words: list[str], folder: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "gridlab", *words],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env=os.environ | STAMP,
    )


@pytest.mark.parametrize("name", ["match", *(pytest.param(each, marks=pytest.mark.long) for each in list(KILLED)[1:])])
def test_kills_leave_nobody_behind_and_lose_nothing(
    attacker: Attacker, tmp_path: Path, name: str, random: np.random.Generator
) -> None:
    """After SIGKILL no worker lives for more than a second; what goes on afterwards gives the same bytes."""
    broken, whole = tmp_path / "broken", tmp_path / "whole"
    broken.mkdir()
    whole.mkdir()
    for _ in range(1 if name == "match" else 8):
        run = begun(KILLED[name], broken)
        time.sleep(float(random.uniform(1.0, 3.0)) if name == "match" else float(random.uniform(0.3, 3.0)))
        run.kill()
        run.wait()
        assert gone(broken) == []
    if name != "match":
        for folder in (broken, whole):
            ending = attacker.attack(*KILLED[name], cwd=folder, env=STAMP, seconds=120)
            assert ending.code in (0, 2), ending  # 2: it was whole before it was killed
        assert snapshot(broken) == snapshot(whole)


TELL_IGNORED = """
import signal
print([name for name in ("SIGINT", "SIGHUP", "SIGTERM") if signal.getsignal(getattr(signal, name)) == signal.SIG_IGN])
"""


def test_what_tests_start_hears_what_whoever_runs_them_ignores() -> None:
    """In the background of a shell SIGINT is ignored, under nohup SIGHUP."""
    start = f"import conftest, subprocess, sys; subprocess.run([sys.executable, '-c', {TELL_IGNORED!r}], check=True)"
    shell = ["sh", "-c", 'trap "" INT HUP; exec "$@"', "sh", sys.executable, "-c", start]
    heard = subprocess.run(shell, cwd=ROOT, capture_output=True, text=True, check=True)
    assert heard.stdout == "[]\n"
