"""The bar that long work shows on stderr: done, rate, remaining time. Nothing where stderr is not a terminal."""

import sys
import threading
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


def remark(text: str) -> None:
    """A line on stderr, above the bar if there is one; from any thread."""
    tqdm.write(text, file=sys.stderr)
