"""Single keys of a terminal as commands: an arrow key is `up`, any other key is itself."""

import os
import select
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

try:
    import termios
    import tty
except ImportError:  # Windows: lines it is
    termios = None  # type: ignore[assignment]

ARROWS = {"A": "up", "B": "down", "C": "right", "D": "left"}
ESCAPE, END_OF_INPUT = "\x1b", "\x04"
SOON = 0.05  # seconds in which the rest of an arrow key follows its first byte


def can_give_keys() -> bool:
    """Whether stdin is a terminal that can hand over single keys."""
    if termios is None or os.environ.get("TERM", "dumb") == "dumb":
        return False
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


@contextmanager
def single_keys() -> Iterator[Callable[[str], str]]:
    """A way to ask for one key at a time; the terminal is put back at the end, whatever happens.

    Ctrl-C still interrupts, and Ctrl-D ends the input.
    """
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor)
        yield ask_key
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def ask_key(prompt: str) -> str:
    """Show a prompt and give the command of the next key, which is shown behind it."""
    sys.stdout.write(prompt)
    sys.stdout.flush()
    command = command_of(read_key)
    sys.stdout.write(f"{command}\n" if command.isprintable() else "\n")
    return command


def command_of(read: Callable[[float | None], str]) -> str:
    """The command that keys make: ESC [ A, or ESC O A, is `up`."""
    key = read(None)
    if key in ("", END_OF_INPUT):
        raise EOFError
    if key != ESCAPE:
        return key
    return ARROWS.get(read(SOON), "unknown key") if read(SOON) in ("[", "O") else "unknown key"


def read_key(seconds: float | None) -> str:
    """One byte of the terminal; nothing if none comes in time."""
    descriptor = sys.stdin.fileno()
    if not select.select([descriptor], [], [], seconds)[0]:
        return ""
    return os.read(descriptor, 1).decode(errors="replace")
