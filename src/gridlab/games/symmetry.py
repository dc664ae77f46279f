"""The symmetries of a board: 8 of a square, 4 of an oblong one.

0 1      rotate 90 (clockwise)    2 0      cells == (1, 3, 0, 2): cell 0 goes to 1, cell 1 to 3, …
2 3      ------------------->     3 1
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from gridlab.core.arguments import told, whole
from gridlab.core.draw import shown
from gridlab.core.errors import BadNotation

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
        found: list[int] = []
        for cell in range(len(self.cells)):
            if not any(cycle >> cell & 1 for cycle in found):
                found.append(self._cycle(cell))
        return tuple(found)

    def _cycle(self, cell: int) -> int:
        cycle = 0
        while not cycle >> cell & 1:
            cycle |= 1 << cell
            cell = self.cells[cell]
        return cycle


def symmetries(rows: int, cols: int) -> tuple[Symmetry, ...]:
    """All symmetries of a rows × cols board, the identity first."""
    if type(rows) is int and type(cols) is int:
        return _symmetries(rows, cols)
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
