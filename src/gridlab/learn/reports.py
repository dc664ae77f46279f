"""How a training tells where it stands, beside its bar or in a line now and then; and how it hears of Ctrl-C."""

import math
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from gridlab.core.signals import SIGNALS

EVERY = 10.0  # seconds between two lines


class Report:
    """Tells how far a training is, of "600 s" say, and what it says of itself; silent unless it is `shown`."""

    def __init__(self, bar: Any, whole: str, shown: bool) -> None:
        self._bar, self._whole = bar, whole
        self._lines = shown and bool(bar.disable)  # no bar, as there is no terminal
        self._written = -math.inf

    def tell(self, done: float, state: str) -> None:
        """So much is done of what the bar counts; nothing is said before there is a state."""
        if self._lines and state and time.monotonic() - self._written > EVERY:
            self._written = time.monotonic()
            sys.stderr.write(f"{done:,.0f} of {self._whole}: {state}\n")
        elif not self._bar.disable:
            self._bar.set_postfix_str(state, refresh=False)
            self._bar.update(max(0, round(done) - self._bar.n))


@contextmanager
def asked_to_stop() -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C was pressed, which is asked between two steps; pressed twice, it interrupts at once."""
    pressed: list[int] = []

    def press(number: int, frame: Any) -> None:
        pressed.append(number)
        if len(pressed) > 1:
            raise KeyboardInterrupt

    before = {number: handler for number in SIGNALS if callable(handler := signal.getsignal(number))}
    for number in before:
        signal.signal(number, press)
    try:
        yield lambda: bool(pressed)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
