"""Commands run in forked processes, within hard limits; all that most of them need is imported and loaded already.

A line of JSON in, a line of JSON out:

    {"args": ["census", "3x3:3"], "cwd": "…", "memory": bytes, "seconds": 20, "signals": [[0.5, 2]], …}
    {"code": 0, "out": "…", "err": "…", "seconds": 0.1, "peak": bytes}

`code` is the exit code, minus the number of the signal that ended the process, or "late" if it had to be killed.
"""

import atexit
import faulthandler
import gc
import importlib
import json
import logging
import os
import pkgutil
import re
import resource
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any, NoReturn

BIGGEST_FILE = 1 << 30
PACKAGES = ("games", "players", "arena", "inarow", "game2048")  # of gridlab
LEFT_OUT = re.compile(r"\.(learn|environment|vector|openspiel)\b")  # torch, and frameworks of others
FIRST = (  # commands whose kernels many others need
    "tablebase build 3x3:3 --out t.tb --workers 1 --quiet",
    "grade random heuristic --game 3x3:3 --positions 5 --tablebase t.tb --workers 1 --quiet",
    "terminals build 3x3:3 --plies 5-7 --out wins --workers 1 --quiet",
    "2048 generate -g 1 -d 2 --max-moves 4 --seed 1 -o games.jsonl --workers 1 --quiet",
    "2048 verify games.jsonl",
)


def load_packages() -> None:
    """Import what commands need, so that a fork need not."""
    for name in PACKAGES:
        package = importlib.import_module(f"gridlab.{name}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not LEFT_OUT.search(module.name):
                importlib.import_module(module.name)


def main() -> None:
    bare, *modules = sys.argv[1:]
    if not bare:
        load_packages()
    for name in modules:
        importlib.import_module(name)
    if not bare:
        load_kernels()
    gc.freeze()  # a child that ends need not look through what it shares with its parent
    answers = os.fdopen(os.dup(1), "w")
    answers.write("ready\n")
    answers.flush()
    while line := sys.stdin.readline():
        wish = json.loads(line)
        folder = Path(tempfile.mkdtemp())  # no context: a child that ends would remove it too
        answer = run(wish, folder)
        shutil.rmtree(folder)
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def load_kernels() -> None:
    """Those of a few commands, run here, where no process has to be begun for them."""
    from gridlab.cli import run

    with (
        tempfile.TemporaryDirectory() as folder,
        chdir(folder),
        open(os.devnull, "w") as nowhere,  # noqa: PTH123
        redirect_stdout(nowhere),
        redirect_stderr(nowhere),
    ):
        for command in FIRST:
            assert run(command.split()) == 0, command
    logging.getLogger("gridlab").setLevel(logging.NOTSET)  # --quiet was for these alone


def run(wish: dict[str, Any], folder: Path) -> dict[str, Any]:
    begun = time.monotonic()
    for name in ("out", "err"):
        (folder / name).touch(0o600)  # a signal may come before the command has opened anything
    child = os.fork()
    if child == 0:
        become_command(wish, folder)
        from gridlab.__main__ import main

        if wish.get("dismantled"):
            main()
        end_soon(main)
    code, usage = watch(child, wish, begun)
    out, err = ((folder / name).read_text(errors="replace") for name in ("out", "err"))
    return {
        "code": code,
        "out": out,
        "err": err,
        "seconds": time.monotonic() - begun,
        "peak": usage.ru_maxrss << 10,
    }


def become_command(wish: dict[str, Any], folder: Path) -> None:
    """What a shell does before a program begins, and the limits."""
    os.setsid()
    keep_priority()
    os.chdir(wish["cwd"])
    os.environ.update(wish.get("env", {}))
    sys.argv = ["gridlab", *(os.fsdecode(os.fsencode(each)) for each in wish["args"])]
    streams = [
        os.open(wish.get("stdin", os.devnull), os.O_RDONLY),
        os.open(wish.get("stdout") or folder / "out", os.O_WRONLY | os.O_CREAT, 0o600),
        os.open(folder / "err", os.O_WRONLY | os.O_CREAT, 0o600),
    ]
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    for kind, limit in (
        (resource.RLIMIT_AS, size + wish["memory"]),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, wish.get("biggest_file", BIGGEST_FILE)),
    ):
        resource.setrlimit(kind, (limit, limit))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    faulthandler.enable()


def end_soon(main: Callable[[], None]) -> NoReturn:
    """Run it and end as Python ends, but do not dismantle what is shared with the parent: most commands are quicker."""
    code: Any = 1
    try:
        try:
            main()
        except SystemExit as ending:
            code = ending.code or 0
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        gc.collect()
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:
        code = 1
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(code)


def keep_priority() -> None:
    """A new session is a new group for Linux's scheduler, which would forget the priority that the tests were given."""
    with suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(os.getpriority(os.PRIO_PROCESS, 0)))


def watch(child: int, wish: dict[str, Any], begun: float) -> tuple[int | str, resource.struct_rusage]:
    signals = sorted(wish.get("signals", []))
    while True:
        ended, status, usage = os.wait4(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status), usage
        passed = time.monotonic() - begun
        if signals and passed > signals[0][0]:
            os.kill(child, signals.pop(0)[1])
        if passed > wish["seconds"]:
            os.kill(child, signal.SIGABRT)  # tells on stderr where it hangs
            time.sleep(0.5)
            os.killpg(child, signal.SIGKILL)
            return "late", os.wait4(child, 0)[2]
        time.sleep(0.002)


if __name__ == "__main__":
    main()
