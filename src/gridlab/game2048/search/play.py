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

from gridlab.core.errors import IllegalMove
from gridlab.core.jit import inner, kernel, overload
from gridlab.core.splitmix import States
from gridlab.core.stop import Stop, stopped
from gridlab.core.workers import interruptible
from gridlab.game2048 import kernels
from gridlab.game2048.kernels import FIFTEEN, FOUR, NO_MOVE, ONE, ZERO, Boards, Mirror, RowTables, Shape
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import DIRECTIONS, Rules2048
from gridlab.game2048.search import expectimax, mcts, ntuple, ntuple_search
from gridlab.game2048.search.expectimax import DeepExpectimax, Expectimax, Values
from gridlab.game2048.search.mcts import MctsMoves
from gridlab.game2048.search.ntuple import NTupleMoves
from gridlab.game2048.search.ntuple_search import NTupleSearch

# ---- Moves at random, and perfect moves looked up in a table of all boards after a move
#
# A move keeps the sum of the tiles, so what a board's directions are worth stands in one layer of the table: the boards
# with that sum, ascending. Of all images of a board the smallest stands for all.


MISSING = np.nan  # in place of a value that the table does not have


class RandomMoves(NamedTuple):
    """Any legal direction, all equally likely."""

    counts: NDArray[np.int64]  # [2], of boards evaluated: none


def new_random_moves() -> RandomMoves:
    return RandomMoves(np.zeros(2, np.int64))


@kernel
def choose_at_random(
    chooser: RandomMoves, board: np.uint64, values: NDArray[np.float64], rows: RowTables, states: States, game: int,
    stop: Stop,
) -> int:  # fmt: skip
    """A direction by a draw of the game's stream, -1 if there is none; `values` stays as it is."""
    return kernels.random_direction(board, rows.slides, states, game)


class TableMoves(NamedTuple):
    """A whole table in memory: layer after layer, each ascending."""

    boards: Boards  # after a move
    values: Values
    starts: NDArray[np.int64]  # [half the sum of the tiles]: where its layer begins; one more at the end
    mirror: Mirror
    shape: Shape
    goal: int  # the exponent of the tile to be reached; 0 if points are wanted
    counts: NDArray[np.int64]  # [2], of boards evaluated: none


@kernel
def choose_from_table(
    chooser: TableMoves, board: np.uint64, values: Values, rows: RowTables, states: States, game: int, stop: Stop
) -> int:
    """The best direction, the first of equals, -1 if there is none; what the table does not know is worth nothing."""
    layer = np.int64(half_sum(board ^ rows.walls))
    first, last = 0, 0
    if layer < len(chooser.starts) - 1:
        first, last = chooser.starts[layer], chooser.starts[layer + 1]
    after_values(
        board, rows.slides, rows.points, rows.walls, chooser.mirror, chooser.shape, chooser.goal,
        chooser.boards[first:last], chooser.values[first:last], values,
    )  # fmt: skip
    for direction in range(4):
        if np.isnan(values[direction]):
            values[direction] = 0.0
    return kernels.first_of_best(values)


@kernel
def after_values(
    board: np.uint64, slides: NDArray[np.uint32], points: NDArray[np.int32], walls: np.uint64, mirror: Mirror,
    shape: Shape, goal: int, boards: Boards, values: Values, found: Values,
) -> None:  # fmt: skip
    """What each direction is worth, into `found`, from the layer of the board: NO_MOVE, or MISSING if it is not there.

    With a goal a board that has the tile is worth 1, else the points of the move are added.
    """
    turned = kernels.transpose(board)
    for direction in range(4):
        after = kernels.moved(board, turned, direction, slides)
        if after == board:
            found[direction] = NO_MOVE
        elif goal > 0 and kernels.largest_exponent(after ^ walls) >= goal:
            found[direction] = 1.0
        else:
            after = kernels.smallest_image(after, mirror, shape)
            place = np.searchsorted(boards, after)
            if place == len(boards) or boards[place] != after:
                found[direction] = MISSING
            elif goal > 0:
                found[direction] = values[place]
            else:
                found[direction] = values[place] + kernels.points_of(board, direction, points)


@inner
def half_sum(board: np.uint64) -> np.uint64:
    """Half of what the tiles of a board without walls add up to."""
    total = ZERO
    while board != ZERO:
        total += ONE << (board & FIFTEEN) >> ONE
        board >>= FOUR
    return total


# each has `counts`; one for each thread, as it holds memory
Chooser = RandomMoves | Expectimax | DeepExpectimax | TableMoves | NTupleMoves | NTupleSearch | MctsMoves


@kernel
def forget_nothing(chooser: Chooser) -> None:
    """Nothing is kept from game to game."""


# ---- Whole games inside a kernel


ROOM = 4096  # moves of a trace at first


class ChooserKernels(NamedTuple):
    """What the loop calls for a type of chooser."""

    begin: Callable[..., None]
    choose: Callable[..., int]


CHOOSERS: dict[type, ChooserKernels] = {
    RandomMoves: ChooserKernels(forget_nothing, choose_at_random),
    Expectimax: ChooserKernels(expectimax.forget, expectimax.choose),
    DeepExpectimax: ChooserKernels(expectimax.forget, expectimax.choose_deep),
    TableMoves: ChooserKernels(forget_nothing, choose_from_table),
    NTupleMoves: ChooserKernels(forget_nothing, ntuple.choose),
    NTupleSearch: ChooserKernels(ntuple_search.begin, ntuple_search.choose),
    MctsMoves: ChooserKernels(forget_nothing, mcts.choose),
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
    play_games(chooser, kernels.row_tables(rules), ends, new_trace(0), rules.odds, limits, states, stop)
    return ends


def play_and_record(
    chooser: Chooser, rules: Rules2048, state: States, stop: Stop, limits: Limits = NO_LIMITS,
    watch: Watch | None = None,
) -> tuple[Trace, Ends]:  # fmt: skip
    """The game of one stream of chance, every move written down; the kernel comes back where somebody looks on."""
    trace, ends = new_trace(min(limits.moves or ROOM, ROOM)), new_ends(1)
    moves, rows = 0, kernels.row_tables(rules)
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
            board = kernels.start(rows.walls, twos, fours, states, game)
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
            score += kernels.points_of(board, direction, rows.points)
            board = kernels.spawn(kernels.move(board, direction, rows.slides), twos, fours, states, game)
            moves += 1
        ends.boards[game], ends.scores[game], ends.moves[game] = board, score, moves
        if full:
            return True
    return False


@kernel
def at_limit(board: np.uint64, moves: int, limits: Limits) -> bool:
    """Whether a game stops here; the board comes without its walls."""
    return (limits.moves > 0 and moves >= limits.moves) or (
        limits.exponent > 0 and kernels.largest_exponent(board) >= limits.exponent
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
    interruptible(lambda stop: choose(chooser, board, found, kernels.row_tables(position.rules), state, 0, stop))
    return {each: float(value) for each, value in zip(DIRECTIONS, found, strict=True) if each in legal}
