"""Anybody's program as a player: one line in, one line out.

    asked     5x5:4-3 X..../...../...../...../.....     the rules and the board; who has fewer stones is to move, else X
    answers   33                                        row and column, both from 1

The program is started at its first move, without a shell, and asked for as long as it answers well. After a fault it is
killed; the next question starts it anew.
"""

import os
import queue
import shlex
import signal
import subprocess
import threading
import time
from contextlib import suppress

import numpy as np

from gridlab.core.errors import BadNotation, BadPlayer, PlayerFault
from gridlab.core.travel import require_home
from gridlab.games import notation
from gridlab.games.mnk.position import Position
from gridlab.games.mnk.rules import Rules

LONGEST = 1000  # characters of an answer
GLANCE = 0.2  # seconds between two looks whether a program still runs
PATIENCE = 0.5  # seconds in which a program may end by itself when nobody asks any more


class CommandPlayer:
    """A program that is asked for moves; each answer may take so many seconds, the first one with the start in them."""

    def __init__(self, rules: Rules, command: str, seconds: float = 10.0) -> None:
        self.rules = rules
        self.command = command
        self.seconds = seconds
        self._words = _words(command)
        require_home(f"the program {command}")
        self._program: Program | None = None
        if not 0 < seconds <= threading.TIMEOUT_MAX:
            raise BadPlayer(f"{seconds} seconds is no time limit for {command}; give a positive number such as 10")

    def move(self, position: Position, random: np.random.Generator) -> int:
        try:
            return self._cell(self._answer(position), position)
        except BaseException:  # what the program says after a fault or Ctrl-C belongs to no question
            self._end(patience=0)
            raise

    def close(self) -> None:
        self._end(PATIENCE)

    def _answer(self, position: Position) -> str:
        if self._program is None:
            self._program = self._start()
        return self._program.ask(f"{self.rules} {position}", self.seconds)

    def _start(self) -> "Program":
        try:
            return Program(self.command, self._words)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise PlayerFault(
                f"the program {self.command} cannot be started: {reason}; name one that can, with its path"
            ) from error

    def _cell(self, answer: str, position: Position) -> int:
        try:
            cell = notation.parse_move(answer, self.rules.rows, self.rules.cols)
        except BadNotation as error:
            raise PlayerFault(f"the program {self.command} answers no move: {error}") from error
        if cell not in position.moves():
            raise PlayerFault(
                f"the program {self.command} answers {answer}, which is occupied in {position}; a free cell is needed"
            )
        return cell

    def _end(self, patience: float) -> None:
        program, self._program = self._program, None
        if program is not None:
            program.end(patience)


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BadPlayer(f"the command {command!r} cannot be read: {error}; close every quotation mark") from error
    if not words:
        raise BadPlayer('the player command needs a program to start, such as command="./bot --fast"')
    return words


class Program:
    """A running program, asked line by line.

    A thread reads what it says, so that waiting for an answer can end. The program gets a process group of its own:
    Ctrl-C is for us alone, and what it has started is killed with it. However we end, the guard of the group sees it.
    """

    def __init__(self, name: str, words: list[str]) -> None:
        self.name = name
        self.process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            bufsize=1,
            start_new_session=True,
        )
        self._guard = _guard_of(self.process.pid)
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        """Hand on line after line, "" at the end; nobody needs more than one unasked line of a program."""
        assert self.process.stdout is not None
        with self.process.stdout as stdout:
            line = " "
            while line and self._lines.qsize() < 2:
                line = stdout.readline(LONGEST + 2)
                self._lines.put(line)

    def ask(self, question: str, seconds: float) -> str:
        """The answer to a question, without the spaces around it."""
        if not self._lines.empty():
            self._refuse_unasked(self._lines.get())
        assert self.process.stdin is not None
        with suppress(OSError):  # a program that reads no more has ended: its silence says so
            self.process.stdin.write(question + "\n")
        late = time.monotonic() + seconds
        while (left := late - time.monotonic()) > 0:
            ended = self._has_ended()
            with suppress(queue.Empty):
                return self._checked(self._lines.get(timeout=min(left, GLANCE)))
            if ended:  # and nothing has come since: what it has started keeps its output open
                raise self._ended()
        raise self._fault(f"has not answered within {seconds:g} seconds; give it more with seconds=")

    def _refuse_unasked(self, line: str) -> None:
        if line:
            raise self._fault(f"says {line.strip()!r} without being asked; it may write one line for each line it gets")
        raise self._ended()

    def _checked(self, line: str) -> str:
        if not line:
            raise self._ended()
        if len(line.rstrip("\n")) > LONGEST:
            raise self._fault(f"answers more than {LONGEST} characters; a move such as 11 is needed")
        if not line.strip():
            raise self._fault("answers an empty line; a move such as 11 is needed")
        return line.strip()

    def _fault(self, what: str) -> PlayerFault:
        return PlayerFault(f"the program {self.name} {what}")

    def _ended(self) -> PlayerFault:
        if not self._ends_within(PATIENCE):
            return self._fault("has closed its output; it must stay open for as long as lines come in")
        self._kill()
        code = self.process.wait()
        how = f"was ended by signal {-code}" if code < 0 else f"has ended without an answer, exit code {code}"
        return self._fault(f"{how}; it must run for as long as lines come in")

    def _has_ended(self) -> bool:
        """Whether it has ended; it stays in the list of processes, so that its number is nobody else's yet."""
        if self.process.returncode is not None or not hasattr(os, "waitid"):
            return self.process.poll() is not None
        look = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self.process.pid, look) is not None

    def _ends_within(self, seconds: float) -> bool:
        late = time.monotonic() + seconds
        while not self._has_ended():
            if time.monotonic() >= late:
                return False
            time.sleep(0.005)
        return True

    def end(self, patience: float) -> None:
        """Close its input, give it a moment, then kill it and whatever it has started."""
        assert self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.close()
        self._ends_within(patience)
        self._kill()
        self.process.wait()
        self._reader.join(PATIENCE)

    def _kill(self) -> None:
        """Kill the group while its number is still its own, then the guard, who would do the same."""
        with suppress(OSError):  # nobody is left
            if self.process.returncode is None:
                if hasattr(os, "killpg"):
                    os.killpg(self.process.pid, signal.SIGKILL)
                else:
                    self.process.kill()
        if self._guard is not None:
            self._guard.kill()
            self._guard.communicate()
            self._guard = None


def _guard_of(group: int) -> "subprocess.Popen[bytes] | None":
    """A shell that kills a process group when we are gone: it waits for the end of a pipe that we alone hold open."""
    if not hasattr(os, "killpg"):
        return None
    return subprocess.Popen(
        ["/bin/sh", "-c", 'read nothing; kill -s KILL -- "-$0"', str(group)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
