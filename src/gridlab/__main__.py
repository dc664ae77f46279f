"""The process of a command, `gridlab` or `python -m gridlab`: its signals and its streams.

SIGTERM and SIGHUP end it as Ctrl-C does, from its first moment on. Output that cannot be written ends it with a
sentence; remarks that cannot be written are dropped. Characters that a terminal lacks are replaced.
"""

import io
import os
import sys
from contextlib import suppress

INTERRUPTED = 130

try:
    from gridlab.core.run import ignore_signals, listen
except KeyboardInterrupt:  # before anybody listens
    sys.exit(INTERRUPTED)


class Remarks(io.TextIOWrapper):
    """stderr as far as it can be written: no work is lost because nobody hears of it."""

    def write(self, text: str, /) -> int:
        with suppress(OSError):
            super().write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            super().flush()


def main(script: str = "") -> None:
    """Run the command of the command line, or the one that a script stands for; ends the process."""
    try:
        listen()
        open_streams()
        from gridlab.cli import run  # takes a third of a second, in which Ctrl-C may come

        code = run(sys.argv[1:], script)
    except KeyboardInterrupt:
        code = INTERRUPTED
    ignore_signals()
    exec("")  # else `python -m` would end by SIGINT if one was raised while the last text before this was executed
    sys.exit(code)


def open_streams() -> None:
    """Stdout and stderr that say in the end whether they could be written, and never stop for a character."""
    if sys.stdout is None:  # closed: whatever is written fails, and is told
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")  # noqa: SIM115, PTH123
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    if isinstance(sys.stderr, io.TextIOWrapper):
        encoding = sys.stderr.encoding
        sys.stderr = Remarks(sys.stderr.detach(), encoding, "replace", line_buffering=True)


if __name__ == "__main__":
    main()
