"""Expectimax in the plainest Python: what the kernels are compared with, and the player of boards larger than 4x4.

The sums are taken in the same order as by the kernels, and those above the leaves in whole numbers, so values agree
to the last bit.
"""

from dataclasses import dataclass

from gridlab.core.bits import Stream
from gridlab.core.run import pause
from gridlab.game2048.reference import Board, empty_cells, move, place
from gridlab.game2048.rules import DIRECTIONS, Rules2048
from gridlab.game2048.search.evaluators import Evaluate


@dataclass(frozen=True)
class PlainSearch:
    """A search by its settings; `stream` is needed where cells are sampled."""

    rules: Rules2048
    evaluate: Evaluate
    depth: int
    sample: int = 0
    cutoff: float = 0.0
    stream: Stream | None = None
    dead: int = 0  # what a board loses that has no move left

    def choose(self, board: Board) -> str | None:
        """The best direction, the first of equals; None if there is no move."""
        values = self.move_values(board)
        return max(values, key=values.__getitem__) if values else None

    def move_values(self, board: Board) -> dict[str, float]:
        """What each legal direction is worth."""
        afters = {direction: move(self.rules, board, direction)[0] for direction in DIRECTIONS}
        return {each: self.after_value(after, self.depth - 1, 1.0) for each, after in afters.items() if after != board}

    def after_value(self, after: Board, depth: int, probability: float) -> float:
        """What a board is worth after a move, with so many plies to go: the mean over new tiles."""
        if depth == 0:
            return float(self.evaluate(after))
        pause()
        cells, (twos, fours) = self._cells(after), self.rules.odds
        odds = (twos + fours) * len(cells)
        total: float = 0  # whole numbers stay whole, and exact
        for cell in cells:
            for tile, weight in ((2, twos), (4, fours)):
                if weight:
                    board = place(after, cell, tile)
                    total += weight * self.board_value(board, depth - 1, probability * weight / odds)
        return float(total) / odds

    def board_value(self, board: Board, depth: int, probability: float) -> float:
        """What a board is worth before a move, with so many plies to go: the best of its moves."""
        if depth == 0:
            return self.evaluate(board)
        if probability < self.cutoff:
            return float(self.evaluate(board))
        afters = [move(self.rules, board, direction)[0] for direction in DIRECTIONS]
        values = [self.after_value(after, depth - 1, probability) for after in afters if after != board]
        return max(values) if values else float(self.evaluate(board) - self.dead)

    def _cells(self, after: Board) -> list[int]:
        """The cells to be tried: all empty ones, or a random sample of them."""
        cells = empty_cells(after)
        if not 0 < self.sample < len(cells):
            return cells
        assert self.stream is not None
        chosen = [cells.pop((self.stream.draw() >> 32) * len(cells) >> 32) for _ in range(self.sample)]
        return sorted(chosen)
