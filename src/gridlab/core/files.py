"""Files that appear whole or not at all: written beside their place, checksummed, synced, renamed.

    with whole_file(Path("a/b.csv")) as file:      a/.b.csv.TOKEN.part   while it is being written
        file.write(b"...")                         a/b.csv               once it is complete
    file.size, file.sha256

If anything goes wrong inside the block, the file that was there before is still there, untouched. What may stand at the
place, and what becomes of it:

    nothing, a regular file      the new file takes its place, with the mode of the old one
    a link                       what it points to is written; the link stays
    a device, a pipe             is written through, once all is ready; it stays what it is
    a folder, a loop of links    refused

One writer at a time: a lock beside the place dies with its process, and a second writer is refused. TOKEN is drawn by
chance, and the part is a new file or none: in a folder that others can write nobody can put a link in its way.
"""

import errno
import hashlib
import json
import os
import re
import secrets
import shutil
import stat
import struct
import tempfile
import threading
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from itertools import accumulate, pairwise
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol

from gridlab.core.arguments import shortened
from gridlab.core.errors import CorruptFile, FileTrouble, GridlabError
from gridlab.core.run import variable
from gridlab.core.untrusted import Pieces, open_regular, reason_of

try:
    import fcntl
except ImportError:  # Windows: no lock
    fcntl = None  # type: ignore[assignment]

RESULTS_VERSION = 1  # the version of results: it changes when they do, not when speed does; datasets carry it
MOST_FOLDERS = 200  # in a path; pathlib makes them by recursion
LONGEST_NAME = 180  # bytes of a name that stand in the name of its part
LOCK = ".lock"  # in a folder
TOKEN = 8  # bytes of chance in the name of a part
ROOM = ".room"  # how the name of a folder beside a part ends
LEFT = rf"(\d+|[0-9a-f]{{{2 * TOKEN}}})\.part({re.escape(ROOM)})?"  # how its name ends; it once had a process number
NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)  # 0 on some systems
_HELD: dict[Path, int] = {}  # the locks of this process, with the thread that has each
PAUSE = 0.001, 0.01  # seconds between two attempts to get a lock, by chance
LATEST = 253402300799  # the last second of the year 9999


class BeingWritten(FileTrouble):
    """A file that somebody else is writing."""


class Sink(Protocol):
    """Anything that bytes can be written to."""

    def write(self, data: bytes | memoryview, /) -> object: ...


class Checksummed:
    """A file being written that knows its size and SHA-256."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self.size = 0

    def write(self, data: bytes | memoryview, /) -> None:
        self._file.write(data)
        self._digest.update(data)
        self.size += len(data)

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()


@contextmanager
def whole_file(path: Path) -> Iterator[Checksummed]:
    """Write `path` beside its place and rename it there when the block ends well; folders are made as needed."""
    with beside(path) as part, os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | NO_LINK, 0o666), "wb") as file:
        yield Checksummed(file)


@contextmanager
def beside(path: Path) -> Iterator[Path]:
    """A path for writers that want one: the file they make there takes the place of `path` at the end."""
    with _writing(path):
        place = check_place(path)
        with _written_through(place) if _is_special(place) else _renamed(place) as part:
            yield part


@contextmanager
def room_beside(part: Path) -> Iterator[Path]:
    """A folder for pieces that a part is put together from; a writer that is killed leaves both to the next one."""
    room = part.with_name(part.name + ROOM)
    room.mkdir(mode=0o700)
    try:
        yield room
    finally:
        shutil.rmtree(room, ignore_errors=True)


class Appended(AbstractContextManager["Appended"]):
    """A file that whole lines are added to, one after the other; trouble with it shows when it is opened.

    Nobody else writes to it until it is closed, under whatever name; a device or a pipe is for everybody. Whoever
    wants to share a file (a log of several processes) has it for a line at a time, and waits some seconds for it.
    """

    def __init__(self, path: Path, seconds: float = 0.0) -> None:
        self.path, end = path, time.monotonic() + seconds
        while True:
            try:
                return self._open(check_place(path))
            except BeingWritten:
                if time.monotonic() >= end:
                    raise
            time.sleep(secrets.SystemRandom().uniform(*PAUSE))

    def _open(self, place: Path) -> None:
        with ExitStack() as stack, _writing(self.path):
            if not _is_special(place):
                stack.enter_context(locked(self.path))
            self._file = stack.enter_context(place.open("ab", buffering=0))
            if fcntl is not None and not _is_special(place):
                _hold(self._file.fileno(), self.path)  # a hard link to it has a lock of its own beside it
            self._held = stack.pop_all()

    def add(self, line: bytes) -> None:
        """Add a line; a disk that takes only a part of it keeps nothing of it."""
        begin = self._file.tell() if self._file.seekable() else None
        with _writing(self.path):
            try:
                if self._file.write(line) != len(line):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            except OSError:
                if begin is not None:
                    self._file.truncate(begin)
                raise

    def close(self) -> None:
        self._held.close()

    def __exit__(self, *ending: object) -> None:
        self.close()


@contextmanager
def _renamed(place: Path) -> Iterator[Path]:
    """A file beside its place, which it takes at the end."""
    with _folders_for(place), _lock(_hidden(place, "lock"), place, lasting=False):
        _remove_abandoned(place)
        part = _new_part(place)
        try:
            yield part
            if place.exists():
                part.chmod(stat.S_IMODE(place.stat().st_mode))
            _sync(part, os.O_RDWR)
            part.replace(place)
        finally:
            with suppress(OSError):
                part.unlink()  # still there only if something went wrong
    if hasattr(os, "O_DIRECTORY"):  # the rename itself must survive a power cut, where there is a way to say so
        _sync(place.parent, os.O_RDONLY | os.O_DIRECTORY)


def _new_part(place: Path) -> Path:
    """An empty file beside a place, of a name that the next writer knows for a part if this one is killed."""
    part = _hidden(place, f"{secrets.token_hex(TOKEN)}.part")
    os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK, 0o666))
    return part


@contextmanager
def _written_through(place: Path) -> Iterator[Path]:
    """A temporary file that goes through a device or a pipe at the end."""
    with tempfile.TemporaryDirectory() as folder:
        part = Path(folder) / "part"
        yield part
        with part.open("rb") as source, place.open("wb", buffering=0) as device:
            shutil.copyfileobj(source, device)


def _is_special(place: Path) -> bool:
    return place.exists() and not place.is_file()


def is_there(name: str) -> bool:
    """Whether a text names anything on the disk; one that no file can have (too long, a zero byte) names nothing."""
    try:
        return Path(name).exists()
    except OSError:
        return False


def check_place(path: Path) -> Path:
    """Where a file of that name would be written, links followed; FileTrouble if nothing can be written there."""
    try:
        place = path.resolve()
        is_folder = not path.name or place.is_dir()
    except (OSError, RuntimeError, ValueError) as error:  # a loop of links, a name with a null byte
        raise _trouble(path, error) from error
    if is_folder:
        raise FileTrouble(f"cannot write {str(path)!r}: it is a folder; name a file")
    if len(place.parts) > MOST_FOLDERS:
        raise FileTrouble(f"cannot write {shortened(str(path))}: it lies in more than {MOST_FOLDERS} folders")
    return place


def check_source(path: Path | None) -> Path:
    """A file or folder to read, if it is there and may be read."""
    if path is None:
        raise FileTrouble("an empty name is not a file; name a file")
    try:
        path.stat()
    except (OSError, ValueError) as error:
        raise FileTrouble(f"{shortened(str(path), 120)} cannot be read: {reason_of(error).lower()}") from error
    if not os.access(path, os.R_OK):
        raise FileTrouble(f"{path} cannot be read: permission denied")
    return path


def resolved(path: Path) -> Path:
    """A path with links followed; FileTrouble if they lead nowhere."""
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError) as error:  # a loop of links, a name with a null byte
        raise FileTrouble(f"{path} cannot be followed: {error}; name another place") from error


def try_place(path: Path | None) -> Path:
    """Find out, before the work, whether a file can be written: make its folder and a part of it, and remove both."""
    if path is None:
        raise FileTrouble("cannot write '': an empty name is not a file; name a file")
    place = check_place(path)
    if _is_special(place):
        return path
    with _writing(path), _folders_for(place), locked(place):
        _remove_abandoned(place)  # maybe what was tried here when its process was killed
        _new_part(place).unlink()
    return path


def try_folder(path: Path | None) -> Path:
    """Find out, before the work, whether files can be written into a folder."""
    if path is None or (os.path.lexists(path) and not path.is_dir()):
        raise FileTrouble(f"cannot write into {str(path or '')!r}: it is not a folder; name a folder")
    try_place(path / "part")
    return path


@contextmanager
def _folders_for(place: Path) -> Iterator[None]:
    """The folders of a place while they are needed: those that were not there are removed again."""
    missing = [each for each in place.parents if not each.exists()]
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        yield
    finally:
        for each in missing:
            with suppress(OSError):  # somebody has put something there
                each.rmdir()


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Say in a sentence why a file cannot be written."""
    try:
        yield
    except OSError as error:
        raise _trouble(path, error) from error


def _trouble(path: Path, error: Exception) -> FileTrouble:
    in_the_way = isinstance(error, FileExistsError | NotADirectoryError)
    reason = "a file stands where a folder is needed" if in_the_way else reason_of(error).lower()
    return FileTrouble(f"cannot write {shortened(str(path), 120)}: {reason}; name a place that can be written")


def _hidden(place: Path, ending: str) -> Path:
    """A name beside a place that nobody else uses, short enough whatever the name of the place."""
    name = place.name
    if len(os.fsencode(name)) > LONGEST_NAME:
        name = hashlib.sha256(os.fsencode(name)).hexdigest()[:32]
    return place.with_name(f".{name}.{ending}")


def _remove_abandoned(place: Path) -> None:
    """Parts that a killed process has left; whoever holds the lock is the only writer."""
    for entry in os.scandir(place.parent):
        if re.fullmatch(re.escape(_hidden(place, "").name) + LEFT, entry.name):
            _discard(Path(entry.path))


def _remove_left(folder: Path) -> None:
    """Parts and locks of killed writers of all files in a folder: those whose lock nobody holds."""
    for path in list(folder.iterdir()):
        found = re.fullmatch(rf"(\..+)\.(?:{LEFT}|lock)", path.name)
        if found is None or (lock := folder / f"{found[1]}.lock") in _HELD:
            continue
        with suppress(OSError, FileTrouble), _lock(lock, folder, lasting=False):  # refused: its writer lives
            _discard(path)


def _discard(path: Path) -> None:
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


@contextmanager
def locked(place: Path) -> Iterator[None]:
    """The right to write a file, until the block or the process ends; FileTrouble if another process has it.

    The lock is a file beside the place. It is removed at the end, so whoever gets it looks whether it is still there.
    Whoever has it may take it again: a run that holds its target writes it in the end. The folder is made as needed.
    """
    real = check_place(place)
    with _entered(place, _folders_for(real), _lock(_hidden(real, "lock"), place)):
        yield


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """A lock on a folder, which is made if it is not there, and removed if nothing has come into it.

    What killed writers have left in it is removed; what somebody else is writing there, a file of another name, is not.
    """
    lock = resolved(folder) / LOCK
    again = lock in _HELD
    with _entered(folder, _folders_for(folder / LOCK), _lock(lock, folder)):
        if fcntl is not None and not again:
            _remove_left(lock.parent)
        yield


@contextmanager
def _entered(place: Path, *contexts: AbstractContextManager[None]) -> Iterator[None]:
    """Contexts entered one after the other; what the system has against that is said in a sentence."""
    with ExitStack() as stack:
        with _writing(place):
            for each in contexts:
                stack.enter_context(each)
        yield


@contextmanager
def _lock(path: Path, place: Path, lasting: bool = True) -> Iterator[None]:
    """A lock; one that lasts lets whoever has it take it again."""
    thread = threading.get_ident()
    if fcntl is None or _HELD.get(path) == thread or not os.access(path.parent, os.W_OK):
        yield
        return
    file = _take(path, place)
    if lasting:
        _HELD[path] = thread
    try:
        yield
    finally:
        _HELD.pop(path, None)
        with suppress(OSError):
            path.unlink()
        os.close(file)


def _take(path: Path, place: Path) -> int:
    while True:
        with ExitStack() as stack:
            file = os.open(path, os.O_RDWR | os.O_CREAT | NO_LINK, 0o600)
            stack.callback(os.close, file)
            _hold(file, place)
            with suppress(OSError):  # it was removed between opening and locking
                if path.stat().st_ino == os.fstat(file).st_ino:
                    stack.pop_all()
                    return file


def _hold(file: int, place: Path) -> None:
    """Lock an open file until it is closed, or say that somebody else has."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise BeingWritten(f"another process is writing {place}; wait for it, or name another place") from error


def _sync(path: Path, flags: int) -> None:
    with ExitStack() as stack:
        stack.callback(os.close, descriptor := os.open(path, flags))
        os.fsync(descriptor)


def refuse_overlap(source: Path, target: Path) -> None:
    """Refuse an output that is what is being read, or lies inside it."""
    read, written = resolved(source), resolved(target)
    try:
        same = read == written or (read.exists() and written.exists() and read.samefile(written))
        inside = read.is_dir() and read in written.parents
    except OSError as error:  # a name that is too long
        raise FileTrouble(f"{target} cannot be compared with {source}: {error.strerror}; name another place") from error
    if same or inside:
        raise FileTrouble(f"{target} is, or lies inside, {source}, which is being read; name another place")


def sha256_of(path: Path) -> str:
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_json(path: Path, value: object) -> None:
    with whole_file(path) as file:
        file.write((json.dumps(value, indent=2) + "\n").encode())


def timestamp() -> str:
    """Now, in UTC with offset; SOURCE_DATE_EPOCH fixes it, so that what is made can be made again to the byte."""
    epoch = variable("SOURCE_DATE_EPOCH")
    if epoch and not (epoch.isascii() and epoch.isdigit() and len(epoch) < 13 and int(epoch) <= LATEST):
        raise FileTrouble(f"SOURCE_DATE_EPOCH is {epoch!r}; it takes seconds since 1970, such as 1700000000")
    moment = datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)
    return moment.isoformat(timespec="seconds")


# ---- Files of solved games: packed blocks one after the other, behind them a directory that says where each stands
#
#     offset
#          0   8   magic: of which kind the file is
#          8   …   blocks
#          D   …   directory, in one section or several
#              8   offset of each section, uint64       all numbers little-endian
#         -12  4   CRC-32 of the directory
#          -8  8   magic of the end: the file is whole
#
# What the sections say is up to the kind; whoever reads them checks them.


class Kind(NamedTuple):
    """What all files of a kind have in common."""

    name: str  # with its article
    magic: bytes
    end: bytes
    sections: int
    most: int  # bytes of all sections

    @property
    def footer(self) -> struct.Struct:
        return struct.Struct(f"<{self.sections}QI{len(self.end)}s")


def write_directory(file: Checksummed, kind: Kind, sections: Sequence[bytes]) -> None:
    """End a file that begins with the magic of its kind, and then holds its blocks."""
    places, directory = list(accumulate(map(len, sections), initial=file.size)), b"".join(sections)
    file.write(directory + kind.footer.pack(*places[:-1], zlib.crc32(directory), kind.end))


class Container:
    """A file opened for reading, with both ends whole and the checksum of its directory tested."""

    def __init__(self, path: Path, kind: Kind) -> None:
        self.path, self.data = path, Pieces(path)
        with naming(path):
            places = self._read_footer(kind)
        self.blocks_end = places[0]
        self.sections = [self.data[begin:end] for begin, end in pairwise(places)]

    def _read_footer(self, kind: Kind) -> list[int]:
        """Where each section begins, and where the last one ends."""
        data, footer = self.data, kind.footer
        if not len(data):
            raise CorruptFile("the file is empty")
        if data[: len(kind.magic)] != kind.magic:
            raise CorruptFile(f"begins with {data[:8]!r}, {kind.name} with {kind.magic!r}")
        if len(data) < len(kind.magic) + footer.size or data[-len(kind.end) :] != kind.end:
            raise CorruptFile("the end is missing: the file has been cut or was never finished")
        end = len(data) - footer.size
        *begins, checksum, _ = footer.unpack(data[end:])
        places = [len(kind.magic), *begins, end]
        placed = places == sorted(places) and end <= begins[0] + kind.most
        if not placed or zlib.crc32(data[begins[0] : end]) != checksum:
            raise CorruptFile("the directory is damaged: its checksum differs")
        return places[1:]


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Say of which file it is that something is wrong."""
    try:
        yield
    except GridlabError as error:
        raise CorruptFile(f"{path}: {error}") from error
