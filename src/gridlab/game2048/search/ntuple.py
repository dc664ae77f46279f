"""An n-tuple network: a board is worth the sum of what parts of it are worth, looked up in large tables.

What stands on the cells of a tuple is the key of a weight, four bits a cell. Each tuple is laid on all eight images of
the board, so symmetric boards are worth the same and a weight learns from all of them:

    value(board) = Σ over tuples, Σ over images:  weights[tuple][tiles of the image on the cells of the tuple]

It is the value of a board *after a move*: the points still to come. A board that is not square has four images. Cells
side by side are taken out of the board at once, by a mask and a shift.
Nearly all of the time is spent waiting for weights. So all places of all moves are found first, memory is told about
them (gridlab.core.bits), and only then are the weights added up: half as fast again.
"""

from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.arguments import shortened
from gridlab.core.bits import States, Stop, prefetch
from gridlab.core.errors import BadNotation
from gridlab.core.jit import kernel
from gridlab.game2048 import kernels
from gridlab.game2048.kernels import FIFTEEN, FOUR, LEFT, NO_MOVE, ONE, ROW, S16, S32, S48, UP, ZERO, RowTables
from gridlab.game2048.rules import Rules2048
from gridlab.games.grid import symmetries

# ---- Tuples of cells, from which n-tuple networks are made: sets of them by name, or cell by cell
#
#     0 1 2 3      012456 is the rectangle at the top left: cells in hexadecimal digits, row by row
#     4 5 6 7      4x6    four tuples of six cells (Yeh et al., 2016)
#     8 9 a b      8x6    eight of six (Matsuzaki, 2016)
#     c d e f      5x4    the lines and the squares; 17x4    all tetrominoes
#
# A network lays each tuple on all images of the board, so of the images of a tuple one is enough: there are seventeen
# tetrominoes on the 4x4 board.


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


# ---- Tile-downgrading: large tiles that a network hardly knows are seen as half as large (Guei, Chen and Wu, 2021)
#
# A network has met boards with its largest tiles in games that ended soon after; with half of those tiles it is at
# home. The direction that is good on the halved board is good on the real one as long as the same tiles can be merged
# on both. So all tiles above the largest *missing* one are halved: what is equal stays equal, what differs stays
# different.
#
#     16384  8192  4096   512          8192  4096  2048   512        2048 is the largest that is missing
#         .     8    64   256    ->       .     8    64   256        between 2 and 16384


NEVER = 16  # the binary logarithm of a tile that no board has


@kernel
def downgraded(board: np.uint64, walls: np.uint64, exponent: int) -> np.uint64:
    """The board without tiles of this logarithm or above, as far as halving those above a missing one can do it."""
    tiles = board ^ walls
    top = kernels.largest_exponent(tiles)
    while top >= exponent:
        gap = largest_missing(tiles, top)
        if gap == 0:
            break
        tiles -= units_above(tiles, gap)
        top -= 1
    return tiles ^ walls


@kernel
def largest_missing(tiles: np.uint64, top: int) -> int:
    """The largest logarithm below that of the largest tile which no cell has; 0 if all are there."""
    there = ZERO
    while tiles != ZERO:
        there |= ONE << (tiles & FIFTEEN)
        tiles >>= FOUR
    gap = top - 1
    while gap > 0 and there >> np.uint64(gap) & ONE != ZERO:
        gap -= 1
    return gap


@kernel
def units_above(tiles: np.uint64, exponent: int) -> np.uint64:
    """The lowest bit of every cell with a larger tile."""
    units = ZERO
    for shift in range(0, 64, 4):
        if np.int64(tiles >> np.uint64(shift) & FIFTEEN) > exponent:
            units |= ONE << np.uint64(shift)
    return units


# ---- An n-tuple network: a board is worth the sum of what parts of it are worth, looked up in large tables


Weights = NDArray[np.float32]  # of all tuples, table after table
Places = NDArray[np.uint64]  # [tuple and image]: places of weights
Moves = NDArray[np.uint64]  # [4]: the board after each move, the board itself where it is none


class Layout(NamedTuple):
    """The board in numbers: its walls, how far images are pushed to the top left, whether it is square."""

    walls: np.uint64
    across: np.uint64
    down: np.uint64
    square: bool


class Network(NamedTuple):
    """An n-tuple network as kernels take it."""

    weights: Weights
    masks: NDArray[np.uint64]  # [tuple, run]: the cells of each run
    shifts: NDArray[np.uint64]  # [tuple, run]: how far they are from their place in the key
    offsets: NDArray[np.uint64]  # [tuple]: where its table begins
    layout: Layout


class NTupleMoves(NamedTuple):
    """The move with the most points, those of the move and those to come, as kernels take it."""

    network: Network
    places: NDArray[np.uint64]  # [move, tuple and image], to be written over
    afterstates: Moves  # to be written over
    counts: NDArray[np.int64]  # [2]: boards evaluated, and none answered by a table
    downgrade: int  # boards with a tile of this logarithm are seen with halved tiles


def new_network(tuples: tuple[Cells, ...], rules: Rules2048, weights: Weights | None = None) -> Network:
    """A network with these weights, or with zeros."""
    sizes = [16 ** len(cells) for cells in tuples]
    parts = [read_at_once(cells, rules) for cells in tuples]
    most = max(map(len, parts))
    table = np.zeros((len(tuples), most, 2), np.uint64)  # what is left over takes nothing out: mask 0
    for number, part in enumerate(parts):
        table[number, : len(part)] = part
    layout = Layout(
        np.uint64(kernels.walls_of(rules)), np.uint64(4 * (4 - rules.cols)), np.uint64(16 * (4 - rules.rows)),
        rules.rows == rules.cols,
    )  # fmt: skip
    weights = np.zeros(sum(sizes), np.float32) if weights is None else weights
    offsets = np.cumsum([0, *sizes[:-1]]).astype(np.uint64)
    return Network(weights, table[:, :, 0].copy(), table[:, :, 1].copy(), offsets, layout)


def read_at_once(cells: Cells, rules: Rules2048) -> list[tuple[int, int]]:
    """Mask and shift of each run of cells: 012456 -> [(0xFFF, 0), (0xFFF0000, 4)]."""
    found, taken = [], 0
    for run in runs(tuple(cell // rules.cols * 4 + cell % rules.cols for cell in cells)):
        found.append((sum(15 << 4 * place for place in run), 4 * (run[0] - taken)))
        taken += len(run)
    return found


def number_of_places(network: Network) -> int:
    """How many weights a board has."""
    return (8 if network.layout.square else 4) * len(network.offsets)


def new_moves(network: Network, downgrade: int = NEVER) -> NTupleMoves:
    """A policy for one thread; the weights are shared."""
    places = np.empty((4, number_of_places(network)), np.uint64)
    return NTupleMoves(network, places, np.empty(4, np.uint64), np.zeros(2, np.int64), downgrade)


@kernel
def choose(
    policy: NTupleMoves, board: np.uint64, values: NDArray[np.float64], rows: RowTables, states: States, game: int,
    stop: Stop,
) -> int:  # fmt: skip
    """The best direction, -1 if there is none; in `values` the points that each is worth."""
    weights, masks, shifts, offsets, layout = policy.network
    board = downgraded(board, layout.walls, policy.downgrade)
    value_moves(
        board, policy.afterstates, values, policy.places, weights, masks, shifts, offsets, layout, rows.slides,
        rows.points,
    )  # fmt: skip
    for direction in range(4):
        policy.counts[0] += 1 if policy.afterstates[direction] != board else 0
    return kernels.first_of_best(values)


@kernel
def value_moves(
    board: np.uint64, afterstates: Moves, values: NDArray[np.float64], places: NDArray[np.uint64], weights: Weights,
    masks: NDArray[np.uint64], shifts: NDArray[np.uint64], offsets: NDArray[np.uint64], layout: Layout,
    slides: NDArray[np.uint32], points: NDArray[np.int32],
) -> int:  # fmt: skip
    """Each move, and what it is worth with its points; the points of the best, -1 if there is none.

    Arrays come one by one: a tuple of them counts a reference to each at every call.
    """
    across, down = move_all(board, afterstates, slides, points)
    for direction in range(4):
        if afterstates[direction] != board:
            find_places(afterstates[direction], places[direction], masks, shifts, offsets, layout)
            for each in range(places.shape[1]):
                prefetch(weights, places[direction, each])
    best, brought = NO_MOVE, -1
    for direction in range(4):
        values[direction] = NO_MOVE
        if afterstates[direction] != board:
            gain = down if direction < LEFT else across
            values[direction] = gain + add_up(weights, places[direction])
            if values[direction] > best:
                best, brought = values[direction], gain
    return brought


@kernel
def move_all(
    board: np.uint64, afterstates: Moves, slides: NDArray[np.uint32], points: NDArray[np.int32]
) -> tuple[int, int]:
    """The board after each move, and the points of moves to either side, and of moves up and down."""
    turned = kernels.transpose(board)
    up, down = kernels.slide_rows(turned, slides)
    left, right = kernels.slide_rows(board, slides)
    afterstates[UP], afterstates[UP + 1] = kernels.transpose(up), kernels.transpose(down)
    afterstates[LEFT], afterstates[LEFT + 1] = left, right
    return line_points(board, points), line_points(turned, points)


@kernel
def line_points(lines: np.uint64, points: NDArray[np.int32]) -> int:
    """What sliding all lines brings."""
    total = np.int64(points[lines & ROW]) + points[lines >> S16 & ROW]
    return total + points[lines >> S32 & ROW] + points[lines >> S48]  # type: ignore[no-any-return]


@kernel
def find_places(
    board: np.uint64, places: Places, masks: NDArray[np.uint64], shifts: NDArray[np.uint64],
    offsets: NDArray[np.uint64], layout: Layout,
) -> None:  # fmt: skip
    """Where the weights of a board stand: for each tuple that of each image."""
    walls, across, down, square = layout
    a = board ^ walls
    b = kernels.mirror(a) >> across
    c, d = kernels.flip(a) >> down, kernels.flip(b) >> down
    write_places(a, b, c, d, places, 0, 8 if square else 4, masks, shifts, offsets)
    if square:
        e = kernels.transpose(a)
        f, g = kernels.mirror(e) >> across, kernels.flip(e) >> down
        write_places(e, f, g, kernels.flip(f) >> down, places, 4, 8, masks, shifts, offsets)


@kernel
def write_places(
    a: np.uint64, b: np.uint64, c: np.uint64, d: np.uint64, places: Places, at: int, step: int,
    masks: NDArray[np.uint64], shifts: NDArray[np.uint64], offsets: NDArray[np.uint64],
) -> None:  # fmt: skip
    """The places of four images, from `at` on, those of the next tuple a step further."""
    for number in range(len(offsets)):
        of_a, of_b, of_c, of_d = offsets[number], offsets[number], offsets[number], offsets[number]
        for run in range(masks.shape[1]):
            mask, shift = masks[number, run], shifts[number, run]
            of_a, of_b = of_a + ((a & mask) >> shift), of_b + ((b & mask) >> shift)
            of_c, of_d = of_c + ((c & mask) >> shift), of_d + ((d & mask) >> shift)
        places[at], places[at + 1], places[at + 2], places[at + 3] = of_a, of_b, of_c, of_d
        at += step


@kernel
def add_up(weights: Weights, places: Places) -> float:
    """The value of a board from the places of its weights, in two sums, as either waits for its last addition."""
    one, two = 0.0, 0.0
    for each in range(0, len(places), 2):
        one += np.float64(weights[places[each]])
        two += np.float64(weights[places[each + 1]])
    return one + two
