"""Boards, moves and cells as text: one notation for tests, files, command line and web.

    board     X.O/.X./O.X          rows from the top, `/` or a line end between them, `.` for an empty cell
    also read xo__oxxox            the cells in one run, with or without spaces; x and o count as X and O, and _, -
                                   and the minus sign − as .
              [1,2,0,0,2,1,1,2,1]  a list of numbers: 0 is empty, 1 is X, 2 is O, as in every file; or 2 is X and 1 is
                                   O, if only so X has as many stones as O or one more
    move      11 … 99              row × 10 + column, both from 1; `row,col` where a side exceeds 9

Inside, a cell is its row-major index from 0 and a board is a tuple of cell values: 0 empty, 1 X, 2 O.
"""

import re
from collections.abc import Sequence

from gridlab.core.arguments import shortened
from gridlab.core.errors import BadNotation

MARKS = ".XO"
VALUES = {".": 0, "_": 0, "-": 0, "\N{MINUS SIGN}": 0, "X": 1, "O": 2}
X_FIRST, X_SECOND = "1 = X, 2 = O", "2 = X, 1 = O"  # what the numbers of a list can mean
VALUE_OF_NUMBER = {X_FIRST: {"0": 0, "1": 1, "2": 2}, X_SECOND: {"0": 0, "1": 2, "2": 1}}


def board_text(values: Sequence[int], cols: int) -> str:
    """(1, 0, 2, 0) -> "X./O." for two columns."""
    marks = "".join(MARKS[value] for value in values)
    return "/".join(marks[start : start + cols] for start in range(0, len(marks), cols))


def parse_board(text: str, rows: int, cols: int) -> tuple[int, ...]:
    text = text.strip()
    if text.startswith("["):
        return _parse_numbers(text, rows * cols)
    lines = [re.sub(r"\s", "", line) for line in re.split(r"[/\n]", text)]
    if len(lines) == 1 and rows > 1:
        return _parse_run(lines[0], rows, cols)
    if len(lines) != rows:
        raise BadNotation(f"board {shortened(text)} has {len(lines)} rows; this game has {rows}, separated by '/'")
    for number, line in enumerate(lines, 1):
        if len(line) != cols:
            row = f"row {number} of the board, {shortened(line)},"
            raise BadNotation(f"{row} has {len(line)} cells; this game has {cols}")
    return _values("".join(lines))


def _parse_run(run: str, rows: int, cols: int) -> tuple[int, ...]:
    if len(run) != rows * cols:
        wanted = f"this game has {rows * cols}: write {rows} rows of {cols}, separated by '/'"
        raise BadNotation(f"board {shortened(run)} has {len(run)} cells; {wanted}")
    return _values(run)


def _values(marks: str) -> tuple[int, ...]:
    for mark in marks.upper():
        if mark not in VALUES:
            raise BadNotation(f"a board holds X, O and . (or _ or -), not {mark!r}")
    return tuple(VALUES[mark] for mark in marks.upper())


def reading_of(text: str) -> str | None:
    """What 1 and 2 mean in a list of cells, X_FIRST or X_SECOND; None if the text is no list.

    X has as many stones as O or one more. Where that holds for only one of the readings it is this one; where the
    counts do not decide, 1 is X.

    >>> reading_of("[2,1,0,0,1,2,2,1,2]")
    '2 = X, 1 = O'
    >>> reading_of("[2,1,0,0,0,0,0,0,0]")
    '1 = X, 2 = O'
    """
    if not text.strip().startswith("["):
        return None
    numbers = _numbers(text)
    return X_SECOND if numbers.count("2") == numbers.count("1") + 1 else X_FIRST


def _numbers(text: str) -> list[str]:
    return re.sub(r"[\[\],\s]+", " ", text).split()


def _parse_numbers(text: str, cells: int) -> tuple[int, ...]:
    numbers, values = _numbers(text), VALUE_OF_NUMBER[reading_of(text) or X_FIRST]
    wrong = [number for number in numbers if number not in values]
    if wrong or not text.endswith("]"):
        raise BadNotation(f"a list of cells looks like [1,2,0,…] with 1 = X, 2 = O, 0 = empty, not {shortened(text)}")
    if len(numbers) != cells:
        raise BadNotation(f"the list has {len(numbers)} cells; this game has {cells}")
    return tuple(values[number] for number in numbers)


def move_text(cell: int, rows: int, cols: int) -> str:
    """Cell 0 is "11"; on a board with a side above 9 it is "1,1"."""
    row, col = divmod(cell, cols)
    return f"{row + 1},{col + 1}" if max(rows, cols) > 9 else f"{row + 1}{col + 1}"


def parse_move(text: str, rows: int, cols: int) -> int:
    pattern = r"\s*(\d{1,2})\s*,\s*(\d{1,2})\s*" if max(rows, cols) > 9 else r"\s*(\d)\s*,?\s*(\d)\s*"
    found = re.fullmatch(pattern, text, re.ASCII)
    row, col = (int(number) for number in found.groups()) if found else (0, 0)
    if not (1 <= row <= rows and 1 <= col <= cols):
        first, last = move_text(0, rows, cols), move_text(rows * cols - 1, rows, cols)
        cells = f"cells are {first} (top left) to {last}"
        raise BadNotation(f"{shortened(text)} is not a cell of a {rows}x{cols} board; {cells}")
    return (row - 1) * cols + col - 1
