"""The bar that long work shows on stderr: done, rate, remaining time. Nothing where stderr is not a terminal."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tqdm import tqdm

tqdm.set_lock(threading.RLock())  # its own is a semaphore of the system, which a worker that is killed leaves behind


def bar(total: int | None, description: str, unit: str, shown: bool, lasting: bool = False) -> "tqdm[Any]":
    """A bar to `update(n)` and close; `shown=False` makes it silent.

    One that is `lasting` stays when the work is done, and counts things that are few enough to be counted one by one.
    """
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
