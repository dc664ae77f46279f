"""The grid of a board: boards, moves and cells as text, and the symmetries."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from gridlab.core.arguments import shortened, told, whole
from gridlab.core.draw import shown
from gridlab.core.errors import BadNotation

# ---- Boards, moves and cells as text: one notation for tests, files, command line and web
#
#     board     X.O/.X./O.X          rows from the top, `/` or a line end between them, `.` for an empty cell
#     also read xo__oxxox            the cells in one run, with or without spaces; x and o count as X and O, and _, -
#                                    and the minus sign − as .
#               [1,2,0,0,2,1,1,2,1]  a list of numbers: 0 is empty, 1 is X, 2 is O, as in every file; or 2 is X and 1 is
#                                    O, if only so X has as many stones as O or one more
#     move      11 … 99              row × 10 + column, both from 1; `row,col` where a side exceeds 9
#
# Inside, a cell is its row-major index from 0 and a board is a tuple of cell values: 0 empty, 1 X, 2 O.


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
    if wrong := [mark for mark in marks.upper() if mark not in VALUES]:
        raise BadNotation(f"a board holds X, O and . (or _ or -), not {wrong[0]!r}")
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


# ---- The symmetries of a board: 8 of a square, 4 of an oblong one
#
# 0 1      rotate 90 (clockwise)    2 0      cells == (1, 3, 0, 2): cell 0 goes to 1, cell 1 to 3, …
# 2 3      ------------------->     3 1


Place = Callable[[int, int, int, int], tuple[int, int]]  # row, col, last row, last col -> row, col

OBLONG: dict[str, Place] = {
    "identity": lambda r, c, y, x: (r, c),
    "rotate 180": lambda r, c, y, x: (y - r, x - c),
    "mirror left-right": lambda r, c, y, x: (r, x - c),
    "mirror top-bottom": lambda r, c, y, x: (y - r, c),
}
SQUARE: dict[str, Place] = OBLONG | {
    "rotate 90": lambda r, c, y, x: (c, x - r),
    "rotate 270": lambda r, c, y, x: (y - c, r),
    "mirror main diagonal": lambda r, c, y, x: (c, r),
    "mirror anti-diagonal": lambda r, c, y, x: (x - c, y - r),
}


@shown
@dataclass(frozen=True, slots=True)
class Symmetry:
    """A map of the board onto itself; what stands on cell i goes to `cells[i]`."""

    name: str
    cells: tuple[int, ...]

    def _in_short(self) -> str:
        return f"{self.name} of {len(self.cells)} cells"

    def move(self, cell: int) -> int:
        """Where a move goes."""
        return self.cells[cell]

    @property
    def inverse(self) -> "Symmetry":
        """The map back: `s.inverse.move(s.move(cell)) == cell`."""
        back = tuple(sorted(range(len(self.cells)), key=self.cells.__getitem__))
        name = {"rotate 90": "rotate 270", "rotate 270": "rotate 90"}.get(self.name, self.name)
        return Symmetry(name, back)

    def stones(self, stones: int) -> int:
        """The image of a bitboard."""
        return sum(1 << to for cell, to in enumerate(self.cells) if stones >> cell & 1)

    def values(self, values: tuple[int, ...]) -> tuple[int, ...]:
        """The image of a board given cell by cell."""
        image = [0] * len(values)
        for value, to in zip(values, self.cells, strict=True):
            image[to] = value
        return tuple(image)

    def cycles(self) -> tuple[int, ...]:
        """Bitboards of the cells that the map carries round into each other.

        A set of stones is its own image exactly when it is a union of cycles.
        """
        return tuple(dict.fromkeys(map(self._cycle, range(len(self.cells)))))

    def _cycle(self, cell: int) -> int:
        cycle = 0
        while not cycle >> cell & 1:
            cycle |= 1 << cell
            cell = self.cells[cell]
        return cycle


def symmetries(rows: int, cols: int) -> tuple[Symmetry, ...]:
    """All symmetries of a rows × cols board, the identity first."""
    high, wide = whole(rows), whole(cols)
    if high is None or wide is None:
        raise BadNotation(f"a board has whole numbers of rows and columns, not {told(rows)} and {told(cols)}")
    return _symmetries(high, wide)


@cache
def _symmetries(rows: int, cols: int) -> tuple[Symmetry, ...]:
    places = SQUARE if rows == cols else OBLONG
    return tuple(Symmetry(name, _cells(place, rows, cols)) for name, place in places.items())


def _cells(place: Place, rows: int, cols: int) -> tuple[int, ...]:
    images = [place(row, col, rows - 1, cols - 1) for row in range(rows) for col in range(cols)]
    return tuple(row * cols + col for row, col in images)
