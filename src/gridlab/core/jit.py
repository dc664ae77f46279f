"""`@kernel`: where numba is used, and compiled kernels on disk.

A kernel is compiled on first use, releases the GIL and is cached on disk. It takes
NamedTuples but gives numbers, arrays and plain tuples to Python: numba makes a NamedTuple by calling its class, and
crashes if Ctrl-C is raised there.
With NUMBA_DISABLE_JIT=1 every kernel is the plain Python function it was written as.
"""

import errno
import getpass
import hashlib
import logging
import os
import pickle
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numba
from numba import extending, types
from numba.core import caching, compiler, config, event, registry, runtime, serialize

from gridlab.core.errors import FileTrouble

# ---- Files that nobody else can have written: theirs is the code that runs without question
#
# A file is trusted if it belongs to this user or to root, nobody else can write to it, and the same holds for its
# folder and every folder above: whoever can write to one of them can put another file in its place. In a sticky folder,
# such as /tmp, others can add files but not replace ours, so it counts as safe. Links are refused, but for those of the
# system at the very top (/var on macOS, /home on some): whoever made one can point it elsewhere later.


OURS = hasattr(os, "getuid")  # Windows: the folders of caches are the user's own


def read_trusted(path: Path) -> bytes:
    """The bytes of a file, or FileTrouble if anybody else could have written them.

    What is looked at is the file that was opened, so that it cannot be exchanged after the look.
    """
    if not OURS:
        return path.read_bytes()
    if reason := why_not_trusted(path.parent):
        raise FileTrouble(f"{path} is not read: {reason}")
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode) or (reason := _why_not_ours(str(path), file.fileno(), found)):
            raise FileTrouble(f"{path} is not read: {reason or 'it is not a regular file'}")
        return file.read()


def why_not_trusted(folder: Path) -> str:
    """Why others could have put something into a folder, or could once it is made; empty if they cannot.

    A folder that others cannot change stays so; one that is missing may be made by anybody, and is looked at anew.
    """
    if not OURS:
        return ""
    here = Path.cwd() / folder  # with the links that it names
    return _why_not(here) if os.path.lexists(here) else _why_not.__wrapped__(here)


@cache
def _why_not(folder: Path) -> str:
    chain = folder, *folder.parents, folder.resolve(), *folder.resolve().parents
    return next(filter(None, map(_why_not_safe, filter(os.path.lexists, chain))), "")


def _why_not_safe(folder: Path) -> str:
    try:
        found = folder.lstat()
    except OSError as error:
        return f"{folder} cannot be looked at: {(error.strerror or '').lower()}"
    if stat.S_ISLNK(found.st_mode):
        return "" if found.st_uid == 0 and folder.parent == Path(folder.anchor) else f"{folder} is a link"
    return _why_not_ours(str(folder), folder, found)


def _why_not_ours(name: str, place: Path | int, found: os.stat_result) -> str:
    if found.st_uid not in (0, os.getuid()):
        return f"{name} belongs to another user"
    sticky = stat.S_ISDIR(found.st_mode) and found.st_mode & stat.S_ISVTX
    shared = found.st_mode & stat.S_IWGRP and not (_alone_in(found.st_gid) and not _has_list(place))
    writable = found.st_mode & stat.S_IWOTH or shared
    return f"{name} can be written by others" if writable and not sticky else ""


def _has_list(place: Path | int) -> bool:
    """Whether a list of rights (ACL) goes with a file: then the rights of the group stand for those of all it names."""
    try:
        return bool(os.getxattr(place, "system.posix_acl_access"))
    except (AttributeError, OSError):  # not on this system, not on this disk, or there is none
        return False


@cache
def _alone_in(group: int) -> bool:
    """Whether a group is the private one of this user: of the same name, and without other members."""
    with suppress(ImportError, KeyError):
        import grp
        import pwd

        user, found = pwd.getpwuid(os.getuid()), grp.getgrgid(group)
        members = {*found.gr_mem, *(each.pw_name for each in pwd.getpwall() if each.pw_gid == group)}
        return found.gr_name == user.pw_name and members == {user.pw_name}
    return False


# ---- Which sources a module reaches, and one digest of them all: what a kernel is compiled from
#
# A kernel is frozen together with everything it names: kernels and intrinsics of other modules, constants of the rules.
# What it names its module has imported. So a module reaches itself, what it imports anywhere in its text, and what
# those reach, within gridlab; an import too many only costs a compilation, one overlooked would serve stale code.
#
# Import lines are searched for, not parsed: every start of the program does it, and all of gridlab takes milliseconds.


PACKAGE = str(Path(__file__).parent.parent)
NAME = re.compile(
    rb"""gridlab \b ((?:\.\w+)*)             # gridlab.core.bits
    (?:[ ]import[ ]                          # and the names taken from it, which may be modules:
      ( \( (?:[^)#]|\#[^\n]*)* \)            # in parentheses, over many lines,
      | (?:[^\n\\]|\\\n)* ))?               # or to the end of the line
    """,
    re.VERBOSE,
)
WORD = re.compile(rb"\w+")


class Source(NamedTuple):
    digest: bytes
    imports: frozenset[str]  # modules of gridlab


@cache
def digest_of(module: str) -> str:
    """One digest of the sources that a module of this package reaches, its own included."""
    digest = hashlib.sha256()
    for name in sorted(reached(module)):
        digest.update(name.encode() + b"\0" + read(name).digest)
    return digest.hexdigest()[:16]


def reached(module: str) -> set[str]:
    """The module, the modules it imports, those that they import, and so on."""
    found, unread = {module}, [module]
    while unread:
        new = read(unread.pop()).imports - found
        found |= new
        unread.extend(new)
    return found


@cache
def read(module: str) -> Source:
    with open(file_of(module), "rb") as file:  # noqa: PTH123 paths as text: half the time
        text = file.read()
    return Source(hashlib.sha256(text).digest(), imports(text))


def imports(text: bytes) -> frozenset[str]:
    """The modules of gridlab that a text imports, wherever it does; spaces are single, as ruff leaves them."""
    found: set[str] = set()
    for match in NAME.finditer(text):
        if text[match.start() - 5 : match.start()] in (b"from ", b"port "):
            dotted, names = match.groups(b"")
            place = f"gridlab{dotted.decode()}"
            if names and file_of(place).endswith("__init__.py"):
                found.update(module_of(f"{place}.{name.decode()}") for name in WORD.findall(names))
            else:
                found.add(module_of(place))
    return frozenset(found)


@cache
def module_of(name: str) -> str:
    """The module that a dotted name is, or lies in: gridlab.core.bits.popcount -> gridlab.core.bits."""
    while not file_of(name) and name != "gridlab":
        name = name.rpartition(".")[0]
    return name


@cache
def file_of(name: str) -> str:
    """The source of a module or package; empty if there is none of this name."""
    place = os.path.join(PACKAGE, *name.split(".")[1:])  # noqa: PTH118
    candidates = f"{place}.py", os.path.join(place, "__init__.py")  # noqa: PTH118
    return next((file for file in candidates if os.path.isfile(file)), "")  # noqa: PTH113


# ---- Compiled kernels on disk: one file for each kernel and types of arguments, in a folder for each module
#
#     ~/.cache/gridlab/gridlab.core.bits-3f0c9a…/deposit-81d2….code
#                      module     -  its sources   kernel  -  types of arguments, processor, versions
#
# numba has such a cache too, but sees only the file of the function itself, and so serves stale code when a helper in
# another file has changed. Here the name of the folder is a digest of all sources that the module reaches, and another
# source leads to another folder. Each file is renamed into place, so that any number of processes may compile at once,
# and a damaged file is compiled anew:
#
#     SHA-256 of the rest | SHA-256 of the key (types of arguments, processor, versions) | code, pickled
#
# Compiled code runs without question, and so does whatever a pickle says. So a file is read only if it, its folder and
# every folder above belong to this user or to root and nobody else can write there, whoever named the place: an
# environment variable is no reason to trust it. Otherwise the kernel is compiled.


KEPT = 4  # folders of a module that stay, so that two checkouts do not chase each other
FORGOTTEN = 100 * 24 * 3600.0  # seconds after which an unused folder goes, say of a module that has been renamed
ADVICE = "set NUMBA_CACHE_DIR to a folder that can be written"
CHECKSUM = hashlib.sha256().digest_size

used_files: dict[str, bool] = {}  # of kernels called from Python by this process, and whether it compiled them


class KernelCache(caching.NullCache):  # type: ignore[misc]
    """What numba asks before it compiles a kernel, and tells afterwards."""

    def __init__(self, function: Callable[..., Any], inner: bool = False) -> None:
        """`inner` is the version of a kernel that other kernels call."""
        self.inner = inner
        self.name = f"{'inner ' if inner else ''}{function.__name__}"
        self.folder = f"{function.__module__}-{digest_of(function.__module__)}"  # of the source as it was imported

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The compiled kernel for these types of arguments, or None.

        numba itself would load all it needs for compiling first, which takes longer than all the rest.
        """
        key = signature, surroundings()
        file = self._file(key)
        for home in homes():
            with suppress(Exception):  # missing, cut short, of another version of anything: compile it
                code = _checked(read_trusted(home / file), key)
                runtime.rtsys.initialize(context)  # arrays are counted by it
                loaded = compiler.CompileResult._rebuild(context, *code)
                _used(home / self.folder)
                self._note(file, compiled=False)
                return loaded
        return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep what has just been compiled; if there is no place for it, the next run compiles it again."""
        if compiled.lifted or compiled.library.has_dynamic_globals:  # holds addresses of this process
            return
        key = signature, surroundings()
        bare = compiled._replace(type_annotation="")  # a listing of the source, half of the file
        data = _digest(key) + serialize.dumps(bare._reduce())
        try:
            save_file(self._file(key), hashlib.sha256(data).digest() + data)
        except OSError as error:
            _say_once(f"not kept ({str(error.strerror).lower()}), so every run compiles: {ADVICE}")
        else:
            self._note(self._file(key), compiled=True)

    def _note(self, file: str, compiled: bool) -> None:
        if not self.inner:
            used_files.setdefault(file, compiled)

    def _file(self, key: tuple[Any, ...]) -> str:
        return f"{self.folder}/{self.name}-{_digest(key).hex()[:16]}.code"


def _digest(key: tuple[Any, ...]) -> bytes:
    return hashlib.sha256(str(key).encode()).digest()


def surroundings() -> tuple[Any, ...]:
    """What compiled code depends on apart from its source and the types of arguments."""
    processor = registry.cpu_target.target_context.codegen().magic_tuple()
    settings = str(config.OPT), config.BOUNDSCHECK, config.DEBUGINFO_DEFAULT
    return processor, settings, numba.__version__, sys.implementation.cache_tag


def _checked(data: bytes, key: tuple[Any, ...]) -> Any:
    """The code in a file, if the file is whole and holds what its name says; nothing is unpickled before."""
    if hashlib.sha256(data[CHECKSUM:]).digest() != data[:CHECKSUM]:
        raise ValueError("damaged")
    if data[CHECKSUM : 2 * CHECKSUM] != _digest(key):
        raise ValueError("of another kernel")
    return pickle.loads(data[2 * CHECKSUM :])


def find_file(file: str) -> Path | None:
    """Where a file of the cache is."""
    return next((home / file for home in homes() if (home / file).is_file()), None)


def save_file(file: str, data: bytes) -> None:
    """Write to the first home that takes it; if none does, the trouble of the first is raised."""
    trouble: list[OSError] = []
    for home in homes(make=True):
        try:
            return _write_whole(home / file, data)
        except OSError as error:
            trouble.append(error)
    raise trouble[0] if trouble else FileNotFoundError(errno.ENOENT, "no folder for them")


def _write_whole(path: Path, data: bytes) -> None:
    if not path.parent.is_dir():
        _make_private(path.parent)
        if reason := why_not_trusted(path.parent):  # somebody was faster
            raise PermissionError(errno.EACCES, reason)
        prune(path.parent)
    handle, name = tempfile.mkstemp(".part", ".", path.parent)  # a name that nobody can guess, a file that is ours
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        part.replace(path)
    finally:
        with suppress(OSError):
            part.unlink()  # still there only if something went wrong


def _make_private(folder: Path) -> None:
    """Make a folder and those above it, for this user alone, whatever the umask."""
    for each in reversed([folder, *folder.parents]):
        if not each.exists():
            each.mkdir(mode=0o700, exist_ok=True)


@cache
def _say_once(why: str) -> None:
    logging.getLogger("gridlab").warning(f"compiled kernels are {why}")


@cache
def _used(folder: Path) -> None:
    with suppress(OSError):
        os.utime(folder)


def prune(folder: Path) -> None:
    """Remove folders of the same module beyond the most recent ones, and any that nobody has used for long."""
    module = folder.name.rpartition("-")[0]
    beside = sorted(folder.parent.glob("gridlab.*-*"), key=_last_used, reverse=True)
    versions = [each for each in beside if each.name.rpartition("-")[0] == module]
    forgotten = [each for each in beside if _last_used(each) < time.time() - FORGOTTEN]
    for old in {*versions[KEPT:], *forgotten}:
        shutil.rmtree(old, ignore_errors=True)


def _last_used(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:  # another process has just removed it
        return 0.0


def homes(make: bool = False) -> Iterator[Path]:
    """Where compiled kernels may live: $NUMBA_CACHE_DIR, or else the user's cache folder, then a temporary one.

    None of them counts if anybody else can write there, or could have; that is said once. `make` makes the temporary
    one if it is missing.
    """
    for home in _named_homes():
        if reason := why_not_trusted(home):
            safe = f"{reason}, so anybody's code could be there; {ADVICE} by you alone"
            _say_once(f"kept elsewhere, or compiled in every run: {safe}")
        else:
            yield home
    if config.CACHE_DIR:
        return
    shared = Path(tempfile.gettempdir()) / f"gridlab-{getattr(os, 'getuid', getpass.getuser)()}"
    with suppress(FileExistsError):
        if make:
            shared.mkdir(mode=0o700)
    if shared.is_dir() and not why_not_trusted(shared):
        yield shared


def _named_homes() -> Iterator[Path]:
    if config.CACHE_DIR:
        yield Path(config.CACHE_DIR)
        return
    variable, usual = ("LOCALAPPDATA", "") if sys.platform == "win32" else ("XDG_CACHE_HOME", ".cache")
    with suppress(RuntimeError):  # a user without a home
        yield Path(os.environ.get(variable) or Path.home() / usual) / "gridlab"


# ---- `@kernel`: where numba is used


__all__ = ["inner", "intrinsic", "kernel", "overload", "types"]

F = TypeVar("F", bound=Callable[..., Any])
OPTIONS = {"nopython": True, "nogil": True, "boundscheck": None, "no_cfunc_wrapper": True}
DISABLED = bool(config.DISABLE_JIT)
NOTE = "compiling, first run only"


def kernel(function: F) -> F:
    """Compile `function` on first use, without the GIL; compiled code is shared by all runs of this source.

    Kernels from elsewhere, from a notebook, say, are compiled in each process: what they reach can change unseen.
    """
    return function if DISABLED else Kernel(function, targetoptions=OPTIONS)


class Kernel(registry.CPUDispatcher):  # type: ignore[misc]
    """A function compiled for Python to call, and its `inner` version for other kernels to call.

    The way in from Python, which takes arguments apart, is a good third of the work of compiling; most kernels need
    none, as they are called by kernels alone.
    """

    def __init__(self, function: Callable[..., Any], *settings: Any, **options: Any) -> None:
        super().__init__(function, *settings, **options)
        self.is_kept = _source_is_known(function)
        if self.is_kept:
            self._cache = KernelCache(function)

    @cached_property
    def inner(self) -> Any:
        inner = registry.CPUDispatcher(self.py_func, targetoptions={**OPTIONS, "no_cpython_wrapper": True})
        if self.is_kept:
            inner._cache = KernelCache(self.py_func, inner=True)
        return inner

    @property
    def _numba_type_(self) -> Any:
        """What other kernels see."""
        return self.inner._numba_type_


def _source_is_known(function: Callable[..., Any]) -> bool:
    """A function of a module of gridlab, defined there once: one defined anew is of a module that was reloaded."""
    ours = function.__module__.startswith("gridlab.") and function.__name__ == function.__qualname__
    return ours and function.__name__ not in function.__globals__


def inner(function: F) -> F:
    """A function that kernels call, compiled as a part of them; from Python it runs as it is written.

    Without an entry for Python it compiles in two thirds of the time, and once for all integers, constants or not.
    """
    return extending.register_jitable(no_cfunc_wrapper=True)(function)  # type: ignore[no-any-return]


def intrinsic(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that the compiler builds instruction by instruction."""
    return extending.intrinsic(function)  # type: ignore[no-any-return]


def overload(plain: Callable[..., Any]) -> Callable[[F], F]:
    """What kernels call in the place of the function `plain`."""
    return extending.overload(plain, strict=False)  # type: ignore[no-any-return]


class CompilationNote(event.Listener):  # type: ignore[misc]
    """Says once, on stderr, why the first run takes seconds longer; knows how many kernels are being compiled."""

    said = False
    under_way = 0

    def on_start(self, event: Any) -> None:
        self.under_way += 1
        dispatcher = event.data["dispatcher"]
        if not self.said and dispatcher.py_func.__module__.startswith("gridlab."):
            self.said = True
            logging.getLogger("gridlab").warning(NOTE)

    def on_end(self, event: Any) -> None:
        self.under_way -= 1


_NOTE = CompilationNote()
event.register("numba:compile", _NOTE)


def compiling() -> bool:
    """Whether this process is compiling a kernel just now, in whatever thread."""
    return _NOTE.under_way > 0
