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

from gridlab.core.stop import Stop, stop_flag

Result = TypeVar("Result")

SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)  # all mean: stop
_FLAG = stop_flag()
_watching = threading.Event()


def interruptible(function: Callable[[Stop], Result]) -> Result:
    """The result of a kernel that takes a stop flag; KeyboardInterrupt soon after Ctrl-C."""
    if threading.current_thread() is not threading.main_thread():
        return function(stop_flag())  # whoever has begun the thread waits for Ctrl-C
    if not (_watching.is_set() or _watch()):
        from gridlab.core.workers import call

        stop = stop_flag()
        return call(lambda: function(stop), stop)
    _FLAG[0] = 0
    result = function(_FLAG)
    if _FLAG[0]:
        raise KeyboardInterrupt
    return result


def _watch() -> bool:
    """Begin to listen; False if somebody else listens already."""
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
        if byte[0] in SIGNALS:
            _FLAG[0] = 1


def _forget() -> None:
    """A process that was forked has none of our threads."""
    if _watching.is_set():
        _watching.clear()
        with suppress(ValueError):  # forked by another thread
            signal.set_wakeup_fd(-1)


def stop_by_any_signal() -> None:
    """SIGTERM and SIGHUP end a command as Ctrl-C does, unless they are ignored (nohup)."""
    for number in SIGNALS:
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
