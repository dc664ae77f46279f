"""How a training tells where it stands, and how it hears of Ctrl-C."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from gridlab.core.signals import SIGNALS


def advance(bar: Any, done: float, state: str) -> None:
    """So much is done of what the bar counts, and this is what the training says of itself."""
    bar.set_postfix_str(state, refresh=False)
    bar.update(max(0, round(min(done, bar.total or done)) - bar.n))  # a clock may have gone on


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
