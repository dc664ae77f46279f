"""Ctrl-C, SIGTERM and SIGHUP: one meaning, raised where Python can bear it.

KeyboardInterrupt is lost, or crashes the process, where C code has called Python and does not look what came of it:
in callbacks of the compiler, and where numba turns the result of a kernel into Python's objects. There it is put off.
"""

import signal
import threading
from contextlib import suppress
from types import FrameType

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
FRAGILE = ("_raw_object_cache_notify", "_raw_object_cache_getbuffer", "_numba_unpickle")  # what C calls there
DEEPEST = 8  # calls below those
PUT_OFF = 0.01  # seconds

_again: threading.Timer | None = None


def listen() -> None:
    """Signals that would end the process at once interrupt it instead; those that are ignored (nohup) stay so."""
    for number in SIGNALS:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, interrupt)


def interrupt(number: int, frame: FrameType | None) -> None:
    """KeyboardInterrupt, a little later if it would be lost now."""
    global _again
    if _is_fragile(frame):
        _again = threading.Timer(PUT_OFF, signal.raise_signal, [number])
        _again.daemon = True
        _again.start()
    else:
        interrupted()


def interrupted() -> None:
    """KeyboardInterrupt now, and not another one for the same signal."""
    if _again is not None:
        with suppress(RuntimeError):
            _again.cancel()
    raise KeyboardInterrupt


def _is_fragile(frame: FrameType | None) -> bool:
    for _ in range(DEEPEST):
        if frame is None:
            return False
        if frame.f_code.co_name in FRAGILE:
            return True
        frame = frame.f_back
    return False
