"""The bar that long work shows on stderr: done, rate, remaining time. Nothing where stderr is not a terminal."""

import threading
from typing import Any

from tqdm import tqdm

tqdm.set_lock(threading.RLock())  # its own is a semaphore of the system, which a worker that is killed leaves behind


def bar(total: int | None, description: str, unit: str, shown: bool) -> "tqdm[Any]":
    """A bar to `update(n)` and close; `shown=False` makes it silent."""
    return tqdm(
        total=total,
        desc=description,
        unit=f" {unit}",
        unit_scale=True,
        dynamic_ncols=True,
        leave=False,
        disable=None if shown else True,  # None: only on a terminal
    )
