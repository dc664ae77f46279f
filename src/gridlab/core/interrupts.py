"""Ctrl-C that reaches a kernel in the main thread.

Python hears of a signal only when the kernel returns; but its C handler writes a byte into a pipe at once. A thread
waits at the other end and sets the flag that kernels look at (gridlab.core.stop). No call pays for it.
"""

import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from gridlab.core import signals
from gridlab.core.stop import Stop, current_stop, stop_flag

Result = TypeVar("Result")

_FLAG = stop_flag()
_watching = threading.Event()


def interruptible(function: Callable[[Stop], Result]) -> Result:
    """The result of a kernel that takes a stop flag; KeyboardInterrupt soon after Ctrl-C."""
    if threading.current_thread() is not threading.main_thread():
        stop = current_stop()  # whoever has begun the thread listens to Ctrl-C
    elif _watching.is_set() or _watch():
        return _listening(function)
    else:
        from gridlab.core.workers import call

        stop = stop_flag()
        return call(lambda: function(stop), stop)
    result = function(stop)
    if stop[0]:
        raise KeyboardInterrupt
    return result


def _listening(function: Callable[[Stop], Result]) -> Result:
    """The same in the main thread, with a handler that raises nothing in the midst of numba."""
    _FLAG[0] = 0
    with signals.careful():
        result = function(_FLAG)
        signals.check()
        if _FLAG[0]:
            raise KeyboardInterrupt
        return result


def pause() -> None:
    """A look around for long work in Python; KeyboardInterrupt if it is to stop. The main thread hears by itself."""
    if current_stop()[0]:
        raise KeyboardInterrupt


def _watch() -> bool:
    """Begin to listen; False if somebody else listens already, or on Windows before Python 3.12."""
    if not hasattr(os, "set_blocking"):
        return False
    read, write = os.pipe()
    os.set_blocking(write, False)
    before = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    if before != -1:
        signal.set_wakeup_fd(before)
        os.close(read)
        os.close(write)
        return False
    _watching.set()
    threading.Thread(target=_listen, args=(read,), daemon=True).start()
    return True


def _listen(pipe: int) -> None:
    while byte := os.read(pipe, 1):
        if byte[0] in signals.SIGNALS:
            _FLAG[0] = 1


def _forget() -> None:
    """A process that was forked has none of our threads."""
    if _watching.is_set():
        _watching.clear()
        with suppress(ValueError):  # forked by another thread
            signal.set_wakeup_fd(-1)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
