"""Libraries that read damaged bytes run in a process of their own: one that crashes, hangs or swells harms nobody.

A module is run as a program (`python -m MODULE FILE`); it says `serve(read)`, where `read(path)` yields what it finds,
made of plain things that msgpack knows. Each answer stands on the pipe behind its length:

    ["answer", …]        some times, then one of    ["end", nil]    ["refusal", "why the file is none"]

A pipe that ends in any other way is a library that has crashed. Each answer may take some seconds of CPU, and all of
them together some memory; the clock on the wall is not looked at, because a command may have been suspended.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import msgspec

from gridlab.core.errors import CorruptFile, FileTrouble
from gridlab.core.untrusted import reason_of

try:
    import resource
except ImportError:  # Windows: no limits
    resource = None  # type: ignore[assignment]

Form = TypeVar("Form")

SECONDS = 5  # of CPU for one answer
MEMORY = 768 << 20  # bytes on top of what the program itself needs
LONGEST = 256 << 20  # bytes of an answer
HEAD = 8  # bytes of the length of an answer


def sandboxed(module: str, path: Path, form: type[Form], what: str) -> Iterator[Form]:
    """What the module finds in a file, each of a form; CorruptFile if it refuses the file, or does not survive it.

    -P: nothing is imported from the folder that the command runs in.
    """
    command = [sys.executable, "-P", "-m", module, str(path.absolute())]
    known = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "ARROW_DEFAULT_MEMORY_POOL": "system",
        "MALLOC_ARENA_MAX": "2",
    }
    try:
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=known
        )
    except OSError as error:
        raise FileTrouble(f"{path} cannot be read: no process can be started, {reason_of(error).lower()}") from error
    with child:
        try:
            while True:
                kind, found = _next(child, path, what)
                if kind == "end":
                    return
                yield msgspec.convert(found, form)
        except msgspec.ValidationError as error:
            raise CorruptFile(f"{path} is not a {what}: {reason_of(error)}") from error
        finally:
            child.kill()


def _next(child: "subprocess.Popen[bytes]", path: Path, what: str) -> tuple[str, Any]:
    assert child.stdout is not None
    length = int.from_bytes(child.stdout.read(HEAD), "little")
    text = child.stdout.read(length) if 0 < length <= LONGEST else b""
    if not text or len(text) < length:
        raise CorruptFile(f"{path} is not a {what}: the library that reads such files cannot cope with it")
    kind, found = msgspec.msgpack.decode(text, type=tuple[str, Any])
    if kind == "refusal":
        raise CorruptFile(f"{path} is not a {what}: {found}")
    return kind, found


def name_of(file: BinaryIO, path: Path) -> str:
    """A name by which a library opens the very file that was opened and looked at, whatever the path leads to now."""
    own = Path(f"/dev/fd/{file.fileno()}")
    return str(own if own.exists() else path)


def serve(read: Callable[[Path], Iterable[Any]]) -> None:
    """The program itself: read the file that the command line names, and give what was found."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever waits for the answers
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # whatever a library prints
    _limit_memory()
    with suppress(BrokenPipeError):
        try:
            _limit_seconds()
            for found in read(Path(sys.argv[1])):
                _give(pipe, "answer", found)
                _limit_seconds()
        except BrokenPipeError:
            raise
        except Exception as error:  # what a library raises on damaged bytes is not for us to list
            _give(pipe, "refusal", reason_of(error))
        else:
            _give(pipe, "end", None)
    os._exit(0)  # what a library has left half done is not to be tidied up


def _give(pipe: Any, kind: str, found: Any) -> None:
    text = msgspec.msgpack.encode((kind, found))
    pipe.write(len(text).to_bytes(HEAD, "little") + text)
    pipe.flush()


def _limit_memory() -> None:
    """Of what can be written to; libraries reserve much more address space than they use."""
    if resource is not None and Path("/proc/self/statm").exists():
        size = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
        _limit(resource.RLIMIT_DATA, size + MEMORY)


def _limit_seconds() -> None:
    if resource is not None:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        _limit(resource.RLIMIT_CPU, int(usage.ru_utime + usage.ru_stime) + 1 + SECONDS)


def _limit(kind: int, wanted: int) -> None:
    """The soft limit alone, within the hard one: it is moved on with every answer."""
    _, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))
