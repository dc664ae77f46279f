"""How a training tells where it stands, where it is kept, and how it hears of Ctrl-C."""

import logging
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from gridlab.core.errors import FileTrouble, MissingExtra
from gridlab.core.signals import SIGNALS

SAVE_EVERY = 300.0  # seconds
PICTURES = logging.getLogger("gridlab.pictures")  # hears of those that were not drawn


def training_of(path: Path) -> Path:
    """Where the training of a network is kept to go on from."""
    return path.with_name(f"{path.name}.training")


def require_new(training: Path, place: str = "file") -> None:
    """A new training begins where there is none."""
    if training.exists():
        raise FileTrouble(f"{training} is there already; --resume goes on from it, or name another {place}")


@contextmanager
def where_extras_allow() -> Iterator[None]:
    """A picture that cannot be drawn for want of a library is missed in a warning, and the training is kept."""
    try:
        yield
    except MissingExtra as missing:
        PICTURES.warning(str(missing))


@contextmanager
def saving_first(save: Callable[[], object], is_whole: Callable[[], bool]) -> Iterator[None]:
    """Whatever ends a training, what was learnt is saved before it goes up.

    An error in the middle of a step has left the network half changed, or is that of a network that is ruined: then
    what was saved before stays.
    """
    try:
        yield
    except BaseException:
        if is_whole():
            with suppress(FileTrouble):  # the first trouble is the one to tell
                save()
        raise


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
