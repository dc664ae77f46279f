"""Files that anybody may have written: read within bounds, believed only as far as they were checked.

    open_regular           a file on a disk; a pipe, a socket, a device or a folder is refused and never waited for
    Pieces                 such a file, read piece by piece for as long as it is needed
    read_bytes, lines      no more bytes than such a file can have; one that changes its size meanwhile is refused
    parse_json, read_json  JSON of a declared form (msgspec): types, ranges and names are checked while it is read
    unpack                 a zstandard frame, if it holds as many bytes as it should
    checked_array          numbers of one kind, one shape, one range: the only way for arrays from a file to a kernel
    read_head              the magic and the header with which a file begins
    ends_with_digest       whether a file ends with the checksum of all the rest
    refusing               whatever a library makes of damaged bytes becomes one sentence

FileTrouble says that a file cannot be read, CorruptFile that it is not what it should be.
"""

import hashlib
import os
import signal
import stat
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, TypeVar

import msgspec

from gridlab.core.errors import CorruptFile, FileTrouble, GridlabError
from gridlab.core.run import here

try:
    import resource
except ImportError:  # Windows: no limits
    resource = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

MOST_BYTES = 64 << 20  # of a file that is read as a whole
PREAD: Callable[[int, int, int], bytes] | None = getattr(os, "pread", None)  # Windows has none
LONGEST_HEAD = 1 << 16  # bytes of the header of a file
LONGEST_LINE = 256 << 20  # bytes; a game of 2048 with everything known of its moves stays below

READING = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))  # some systems

Form = TypeVar("Form")
Count = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
Plain = str | int | float | bool | None  # what may stand where anything may be noted


@contextmanager
def refusing(path: Path | str, what: str) -> Iterator[None]:
    """Refuse a file that a library cannot read; `what` it should be is said with the reason."""
    try:
        yield
    except GridlabError:
        raise
    except FileNotFoundError as error:
        raise FileTrouble(f"{path} cannot be read: there is no such file") from error
    except IsADirectoryError as error:
        raise FileTrouble(f"{path} cannot be read: it is a folder; name a file") from error
    except Exception as error:  # what a library raises on damaged bytes is not for us to list
        raise CorruptFile(f"{path} is not {what}: {reason_of(error)}") from error


def reason_of(error: Exception) -> str:
    """An error in a few words, on one line."""
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return " ".join(reason.split())[:200]


@contextmanager
def reading(path: Path | str) -> Iterator[None]:
    """Say in a sentence why a file cannot be opened or read."""
    try:
        yield
    except (OSError, ValueError) as error:
        if isinstance(error, GridlabError):
            raise
        raise FileTrouble(f"{path} cannot be read: {reason_of(error).lower()}") from error


def open_regular(path: Path) -> BufferedReader:
    """A file on a disk, opened; anything else is refused instead of waited for.

    What is looked at is the file that was opened, so that it cannot be exchanged after the look; the look before keeps
    devices from being opened, which may do something.
    """
    place = here(path)
    _refuse_others(path, place.stat().st_mode)
    file = os.fdopen(os.open(place, READING), "rb")
    try:
        _refuse_others(path, os.fstat(file.fileno()).st_mode)
    except BaseException:
        file.close()
        raise
    return file


def _refuse_others(path: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise FileTrouble(f"{path} cannot be read: it is a folder; name a file")
    if not stat.S_ISREG(mode):
        raise FileTrouble(f"{path} cannot be read: it is a pipe, a socket or a device; name a file on a disk")


def read_bytes(path: Path, most: int = MOST_BYTES) -> bytes:
    """What a file holds, if that is not more than such a file can hold."""
    with reading(path), open_regular(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise CorruptFile(f"{path} has more than {most:,} bytes, more than such a file can have")
    return content


def lines(path: Path, most: int = LONGEST_LINE) -> Iterator[tuple[int, bytes]]:
    """The lines of a file, with their numbers from 1."""
    for number, line in enumerate(chunks(path, most + 1, by_line=True), 1):
        if len(line) > most:
            raise CorruptFile(f"{path}, line {number}: it has more than {most:,} bytes")
        yield number, line


def chunks(path: Path, size: int, by_line: bool = False) -> Iterator[bytes]:
    """The bytes of a file, so many at a time, or as many of a line."""
    with reading(path), open_regular(path) as file:
        left, read = size_of(file), file.readline if by_line else file.read
        while chunk := read(size):
            left -= len(chunk)
            _refuse_change(path, min(left, 0))
            yield chunk
        _refuse_change(path, left)


class Pieces:
    """The bytes of a file on a disk, which stays open and is read piece by piece: `pieces[8:16]`.

    Mapped, a file that another program cuts would end Python by a signal (SIGBUS); here it is refused with a sentence.
    """

    def __init__(self, path: Path) -> None:
        self.path, self._lock = path, threading.Lock()
        with reading(path), open_regular(path) as file:
            self._size, self._descriptor = size_of(file), os.dup(file.fileno())
        weakref.finalize(self, os.close, self._descriptor)

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, wanted: slice) -> bytes:
        start, stop, _ = wanted.indices(self._size)
        try:
            found = self._read(start, max(0, stop - start))
        except OSError as error:
            raise FileTrouble(f"{self.path} cannot be read: {reason_of(error).lower()}") from error
        if len(found) < stop - start:
            raise CorruptFile(f"{self.path} has been cut since it was opened; bring the whole file back")
        return found

    def _read(self, start: int, number: int) -> bytes:
        """So many bytes, fewer where the file ends; systems read about two gigabytes at once."""
        found = self._read_some(start, number)
        while 0 < len(found) < number and (more := self._read_some(start + len(found), number - len(found))):
            found += more
        return found

    def _read_some(self, start: int, number: int) -> bytes:
        if PREAD is not None:  # for any number of threads
            return PREAD(self._descriptor, number, start)
        with self._lock:
            os.lseek(self._descriptor, start, os.SEEK_SET)
            return os.read(self._descriptor, number)


def read_head(file: BinaryIO, magic: bytes, form: type[Form], where: object) -> Form:
    """What stands at the beginning: the magic, the length of a header (uint32, little-endian), the header as JSON."""
    start = file.read(len(magic) + 4)
    length = int.from_bytes(start[len(magic) :], "little")
    if start[: len(magic)] != magic or length > LONGEST_HEAD:
        raise CorruptFile(f"{where} does not begin with {magic.decode()} and a header")
    return parse_json(file.read(length), form, where)


def ends_with_digest(file: BinaryIO) -> bool:
    """Whether the last 32 bytes are the SHA-256 of all the others."""
    digest, left = hashlib.sha256(), file.seek(0, os.SEEK_END) - hashlib.sha256().digest_size
    file.seek(0)
    while left > 0 and (part := file.read(min(left, 1 << 20))):
        digest.update(part)
        left -= len(part)
    return file.read() == digest.digest()


def size_of(file: BinaryIO) -> int:
    """The bytes of a file that is open."""
    return os.fstat(file.fileno()).st_size


def _refuse_change(path: Path, left: int) -> None:
    """Refuse a file with more bytes than it had when it was opened (reading it might never end), or with fewer."""
    if left:
        change = "grown" if left < 0 else "been cut"
        raise FileTrouble(f"{path} has {change} while it was read; wait until whoever writes it is done")


NOT_JSON = msgspec.MsgspecError, ValueError, RecursionError  # the first is a ValueError in newer versions only


def parse_json(text: bytes | str, form: type[Form], where: object) -> Form:
    """JSON of a form: a type, with msgspec.Meta for ranges; `where` it stands is said if it is anything else."""
    try:
        return msgspec.json.decode(text, type=form)
    except NOT_JSON as error:
        raise CorruptFile(f"{where}: {reason_of(error)}") from error


def read_json(path: Path, form: type[Form], most: int = MOST_BYTES) -> Form:
    """A file of JSON."""
    return parse_json(read_bytes(path, most), form, path)


def unpack(frame: bytes, expected: int, name: str, unit: str = "bytes") -> bytes:
    """What a zstandard frame holds, so many bytes and no others."""
    import zstandard

    try:
        stated = zstandard.frame_content_size(frame)  # what unpacking will take, whatever the frame holds
        if stated != expected:
            raise CorruptFile(f"{name} has {stated:,} {unit}, not {expected:,}")
        found = zstandard.ZstdDecompressor().decompress(frame, max_output_size=expected, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise CorruptFile(f"{name} cannot be unpacked: {error}") from error
    if len(found) != expected:
        raise CorruptFile(f"{name} has {len(found):,} {unit}, not {expected:,}")
    return found


def checked_array(
    found: Any, kind: "DTypeLike", shape: tuple[int, ...], low: int, high: int, name: str
) -> "NDArray[Any]":
    """Whole numbers from a file as an array of a kind, if they have the shape and lie in low … high; a copy if needed.

    Shape and type are looked at before any number is.
    """
    import numpy as np  # commands that read text alone do not need it

    array = np.asarray(found)
    if array.dtype.kind not in "iub" or array.shape != shape:
        raise CorruptFile(f"{name} is {array.dtype}{list(array.shape)}; whole numbers {list(shape)} are needed")
    if array.size and not low <= int(array.min()) <= int(array.max()) <= high:
        raise CorruptFile(f"{name} has numbers from {array.min()} to {array.max()}; {low} to {high} are possible")
    return np.ascontiguousarray(array, dtype=kind)


# ---- Libraries that read damaged bytes run in a process of their own: one that crashes, hangs or swells harms nobody
#
# A module is run as a program (`python -m MODULE FILE`); it says `serve(read)`, where `read(path)` yields what it
# finds, made of plain things that msgpack knows. Each answer stands on the pipe behind its length:
#
#     ["answer", …]        some times, then one of    ["end", nil]    ["refusal", "why the file is none"]
#
# A pipe that ends in any other way is a library that has crashed. Each answer may take some seconds of CPU, and all of
# them together some memory; the clock on the wall is not looked at, because a command may have been suspended.


SECONDS = 5  # of CPU for one answer
MEMORY = 768 << 20  # bytes on top of what the program itself needs
LONGEST_ANSWER = 256 << 20  # bytes of an answer
HEAD = 8  # bytes of the length of an answer


def sandboxed(module: str, path: Path, form: type[Form], what: str) -> Iterator[Form]:
    """What the module finds in a file, each of a form; CorruptFile if it refuses the file, or does not survive it.

    -P: nothing is imported from the folder that the command runs in.
    """
    command = [sys.executable, "-P", "-m", module, str(path.absolute())]
    reached = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    known = {**os.environ, **reached, "ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "2"}
    nothing = subprocess.DEVNULL
    try:
        child = subprocess.Popen(command, stdin=nothing, stdout=subprocess.PIPE, stderr=nothing, env=known)
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
    text = child.stdout.read(length) if 0 < length <= LONGEST_ANSWER else b""
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
