"""`@kernel`: the only door to numba.

A kernel is compiled on first use, releases the GIL and is cached on disk. numba looks only at the file of a
function to see whether its cache is stale, and so misses a change in a helper elsewhere; here the cache folder
carries the hash of *all* our source, and a changed helper simply leads to another folder.

With NUMBA_DISABLE_JIT=1 every kernel is the plain Python function it was written as.
"""

import getpass
import hashlib
import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba import extending, types
from numba.core import event

from gridlab.core.errors import FileTrouble

__all__ = ["inner", "intrinsic", "kernel", "overload", "types"]

F = TypeVar("F", bound=Callable[..., Any])
KEPT_CACHES = 4  # folders of earlier sources that stay, so that two checkouts do not chase each other


def kernel(function: F) -> F:
    """Compile `function` on first use, without the GIL; compiled code is shared by all runs of this source."""
    shared, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(CACHE)
    try:
        compiled: F = numba.njit(function, nogil=True, cache=True, no_cfunc_wrapper=True)
    finally:
        numba.config.CACHE_DIR = shared  # other users of numba in this process keep their own
    return compiled


def inner(function: F) -> F:
    """A function that kernels call, compiled as a part of them; from Python it runs as it is written.

    Without a door for Python it compiles in two thirds of the time, and once for all integers, constants or not.
    """
    return extending.register_jitable(no_cfunc_wrapper=True)(function)  # type: ignore[no-any-return]


def intrinsic(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that the compiler builds instruction by instruction."""
    return extending.intrinsic(function)  # type: ignore[no-any-return]


def overload(plain: Callable[..., Any]) -> Callable[[F], F]:
    """What kernels call in the place of the function `plain`."""
    return extending.overload(plain, strict=False)  # type: ignore[no-any-return]


def source_hash() -> str:
    digest = hashlib.sha256()
    root = Path(__file__).parent.parent
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def cache_homes() -> list[Path]:
    """Where compiled kernels may live, best first: $NUMBA_CACHE_DIR, the user's cache folder, the temporary one."""
    if numba.config.CACHE_DIR:
        return [Path(numba.config.CACHE_DIR)]
    if sys.platform == "win32":
        user = Path(os.environ.get("LOCALAPPDATA", Path.home()))
    else:
        user = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return [user / "gridlab", Path(tempfile.gettempdir()) / f"gridlab-{getpass.getuser()}"]


def fresh_cache(homes: list[Path]) -> Path:
    """The cache folder of this source, newest of its kind; the oldest ones are removed.

    before: kernels-a kernels-b kernels-c kernels-d   ->   after: kernels-b kernels-c kernels-d kernels-NOW
    """
    for home in homes:
        cache = home / f"kernels-{source_hash()}"
        try:
            cache.mkdir(parents=True, exist_ok=True)
            os.utime(cache)
        except OSError:  # not ours to write: the next one
            continue
        for old in sorted(home.glob("kernels-*"), key=_age)[KEPT_CACHES:]:
            shutil.rmtree(old, ignore_errors=True)
        return cache
    raise FileTrouble(
        f"no place for compiled kernels: {homes[0]} cannot be written; set NUMBA_CACHE_DIR to one that can"
    )


def _age(folder: Path) -> float:
    try:
        return -folder.stat().st_mtime
    except OSError:  # another process has just removed it
        return 0.0


class CompilationNote(event.Listener):  # type: ignore[misc]
    """Says once, on stderr, why the first run takes seconds longer."""

    said = False

    def on_start(self, event: Any) -> None:
        dispatcher = event.data["dispatcher"]
        if not self.said and dispatcher.py_func.__module__.startswith("gridlab."):
            self.said = True
            logging.getLogger("gridlab").warning("compiling, first run only")

    def on_end(self, event: Any) -> None:
        pass


CACHE = fresh_cache(cache_homes())
event.register("numba:compile", CompilationNote())
