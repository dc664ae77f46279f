"""The input file of best-first search: the size of the board, its rows, the player to move.

    3            # lines that are blank and what follows a # do not count
    X.O          spaces between the cells and lower case are fine: x . o
    .X.
    O..
    X

The file `-` is standard input. Whatever is wrong is said in one sentence with the file, the line and what was expected
there; what stands there is quoted as it was written.
"""

import re
import sys
from pathlib import Path
from typing import NamedTuple, NoReturn

from gridlab.core.errors import BadNotation, FileTrouble
from gridlab.core.files import check_source
from gridlab.core.numbers import shortened
from gridlab.core.untrusted import read_bytes, reading
from gridlab.games.mnk.position import Player
from gridlab.search.mnk.best_first import MAX_SIZE, Start

PLAYERS: dict[str, Player] = {"X": "X", "O": "O"}
MOST_BYTES = 1 << 20  # of an input, comments and all
SIZE_WANTED = f"the size of the board, a number from 1 to {MAX_SIZE}, is expected"
PLAYER_WANTED = "the player to move, X or O, is expected"


class Line(NamedTuple):
    """What a line says, without comments."""

    number: int  # in the file, from 1
    written: str  # as it stands there

    @property
    def text(self) -> str:
        """In capitals and without spaces."""
        return re.sub(r"\s", "", self.written).upper()


def is_standard_input(path: Path) -> bool:
    return str(path) in ("-", "/dev/stdin")


def read_start(path: Path) -> Start:
    """The board and the player of an input file."""
    lines = _lines(path)
    size = _size(path, lines[0])
    rows = [_row(path, lines, size, row) for row in range(1, size + 1)]
    player = _player(path, lines, size)
    marks = "".join(rows)
    crosses, noughts = (sum(1 << cell for cell, mark in enumerate(marks) if mark == each) for each in "XO")
    start = Start(size, crosses, noughts, player)
    _check_possible(path, lines[1].number, start)
    return start


def off_turn(start: Start) -> str | None:
    """A remark where the counts of stones would give the turn to somebody else; None where they agree."""
    crosses, noughts = start.crosses.bit_count(), start.noughts.bit_count()
    stones = f"X has {_stones(crosses)} and O {noughts}"
    if noughts > crosses:
        return f"off turn: {stones}, though X moves first; the player line rules, {start.player} is to move"
    turn = "X" if crosses == noughts else "O"
    if turn != start.player:
        return f"off turn: {stones}, so {turn} would be to move; the player line rules, {start.player} is to move"
    return None


def _stones(count: int) -> str:
    return f"{count} stone{'' if count == 1 else 's'}"


def _refuse(path: Path, line: int, sentence: str) -> NoReturn:
    name = "standard input" if is_standard_input(path) else path
    raise BadNotation(f"{name}, line {line}: {sentence}")


def _content(path: Path) -> bytes:
    if not is_standard_input(path):
        return read_bytes(check_source(path), MOST_BYTES)
    if sys.stdin is None:
        raise FileTrouble("standard input cannot be read: it is closed; name a file")
    with reading("standard input"):
        content = sys.stdin.buffer.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise FileTrouble(f"standard input has more than {MOST_BYTES:,} bytes, more than an input can have")
    return content


def _lines(path: Path) -> list[Line]:
    """The lines that count, and behind them an empty one that stands for the end of the file."""
    content = _content(path)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = content.count(b"\n", 0, error.start) + 1
        _refuse(path, place, f"byte {content[error.start]:#04x} is not text; digits, X, O, . and comments are expected")
    rows = text.splitlines()
    stripped = (Line(i, row.partition("#")[0].strip()) for i, row in enumerate(rows, 1))
    lines = [line for line in stripped if line.written]
    if not lines:
        _refuse(path, 1, f"the file is empty; {SIZE_WANTED}")
    return [*lines, Line(max(1, len(rows)), "")]


def _size(path: Path, line: Line) -> int:
    if not re.fullmatch("[0-9]+", line.written):
        _refuse(path, line.number, f"{shortened(line.written)} is not a number; {SIZE_WANTED}")
    if len(line.written) > 3 or not 1 <= int(line.written) <= MAX_SIZE:
        _refuse(path, line.number, f"a board of size {line.written[:40]} is not searched; {SIZE_WANTED}")
    return int(line.written)


def _row(path: Path, lines: list[Line], size: int, row: int) -> str:
    number, written, text = *lines[row], lines[row].text
    wanted = f"row {row} of {size} is expected"
    if not text:
        _refuse(path, number, f"the file ends; {wanted}")
    if text in PLAYERS and size > 1 and not lines[row + 1].text:
        _refuse(path, number, f"the player comes after {row - 1} rows; {wanted}")
    if wrong := re.search(r"[^XOxo.\s]", written):
        _refuse(path, number, f"{wrong.group()!r} is not a mark of a board; X, O and . are expected in row {row}")
    if len(text) != size:
        shown = " ".join(written.split())[:40]
        _refuse(path, number, f"row {row} has {len(text)} cells, {shown}; {size} are expected")
    return text


def _player(path: Path, lines: list[Line], size: int) -> Player:
    number, written, text = *lines[size + 1], lines[size + 1].text
    if not text:
        _refuse(path, number, f"the file ends after the board; {PLAYER_WANTED}")
    if size > 1 and re.fullmatch("[XO.]{2,}", text):
        _refuse(path, number, f"the board has more than {size} rows; {PLAYER_WANTED} after row {size}")
    if text not in PLAYERS:
        _refuse(path, number, f"{shortened(written)} does not name a player; {PLAYER_WANTED}")
    after, more = lines[size + 2]
    if more:
        _refuse(path, after, f"{shortened(more)} comes after the player; nothing is expected")
    return PLAYERS[text]


def _check_possible(path: Path, line: int, start: Start) -> None:
    """Stones that no turn explains, and lines of both players."""
    crosses, noughts = start.crosses.bit_count(), start.noughts.bit_count()
    if abs(crosses - noughts) > 1:
        stones = f"X has {_stones(crosses)} and O {noughts}"
        _refuse(path, line, f"on the board that begins here {stones}; counts that differ by at most one are expected")
    if all(
        any(stones & each == each for each in start.rules.winning_lines) for stones in (start.crosses, start.noughts)
    ):
        _refuse(path, line, "on the board that begins here X and O both have a line; at most one of them is expected")
