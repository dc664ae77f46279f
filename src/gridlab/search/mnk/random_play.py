"""Random moves: openings that do not end the game, and how a move ends it."""

from gridlab.core.bits import popcount
from gridlab.core.jit import kernel
from gridlab.core.splitmix import States, below, draw
from gridlab.search.mnk.board import Board
from gridlab.search.mnk.mcts_kernel import nth_cell
from gridlab.search.mnk.tactics import completing


@kernel
def open_game(longest: int, board: Board, state: States) -> tuple[int, int]:
    """Random moves, none of which ends the game; fewer than drawn if there are no more such moves."""
    own, other = 0, 0
    for _ in range(below(draw(state, 0), longest + 1)):
        quiet = ((1 << board.cells) - 1) & ~(own | other)
        quiet &= ~(completing(own, board.runs, 1) | completing(own, board.runs, -1))
        if popcount(quiet) < 1 or popcount(own | other) >= board.cells - 1:
            break
        own, other = other, own | 1 << nth_cell(quiet, below(draw(state, 0), popcount(quiet)))
    return own, other


@kernel
def ending_by(own: int, other: int, cell: int, board: Board) -> int:
    """How a move ends the game: 1 wins, -1 loses, 2 draws, 0 does not."""
    if completing(own, board.runs, 1) >> cell & 1:
        return 1
    if completing(own, board.runs, -1) >> cell & 1:
        return -1
    return 2 if popcount(own | other) + 1 == board.cells else 0
