"""The journal of a run that makes games: what was asked for, then a line for every game played, in order.

    5d8c… {"journal": "gridlab 2048 games", "version": 2, "behaviour": …, "settings": {…}}
    01ab… {"totalMoves": …}                                      a game
    77e0… {"dropped": "score 812 is below 15000"}                a game that a filter has dropped

A run that adds games to a finished file has `base` in its first line: how many were played for that file, how many of
them it has, and its SHA-256.

It stands beside the file to be made, and lines are only added to it. In front of each line stand 32 hexadecimal digits,
the beginning of the SHA-256 of all lines up to this one (without these digits): nothing can be changed, left out or
put elsewhere. A run that was killed leaves whole lines and perhaps the beginning of one, which is cut off when the run
goes on.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from gridlab.arena.records.game2048_reading import LONGEST_LINE
from gridlab.core.behaviour import BEHAVIOUR
from gridlab.core.errors import CorruptFile, FileTrouble
from gridlab.core.files import NO_LINK
from gridlab.core.untrusted import Count, Plain, lines, parse_json, reason_of

NAME, VERSION = "gridlab 2048 games", 2
DIGITS = 32
DROPPED = b'{"dropped":'


class Base(msgspec.Struct, frozen=True):
    """The finished file that a run adds games to."""

    played: Count
    kept: Count
    sha256: str


class Head(msgspec.Struct):
    """The first line."""

    journal: str
    version: int
    behaviour: int
    settings: dict[str, Plain]
    base: Base | None = None


class Dropped(msgspec.Struct, forbid_unknown_fields=True):
    """A game that is not kept."""

    dropped: str


def journal_of(target: Path) -> Path:
    return target.with_name(f".{target.name}.journal")


class Journal:
    """A journal being read, then written."""

    def __init__(self, target: Path) -> None:
        self.path = journal_of(target)
        self._digest = hashlib.sha256()
        self._size = self._head = 0  # bytes of the lines that are known to be sound, and of the first of them

    def exists(self) -> bool:
        return os.path.lexists(self.path)

    def begin(self, settings: dict[str, Any], base: Base | None = None) -> None:
        """A new journal; there must be none."""
        if self.exists():
            raise FileTrouble(f"a run that was stopped has left {self.path}: go on with --resume, or remove that file")
        head: dict[str, Any] = {"journal": NAME, "version": VERSION, "behaviour": BEHAVIOUR, "settings": settings}
        if base:
            head["base"] = msgspec.to_builtins(base)
        self.add(json.dumps(head).encode() + b"\n")
        self._head = self._size

    def is_empty(self) -> bool:
        """Whether this run has begun the journal, and no game has come into it."""
        return self._size == self._head

    def settings(self) -> dict[str, Plain]:
        """What the run was asked for."""
        return self._first().settings

    def base(self) -> Base | None:
        """What it adds games to, if there is such a file."""
        return self._first().base

    def _first(self) -> Head:
        line = next(self._checked(), b"")
        try:
            head = parse_json(line, Head, self.path)
        except CorruptFile:
            head = Head("", 0, 0, {})
        if head.journal != NAME or head.version != VERSION:
            raise CorruptFile(f"{self.path} is not a journal of games, or of another version; remove it and start over")
        if head.behaviour != BEHAVIOUR:
            raise CorruptFile(f"{self.path} was begun by another version whose games differ; remove it and start over")
        return head

    def lines(self) -> Iterator[bytes]:
        """A line for every game played so far, each checked; when all were read the journal can go on."""
        found = self._checked()
        next(found, b"")
        yield from found

    def _checked(self) -> Iterator[bytes]:
        """The lines without their digits; a line that was not finished is passed over."""
        self._digest, self._size = hashlib.sha256(), 0
        if not self.path.is_file():
            raise FileTrouble(f"{self.path} cannot be read: it is not a file; remove it and start over")
        for number, line in lines(self.path, LONGEST_LINE + DIGITS + 1):
            if not line.endswith(b"\n"):
                return
            self._digest.update(line[DIGITS + 1 :])
            if line[: DIGITS + 1] != self._digits():
                if number == 1:
                    return  # no journal at all, or of another version
                raise CorruptFile(
                    f"{self.path}, line {number}: this is not what was written; remove the file and start over"
                )
            self._size += len(line)
            yield line[DIGITS + 1 :]

    def _digits(self) -> bytes:
        return self._digest.hexdigest()[:DIGITS].encode() + b" "

    def cut(self) -> None:
        """Cut off what follows the lines that were read: the beginning of a line that was not finished."""
        try:
            os.truncate(self.path, self._size)
        except OSError as error:
            raise self._trouble(error) from error

    def games(self) -> Iterator[bytes]:
        """The lines of games that were kept."""
        return (line for line in self.lines() if not line.startswith(DROPPED))

    def add(self, line: bytes) -> None:
        """One more line."""
        self._digest.update(line)
        try:
            with os.fdopen(os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | NO_LINK, 0o666), "ab") as file:
                file.write(self._digits() + line)
        except OSError as error:
            raise self._trouble(error) from error
        self._size += DIGITS + 1 + len(line)

    def _trouble(self, error: OSError) -> FileTrouble:
        why = reason_of(error)
        return FileTrouble(f"cannot write {self.path}: {why}; once it can be written, the run goes on with --resume")

    def remove(self) -> None:
        with suppress(OSError):
            self.path.unlink()


def dropped(reason: str) -> bytes:
    return json.dumps({"dropped": reason}).encode() + b"\n"
