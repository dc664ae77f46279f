"""Ctrl-C, SIGTERM and SIGHUP: one meaning, raised where Python can bear it.

KeyboardInterrupt does harm in some places: where numba turns the result of a kernel into Python's objects, and crashes;
where the compiler's objects are half made; and inside the locks of `threading`, which stay locked. While a module in C
is imported it is lost: what Cython makes forgives any error of the imports that it begins with. There it is put off:
an alarm comes a little later, and `check` raises it before that. Where it would be swallowed (callbacks of C code,
finalizers), it is raised once more.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import ExtensionFileLoader
from types import FrameType
from typing import Any

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
ALARM = getattr(signal, "SIGALRM", None)
FRAGILE_CALLS = ("_numba_unpickle",)
FRAGILE_MODULES = ("threading", "queue", "concurrent.futures", "loky", "llvmlite.binding")
DEEPEST = 8  # calls below those
IMPORTS_C = (ExtensionFileLoader.create_module.__code__, ExtensionFileLoader.exec_module.__code__)
PUT_OFF = 0.01  # seconds
PARENT_WATCH = 0.2  # seconds between two looks of a worker whether its parent lives

_put_off = False


def listen() -> None:
    """Signals that would end the process at once interrupt it instead; those that are ignored (nohup) stay so."""
    for number in SIGNALS:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, interrupt)
    if ALARM is not None:
        signal.signal(ALARM, interrupt)
    usual = sys.unraisablehook
    sys.unraisablehook = lambda lost: _put_it_off() if lost.exc_type is KeyboardInterrupt else usual(lost)


def ignore_signals() -> None:
    """Signals change nothing from now on: all is done, or they are for somebody else. Nor does what was put off."""
    for number in (*SIGNALS, *([] if ALARM is None else [ALARM])):
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def defer_interrupts() -> Iterator[None]:
    """Put Ctrl-C off where it would do harm, in a program of somebody else's; not if that has handlers of its own."""
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    before: dict[int, Any] = {signal.SIGINT: signal.signal(signal.SIGINT, interrupt)}
    if ALARM is not None and signal.getsignal(ALARM) == signal.SIG_DFL:
        before[ALARM] = signal.signal(ALARM, interrupt)
    try:
        yield
        check()
    finally:
        _settle()
        for number, handler in before.items():
            signal.signal(number, handler)


def interrupt(number: int, frame: FrameType | None) -> None:
    """KeyboardInterrupt, a little later if it would do harm now; one for one signal.

    An alarm that another thread has taken may come when the interrupt that it was set for is long under way.
    """
    if number == ALARM and not _put_off:
        return
    _put_it_off()
    if not _is_fragile(frame):
        check()


def _put_it_off() -> None:
    global _put_off
    _put_off = True
    if ALARM is not None and signal.getsignal(ALARM) is interrupt:
        signal.setitimer(signal.ITIMER_REAL, PUT_OFF)


def check() -> None:
    """KeyboardInterrupt if one was put off; for those who wait."""
    if _put_off:
        _settle()
        raise KeyboardInterrupt


def _settle() -> None:
    """One interrupt for one signal."""
    global _put_off
    _put_off = False
    if ALARM is not None and signal.getsignal(ALARM) is interrupt:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _is_fragile(frame: FrameType | None) -> bool:
    depth = 0
    while frame is not None:
        module = str(frame.f_globals.get("__name__", ""))
        if depth < DEEPEST and (frame.f_code.co_name in FRAGILE_CALLS or module.startswith(FRAGILE_MODULES)):
            return True
        if any(frame.f_code is each for each in IMPORTS_C):
            return True
        depth, frame = depth + 1, frame.f_back
    return False


def restore(variable: str, value: str | None) -> None:
    """An environment variable as it was before."""
    if value is None:
        os.environ.pop(variable, None)
    else:
        os.environ[variable] = value


def follow_parent(parent: int, variable: str, value: str | None) -> None:
    """In a worker process: signals are for the parent, and a worker whose parent has died has nobody to work for.

    Here, where little is imported, so that a worker watches before it does anything else. The variable was set for the
    start of this process alone: a program that it starts knows nothing of that.
    """
    restore(variable, value)
    ignore_signals()
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(PARENT_WATCH)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
