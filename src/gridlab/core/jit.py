"""`@kernel`: where numba is used.

A kernel is compiled on first use, releases the GIL and is cached on disk (gridlab.core.kernel_cache). It takes
NamedTuples but gives numbers, arrays and plain tuples to Python: numba makes a NamedTuple by calling its class, and
crashes if Ctrl-C is raised there.
With NUMBA_DISABLE_JIT=1 every kernel is the plain Python function it was written as.
"""

import logging
from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar

from numba import extending, types
from numba.core import config, event
from numba.core.registry import CPUDispatcher

from gridlab.core.kernel_cache import KernelCache

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


class Kernel(CPUDispatcher):  # type: ignore[misc]
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
        inner = CPUDispatcher(self.py_func, targetoptions={**OPTIONS, "no_cpython_wrapper": True})
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
