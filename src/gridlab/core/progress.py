"""The progress of long work, on stderr: a bar with rate and remaining time, or lines where there is no terminal.

The bar of work that took a while stays when it is done, with amount, time and rate; bars below it go. Where stderr is
no terminal the same is written as a line, after some seconds, then now and then, and at the end; none for short work.

Who wants to hear of it in another way, such as a page, listens: `with working(hear=hear): …` in the thread that works.
"""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tqdm import tqdm

from gridlab.core.run import NOW, Hear

SHORT = 1.0  # seconds; the bar of shorter work goes without a trace
MANY = 10_000  # things, from which on they are counted in thousands and millions
FIRST_LINE, NEXT_LINE = 5.0, 30.0  # seconds until the first line, and between two, where there is no terminal

tqdm.set_lock(threading.RLock())  # its own is a semaphore of the system, which a worker that is killed leaves behind


class _Heard(tqdm):  # type: ignore[type-arg]  # of tqdm itself, which knows no types
    """A silent bar that tells a listener."""

    hear: Hear

    def update(self, n: float | None = 1) -> bool | None:
        self.n += n or 0
        self.hear(self.desc or "", self.n, self.total)
        return None


class _Bar(tqdm):  # type: ignore[type-arg]
    """A bar on a terminal; the uppermost stays, unless its work was short."""

    def close(self) -> None:
        if not self.disable and not self.leave:
            self.leave = self.pos == 0 and self.format_dict["elapsed"] >= SHORT
        super().close()


class _Lines(tqdm):  # type: ignore[type-arg]
    """A bar as lines, for a log or a pipe; of bars within bars only the first tells."""

    opened = 0

    def __init__(self, **options: Any) -> None:
        super().__init__(total=options["total"], initial=options["initial"], disable=True)
        self.desc, self.unit, self.unit_scale = options["desc"], options["unit"], options["unit_scale"]
        self.initial, self.postfix = options["initial"], ""
        self._begun = self._told = time.monotonic()
        self._due = self._begun + FIRST_LINE if not _Lines.opened else float("inf")
        self._open = True
        _Lines.opened += 1

    def update(self, n: float | None = 1) -> bool | None:
        self.n += n or 0
        self.refresh()
        return None

    def refresh(self, *_: Any, **__: Any) -> None:
        if time.monotonic() >= self._due:
            self._tell()
            self._due = time.monotonic() + NEXT_LINE

    def close(self) -> None:
        if not getattr(self, "_open", False):
            return
        self._open = False
        _Lines.opened -= 1
        if self._told > self._begun:
            self._tell()

    def _tell(self) -> None:
        self._told = time.monotonic()
        remark(
            self.format_meter(
                self.n, self.total or 0, self._told - self._begun, ncols=0, prefix=self.desc, unit=self.unit,
                unit_scale=self.unit_scale, postfix=self.postfix, initial=self.initial,
            )
        )  # fmt: skip


def bar(
    total: int | None, description: str, unit: str, shown: bool, lasting: bool = False, done: float = 0
) -> "tqdm[Any]":
    """A bar to `update(n)` and close; `shown=False` makes it silent. So much is `done` when it begins.

    One that is `lasting` stays however short the work was, and counts its things one by one, however many they are.
    """
    if NOW.hear is not None:
        heard = _Heard(total=total, initial=done, disable=True)
        heard.desc, heard.hear = description, NOW.hear
        return heard
    if not shown or sys.stderr is None:
        return tqdm(total=total, initial=done, disable=True)
    one_by_one = lasting or (total and total < MANY and unit != "%")
    options: dict[str, Any] = {
        "total": total, "initial": done, "desc": description, "unit": f" {unit}", "unit_scale": not one_by_one,
    }  # fmt: skip
    if not sys.stderr.isatty():
        return _Lines(**options)
    return _Bar(**options, dynamic_ncols=True, leave=lasting)


class Bars:
    """A bar for the whole of some work and, below it, one for the part at hand; both go on together."""

    def __init__(self, whole: "tqdm[Any]", shown: bool) -> None:
        self._whole, self._part, self._shown = whole, whole, shown
        self._begun, self._done, self._share = 0.0, 0, 1.0  # the whole before the part; units of it; the worth of one

    @contextmanager
    def part(self, total: int, description: str, unit: str, worth: int | None = None) -> Iterator[None]:
        """A part of `total` units, which are `worth` so much of the whole, or as many; when it ends, it is done."""
        worth = total if worth is None else worth
        self._begun, self._done, self._share = self._whole.n, 0, worth / total if total else 0.0
        with bar(total, description, unit, self._shown) as self._part:
            yield
        self._whole.update(self._begun + worth - self._whole.n)

    def update(self, number: int) -> None:
        self._part.update(number)
        self._done += number
        self._whole.update(int(self._begun + self._done * self._share) - self._whole.n)


@contextmanager
def bars(total: int, description: str, unit: str, shown: bool) -> Iterator[Bars]:
    """The bars of work that has parts."""
    with bar(total, description, unit, shown) as whole:
        yield Bars(whole, shown)


def remark(text: str) -> None:
    """A line on stderr, above the bar if there is one; from any thread."""
    tqdm.write(text, file=sys.stderr)
