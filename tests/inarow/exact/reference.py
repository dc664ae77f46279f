"""Complete answers the slow way: what the counting and listing kernels are compared with."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from gridlab.inarow.exact.states import O_WINS, ONGOING, X_WINS, blocks
from gridlab.inarow.position import find_flaw
from gridlab.inarow.rules import Rules
from tests.inarow import reference

TICTACTOE_LINES = (0b111, 0b111000, 0b111000000, 0b1001001, 0b10010010, 0b100100100, 0b100010001, 0b1010100)


def valid_state(noughts: int, crosses: int) -> bool:
    """Can these two bitboards stand in a game of tic-tac-toe?"""
    stones = crosses.bit_count(), noughts.bit_count()
    if crosses & noughts or stones[0] - stones[1] not in (0, 1):
        return False
    x_has_won = any(crosses & line == line for line in TICTACTOE_LINES)
    o_has_won = any(noughts & line == line for line in TICTACTOE_LINES)
    x_moved_last = stones[0] > stones[1]
    return not (o_has_won if x_moved_last else x_has_won)


def double_loop_states() -> list[tuple[int, int]]:
    """Every legal (noughts, crosses) of tic-tac-toe, by a double loop over all pairs of bitboards.

    Four noughts reach at most 0b111100000 = 480, five crosses 0b111110000 = 496.
    """
    return [(noughts, crosses) for noughts in range(481) for crosses in range(497) if valid_state(noughts, crosses)]


def census_by_play(rules: Rules) -> tuple[list[Counter[str]], list[Counter[str]], int]:
    """Positions by outcome for every ply, the same up to symmetry, and the number of games: by playing them all."""
    plies = reference.positions_by_play(rules)
    raw = [Counter(reference.outcome(rules, board) for board in ply) for ply in plies]
    classes = [{reference.canonical(rules, board) for board in ply} for ply in plies]
    orbits = [Counter(reference.outcome(rules, board) for board in ply) for ply in classes]
    games = sum(ways for ply in plies for board, ways in ply.items() if reference.outcome(rules, board) != "ongoing")
    return raw, orbits, games


def terminal_wins(rules: Rules, ply: int) -> set[reference.Board]:
    """The terminal wins of a ply by reverse generation: smallest images, in a set that remembers what was seen."""
    return {reference.canonical(rules, board) for board in reverse_generation(rules, ply)}


def reverse_generation(rules: Rules, ply: int) -> Iterator[reference.Board]:
    """A line of the player who moved last, all ways to place the other stones, and only legal boards are kept."""
    mover, other = (ply + 1) // 2 if ply % 2 else ply // 2, ply // 2
    for line in rules.winning_lines + rules.losing_lines:
        on_line = {cell for cell in range(rules.cells) if line >> cell & 1}
        for more in combinations(sorted(set(range(rules.cells)) - on_line), max(0, mover - len(on_line))):
            stones = on_line | set(more)
            if len(stones) != mover:
                continue
            for others in combinations(sorted(set(range(rules.cells)) - stones), other):
                sides = stones, set(others)
                crosses, noughts = sides if ply % 2 else sides[::-1]
                x, o = (sum(1 << cell for cell in side) for side in (crosses, noughts))
                if find_flaw(x, o, rules) is None:
                    yield tuple(1 if cell in crosses else 2 if cell in noughts else 0 for cell in range(rules.cells))


def score_by_play(board: reference.Board, rules: Rules, known: dict[reference.Board, int]) -> int:
    """The score of a position for the player to move, by playing everything out; `known` remembers."""
    if board not in known:
        known[board] = _score(board, rules, known)
    return known[board]


def _score(board: reference.Board, rules: Rules, known: dict[reference.Board, int]) -> int:
    outcome = reference.outcome(rules, board)
    if outcome != "ongoing":
        mover = "o" if sum(value > 0 for value in board) % 2 else "x"  # the player whose turn it would be
        return 0 if outcome == "draw" else 100 if outcome == f"{mover}_wins" else -100
    best = -min(score_by_play(after, rules, known) for after in reference.children(rules, board))
    return best - (best > 0) + (best < 0)


def retrograde(rules: Rules) -> NDArray[np.int8]:
    """The scores of all legal positions, from full boards back: int8[board read as a number of base 3, X 1 and O 2].

    No symmetry, no ranks: the table has a place for everything that can stand on the board.
    """
    scores = np.zeros(3**rules.cells, dtype=np.int8)
    for block in reversed(list(blocks(rules))):
        places = in_base_3(block.crosses, block.noughts, rules.cells)
        x_moved = block.ply % 2 == 1
        scores[places[block.outcomes == (X_WINS if x_moved else O_WINS)]] = -100
        scores[places[block.outcomes == (O_WINS if x_moved else X_WINS)]] = 100
        ongoing = block.outcomes == ONGOING
        here, stones = places[ongoing], (block.crosses | block.noughts)[ongoing]
        lowest = np.full(len(here), 127, dtype=np.int8)
        for cell in range(rules.cells):
            after = here + (2 if x_moved else 1) * 3**cell
            free = stones >> cell & 1 == 0
            lowest[free] = np.minimum(lowest[free], scores[after[free]])
        scores[here] = np.sign(lowest) - lowest
    return scores


def in_base_3(crosses: NDArray[np.int64], noughts: NDArray[np.int64], cells: int) -> NDArray[np.int64]:
    """Boards as numbers of base 3."""
    return sum((((crosses >> cell & 1) + 2 * (noughts >> cell & 1)) * 3**cell for cell in range(cells)), 0 * crosses)
