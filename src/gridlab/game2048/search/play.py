"""Whole games of 2048 inside a kernel, by whatever chooses the moves.

A *chooser* is what kernels take for a player: a NamedTuple of its arrays and numbers. `CHOOSERS` is the one list to
extend: for each type of chooser two kernels,

    begin(chooser)                                         before each game: forget what the game before has found
    choose(chooser, board, values, rows, states, game, stop)
                                                           a direction, -1 if there is none; in `values` their worth

`play_games` is the one loop for all of them. It is compiled once for each type of chooser, and the compile cache keeps
it: what is compiled into it this module imports, and numba knows a NamedTuple by its name. A kernel handed over as an
argument, or bound by a closure, would be compiled in every run, as numba knows it by a number drawn anew each time.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import States, Stop, stopped
from gridlab.core.errors import IllegalMove
from gridlab.core.jit import kernel, overload
from gridlab.core.run import interruptible
from gridlab.game2048.kernels import (
    ZERO,
    Boards,
    RowTables,
    largest_exponent,
    move,
    points_of,
    row_tables,
    spawn,
    start,
)
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import DIRECTIONS, Rules2048
from gridlab.game2048.search import expectimax, mcts, ntuple, ntuple_search, random_moves, table_moves
from gridlab.game2048.search.expectimax import DeepExpectimax, Expectimax, Values
from gridlab.game2048.search.mcts import MctsMoves
from gridlab.game2048.search.ntuple import NTupleMoves
from gridlab.game2048.search.ntuple_search import NTupleSearch
from gridlab.game2048.search.random_moves import RandomMoves
from gridlab.game2048.search.table_moves import TableMoves

ROOM = 4096  # moves of a trace at first

# each has `counts`; one for each thread, as it holds memory
Chooser = RandomMoves | Expectimax | DeepExpectimax | TableMoves | NTupleMoves | NTupleSearch | MctsMoves


class ChooserKernels(NamedTuple):
    """What the loop calls for a type of chooser."""

    begin: Callable[..., None]
    choose: Callable[..., int]


CHOOSERS: dict[type, ChooserKernels] = {
    RandomMoves: ChooserKernels(random_moves.begin, random_moves.choose),
    Expectimax: ChooserKernels(expectimax.forget, expectimax.choose),
    DeepExpectimax: ChooserKernels(expectimax.forget, expectimax.choose_deep),
    TableMoves: ChooserKernels(table_moves.begin, table_moves.choose),
    NTupleMoves: ChooserKernels(ntuple.begin, ntuple.choose),
    NTupleSearch: ChooserKernels(ntuple_search.begin, ntuple_search.choose),
    MctsMoves: ChooserKernels(mcts.begin, mcts.choose),
}


class Limits(NamedTuple):
    """Where a game stops before its end; 0 is no limit."""

    moves: int = 0
    exponent: int = 0  # of the tile that ends the game: 8 for 256


class Ends(NamedTuple):
    """How games have ended, or where they stand: [game] each."""

    boards: Boards  # 0 for a game that has not begun
    scores: NDArray[np.int64]
    moves: NDArray[np.int64]


class Trace(NamedTuple):
    """The moves of a game: [move] each; with no room for any, moves are not written down."""

    boards: Boards  # before the move
    directions: NDArray[np.int8]
    scores: NDArray[np.int64]  # before the move
    values: NDArray[np.float64]  # [move, direction], as far as the chooser says; one row at least, to be written over
    nodes: NDArray[np.int64]  # boards evaluated for the move


class Watch(NamedTuple):
    """Somebody who looks on, every so many moves: `see(board, score, moves)`."""

    every: int
    see: Callable[[int, int, int], object]


NO_LIMITS = Limits()


def play_batch(chooser: Chooser, rules: Rules2048, states: States, stop: Stop, limits: Limits = NO_LIMITS) -> Ends:
    """One game for each stream of chance, on a board of up to 4x4 cells."""
    ends = new_ends(len(states))
    play_games(chooser, row_tables(rules), ends, new_trace(0), rules.odds, limits, states, stop)
    return ends


def play_and_record(
    chooser: Chooser, rules: Rules2048, state: States, stop: Stop, limits: Limits = NO_LIMITS,
    watch: Watch | None = None,
) -> tuple[Trace, Ends]:  # fmt: skip
    """The game of one stream of chance, every move written down; the kernel comes back where somebody looks on."""
    trace, ends = new_trace(min(limits.moves or ROOM, ROOM)), new_ends(1)
    moves, rows = 0, row_tables(rules)
    while play_games(chooser, rows, ends, _until_seen(trace, moves, watch), rules.odds, limits, state, stop):
        moves = int(ends.moves[0])
        if watch and moves % watch.every == 0:
            watch.see(int(ends.boards[0]), int(ends.scores[0]), moves)
        if moves == len(trace.boards):
            trace = resized(trace, 2 * moves)
    return resized(trace, int(ends.moves[0])), ends


def new_ends(games: int) -> Ends:
    return Ends(np.zeros(games, np.uint64), np.zeros(games, np.int64), np.zeros(games, np.int64))


def new_trace(room: int) -> Trace:
    return Trace(
        np.empty(room, np.uint64), np.empty(room, np.int8), np.empty(room, np.int64), np.empty((max(room, 1), 4)),
        np.empty(room, np.int64),
    )  # fmt: skip


def _until_seen(trace: Trace, moves: int, watch: Watch | None) -> Trace:
    """A trace with room up to where somebody looks on again; nothing is copied."""
    if watch is None:
        return trace
    room = moves - moves % watch.every + watch.every
    return Trace(
        trace.boards[:room], trace.directions[:room], trace.scores[:room], trace.values[:room], trace.nodes[:room]
    )


def resized(trace: Trace, room: int) -> Trace:
    """The same moves with more room, or less."""
    columns: Iterable[tuple[NDArray[Any], NDArray[Any]]] = zip(trace, other := new_trace(room), strict=True)
    for old, new in columns:
        new[: min(len(old), room)] = old[:room]
    return other


@kernel
def play_games(
    chooser: Chooser, rows: RowTables, ends: Ends, trace: Trace, odds: tuple[int, int], limits: Limits, states: States,
    stop: Stop,
) -> bool:  # fmt: skip
    """Play games on from where they stand, to their ends or limits; whether only the room of the trace has ended."""
    twos, fours = odds
    boards, directions, scores, values, nodes = trace
    room = len(boards)
    for game in range(len(states)):
        board, score, moves = ends.boards[game], ends.scores[game], ends.moves[game]
        if board == ZERO:
            begin(chooser)  # what a game finds must not depend on which games came before it
            board = start(rows.walls, twos, fours, states, game)
        full = False
        while not stopped(stop) and not at_limit(board ^ rows.walls, moves, limits):
            full = room > 0 and moves == room
            if full:
                break
            before = chooser.counts[0]
            direction = choose(chooser, board, values[moves if room > 0 else 0], rows, states, game, stop)
            if direction < 0 or stopped(stop):
                break
            if room > 0:
                boards[moves], directions[moves], scores[moves] = board, direction, score
                nodes[moves] = chooser.counts[0] - before
            score += points_of(board, direction, rows.points)
            board = spawn(move(board, direction, rows.slides), twos, fours, states, game)
            moves += 1
        ends.boards[game], ends.scores[game], ends.moves[game] = board, score, moves
        if full:
            return True
    return False


@kernel
def at_limit(board: np.uint64, moves: int, limits: Limits) -> bool:
    """Whether a game stops here; the board comes without its walls."""
    return (limits.moves > 0 and moves >= limits.moves) or (
        limits.exponent > 0 and largest_exponent(board) >= limits.exponent
    )


@kernel
def value_boards(
    chooser: Chooser, boards: Boards, found: NDArray[np.float64], rows: RowTables, states: States, stop: Stop
) -> None:
    """What each direction is worth on each board: found[board, direction], minus infinity where it is no move."""
    for i in range(len(boards)):
        if stopped(stop):
            return
        choose(chooser, boards[i], found[i], rows, states, i, stop)


@kernel
def choose_boards(
    chooser: Chooser, boards: Boards, directions: NDArray[np.int8], rows: RowTables, states: States, stop: Stop
) -> None:
    """The direction that is chosen on each board, -1 if there is none; one stream of chance serves all."""
    values = np.empty(4)
    for i in range(len(boards)):
        if stopped(stop):
            return
        directions[i] = choose(chooser, boards[i], values, rows, states, 0, stop)


# ---- the kernels of a chooser, found by its type


def begin(chooser: Chooser) -> None:
    CHOOSERS[type(chooser)].begin(chooser)


def choose(
    chooser: Chooser, board: np.uint64, values: Values, rows: RowTables, states: States, game: int, stop: Stop
) -> int:
    return CHOOSERS[type(chooser)].choose(chooser, board, values, rows, states, game, stop)


@overload(begin)
def _begin(chooser: Any) -> Any:
    return _source_of(CHOOSERS[chooser.instance_class].begin)


@overload(choose)
def _choose(chooser: Any, board: Any, values: Any, rows: Any, states: Any, game: Any, stop: Any) -> Any:
    return _source_of(CHOOSERS[chooser.instance_class].choose)


def _source_of(compiled: Any) -> Any:
    """The Python function of a kernel, which numba compiles for the loop: one compilation less than a call of it."""
    return compiled.py_func


# ---- What directions are worth, and the best of them


def best_direction(values: dict[str, float], position: Position2048) -> str:
    """The first of the directions that are worth most."""
    if not values:
        raise IllegalMove(f"there is no move in {position}")
    return max(values, key=values.__getitem__)


def values_by_kernel(chooser: Chooser, position: Position2048, state: States) -> dict[str, float]:
    """What a chooser says of each legal direction."""
    found, legal, board = np.empty(4), position.moves(), np.uint64(position.packed)
    interruptible(lambda stop: choose(chooser, board, found, row_tables(position.rules), state, 0, stop))
    return {each: float(value) for each, value in zip(DIRECTIONS, found, strict=True) if each in legal}
