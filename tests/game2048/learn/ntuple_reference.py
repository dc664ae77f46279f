"""What a game teaches an n-tuple network, in the plainest Python: what the kernels are compared with."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gridlab.game2048.rules import DIRECTIONS, Board, Rules2048, empty_cells, move, place
from gridlab.game2048.search.ntuple import Cells
from gridlab.games.grid import symmetries

# ---- N-tuple networks in the plainest Python: what the kernels are compared with


@dataclass(frozen=True)
class PlainNetwork:
    """The tables of some tuples, one after the other."""

    rules: Rules2048
    tuples: tuple[Cells, ...]
    weights: Any  # [place]: what can be asked for by number

    def places(self, board: Board) -> list[int]:
        """Where the weights of a board stand."""
        images = [each.values(board) for each in symmetries(self.rules.rows, self.rules.cols)]
        found, first = [], 0
        for cells in self.tuples:
            found += [first + key(image, cells) for image in images]
            first += 16 ** len(cells)
        return found

    def value(self, board: Board) -> float:
        """The points still to come, after a move."""
        return float(sum(float(self.weights[each]) for each in self.places(board)))

    def move_values(self, board: Board, depth: int = 1) -> dict[str, float]:
        """What each legal direction is worth: its points, and those to come."""
        moves = {direction: move(self.rules, board, direction) for direction in DIRECTIONS}
        return {
            direction: points + self.after_value(after, depth - 1)
            for direction, (after, points) in moves.items()
            if after != board
        }

    def after_value(self, after: Board, depth: int) -> float:
        """What a board is worth after a move, so many moves and tiles deep."""
        if depth == 0:
            return self.value(after)
        cells, (twos, fours) = empty_cells(after), self.rules.odds
        total = 0.0
        for cell in cells:
            for tile, weight in ((2, twos), (4, fours)):
                if weight:
                    values = self.move_values(place(after, cell, tile), depth - 1)
                    total += weight * max(values.values(), default=0.0)
        return total / ((twos + fours) * len(cells))


def key(board: Board, cells: Cells) -> int:
    """What stands on the cells of a tuple, four bits each: the binary logarithms of the tiles."""
    return sum((board[cell].bit_length() - 1) << 4 * i for i, cell in enumerate(cells) if board[cell])


def downgraded(board: Board, tile: int) -> Board:
    """The board without this tile or a larger one: again and again those above the largest missing one are halved."""
    while (largest := max(board)) >= tile:
        missing = [each for each in powers_of_two(largest) if each not in board]
        if not missing:
            break
        board = tuple(each // 2 if each > missing[-1] else each for each in board)
    return board


def powers_of_two(below: int) -> list[int]:
    """2, 4, 8, … up to the last below a number."""
    return [1 << exponent for exponent in range(1, 16) if 1 << exponent < below]


# ---- What a game teaches an n-tuple network, in the plainest Python: what the kernels are compared with


def learn_backwards(
    path: Sequence[tuple[Board, int]],
    network: PlainNetwork,
    weights: list[float],
    sums: list[tuple[float, float]] | None,
    step: float,
    trace: float,
) -> None:
    """Change the weights by a game: the boards after its moves, with the points of each move.

    `sums` are Σ errors and Σ |errors| for each weight with temporal coherence, None with one rate for all.
    """
    target = 0.0
    for board, points in reversed(path):
        places = network.places(board)
        value = sum(weights[each] for each in places)
        error = target - value
        changes = 0.0
        for each in places:
            rate = 1.0
            if sums is not None:
                total, absolute = sums[each]
                rate = abs(total) / absolute if absolute else 1.0
                sums[each] = total + error, absolute + abs(error)
            change = step * rate * error / len(places)
            weights[each] += change
            changes += change
        target = points + (1 - trace) * (value + changes) + trace * target
