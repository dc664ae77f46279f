"""Compiled kernels on disk: one file for each kernel and types of arguments, in a folder for each module.

    ~/.cache/gridlab/gridlab.core.bits-3f0c9a…/deposit-81d2….code
                     module     -  its sources   kernel  -  types of arguments, processor, versions

numba has such a cache too, but sees only the file of the function itself, and so serves stale code when a helper in
another file has changed. Here the name of the folder is a digest of all sources that the module reaches, and another
source leads to another folder. Each file is renamed into place, so that any number of processes may compile at once,
and a damaged file is compiled anew:

    SHA-256 of the rest | SHA-256 of the key (types of arguments, processor, versions) | code, pickled

Compiled code runs without question, and so does whatever a pickle says. So a file is read only if it, its folder and
every folder above belong to this user or to root and nobody else can write there (gridlab.core.ownership), whoever
named the place: an environment variable is no reason to trust it. Otherwise the kernel is compiled.
"""

import errno
import getpass
import hashlib
import logging
import os
import pickle
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core import caching, compiler, config
from numba.core.registry import cpu_target
from numba.core.runtime import rtsys
from numba.core.serialize import dumps

from gridlab.core.ownership import read_trusted, why_not_trusted
from gridlab.core.sources import digest_of

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
                rtsys.initialize(context)  # arrays are counted by it
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
        data = _digest(key) + dumps(bare._reduce())
        try:
            save_file(self._file(key), hashlib.sha256(data).digest() + data)
        except OSError as error:
            _say_not_kept(error.strerror)
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
    processor = cpu_target.target_context.codegen().magic_tuple()
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
            _write_whole(home / file, data)
            return
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
def _say_not_kept(reason: str) -> None:
    logging.getLogger("gridlab").warning(
        f"compiled kernels are not kept ({reason.lower()}), so every run compiles: {ADVICE}"
    )


@cache
def _say_not_trusted(reason: str) -> None:
    logging.getLogger("gridlab").warning(
        f"compiled kernels are kept elsewhere, or compiled in every run: {reason}, so anybody's code could be there; "
        f"{ADVICE} by you alone"
    )


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
            _say_not_trusted(reason)
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
    with suppress(RuntimeError):  # a user without a home
        yield user_caches() / "gridlab"


def user_caches() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home())
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
