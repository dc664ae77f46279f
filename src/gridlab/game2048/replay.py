"""Games of 2048 replayed by the rules, and many played side by side, in kernels.

boards[i]  --directions[i]-->  board  --one new 2 or 4-->  boards[i + 1], and after the last move the final board
scores[i]  + its points                                =   scores[i + 1], and the final score
"""

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import States, int64
from gridlab.core.jit import kernel
from gridlab.game2048.kernels import (
    FIFTEEN,
    FOUR,
    TWO,
    ZERO,
    Boards,
    RowTables,
    count,
    empties,
    move,
    points_of,
    spawn,
    start,
)

# ---- Games of 2048 played side by side: one move of each at a time, for players that look at many boards at once


@kernel
def begin_games(rows: RowTables, odds: tuple[int, int], states: States) -> Boards:
    """The first board of each stream of chance."""
    boards = np.empty(len(states), np.uint64)
    for game in range(len(states)):
        boards[game] = start(rows.walls, odds[0], odds[1], states, game)
    return boards


@kernel
def step_games(
    games: NDArray[np.int64],  # those that go on, by their numbers
    directions: NDArray[np.int8],  # one for each of them
    boards: Boards,
    scores: NDArray[np.int64],
    rows: RowTables,
    odds: tuple[int, int],
    states: States,
) -> int:
    """One move of each game, and a new tile; the place of the first direction that is no move, or -1."""
    for place in range(len(games)):
        game, direction = games[place], int64(directions[place])
        after = boards[game] if direction < 0 or direction > 3 else move(boards[game], direction, rows.slides)
        if after == boards[game]:
            return place
        scores[game] += points_of(boards[game], direction, rows.points)
        boards[game] = spawn(after, odds[0], odds[1], states, game)
    return -1


@kernel
def can_move(boards: Boards, rows: RowTables) -> NDArray[np.bool_]:
    """Whether there is a move on each board."""
    found = np.zeros(len(boards), np.bool_)
    for i in range(len(boards)):
        for direction in range(4):
            found[i] |= move(boards[i], direction, rows.slides) != boards[i]
    return found


@kernel
def points_of_moves(boards: Boards, rows: RowTables) -> NDArray[np.int64]:
    """What each direction brings on each board: [board, direction]."""
    found = np.zeros((len(boards), 4), np.int64)
    for i in range(len(boards)):
        for direction in range(4):
            found[i, direction] = points_of(boards[i], direction, rows.points)
    return found


@kernel
def all_spawns(afters: Boards, odds: tuple[int, int]) -> tuple[Boards, NDArray[np.int64], NDArray[np.float64]]:
    """Every board that a new tile makes of boards after a move, of which of them, and how likely that is."""
    total = 0
    for i in range(len(afters)):
        total += 2 * count(empties(afters[i]))
    boards, owners = np.empty(total, np.uint64), np.empty(total, np.int64)
    chances, at = np.empty(total), 0
    for i in range(len(afters)):
        free = empties(afters[i])
        cells = count(free)
        while free != ZERO:
            unit = free & (~free + np.uint64(1))
            for tile in range(2):
                boards[at], owners[at] = afters[i] | unit << np.uint64(tile), i
                chances[at] = odds[tile] / ((odds[0] + odds[1]) * cells)
                at += 1
            free &= free - np.uint64(1)
    return boards, owners, chances


@kernel
def cells_after_moves(boards: Boards, rows: RowTables) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """What stands in the cells after each move, as binary logarithms: [board, direction, 16]; and which are legal."""
    cells, legal = np.empty((len(boards), 4, 16), np.uint8), np.empty((len(boards), 4), np.bool_)
    for i in range(len(boards)):
        for direction in range(4):
            after = move(boards[i], direction, rows.slides)
            legal[i, direction] = after != boards[i]
            for cell in range(16):
                cells[i, direction, cell] = after & FIFTEEN
                after >>= FOUR
    return cells, legal


# ---- Is a played game what it says? Every move replayed by the rules, in a kernel


SOUND, NOT_LEGAL, NO_SPAWN, CHANGED, WRONG_TILE, WRONG_SCORE = range(6)
REASONS = {
    NOT_LEGAL: "the move changes nothing, so it is not legal",
    NO_SPAWN: "no tile appeared after the move",
    CHANGED: "the next board is not the board after the move with one new tile",
    WRONG_TILE: "the new tile is neither 2 nor 4",
    WRONG_SCORE: "the score after the move is not the score before it and the tiles merged",
}


@kernel
def first_flaw(
    boards: Boards,
    directions: NDArray[np.int64],
    scores: NDArray[np.int64],
    last: np.uint64,
    total: int,
    rows: RowTables,
) -> tuple[int, int]:
    """The first move that the rules do not explain, from 0, or -1; and why. `last` and `total` are of the end."""
    for i in range(len(boards)):
        after = move(boards[i], directions[i], rows.slides)
        if after == boards[i]:
            return i, NOT_LEGAL
        following = boards[i + 1] if i + 1 < len(boards) else last
        reason = spawn_flaw(after, following)
        if reason != SOUND:
            return i, reason
        score = scores[i + 1] if i + 1 < len(boards) else total
        if scores[i] + points_of(boards[i], directions[i], rows.points) != score:
            return i, WRONG_SCORE
    return -1, SOUND


@kernel
def spawn_flaw(after: np.uint64, following: np.uint64) -> int:
    """Whether the one differs from the other by a new tile."""
    new = after ^ following
    if new == ZERO:
        return NO_SPAWN
    cell = ZERO
    while new >> cell & FIFTEEN == ZERO:
        cell += FOUR
    if new >> cell > FIFTEEN or after >> cell & FIFTEEN != ZERO:
        return CHANGED
    tile = new >> cell
    return SOUND if tile <= TWO else WRONG_TILE


@kernel
def afters(boards: Boards, rows: RowTables) -> Boards:
    """The boards after each move, before new tiles: [board, direction]; the same board where it is no move."""
    found = np.empty((len(boards), 4), np.uint64)
    for i in range(len(boards)):
        for direction in range(4):
            found[i, direction] = move(boards[i], direction, rows.slides)
    return found
