"""A terminal for tests: what is written to it is kept, and can be read as it stands on the screen."""

import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

PARTS = re.compile(r"\n|\r|\x1b\[[0-9;?]*[A-Za-z]|[^\n\r\x1b]+")


class Screen:
    """Two ends of a pseudo-terminal: `stream` is to be written to, `text` is what has come."""

    def __init__(self, columns: int = 120) -> None:
        import termios  # not there on Windows

        self._ours, theirs = os.openpty()
        termios.tcsetwinsize(theirs, (40, columns))
        self.stream: TextIO = open(theirs, "w", encoding="utf-8", buffering=1)  # noqa: SIM115, PTH123
        self._parts: list[bytes] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        while True:
            try:
                part = os.read(self._ours, 1 << 16)
            except OSError:  # Linux says so when the other end is closed
                part = b""
            if not part:
                os.close(self._ours)
                return
            self._parts.append(part)

    def close(self) -> None:
        self.stream.close()
        self._reader.join(10)

    @property
    def text(self) -> str:
        return b"".join(self._parts).decode()

    @property
    def lines(self) -> list[str]:
        """What stands on the screen in the end, without colours: lines are written over, the cursor goes up again."""
        rows, row, col = [""], 0, 0
        for part in PARTS.findall(self.text):
            if part == "\n":
                row += 1
                rows += [""] * (row == len(rows))
            elif part == "\r":
                col = 0
            elif part == "\x1b[A":
                row = max(0, row - 1)
            elif part[0] != "\x1b":
                rows[row] = rows[row][:col].ljust(col) + part + rows[row][col + len(part) :]
                col += len(part)
        return [each.rstrip() for each in rows]


@contextmanager
def screen(columns: int = 120) -> Iterator[Screen]:
    """A terminal that is closed at the end; then all of its text is there."""
    found = Screen(columns)
    try:
        yield found
    finally:
        found.close()
