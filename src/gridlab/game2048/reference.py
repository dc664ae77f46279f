"""2048 in the plainest Python there is: a board is a tuple of tile values, row-major, 0 where it is empty.

Any board size. Row tables are made by `slide`, and tests hold every kernel, and `Position2048`, to these functions.
"""

from functools import cache

from gridlab.core.bits import Stream
from gridlab.game2048.rules import DIRECTIONS as DIRECTIONS
from gridlab.game2048.rules import Rules2048

Board = tuple[int, ...]


def slide(line: Board, largest: int | None = None) -> tuple[Board, int]:
    """A line slid to its front, and the points it brings: (2, 0, 2, 4) -> (4, 4, 0, 0), 4.

    Each tile merges once: (2, 2, 2, 2) -> (4, 4, 0, 0), and (4, 2, 2, 0) -> (4, 4, 0, 0). Two tiles of `largest` stay.
    """
    tiles = [tile for tile in line if tile]
    slid: list[int] = []
    points, i = 0, 0
    while i < len(tiles):
        merges = i + 1 < len(tiles) and tiles[i] == tiles[i + 1] and tiles[i] != largest
        slid.append(2 * tiles[i] if merges else tiles[i])
        points += 2 * tiles[i] if merges else 0
        i += 2 if merges else 1
    return (*slid, *(0 for _ in line[len(slid) :])), points


@cache
def lines(rules: Rules2048, direction: str) -> list[list[int]]:
    """The cells of every line that moves, its front first."""
    across = [[row * rules.cols + col for col in range(rules.cols)] for row in range(rules.rows)]
    down = [[row * rules.cols + col for row in range(rules.rows)] for col in range(rules.cols)]
    chosen = down if direction in ("up", "down") else across
    return [line[::-1] for line in chosen] if direction in ("down", "right") else chosen


def move(rules: Rules2048, board: Board, direction: str) -> tuple[Board, int]:
    """The board after a move, before a tile appears, and its points; the same board if the move is not legal."""
    after, points = list(board), 0
    for cells in lines(rules, direction):
        slid, gained = slide(tuple(board[cell] for cell in cells), rules.largest)
        points += gained
        for cell, tile in zip(cells, slid, strict=True):
            after[cell] = tile
    return tuple(after), points


def travel(rules: Rules2048, board: Board, direction: str) -> dict[int, int]:
    """Where every tile goes in a move, from cell to cell; two that merge go to the same one."""
    goes: dict[int, int] = {}
    for cells in lines(rules, direction):
        front, waiting = -1, 0  # the place that was filled last, and its tile if that can still merge
        for cell in cells:
            if not (tile := board[cell]):
                continue
            merges = tile == waiting and tile != rules.largest
            front, waiting = (front, 0) if merges else (front + 1, tile)
            goes[cell] = cells[front]
    return goes


def legal_moves(rules: Rules2048, board: Board) -> list[str]:
    """The directions that change the board."""
    return [direction for direction in DIRECTIONS if move(rules, board, direction)[0] != board]


def empty_cells(board: Board) -> list[int]:
    return [cell for cell, tile in enumerate(board) if tile == 0]


def place(board: Board, cell: int, tile: int) -> Board:
    return (*board[:cell], tile, *board[cell + 1 :])


def spawn(rules: Rules2048, board: Board, stream: Stream) -> Board:
    """The board with a new tile; one draw of the stream decides the cell and the tile."""
    cells, bits, (twos, fours) = empty_cells(board), stream.draw(), rules.odds
    cell = cells[(bits >> 32) * len(cells) >> 32]
    is_four = (bits & 0xFFFFFFFF) * (twos + fours) >> 32 < fours
    return place(board, cell, 4 if is_four else 2)


def start(rules: Rules2048, stream: Stream) -> Board:
    """An empty board with two new tiles."""
    return spawn(rules, spawn(rules, (0,) * rules.cells, stream), stream)
