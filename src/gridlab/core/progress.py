"""The bar that long work shows on stderr: done, rate, remaining time. Nothing where stderr is not a terminal.

Who wants to hear of it in another way, such as a page, listens: `with listening(hear): …` in the thread that works.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tqdm import tqdm

Hear = Callable[[str, float, float | None], object]  # what is done, how much of it, of how much

tqdm.set_lock(threading.RLock())  # its own is a semaphore of the system, which a worker that is killed leaves behind


class _Listener(threading.local):
    """Who hears of the work of a thread."""

    hear: Hear | None = None


_LISTENER = _Listener()


@contextmanager
def listening(hear: Hear) -> Iterator[None]:
    """Let `hear` be called whenever a bar of this thread goes on, shown or not; what it raises ends the work."""
    before, _LISTENER.hear = _LISTENER.hear, hear
    try:
        yield
    finally:
        _LISTENER.hear = before


class _Heard(tqdm):  # type: ignore[type-arg]  # of tqdm itself, which knows no types
    """A silent bar that tells a listener."""

    hear: Hear

    def update(self, n: float | None = 1) -> bool | None:
        self.n += n or 0
        self.hear(self.desc or "", self.n, self.total)
        return None


def bar(total: int | None, description: str, unit: str, shown: bool, lasting: bool = False) -> "tqdm[Any]":
    """A bar to `update(n)` and close; `shown=False` makes it silent.

    One that is `lasting` stays when the work is done, and counts things that are few enough to be counted one by one.
    """
    if _LISTENER.hear is not None:
        heard = _Heard(total=total, disable=True)
        heard.desc, heard.hear = description, _LISTENER.hear
        return heard
    return tqdm(
        total=total,
        desc=description,
        unit=f" {unit}",
        unit_scale=not lasting,
        dynamic_ncols=True,
        leave=lasting,
        disable=None if shown else True,  # None: only on a terminal
    )


class Bars:
    """A bar for the whole of some work and, below it, one for the part at hand; both go on together."""

    def __init__(self, whole: "tqdm[Any]", shown: bool) -> None:
        self._whole, self._part, self._shown = whole, whole, shown
        self._share = 1.0  # of the whole, a unit of the part

    @contextmanager
    def part(self, total: int, description: str, unit: str, worth: int | None = None) -> Iterator[None]:
        """A part of `total` units, which are `worth` so much of the whole, or as many; when it ends, it is done."""
        worth = total if worth is None else worth
        end = self._whole.n + worth
        self._share = worth / total if total else 0.0
        with bar(total, description, unit, self._shown) as self._part:
            yield
        self._whole.update(end - self._whole.n)

    def update(self, number: int) -> None:
        self._part.update(number)
        self._whole.update(number * self._share)


@contextmanager
def bars(total: int, description: str, unit: str, shown: bool) -> Iterator[Bars]:
    """The bars of work that has parts."""
    with bar(total, description, unit, shown) as whole:
        yield Bars(whole, shown)


def remark(text: str) -> None:
    """A line on stderr, above the bar if there is one; from any thread."""
    tqdm.write(text, file=sys.stderr)
