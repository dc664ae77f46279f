"""Tuples of cells, from which n-tuple networks are made: sets of them by name, or cell by cell.

    0 1 2 3      012456 is the rectangle at the top left: cells in hexadecimal digits, row by row
    4 5 6 7      4x6    four tuples of six cells (Yeh et al., 2016)
    8 9 a b      8x6    eight of six (Matsuzaki, 2016)
    c d e f      5x4    the lines and the squares; 17x4    all tetrominoes

A network lays each tuple on all images of the board, so of the images of a tuple one is enough: there are seventeen
tetrominoes on the 4x4 board.
"""

from itertools import groupby

from gridlab.core.errors import BadNotation
from gridlab.core.numbers import shortened
from gridlab.games.game2048.rules import Rules2048
from gridlab.games.symmetry import symmetries

Cells = tuple[int, ...]  # of a tuple, in rising order

SETS = {
    "4x6": "012345 456789 012456 45689a",
    "8x6": "012456 456789 012345 234569 01259a 345678 134567 01489a",
    "5x4": "0123 4567 0145 1256 569a",
}
SHAPES = {"tetrominoes": 4, "pentominoes": 5, "hexominoes": 6}  # all connected shapes of so many cells
ALIASES = {"17x4": "tetrominoes"}
DIGITS = "0123456789abcdef"
MOST_CELLS, MOST_TUPLES = 6, 64  # of a tuple, of a set
MOST_WEIGHTS = 1 << 28  # of all tables: a gigabyte
FORM = "name 4x6, 8x6, 5x4 or 17x4, tetrominoes, pentominoes or hexominoes, or list cells such as 012345,456789"


def default_tuples(rules: Rules2048) -> str:
    """What is learnt with if nobody says: 4x6 on the 4x4 board, smaller tuples on smaller boards."""
    if rules.cells == 16:
        return "4x6"
    return "pentominoes" if 6 <= rules.cells <= 9 else "tetrominoes"


def parse_tuples(text: str, rules: Rules2048) -> tuple[Cells, ...]:
    """A set of tuples for a board of up to 4x4 cells."""
    name = ALIASES.get(text, text)
    if not rules.packed:
        raise BadNotation(f"n-tuple networks know boards of up to 4x4 cells, not {rules}")
    if (text in SETS or text in ALIASES) and rules.cells != 16:
        raise BadNotation(f"the tuples {text} are those of the 4x4 board, not of {rules}; name pentominoes, say")
    if name in SHAPES:
        found = polyominoes(SHAPES[name], rules)
    else:
        found = tuple(_parse_cells(each, rules) for each in SETS.get(name, name).replace(",", " ").split())
    return check_tuples(found, text, rules)


def check_tuples(tuples: tuple[Cells, ...], text: str, rules: Rules2048) -> tuple[Cells, ...]:
    """Tuples of which a network can be made."""
    if not 1 <= len(tuples) <= MOST_TUPLES:
        raise BadNotation(f"{shortened(text)!r} are {len(tuples)} tuples on {rules}, and 1 to {MOST_TUPLES} are needed")
    if len(set(tuples)) < len(tuples):
        raise BadNotation(f"{shortened(text)!r} has the same tuple twice")
    if number_of_weights(tuples) > MOST_WEIGHTS:
        raise BadNotation(f"{shortened(text)!r} needs more than {MOST_WEIGHTS:,} weights; take fewer or smaller tuples")
    return tuples


def number_of_weights(tuples: tuple[Cells, ...]) -> int:
    """One for each way to fill the cells of a tuple."""
    return sum(16 ** len(cells) for cells in tuples)


def text_of(tuples: tuple[Cells, ...]) -> str:
    """What `parse_tuples` reads, cell by cell."""
    return ",".join("".join(DIGITS[cell] for cell in each) for each in tuples)


def _parse_cells(text: str, rules: Rules2048) -> Cells:
    cells = [DIGITS.find(each) for each in text.lower()]
    if not 1 <= len(cells) <= MOST_CELLS or not all(0 <= each < rules.cells for each in cells):
        raise BadNotation(
            f"{shortened(text)!r} is not a tuple of 1 to {MOST_CELLS} cells from 0 to {DIGITS[rules.cells - 1]}; {FORM}"
        )
    if len(set(cells)) < len(cells):
        raise BadNotation(f"the tuple {text!r} has a cell twice")
    return tuple(sorted(cells))


def polyominoes(size: int, rules: Rules2048) -> tuple[Cells, ...]:
    """All connected shapes of so many cells, one of the images of each."""
    shapes = {frozenset([cell]) for cell in range(rules.cells)}
    for _ in range(size - 1):
        shapes = {shape | {cell} for shape in shapes for cell in neighbours(shape, rules)}
    return tuple(sorted({simplest_image(shape, rules) for shape in shapes}))


def neighbours(shape: frozenset[int], rules: Rules2048) -> set[int]:
    """The cells beside a shape."""
    places = {divmod(cell, rules.cols) for cell in shape}
    beside = {(r + y, c + x) for r, c in places for y, x in ((0, 1), (1, 0), (0, -1), (-1, 0))} - places
    return {r * rules.cols + c for r, c in beside if 0 <= r < rules.rows and 0 <= c < rules.cols}


def simplest_image(shape: frozenset[int], rules: Rules2048) -> Cells:
    """The image with the fewest runs of cells side by side, which are read at once; of these the first."""
    images = (tuple(sorted(map(each.move, shape))) for each in symmetries(rules.rows, rules.cols))
    return min(images, key=lambda cells: (len(runs(cells)), cells))


def runs(cells: Cells) -> list[Cells]:
    """The parts of a tuple in which numbers follow one another: 012456 is 012 and 456."""
    parts = groupby(enumerate(cells), lambda pair: pair[1] - pair[0])
    return [tuple(cell for _, cell in part) for _, part in parts]
