"""Compiling ahead: commands are run on tiny inputs in worker processes, and their kernels stay in the cache.

The compiler holds a lock of its process, so all cores are used only by processes. A job is a few commands that share
kernels. Which files of the cache it used is written down beside them; while all of these are there, and no source
has changed, the job needs no second run.
"""

import contextlib
import io
import json
import logging
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from shlex import split
from typing import Annotated, Any, NamedTuple

import msgspec

from gridlab.core.errors import FileTrouble, GridlabError
from gridlab.core.jit import ADVICE, DISABLED, NOTE, digest_of, find_file, save_file, surroundings, used_files
from gridlab.core.progress import bar
from gridlab.core.run import as_done
from gridlab.core.untrusted import read_json, reason_of

FILES = {  # a board to read, lines from a keyboard, and a layer of 1x2:1 whose only record is not canonical
    "start": "3\nX..\n.O.\n...\nX\n",
    "typed": "values\nhint\n",
    "bare/layer_01.bin": "5TTT\1\0\0\0\1\0\0\0\0\0\0\0",
}
Kernel = Annotated[str, msgspec.Meta(pattern=r"^[^/\0]{1,200}/[^/\0]{1,200}\Z")]  # the name of a file of the cache
Run = Callable[[Sequence[str]], int]  # the words of a command -> its exit code


class WarmJob(NamedTuple):
    """Commands, run one after the other in a folder of their own."""

    name: str
    seconds: float  # about, of CPU, to compile and run
    commands: tuple[str, ...]
    needs: tuple[str, ...] = ()  # libraries without which they cannot be run

    @property
    def possible(self) -> bool:
        return all(map(find_spec, self.needs))


@dataclass(frozen=True)
class Done:
    """What became of a job."""

    job: str
    kernels: tuple[str, ...]  # files of the cache that were used
    compiled: int  # of them, just now
    seconds: float  # of CPU


@dataclass(frozen=True)
class Warmed:
    """All jobs that can be run here, those that needed it just run."""

    done: tuple[Done, ...]
    seconds: float

    @property
    def kernels(self) -> int:
        return len({kernel for each in self.done for kernel in each.kernels})

    @property
    def compiled(self) -> int:
        return sum(each.compiled for each in self.done)

    def as_dict(self) -> dict[str, Any]:
        facts = {"kernels": self.kernels, "compiled": self.compiled, "seconds": round(self.seconds, 1)}
        return {**facts, "jobs": [{**asdict(each), "kernels": len(each.kernels)} for each in self.done]}

    def __str__(self) -> str:
        if not self.done:
            return "nothing is compiled while NUMBA_DISABLE_JIT is set"
        if not self.compiled:
            return f"all {self.kernels} kernels are compiled already"
        return f"all {self.kernels} kernels are compiled, {self.compiled} of them now, in {self.seconds:.0f} s"


def warm(
    jobs: Iterable[WarmJob], run: Run, workers: int | None = None, progress: bool = False, anew: bool = False
) -> Warmed:
    """Run the jobs whose kernels are not all compiled yet, the longest first; with `anew` all of them."""
    begun = time.monotonic()
    possible = [job for job in jobs if job.possible and not DISABLED]
    done = {} if anew else {job.name: found for job in possible if (found := recalled(job, run)) is not None}
    if cold := [job for job in possible if job.name not in done]:
        done |= _compile(cold, run, workers, progress)
    return Warmed(tuple(done[job.name] for job in possible), time.monotonic() - begun)


def _compile(cold: list[WarmJob], run: Run, workers: int | None, progress: bool) -> dict[str, Done]:
    write_down(WarmJob("begun", 0, ()), run, ())  # a cache that cannot be written is told at once
    if named := os.environ.get("NUMBA_CACHE_DIR"):
        os.environ["NUMBA_CACHE_DIR"] = str(Path(named).absolute())  # workers change their folder
    logging.getLogger("gridlab").warning(NOTE)
    cold, whole, done = sorted(cold, key=lambda job: -job.seconds), sum(job.seconds for job in cold), {}
    share = {job.name: 100 * job.seconds / whole for job in cold}
    with bar(100, "compiling", "%", progress) as shown:
        for each in as_done(partial(carry_out, run=run), cold, workers, shown.refresh):
            done[each.job] = each
            shown.update(share[each.job])
    return done


def carry_out(job: WarmJob, run: Run) -> Done:
    """Run a job in this process and write down which kernels it used.

    Those of earlier jobs of the process are counted in: they may be in use without being loaded again.
    """
    logging.getLogger("gridlab").setLevel(logging.ERROR)
    begun, before = time.process_time(), sum(used_files.values())
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, text in FILES.items():
            Path(name).parent.mkdir(exist_ok=True)
            Path(name).write_text(text)
        for command in job.commands:
            run_silently(command, run)
    kernels, compiled = tuple(sorted(used_files)), sum(used_files.values()) - before
    write_down(job, run, kernels)
    return Done(job.name, kernels, compiled, time.process_time() - begun)


def run_silently(command: str, run: Run) -> None:
    """Run a command; what it says is shown only if it fails."""
    said = io.StringIO()
    with (
        open("typed") as sys.stdin,  # noqa: PTH123
        open(os.devnull, "w") as nowhere,  # noqa: PTH123
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(said),
    ):
        code = run(split(command))
    if code:
        raise GridlabError(f"gridlab {command} ended with exit code {code}: {said.getvalue().strip()}")


def write_down(job: WarmJob, run: Run, kernels: Sequence[str]) -> None:
    try:
        save_file(note_name(job.name, run), json.dumps(kernels).encode())
    except OSError as error:
        raise FileTrouble(f"compiled kernels cannot be kept ({reason_of(error).lower()}); {ADVICE}") from error


def recalled(job: WarmJob, run: Run) -> Done | None:
    """What the job used when it was last run, if all of it is still there."""
    with contextlib.suppress(FileTrouble):  # damaged: the job is run again, and the note written anew
        note = find_file(note_name(job.name, run))
        if note and all(map(find_file, kernels := read_json(note, tuple[Kernel, ...]))):
            return Done(job.name, kernels, 0, 0.0)
    return None


def note_name(job: str, run: Run) -> str:
    """The file that lists the kernels of a job: another for other sources, another processor, other versions."""
    around = sha256(str(surroundings()).encode()).hexdigest()[:16]
    return f"gridlab.warm-{digest_of(run.__module__)}/{job}-{around}.json"
