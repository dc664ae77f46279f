"""Anybody's program as a player: a line in, a line out, as plain text or as JSON.

    protocol=line    asked     5x5:4-3 X..../...../...../...../.....     the rules and the board
                     answers   33                                        row and column, both from 1

    protocol=json    asked     {"gridlab": 1, "rules": "5x5:4-3", "words": "Two players, …", "board": "X..../…",
                                "rows": ["X....", …], "to_move": "O", "legal": ["12", …], "moves": ["11"],
                                "seconds": 10.0, "try": 1}
                     answers   {"move": "33"}          and, if it likes, "text", "tokens", "resign"

Who has fewer stones is to move, else X. In 2048 the line has commas between the tiles (2048:3x3 2,.,4/.,8,./.,.,.) and
a move is up, down, left or right. The program is started at its first move, without a shell, and asked for as long as
it answers well. After a fault it is killed; the next question starts it anew. With `retries` a wrong answer in JSON is
given back with its reason, and asked for again; all tries share the seconds of the move.
"""

import errno
import json
import os
import queue
import shlex
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np

from gridlab.core.draw import AsJson, shown
from gridlab.core.errors import BadNotation, BadPlayer, CorruptFile, FileTrouble, PlayerFault, Resigned, WrongAnswer
from gridlab.core.files import Appended, is_there
from gridlab.core.run import require_home
from gridlab.core.untrusted import Count, parse_json, reason_of
from gridlab.games.registry import GamePosition, GameRules, Move
from gridlab.players.registry import Try, cut

LINE, JSON = "line", "json"
LONGEST = {LINE: 1000, JSON: 100_000}  # characters of an answer
MOST_RETRIES = 10
SHARING = 10.0  # seconds in which others must let us add a line to a log
GLANCE = 0.2  # seconds between two looks whether a program still runs
PATIENCE = 0.5  # seconds in which a program may end by itself when nobody asks any more
LONGEST_END = 10.0  # seconds in which a supervisor must have killed a program and all it has started
SUPERVISOR = str(Path(__file__).with_name("command_supervisor.py"))
SETTINGS: AsJson = {"command": "", "seconds": 10.0, "protocol": LINE, "retries": 0, "log": ""}
NEEDS = "a program"
ABOUT = "your own program: a line in, a line out; protocol=json tells it more, retries=2 lets it correct itself"


class Reply(msgspec.Struct, frozen=True):
    """An answer in JSON; what else stands in it is not looked at."""

    move: Annotated[str, msgspec.Meta(max_length=100)] | int | None = None
    text: str = ""
    tokens: Count | None = None
    resign: bool = False


@shown
class CommandPlayer:
    """A program that is asked for moves; each may take so many seconds, the first one with the start in them."""

    def __init__(
        self, rules: GameRules, command: str, seconds: float = 10.0, protocol: str = LINE, retries: int = 0,
        log: str = "",
    ) -> None:  # fmt: skip
        self.rules, self.command, self.seconds = rules, command, seconds
        self.protocol, self.retries, self.log = protocol, retries, log
        self.tries: list[Try] = []  # of the last question, in JSON
        self._words = _words(command)
        require_home(f"the program {command}")
        self._program: Program | None = None
        self._busy = threading.Lock()
        if not 0 < seconds <= threading.TIMEOUT_MAX:
            raise BadPlayer(f"{seconds} seconds is not a time limit for {command}; give a positive number such as 10")
        if protocol not in LONGEST:
            raise BadPlayer(f"protocol={protocol} of the player command: there are {' and '.join(LONGEST)}")
        if not 0 <= retries <= MOST_RETRIES:
            raise BadPlayer(f"retries={retries} of the player command: 0 to {MOST_RETRIES} make sense")
        if retries and protocol == LINE:
            raise BadPlayer(f"retries={retries} of the player command: only protocol=json can say what was wrong")
        if reason := _obstacle(self._words[0]):
            raise self._not_started(reason)

    def __reduce__(self) -> tuple[Any, ...]:
        """Sent to another process it has not been started."""
        return CommandPlayer, (self.rules, *(getattr(self, name) for name in SETTINGS))

    def __str__(self) -> str:
        """What `make_player` reads."""
        settings = ((name, getattr(self, name)) for name in SETTINGS)
        return " ".join(f"{name}={shlex.quote(str(value))}" for name, value in settings if value != SETTINGS[name])

    def move(self, position: GamePosition, random: np.random.Generator) -> Move:
        return self.move_in_game(position, None, random)

    def move_in_game(self, position: GamePosition, moves: Sequence[Move] | None, random: np.random.Generator) -> Move:
        """The move of the program, which hears of the moves so far if it speaks JSON."""
        with self._busy:
            self.tries = []
            try:
                return self._by_line(position) if self.protocol == LINE else self._by_json(position, moves)
            except Resigned:
                raise
            except BaseException:  # what the program says after a fault or Ctrl-C belongs to no question
                self._end(patience=0)
                raise

    def close(self) -> None:
        self._end(PATIENCE)

    # ---- a line of text

    def _by_line(self, position: GamePosition) -> Move:
        board = str(position).replace(" ", ",")
        began = time.monotonic()
        answer = self._ask(f"{self.rules} {board}", self.seconds)
        self._note(position, Try(cut(answer), _since(began)))
        return self._move(answer, position)

    def _move(self, answer: str, position: GamePosition) -> Move:
        try:
            move = position.parse_move(answer)
        except BadNotation as error:
            raise WrongAnswer(f"the program {self.command} answers no move: {error}", answer) from error
        moves = position.moves()
        if move not in moves:
            what = "is occupied in" if isinstance(move, int) else "changes nothing in"
            wanted = "a free cell is needed" if isinstance(move, int) else f"{', '.join(moves)} can be played"
            raise WrongAnswer(f"the program {self.command} answers {answer}, which {what} {position}; {wanted}", answer)
        return move

    # ---- JSON

    def _by_json(self, position: GamePosition, moves: Sequence[Move] | None) -> Move:
        asked = question_of(position, moves)
        late, error = time.monotonic() + self.seconds, ""
        for number in range(1, self.retries + 2):
            left = max(0.0, late - time.monotonic())
            tried = {"seconds": round(left, 3), "try": number} | ({"error": error} if error else {})
            began = time.monotonic()
            answer = self._ask(json.dumps(asked | tried), left)
            said = Try(cut(answer), _since(began))
            try:
                reply = self._reply(answer)
                said = msgspec.structs.replace(said, text=cut(reply.text), tokens=reply.tokens)
                if reply.resign:
                    raise Resigned(f"the program {self.command} resigns")
                return self._move("" if reply.move is None else str(reply.move), position)
            except WrongAnswer as wrong:
                error = str(wrong)
                said = msgspec.structs.replace(said, error=cut(error))
                if number > self.retries:
                    raise
            finally:
                self.tries.append(said)
                self._note(position, said)
        raise AssertionError("the last try returns or raises")

    def _reply(self, answer: str) -> Reply:
        try:
            return parse_json(answer, Reply, "it")
        except CorruptFile as error:
            wanted = 'an object such as {"move": "11"} is needed'
            raise WrongAnswer(f"the program {self.command} answers no JSON: {error}; {wanted}", cut(answer)) from error

    def _note(self, position: GamePosition, said: Try) -> None:
        """Add an answer to the log."""
        if self.log:
            noted = {"rules": str(self.rules), "board": str(position)} | msgspec.to_builtins(said)
            with Appended(Path(self.log), SHARING) as file:  # other workers add theirs
                file.add((json.dumps(noted) + "\n").encode())

    # ---- the program

    def _ask(self, question: str, seconds: float) -> str:
        if self._program is None:
            self._program = self._start()
        return self._program.ask(question, seconds, self.seconds)

    def _start(self) -> "Program":
        try:
            return Program(self.command, self._words, LONGEST[self.protocol])
        except FileTrouble:
            raise
        except (OSError, ValueError) as error:
            raise self._not_started(reason_of(error)) from error

    def _not_started(self, reason: str) -> BadPlayer:
        return BadPlayer(f"the program {self.command} cannot be started: {reason}; name one that can, with its path")

    def _end(self, patience: float) -> None:
        program, self._program = self._program, None
        if program is not None:
            program.end(patience)


def question_of(position: GamePosition, moves: Sequence[Move] | None) -> AsJson:
    """A position as the protocol in JSON tells it, without time and try; moves so far that are unknown are null."""
    board, text = str(position), position.move_text
    return {
        "gridlab": 1, "rules": str(position.rules), "words": position.rules.words, "board": board,
        "rows": [_row(row) for row in board.split("/")], "to_move": position.to_move,
        "legal": list(map(text, position.moves())), "moves": None if moves is None else list(map(text, moves)),
    }  # fmt: skip


def _row(row: str) -> str | list[int]:
    """A row of stones stays text, X.O; a row of tiles, `2 . 4`, becomes numbers, 0 where there is none."""
    return [0 if cell == "." else int(cell) for cell in row.split()] if " " in row else row


def _since(began: float) -> float:
    return round(time.monotonic() - began, 6)


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BadPlayer(f"the command {command!r} cannot be read: {error}; close every quotation mark") from error
    if not words:
        raise BadPlayer('the player command needs a program to start, such as command="./bot --fast"')
    return words


def _obstacle(program: str) -> str | None:
    """Why a program cannot be started, as far as one can see without trying."""
    if shutil.which(program):
        return None
    if Path(program).name == program:
        return "there is none of this name on the PATH"
    return "it is not an executable file" if is_there(program) else "there is no such file"


class Program:
    """A running program, asked line by line.

    A thread reads what it says, so that waiting for an answer can end. Between us and the program is its supervisor
    (gridlab.players.command_supervisor), which ends it with all it has started, however we end.
    """

    def __init__(self, name: str, words: list[str], longest: int) -> None:
        self.name, self.longest = name, longest
        self._channel: socket.socket | None = None
        if os.name == "posix":
            self.process, self._channel = _supervised(words)
        else:
            self.process = _begun(words)
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        """Hand on line after line, "" at the end; nobody needs more than one unasked line of a program."""
        assert self.process.stdout is not None
        with self.process.stdout as stdout:
            line = " "
            while line and self._lines.qsize() < 2:
                line = stdout.readline(self.longest + 2)
                self._lines.put(line)

    def ask(self, question: str, seconds: float, allowed: float) -> str:
        """The answer to a question, without the spaces around it; `seconds` are left of those that are allowed."""
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
        raise self._fault(f"has not answered within {allowed:g} seconds; give it more with seconds=")

    def _refuse_unasked(self, line: str) -> None:
        if line:
            raise self._fault(f"says {line.strip()!r} without being asked; it may write one line for each line it gets")
        raise self._ended()

    def _checked(self, line: str) -> str:
        if not line:
            raise self._ended()
        if len(line.rstrip("\n")) > self.longest:
            raise self._fault(f"answers more than {self.longest} characters; one line with a move is needed")
        if not line.strip():
            raise self._fault("answers an empty line; one line with a move is needed")
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
        return self.process.poll() is not None

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
        """Let the supervisor kill the program and all it has started; it ends after them."""
        if self._channel is not None:
            self._channel.close()
            if self._ends_within(LONGEST_END):
                return
        self.process.kill()


def _supervised(words: list[str]) -> "tuple[subprocess.Popen[str], socket.socket]":
    """A program under a supervisor, and the socket whose end is the end of both; OSError if it does not start."""
    ours, theirs = socket.socketpair()
    process = None
    try:
        with theirs:
            supervisor = [sys.executable, "-IS", SUPERVISOR, str(theirs.fileno()), str(os.getpid())]
            process = _begun([*supervisor, *words], theirs.fileno())
        said = ours.recv(16)
        if said != b"0":
            trouble = int(said or errno.EIO)
            raise OSError(trouble, os.strerror(trouble))
    except BaseException:  # Ctrl-C, too
        ours.close()
        if process is not None:
            process.communicate()
        raise
    return process, ours


def _begun(words: list[str], *handles: int) -> "subprocess.Popen[str]":
    """A process in a session of its own: Ctrl-C is for us alone."""
    return subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", errors="replace", bufsize=1,
        start_new_session=True, pass_fds=handles,
    )  # fmt: skip
