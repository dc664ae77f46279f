"""The flag that stops a long kernel: an array of one element, set from outside, looked at from inside.

Plain `stop[0]` in a loop that writes nothing else is read once and never again: the compiler may assume that no
other thread changes it. `stopped(stop)` is an atomic load and is read each time.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridlab.core.jit import intrinsic, overload, types

Stop = NDArray[np.uint8]  # [1]: 0 go on, 1 return as soon as you can
LOOK_AROUND = 4095  # a kernel that counts what it does looks when these bits of the count are 0


def stop_flag() -> Stop:
    return np.zeros(1, dtype=np.uint8)


class _Work(threading.local):
    """What a thread works at."""

    stop: Stop | None = None


_WORK = _Work()


@contextmanager
def working(stop: Stop) -> Iterator[None]:
    """Let this flag stop what this thread does now, however deep down that is."""
    before, _WORK.stop = _WORK.stop, stop
    try:
        yield
    finally:
        _WORK.stop = before


def current_stop() -> Stop:
    """The flag that stops what this thread does; one that nobody sets if nobody waits for it."""
    return stop_flag() if _WORK.stop is None else _WORK.stop


def stopped(stop: Stop) -> bool:
    """Whether the flag has been set; for use in kernels, each block or every few thousand nodes."""
    return bool(stop[0])


@intrinsic
def _load(typing_context: Any, stop: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        return builder.load_atomic(array.data, "monotonic", 1)

    return types.uint8(stop), build


@overload(stopped)
def _stopped(stop: Any) -> Any:
    return lambda stop: _load(stop) != 0
