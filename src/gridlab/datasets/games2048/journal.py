"""The journal of a run that makes games: what was asked for, then a line for every game played, in order.

    {"journal": "gridlab 2048 games", "version": 1, "settings": {…}}
    {"totalMoves": …}                                      a game
    {"dropped": "score 812 is below 15000"}                a game that a filter has dropped

It stands beside the file to be made, and lines are only added to it. A run that was killed leaves whole lines and
perhaps the beginning of one, which is cut off when the run goes on.
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from gridlab.core.behaviour import BEHAVIOUR
from gridlab.core.errors import FileTrouble, SpoiltFile

NAME, VERSION = "gridlab 2048 games", 1


def journal_of(target: Path) -> Path:
    return target.with_name(f".{target.name}.journal")


class Journal:
    """A journal being written."""

    def __init__(self, target: Path) -> None:
        self.path = journal_of(target)

    def begin(self, settings: dict[str, Any]) -> None:
        """A new journal, over any that was there."""
        head = {"journal": NAME, "version": VERSION, "behaviour": BEHAVIOUR, "settings": settings}
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_bytes(json.dumps(head).encode() + b"\n")
        except OSError as error:
            raise FileTrouble(
                f"cannot write {self.path}: {error.strerror}; name a place that can be written"
            ) from error

    def settings(self) -> dict[str, Any]:
        """What the run was asked for; a line that was not finished is cut off."""
        self._mend()
        with self.path.open("rb") as file:
            head = _head(file.readline())
        if head.get("journal") != NAME or head.get("version") != VERSION:
            raise SpoiltFile(f"{self.path} is no journal of games; remove it and start over without --resume")
        if head.get("behaviour") != BEHAVIOUR:
            raise SpoiltFile(
                f"{self.path} was begun by another version whose games differ; start over without --resume"
            )
        settings: dict[str, Any] = head["settings"]
        return settings

    def _mend(self) -> None:
        with self.path.open("rb+") as file:
            file.seek(0, 2)
            end = file.tell()
            while end > 0:
                begin = max(0, end - (1 << 16))
                file.seek(begin)
                found = file.read(end - begin).rfind(b"\n")
                if found >= 0:
                    end = begin + found + 1
                    break
                end = begin
            file.truncate(end)

    def lines(self) -> Iterator[bytes]:
        """A line for every game played so far."""
        with self.path.open("rb") as file:
            file.readline()
            yield from file

    def games(self) -> Iterator[bytes]:
        """The lines of games that were kept."""
        return (line for line in self.lines() if not line.startswith(b'{"dropped":'))

    def add(self, line: bytes) -> None:
        """One more line, in a single write."""
        with self.path.open("ab", buffering=0) as file:
            file.write(line)

    def remove(self) -> None:
        with suppress(OSError):
            self.path.unlink()


def _head(line: bytes) -> dict[str, Any]:
    """The first line of a journal; empty if it is anything else."""
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def dropped(reason: str) -> bytes:
    return json.dumps({"dropped": reason}).encode() + b"\n"
