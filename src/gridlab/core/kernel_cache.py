"""Compiled kernels on disk: one file for each kernel and types of arguments, in a folder for each module.

    ~/.cache/gridlab/gridlab.core.bits-3f0c9a…/deposit-81d2….code
                     module     -  its sources   kernel  -  types of arguments, processor, versions

numba has such a cache too, but sees only the file of the function itself, and so serves stale code when a helper in
another file has changed. Here the name of the folder is a digest of all sources that the module reaches, and another
source leads to another folder. Each file begins with its checksum and is renamed into place, so that any number of
processes may compile at once, and a spoilt file is compiled anew.

Compiled code runs without question, so a folder that others may write to is not used.
"""

import errno
import getpass
import hashlib
import logging
import os
import pickle
import shutil
import stat
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

from gridlab.core.sources import digest_of

KEPT = 4  # folders of a module that stay, so that two checkouts do not chase each other
FORGOTTEN = 100 * 24 * 3600.0  # seconds after which an unused folder goes, say of a module that has been renamed
ADVICE = "set NUMBA_CACHE_DIR to a folder that can be written"
CHECKSUM = hashlib.sha256().digest_size

used_files: dict[str, bool] = {}  # of kernels called from Python by this process, and whether it compiled them


class KernelCache(caching.NullCache):  # type: ignore[misc]
    """What numba asks before it compiles a kernel, and tells afterwards."""

    def __init__(self, function: Callable[..., Any], inner: bool = False) -> None:
        """`inner` is the twin of a kernel that other kernels call."""
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
                code = _checked((home / file).read_bytes(), key)
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
        data = dumps((key, bare._reduce()))
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
        return f"{self.folder}/{self.name}-{hashlib.sha256(str(key).encode()).hexdigest()[:16]}.code"


def surroundings() -> tuple[Any, ...]:
    """What compiled code depends on apart from its source and the types of arguments."""
    processor = cpu_target.target_context.codegen().magic_tuple()
    settings = str(config.OPT), config.BOUNDSCHECK, config.DEBUGINFO_DEFAULT
    return processor, settings, numba.__version__, sys.implementation.cache_tag


def _checked(data: bytes, key: tuple[Any, ...]) -> Any:
    """The code in a file, if the file is whole and holds what its name says."""
    if hashlib.sha256(data[CHECKSUM:]).digest() != data[:CHECKSUM]:
        raise ValueError("spoilt")
    found, code = pickle.loads(data[CHECKSUM:])
    if found != key:
        raise ValueError("of another kernel")
    return code


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
        path.parent.mkdir(parents=True, exist_ok=True)
        prune(path.parent)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    finally:
        with suppress(OSError):
            part.unlink()  # still there only if something went wrong


@cache
def _say_not_kept(reason: str) -> None:
    logging.getLogger("gridlab").warning(
        f"compiled kernels are not kept ({reason.lower()}), so every run compiles: {ADVICE}"
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

    The last lies where every user may write, so it counts only if it is ours alone; `make` makes it if it is missing.
    """
    if config.CACHE_DIR:
        yield Path(config.CACHE_DIR)
        return
    with suppress(RuntimeError):  # a user without a home
        yield user_caches() / "gridlab"
    shared = Path(tempfile.gettempdir()) / f"gridlab-{getattr(os, 'getuid', getpass.getuser)()}"
    with suppress(FileExistsError):
        if make:
            shared.mkdir(mode=0o700)
    if is_private(shared):
        yield shared


def user_caches() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home())
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def is_private(folder: Path) -> bool:
    """Whether nobody else can have put anything into a folder."""
    if not hasattr(os, "getuid"):  # Windows: the temporary folder is the user's own
        return folder.is_dir()
    try:
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not stat.S_IMODE(found.st_mode) & 0o077
