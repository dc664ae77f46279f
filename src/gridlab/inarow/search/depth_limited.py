"""Alpha-beta to a fixed depth with an evaluation at its end: a player that sees some plies ahead.

A decided position outranks every evaluation, and a sooner win a later one. The table keeps the exact key, the depth, a
lower and an upper bound and the best move, so that what was found at another depth or window is not taken for more.

The plies of the search have frames, numbered by the plies that are left to the end of the search:

    OWN OTHER                             the stones of the player to move and of the other
    ALPHA BETA FIRST_ALPHA                the window, and its lower end at the beginning
    ENTRY                                 the place of the position in the table
    LISTED TRIED                          moves listed, and moves whose score is known
    BEST CHOSEN                           the best score so far, and its move
"""

from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import LOOK_AROUND, Stop, lowest_cell, place_of, popcount, stopped
from gridlab.core.jit import kernel
from gridlab.core.run import interruptible
from gridlab.inarow.kernels import Int64s
from gridlab.inarow.position import Position
from gridlab.inarow.rules import Rules
from gridlab.inarow.search.geometry import OTHER, OWN, UNDECIDED, Frames, LinesThrough, columns, fills, lines_through

# ---- What a position looks like to a player who does not look ahead: open lines, near-losses, the centre
#
# A line is open to a player while the opponent has no stone on it. A winning line one stone short counts 200, two short
# 20, three short 2; a losing line one stone short counts 100 against its owner; each stone in the middle counts 10.


OPEN_LINE = (0, 200, 20, 2)  # by stones missing
NEARLY_LOST, MIDDLE = 100, 10


class Evaluation(NamedTuple):
    """What the evaluation needs to know of a game, for the compiler."""

    winning: Int64s  # [line]
    losing: Int64s  # [line]
    win: int  # stones of a winning line; 0 if there is none
    lose: int
    middle: int  # the cells around the centre, as a bitboard


def evaluation_of(rules: Rules) -> Evaluation:
    winning, losing = (np.array(lines, np.int64) for lines in (rules.winning_lines, rules.losing_lines))
    return Evaluation(winning, losing, rules.win or 0, rules.lose or 0, middle_of(rules))


def from_centre(rules: Rules) -> list[tuple[int, int]]:
    """Twice the rows, and twice the columns, between each cell and the centre."""
    cells = product(range(rules.rows), range(rules.cols))
    return [(abs(2 * row - rules.rows + 1), abs(2 * col - rules.cols + 1)) for row, col in cells]


def middle_of(rules: Rules) -> int:
    """The cells at most one step from the centre: 22-24, 32-34, 42-44 on a 5x5 board."""
    return sum(1 << cell for cell, steps in enumerate(from_centre(rules)) if max(steps) <= 2)


@kernel
def evaluate(own: int, other: int, evaluation: Evaluation) -> int:
    """How good an ongoing position looks to the player to move; its negative is how it looks to the other."""
    score = MIDDLE * (popcount(own & evaluation.middle) - popcount(other & evaluation.middle))
    for line in evaluation.winning:
        mine, theirs = popcount(own & line), popcount(other & line)
        if theirs == 0 and 0 < evaluation.win - mine < len(OPEN_LINE) and mine > 0:
            score += OPEN_LINE[evaluation.win - mine]
        elif mine == 0 and 0 < evaluation.win - theirs < len(OPEN_LINE) and theirs > 0:
            score -= OPEN_LINE[evaluation.win - theirs]
    for line in evaluation.losing:
        mine, theirs = popcount(own & line), popcount(other & line)
        if theirs == 0 and mine > 0 and mine == evaluation.lose - 1:
            score -= NEARLY_LOST
        elif mine == 0 and theirs > 0 and theirs == evaluation.lose - 1:
            score += NEARLY_LOST
    return score


@kernel
def evaluate_many(boards: Int64s, evaluation: Evaluation) -> Int64s:
    """How good many positions [position, (own, other)] look to the player to move."""
    scores = np.empty(len(boards), np.int64)
    for i in range(len(boards)):
        scores[i] = evaluate(boards[i, 0], boards[i, 1], evaluation)
    return scores


# ---- Alpha-beta to a fixed depth with an evaluation at its end: a player that sees some plies ahead


DECIDED = 1_000_000  # a win with t stones on the board is worth DECIDED - t
INFINITE = 1 << 30
ENTRIES = 1 << 16
COLUMNS = 10
ALPHA, BETA, FIRST_ALPHA, ENTRY, LISTED, TRIED, BEST, CHOSEN = range(2, COLUMNS)

# what a move promises at once
WIN_NOW, LOSE_NOW, BLOCK = 15_000, -10_000, 5_000  # it completes a line, or takes the cell where the opponent would
NEAR_CENTRE, FAR = 10, 4  # for each step less than FAR from the centre
OWN_STONE = 5  # on a line that is open to us, each
TRAP = 50  # a losing line that lacks this cell alone of the opponent's stones


class DepthTable(NamedTuple):
    """What has been found: [entry] each."""

    own: Int64s
    other: Int64s
    depth: NDArray[np.int8]  # plies searched below; -1 if the entry is empty
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    move: NDArray[np.int8]


class Heuristics(NamedTuple):
    """What this search knows of a game: its lines, and what positions and moves look like at once."""

    cells: int
    winning: LinesThrough
    losing: LinesThrough
    evaluation: Evaluation
    centre: Int64s  # [cell]


class NodeCounts(NamedTuple):
    """What a search has cost."""

    nodes: int
    hits: int  # positions answered by the table


def heuristics_of(rules: Rules) -> Heuristics:
    winning, losing = (lines_through(lines, rules) for lines in (rules.winning_lines, rules.losing_lines))
    centre = np.array([NEAR_CENTRE * (FAR - sum(steps) // 2) for steps in from_centre(rules)], np.int64)
    return Heuristics(rules.cells, winning, losing, evaluation_of(rules), centre)


def new_depth_table(entries: int = ENTRIES) -> DepthTable:
    table = DepthTable(*columns(entries, "int64 int64 int8 int32 int32 int8"))
    return table._replace(depth=np.full(entries, -1, np.int8))


def best_move(
    position: Position, depth: int, heuristics: Heuristics, table: DepthTable, ordered: bool = True
) -> tuple[int, int, NodeCounts]:
    """The best move, its score for the player who makes it, and the cost; the first of equals."""
    counts = np.zeros(2, np.int64)
    own, other = position.own, position.other
    cell, score = interruptible(lambda stop: look_ahead(own, other, depth, heuristics, table, ordered, counts, stop))
    return int(cell), int(score), NodeCounts(*counts.tolist())


@kernel
def look_ahead(
    own: int, other: int, depth: int, heuristics: Heuristics, table: DepthTable, ordered: bool, counts: Int64s,
    stop: Stop,
) -> tuple[int, int]:  # fmt: skip
    """Best cell and score of an ongoing position; neither is of use once it was stopped."""
    cells, winning, losing, evaluation = heuristics.cells, heuristics.winning, heuristics.losing, heuristics.evaluation
    stones = popcount(own | other)
    deep = min(depth, cells - stones)
    frames = np.empty((deep + 1, COLUMNS), np.int64)
    moves, weights = np.empty((deep + 1, cells), np.int64), np.empty((deep + 1, cells), np.int64)
    frames[deep, OWN], frames[deep, OTHER], frames[deep, ALPHA], frames[deep, BETA] = own, other, -INFINITE, INFINITE
    left = deep
    while True:
        # enter a position
        counts[0] += 1
        if counts[0] & LOOK_AROUND == 0 and stopped(stop):
            return -1, 0
        if left == 0:
            score = evaluate(frames[0, OWN], frames[0, OTHER], evaluation)
        else:
            score, hint = probe(left, left < deep, frames, table)
            counts[1] += score != UNDECIDED
            if score == UNDECIDED:
                list_moves(left, hint, frames, moves, weights, heuristics, ordered)
        while True:
            # return from it and from those above that are finished with it
            while score != UNDECIDED:
                if left == deep:
                    return frames[left, CHOSEN], score
                left += 1
                score = take_back(-score, left, frames, moves)
                if score != UNDECIDED:
                    store(left, frames, table)
            # try the next move
            score = make_move(
                moves[left, frames[left, TRIED]], left, stones + deep - left, cells, frames, winning, losing
            )
            left -= 1
            if score == UNDECIDED:
                break


@kernel
def probe(left: int, usable: bool, frames: Frames, table: DepthTable) -> tuple[int, int]:
    """Begin a frame: the score if the table answers the question, and else its best move of the position, or -1."""
    own, other, alpha, beta = frames[left, OWN], frames[left, OTHER], frames[left, ALPHA], frames[left, BETA]
    entry = place_of(own, other, len(table.depth))
    frames[left, ENTRY], frames[left, FIRST_ALPHA], frames[left, TRIED] = entry, alpha, 0
    frames[left, BEST], frames[left, CHOSEN] = -INFINITE, -1
    depth, low, high, move = table.depth[entry], int(table.low[entry]), int(table.high[entry]), int(table.move[entry])
    known = (depth >= 0) & (table.own[entry] == own) & (table.other[entry] == other)
    score = UNDECIDED
    if known and usable and depth == left:
        if low >= beta or low == high:
            score = low
        elif high <= alpha:
            score = high
    return score, move if known else -1


@kernel
def take_back(score: int, left: int, frames: Frames, moves: Int64s) -> int:
    """Take back the move just tried, which has this score: the score of the position if that settles it."""
    cell = moves[left, frames[left, TRIED]]
    frames[left, TRIED] += 1
    if score > frames[left, BEST]:
        frames[left, BEST], frames[left, CHOSEN] = score, cell
    frames[left, ALPHA] = max(frames[left, ALPHA], frames[left, BEST])
    settled = (frames[left, ALPHA] >= frames[left, BETA]) | (frames[left, TRIED] == frames[left, LISTED])
    return frames[left, BEST] if settled else UNDECIDED


@kernel
def store(left: int, frames: Frames, table: DepthTable) -> None:
    """Write down what a finished frame has found, over whatever stood there."""
    entry, best = frames[left, ENTRY], frames[left, BEST]
    table.own[entry], table.other[entry] = frames[left, OWN], frames[left, OTHER]
    table.depth[entry], table.move[entry] = left, frames[left, CHOSEN]
    table.low[entry] = best if best > frames[left, FIRST_ALPHA] else -INFINITE
    table.high[entry] = best if best < frames[left, BETA] else INFINITE


@kernel
def make_move(
    cell: int, left: int, stones: int, cells: int, frames: Frames, winning: LinesThrough, losing: LinesThrough
) -> int:
    """Begin the next frame; or the score for the opponent, who would be next, of a move that ends the game."""
    mine = frames[left, OWN] | 1 << cell
    result = result_of(mine, cell, winning, losing)
    frames[left - 1, OWN], frames[left - 1, OTHER] = frames[left, OTHER], mine
    frames[left - 1, ALPHA], frames[left - 1, BETA] = -frames[left, BETA], -frames[left, ALPHA]
    return -result * (DECIDED - stones - 1) if result != 0 or stones + 1 == cells else UNDECIDED


@kernel
def result_of(stones: int, cell: int, winning: LinesThrough, losing: LinesThrough) -> int:
    """1 if the stone on a cell completes a winning line, -1 if a losing one, 0 if none."""
    won, lost = fills(stones, cell, winning), fills(stones, cell, losing)
    return 1 if won else -1 if lost else 0


@kernel
def list_moves(
    left: int, hint: int, frames: Frames, moves: Int64s, weights: Int64s, heuristics: Heuristics, ordered: bool
) -> None:
    """List the free cells, the most promising first; as they come if they are not to be ordered."""
    own, other, number = frames[left, OWN], frames[left, OTHER], 0
    free = (1 << heuristics.cells) - 1 & ~(own | other)
    while free != 0:
        cell = lowest_cell(free)
        free &= free - 1
        weight = promise(own, other, cell, heuristics) if ordered else 0
        weight += (cell == hint) * INFINITE * ordered
        place = number
        while place > 0 and weights[left, place - 1] < weight:
            weights[left, place], moves[left, place] = weights[left, place - 1], moves[left, place - 1]
            place -= 1
        weights[left, place], moves[left, place] = weight, cell
        number += 1
    frames[left, LISTED] = number


@kernel
def promise(own: int, other: int, cell: int, heuristics: Heuristics) -> int:
    """How good a move looks at once: wins, blocks, the centre, own lines, the opponent's traps; losses last."""
    winning, losing, one_short = heuristics.winning, heuristics.losing, heuristics.evaluation.lose - 1
    stone = 1 << cell
    weight = heuristics.centre[cell] + BLOCK * fills(other | stone, cell, winning)
    i = 0
    while winning[cell, i] != 0:
        if winning[cell, i] & other == 0:
            weight += OWN_STONE * popcount(winning[cell, i] & own)
        i += 1
    i = 0
    while losing[cell, i] != 0:
        if losing[cell, i] & own == 0 and popcount(losing[cell, i] & other) == one_short:
            weight += TRAP
        i += 1
    result = result_of(own | stone, cell, winning, losing)
    if result != 0:
        weight = WIN_NOW if result > 0 else LOSE_NOW
    return int(weight)
