"""Alpha-beta to a fixed depth with an evaluation at its end: a player that sees some plies ahead.

A decided position outranks every evaluation, and a sooner win a later one. The table keeps the exact key, the depth, a
lower and an upper bound and the best move, so that what was found at another depth or window is not taken for more.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import lowest_cell, place_of, popcount
from gridlab.core.jit import kernel
from gridlab.games.mnk.position import Position
from gridlab.games.mnk.rules import Rules
from gridlab.search.mnk.evaluation import Evaluation, evaluate, evaluation_of
from gridlab.search.mnk.tactics import Lines, lines_through

DECIDED = 1_000_000  # a win with t stones on the board is worth DECIDED - t
INFINITE = 1 << 30
ENTRIES = 1 << 16
MINE, THEIRS, ALPHA, BETA, BEST, CHOSEN, COUNT, INDEX, PLACE, BEGAN = range(10)  # columns of a frame


class Table(NamedTuple):
    """What has been found: [entry] each."""

    own: NDArray[np.int64]
    other: NDArray[np.int64]
    depth: NDArray[np.int8]  # plies searched below; -1 if the entry is empty
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    move: NDArray[np.int8]


class Game(NamedTuple):
    """A game as this search takes it."""

    cells: int
    winning: Lines
    losing: Lines
    evaluation: Evaluation
    centre: NDArray[np.int64]  # [cell]: 10 for each step less than 4 from the centre


class Counts(NamedTuple):
    """What a search has cost."""

    nodes: int
    hits: int  # positions answered by the table


def game_of(rules: Rules) -> Game:
    steps = [
        (abs(2 * row - rules.rows + 1) + abs(2 * col - rules.cols + 1)) // 2
        for row in range(rules.rows)
        for col in range(rules.cols)
    ]
    return Game(
        rules.cells,
        lines_through(rules, rules.winning_lines),
        lines_through(rules, rules.losing_lines),
        evaluation_of(rules),
        np.array([10 * (4 - each) for each in steps], np.int64),
    )


def new_table(entries: int = ENTRIES) -> Table:
    return Table(
        np.zeros(entries, np.int64), np.zeros(entries, np.int64), np.full(entries, -1, np.int8),
        np.zeros(entries, np.int32), np.zeros(entries, np.int32), np.zeros(entries, np.int8),
    )  # fmt: skip


def best_move(
    position: Position, depth: int, game: Game, table: Table, ordered: bool = True
) -> tuple[int, int, Counts]:
    """The best move to that depth, its score for the player who makes it, and the cost; the first of equals."""
    counts = np.zeros(2, np.int64)
    cell, score = look_ahead(position.own, position.other, depth, game, table, ordered, counts)
    return int(cell), int(score), Counts(*counts.tolist())


@kernel
def look_ahead(
    own: int, other: int, depth: int, game: Game, table: Table, ordered: bool, counts: NDArray[np.int64]
) -> tuple[int, int]:
    """Best cell and score of an ongoing position; every ply has its frame."""
    cells, root = game.cells, popcount(own | other)
    deep = min(depth, cells - root)
    frame = np.zeros((deep + 1, 10), np.int64)
    moves = np.empty((deep + 1, cells), np.int64)
    weights = np.empty(cells, np.int64)
    frame[0, MINE], frame[0, THEIRS], frame[0, ALPHA], frame[0, BETA] = own, other, -INFINITE, INFINITE
    d, value, entering = 0, 0, True
    while True:
        at = frame[d]
        left = deep - d
        returning = False
        if entering:
            counts[0] += 1
            if left == 0:
                value, returning = evaluate(at[MINE], at[THEIRS], game.evaluation), True
            else:
                place = place_of(at[MINE], at[THEIRS], len(table.depth))
                hint = -1
                if table.depth[place] >= 0 and table.own[place] == at[MINE] and table.other[place] == at[THEIRS]:
                    hint = table.move[place]
                    if d > 0 and table.depth[place] == left:
                        low, high = int(table.low[place]), int(table.high[place])
                        if low >= at[BETA] or high <= at[ALPHA] or low == high:
                            value, returning = (low if low >= at[BETA] or low == high else high), True
                            counts[1] += 1
                at[PLACE], at[BEGAN], at[BEST], at[CHOSEN], at[INDEX] = place, at[ALPHA], -INFINITE, -1, 0
                at[COUNT] = list_moves(at, hint, game, moves[d], weights, ordered)
        else:
            cell = moves[d, at[INDEX]]
            at[INDEX] += 1
            if -value > at[BEST]:
                at[BEST], at[CHOSEN] = -value, cell
            at[ALPHA] = max(at[ALPHA], at[BEST])
            if at[ALPHA] >= at[BETA] or at[INDEX] == at[COUNT]:
                value, returning = at[BEST], True
                keep(at, left, table)
        if returning:
            if d == 0:
                return at[CHOSEN], value
            d -= 1
            entering = False
            continue
        cell = moves[d, at[INDEX]]
        mine = at[MINE] | 1 << cell
        ending = line_through(mine, cell, game)
        if ending != 0 or popcount(mine | at[THEIRS]) == cells:
            value, entering = -ending * (DECIDED - root - d - 1), False  # for the opponent, who would be next
            continue
        below = frame[d + 1]
        below[MINE], below[THEIRS] = at[THEIRS], mine
        below[ALPHA], below[BETA] = -at[BETA], -at[ALPHA]
        d += 1
        entering = True


@kernel
def keep(at: NDArray[np.int64], left: int, table: Table) -> None:
    """Write down what a finished frame has found."""
    place = at[PLACE]
    table.own[place], table.other[place] = at[MINE], at[THEIRS]
    table.depth[place], table.move[place] = left, at[CHOSEN]
    table.low[place] = at[BEST] if at[BEST] > at[BEGAN] else -INFINITE
    table.high[place] = at[BEST] if at[BEST] < at[BETA] else INFINITE


@kernel
def line_through(stones: int, cell: int, game: Game) -> int:
    """1 if the stone on a cell completes a winning line, -1 if a losing one, 0 if none."""
    for result, through in ((1, game.winning), (-1, game.losing)):
        i = 0
        while through[cell, i] != 0:
            if through[cell, i] & ~stones == 0:
                return result
            i += 1
    return 0


@kernel
def list_moves(
    at: NDArray[np.int64], hint: int, game: Game, moves: NDArray[np.int64], weights: NDArray[np.int64], ordered: bool
) -> int:
    """The free cells, the most promising first: wins, blocks, centre, own lines, the opponent's traps; losses last."""
    number = 0
    rest = ((1 << game.cells) - 1) & ~(at[MINE] | at[THEIRS])
    while rest != 0:
        cell = lowest_cell(rest)
        rest &= rest - 1
        weight = promise(at[MINE], at[THEIRS], cell, game) if ordered else 0
        weight += (cell == hint) * INFINITE * ordered
        i = number
        while i > 0 and weights[i - 1] < weight:
            weights[i], moves[i] = weights[i - 1], moves[i - 1]
            i -= 1
        weights[i], moves[i] = weight, cell
        number += 1
    return number


@kernel
def promise(own: int, other: int, cell: int, game: Game) -> int:
    """How good a move looks at once."""
    stone = 1 << cell
    ending = line_through(own | stone, cell, game)
    if ending != 0:
        return 15000 if ending > 0 else -10000
    score = game.centre[cell] + (5000 if line_through(other | stone, cell, game) > 0 else 0)
    i = 0
    while game.winning[cell, i] != 0:
        if game.winning[cell, i] & other == 0:
            score += 5 * popcount(game.winning[cell, i] & own)
        i += 1
    i = 0
    while game.losing[cell, i] != 0:
        if game.losing[cell, i] & own == 0 and popcount(game.losing[cell, i] & other) == 2:
            score += 50
        i += 1
    return int(score)
