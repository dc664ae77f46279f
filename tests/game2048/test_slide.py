"""What becomes of a line, in pictures; the kernels' tables on all 65,536 rows."""

import numpy as np
import pytest

from gridlab.game2048 import kernels
from gridlab.game2048 import rules as reference
from gridlab.game2048.kernels import ROWS, row_tables
from gridlab.game2048.rules import Board, Rules2048

PICTURES = [
    # before           after            points
    ("[2 2 2 2]", "[4 4 0 0]", 8),
    ("[2 2 2 0]", "[4 2 0 0]", 4),  # the two in front merge
    ("[4 2 2 0]", "[4 4 0 0]", 4),  # a merged tile does not merge again
    ("[2 2 4 8]", "[4 4 8 0]", 4),
    ("[8 4 2 2]", "[8 4 4 0]", 4),
    ("[4 4 8 0]", "[8 8 0 0]", 8),
    ("[2 0 0 2]", "[4 0 0 0]", 4),
    ("[0 2 0 4]", "[2 4 0 0]", 0),
    ("[2 4 2 4]", "[2 4 2 4]", 0),
    ("[0 0 0 0]", "[0 0 0 0]", 0),
    ("[0 0 0 2]", "[2 0 0 0]", 0),
    ("[16384 16384 0 0]", "[32768 0 0 0]", 32768),
]


def line(picture: str) -> Board:
    return tuple(int(tile) for tile in picture.strip("[]").split())


@pytest.mark.parametrize(("before", "after", "points"), PICTURES)
def test_a_line_slides(before: str, after: str, points: int) -> None:
    assert reference.slide(line(before)) == (line(after), points)


@pytest.mark.parametrize(("before", "after", "points"), PICTURES)
def test_in_all_four_directions(before: str, after: str, points: int) -> None:
    """The line as a row and as a column, from either end, by the reference implementation and by the kernel."""
    tables = row_tables()
    for direction, cells in {
        "left": range(8, 12), "right": range(11, 7, -1), "up": range(2, 16, 4), "down": range(14, -1, -4),
    }.items():  # fmt: skip
        board, wanted = [0] * 16, [0] * 16
        for cell, tile, slid in zip(cells, line(before), line(after), strict=True):
            board[cell], wanted[cell] = tile, slid
        assert reference.move(Rules2048(), tuple(board), direction) == (tuple(wanted), points)
        packed, number = np.uint64(kernels.pack(tuple(board))), reference.DIRECTIONS.index(direction)
        assert kernels.unpack(int(kernels.move(packed, number, tables.slides))) == tuple(wanted)
        assert kernels.points_of(packed, number, tables.points) == points


def test_two_of_the_largest_tiles_stay_apart_on_the_packed_board_and_merge_elsewhere() -> None:
    two = (32768, 32768, 0, 0)
    assert reference.slide(two) == ((65536, 0, 0, 0), 65536)
    assert reference.slide(two, largest=32768) == (two, 0)
    board = two + (0,) * 12
    assert reference.legal_moves(Rules2048(), board) == ["down", "right"]
    after, points = reference.move(Rules2048(), board, "right")
    assert (after[:4], points) == ((0, 0, 32768, 32768), 0)
    tables = row_tables()
    assert kernels.unpack(int(kernels.move(np.uint64(0xFF), kernels.RIGHT, tables.slides)))[:4] == (0, 0, 32768, 32768)
    assert int(kernels.move(np.uint64(0xFF), kernels.LEFT, tables.slides)) == 0xFF
    assert reference.move(Rules2048(5, 4), two + (0,) * 16, "left") == ((65536,) + (0,) * 19, 65536)


def plainly_slid(tiles: list[int]) -> tuple[list[int], int]:
    """A line slid another way: pull tiles up one by one, merging into a tile that has not merged yet."""
    slid, fresh, points = [0] * len(tiles), [True] * len(tiles), 0
    for start in range(len(tiles)):
        tile, place = tiles[start], start
        if tile == 0:
            continue
        while place > 0 and slid[place - 1] == 0:
            place -= 1
        if place > 0 and slid[place - 1] == tile and fresh[place - 1] and tile != 32768:
            slid[place - 1], fresh[place - 1], points = 2 * tile, False, points + 2 * tile
        else:
            slid[place] = tile
    return slid, points


def test_all_rows() -> None:
    """The tables against the reference implementation, and against a second way to slide, tile by tile."""
    tables = row_tables()
    for row in range(ROWS):
        tiles = kernels.unpack(row, 4)
        slid, points = reference.slide(tiles, largest=32768)
        back, points_back = reference.slide(tiles[::-1], largest=32768)
        assert tables.slides[row] & 0xFFFF == kernels.pack(slid)
        assert tables.slides[row] >> 16 == kernels.pack(back[::-1])
        assert tables.points[row] == points == points_back
        assert plainly_slid(list(tiles)) == (list(slid), points)


@pytest.mark.parametrize("largest", [None, 4])
def test_tiles_travel_to_where_the_move_puts_them(largest: int | None) -> None:
    """Every line of four: tiles put down where they go make the line that `slide` gives."""
    rules = Rules2048(2, 4) if largest is None else Rules2048()
    tiles = (0, 2, 4, 8) if largest is None else (0, 2, 16384, 32768)
    for first in tiles:
        for second in tiles:
            for third in tiles:
                for fourth in tiles:
                    board = (first, second, third, fourth) + (0,) * (rules.cells - 4)
                    after = [0] * rules.cells
                    for cell, to in reference.travel(rules, board, "left").items():
                        after[to] += board[cell]
                    assert tuple(after) == reference.move(rules, board, "left")[0]
