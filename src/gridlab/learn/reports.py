"""How a training tells where it stands: beside its bar, or in a line now and then where there is no terminal."""

import math
import sys
import time
from typing import Any

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
