"""Ctrl-C, SIGTERM and SIGHUP: one meaning, raised where Python can bear it.

KeyboardInterrupt does harm in two kinds of places: where C code has called Python and does not look what came of it
(callbacks of the compiler; numba, turning the result of a kernel into Python's objects), and inside the locks of
`threading`, which stay locked. There it is put off: an alarm comes a little later, and `check` raises it before that.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
ALARM = getattr(signal, "SIGALRM", None)
FRAGILE_CALLS = ("_raw_object_cache_notify", "_raw_object_cache_getbuffer", "_numba_unpickle")
FRAGILE_MODULES = ("threading", "queue", "concurrent.futures", "loky")
DEEPEST = 8  # calls below those
PUT_OFF = 0.01  # seconds

_put_off = False


def listen() -> None:
    """Signals that would end the process at once interrupt it instead; those that are ignored (nohup) stay so."""
    for number in SIGNALS:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, interrupt)
    if ALARM is not None:
        signal.signal(ALARM, interrupt)


def close_ears() -> None:
    """All is done: a signal that comes now, while the interpreter ends, changes nothing any more."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def careful() -> Iterator[None]:
    """The same for Ctrl-C while a program of somebody else's is in our hands; nothing if it has handlers of its own."""
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
    """KeyboardInterrupt, a little later if it would do harm now."""
    global _put_off
    _put_off = True
    if not _is_fragile(frame):
        check()
    elif ALARM is not None and signal.getsignal(ALARM) is interrupt:
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
    for _ in range(DEEPEST):
        if frame is None:
            return False
        module = str(frame.f_globals.get("__name__", ""))
        if frame.f_code.co_name in FRAGILE_CALLS or module.startswith(FRAGILE_MODULES):
            return True
        frame = frame.f_back
    return False
