"""Whole games of 2048 inside a kernel, by whatever chooses the moves.

A *kernel policy* is what kernels take for a player: a NamedTuple of its arrays and numbers. `KERNEL_POLICIES` is the
one list to extend: for each type of policy two kernels,

    begin(policy)                                         before each game: forget what the game before has found
    choose(policy, board, values, rows, states, game, stop)
                                                           a direction, -1 if there is none; in `values` their worth

`play_games` is the one loop for all of them. It is compiled once for each type of policy, and the compile cache keeps
it: what is compiled into it this module imports, and numba knows a NamedTuple by its name. A kernel handed over as an
argument, or bound by a closure, would be compiled in every run, as numba knows it by a number drawn anew each time.
"""

import time
from collections.abc import Callable, Iterable
from copy import deepcopy
from reprlib import repr as short_repr
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import States, Stop, Stream, stopped, streams
from gridlab.core.errors import GridlabError, IllegalMove, PlayerFault
from gridlab.core.jit import inner, kernel, overload
from gridlab.core.run import interruptible
from gridlab.game2048 import kernels
from gridlab.game2048 import rules as reference
from gridlab.game2048.kernels import FIFTEEN, FOUR, NO_MOVE, ONE, ZERO, Boards, Mirror, RowTables, Shape
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import DIRECTIONS, Rules2048
from gridlab.game2048.search import expectimax, mcts, ntuple, ntuple_search
from gridlab.game2048.search.expectimax import DeepExpectimax, Expectimax, Values
from gridlab.game2048.search.mcts import MctsMoves
from gridlab.game2048.search.ntuple import NTupleMoves
from gridlab.game2048.search.ntuple_search import NTupleSearch
from gridlab.players.registry import ask, player_name

if TYPE_CHECKING:
    from gridlab.game2048.players import Adviser2048, Player2048

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
    policy: RandomMoves, board: np.uint64, values: NDArray[np.float64], rows: RowTables, states: States, game: int,
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
    policy: TableMoves, board: np.uint64, values: Values, rows: RowTables, states: States, game: int, stop: Stop
) -> int:
    """The best direction, the first of equals, -1 if there is none; what the table does not know is worth nothing."""
    layer = np.int64(half_sum(board ^ rows.walls))
    first, last = 0, 0
    if layer < len(policy.starts) - 1:
        first, last = policy.starts[layer], policy.starts[layer + 1]
    after_values(
        board, rows.slides, rows.points, rows.walls, policy.mirror, policy.shape, policy.goal,
        policy.boards[first:last], policy.values[first:last], values,
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
KernelPolicy = RandomMoves | Expectimax | DeepExpectimax | TableMoves | NTupleMoves | NTupleSearch | MctsMoves


@kernel
def forget_nothing(policy: KernelPolicy) -> None:
    """Nothing is kept from game to game."""


# ---- Whole games inside a kernel


ROOM = 4096  # moves of a trace at first


class PolicyKernels(NamedTuple):
    """What the loop calls for a type of policy."""

    begin: Callable[..., None]
    choose: Callable[..., int]


KERNEL_POLICIES: dict[type, PolicyKernels] = {
    RandomMoves: PolicyKernels(forget_nothing, choose_at_random),
    Expectimax: PolicyKernels(expectimax.forget, expectimax.choose),
    DeepExpectimax: PolicyKernels(expectimax.forget, expectimax.choose_deep),
    TableMoves: PolicyKernels(forget_nothing, choose_from_table),
    NTupleMoves: PolicyKernels(forget_nothing, ntuple.choose),
    NTupleSearch: PolicyKernels(ntuple_search.begin, ntuple_search.choose),
    MctsMoves: PolicyKernels(forget_nothing, mcts.choose),
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
    values: NDArray[np.float64]  # [move, direction], as far as the policy says; one row at least, to be written over
    nodes: NDArray[np.int64]  # boards evaluated for the move


class Watch(NamedTuple):
    """Somebody who looks on, every so many moves: `see(board, score, moves)`."""

    every: int
    see: Callable[[int, int, int], object]


NO_LIMITS = Limits()


def play_batch(policy: KernelPolicy, rules: Rules2048, states: States, stop: Stop, limits: Limits = NO_LIMITS) -> Ends:
    """One game for each stream of chance, on a board of up to 4x4 cells."""
    ends = new_ends(len(states))
    play_games(policy, kernels.row_tables(rules), ends, new_trace(0), rules.odds, limits, states, stop)
    return ends


def play_and_record(
    policy: KernelPolicy, rules: Rules2048, state: States, stop: Stop, limits: Limits = NO_LIMITS,
    watch: Watch | None = None,
) -> tuple[Trace, Ends]:  # fmt: skip
    """The game of one stream of chance, every move written down; the kernel comes back where somebody looks on."""
    trace, ends = new_trace(min(limits.moves or ROOM, ROOM)), new_ends(1)
    moves, rows = 0, kernels.row_tables(rules)
    while play_games(policy, rows, ends, _until_seen(trace, moves, watch), rules.odds, limits, state, stop):
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
    return Trace._make(column[:room] for column in trace)


def resized(trace: Trace, room: int) -> Trace:
    """The moves with more room, or less."""
    columns: Iterable[tuple[NDArray[Any], NDArray[Any]]] = zip(trace, other := new_trace(room), strict=True)
    for old, new in columns:
        new[: min(len(old), room)] = old[:room]
    return other


@kernel
def play_games(
    policy: KernelPolicy, rows: RowTables, ends: Ends, trace: Trace, odds: tuple[int, int], limits: Limits,
    states: States, stop: Stop,
) -> bool:  # fmt: skip
    """Play games on from where they stand, to their ends or limits; whether only the room of the trace has ended."""
    twos, fours = odds
    boards, directions, scores, values, nodes = trace
    room = len(boards)
    for game in range(len(states)):
        board, score, moves = ends.boards[game], ends.scores[game], ends.moves[game]
        if board == ZERO:
            begin(policy)  # what a game finds must not depend on which games came before it
            board = kernels.start(rows.walls, twos, fours, states, game)
        full = False
        while not stopped(stop) and not at_limit(board ^ rows.walls, moves, limits):
            full = room > 0 and moves == room
            if full:
                break
            before = policy.counts[0]
            direction = choose(policy, board, values[moves if room > 0 else 0], rows, states, game, stop)
            if direction < 0 or stopped(stop):
                break
            if room > 0:
                boards[moves], directions[moves], scores[moves] = board, direction, score
                nodes[moves] = policy.counts[0] - before
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
    policy: KernelPolicy, boards: Boards, found: NDArray[np.float64], rows: RowTables, states: States, stop: Stop
) -> None:
    """What each direction is worth on each board: found[board, direction], minus infinity where it is no move."""
    for i in range(len(boards)):
        if stopped(stop):
            return
        choose(policy, boards[i], found[i], rows, states, i, stop)


@kernel
def choose_boards(
    policy: KernelPolicy, boards: Boards, directions: NDArray[np.int8], rows: RowTables, states: States, stop: Stop
) -> None:
    """The direction that is chosen on each board, -1 if there is none; one stream of chance serves all."""
    values = np.empty(4)
    for i in range(len(boards)):
        if stopped(stop):
            return
        directions[i] = choose(policy, boards[i], values, rows, states, 0, stop)


# ---- the kernels of a policy, found by its type


def begin(policy: KernelPolicy) -> None:
    KERNEL_POLICIES[type(policy)].begin(policy)


def choose(
    policy: KernelPolicy, board: np.uint64, values: Values, rows: RowTables, states: States, game: int, stop: Stop
) -> int:
    return KERNEL_POLICIES[type(policy)].choose(policy, board, values, rows, states, game, stop)


@overload(begin)
def _begin(policy: Any) -> Any:
    return _source_of(KERNEL_POLICIES[policy.instance_class].begin)


@overload(choose)
def _choose(policy: Any, board: Any, values: Any, rows: Any, states: Any, game: Any, stop: Any) -> Any:
    return _source_of(KERNEL_POLICIES[policy.instance_class].choose)


def _source_of(compiled: Any) -> Any:
    """The Python function of a kernel, which numba compiles for the loop: one compilation less than a call of it."""
    return compiled.py_func


# ---- What directions are worth, and the best of them


def best_direction(values: dict[str, float], position: Position2048) -> str:
    """The first of the directions that are worth most."""
    if not values:
        raise IllegalMove(f"there is no move in {position}")
    return max(values, key=values.__getitem__)


def values_by_kernel(policy: KernelPolicy, position: Position2048, state: States) -> dict[str, float]:
    """What a policy says of each legal direction."""
    found, legal, board = np.empty(4), position.moves(), np.uint64(position.packed)
    interruptible(lambda stop: choose(policy, board, found, kernels.row_tables(position.rules), state, 0, stop))
    return {each: float(value) for each, value in zip(DIRECTIONS, found, strict=True) if each in legal}


# ---- Whole games of 2048 by any player: in a kernel, side by side for networks, or move by move in Python
#
# Every game has its own stream of chance, made from the seed and the number of the game, so it does not matter which
# thread plays it. Kernels release the GIL and threads share the work; a player in Python holds it, and gains nothing.


class Results(NamedTuple):
    """How some games have ended."""

    scores: list[int]
    max_tiles: list[int]
    moves: int  # of all
    cpu_seconds: float  # of the thread that played them


class Recorded(NamedTuple):
    """A game on a board of up to 4x4 cells with all its moves: [move] each."""

    boards: Boards  # before the move
    directions: NDArray[np.int8]
    scores: NDArray[np.int64]  # before the move
    values: NDArray[np.float64] | None  # [move, direction]: minus infinity where it was no move; None if nobody says
    nodes: NDArray[np.int64] | None  # boards evaluated for the move, as a kernel counts them
    final_board: int
    final_score: int

    def since(self, first: int) -> "Recorded":
        """What is left of a record without the moves before this one."""
        columns: dict[str, Any] = dict(zip(self._fields, self[:5], strict=False))
        return self._replace(**{name: each[first:] for name, each in columns.items() if each is not None})


def play_to_end(player: "Player2048", rules: Rules2048, seed: int, numbers: range, stop: Stop) -> Results:
    """The games of these numbers, each to its end."""
    policy = kernel_policy_of(player, rules)
    if policy is None and sees_many(player, rules):
        return _play_side_by_side(player, rules, seed, numbers, stop)
    if policy is None:
        return _play_in_python(player, rules, seed, numbers, stop)
    states = streams(seed, len(numbers), numbers.start)
    begun = time.thread_time()
    ends = play_batch(policy, rules, states, stop)
    spent = time.thread_time() - begun
    max_tiles = [max(kernels.unpack_board(board, rules)) for board in ends.boards.tolist()]
    return Results(ends.scores.tolist(), max_tiles, int(ends.moves.sum()), spent)


def _play_side_by_side(player: "Player2048", rules: Rules2048, seed: int, numbers: range, stop: Stop) -> Results:
    """Games of a player that looks at many boards at once: a move of each at a time."""
    begun, rows, states = time.thread_time(), kernels.row_tables(rules), streams(seed, len(numbers), numbers.start)
    boards, scores, moves = kernels.begin_games(rows, rules.odds, states), np.zeros(len(numbers), np.int64), 0
    while len(going := np.flatnonzero(kernels.can_move(boards, rows))) and not stopped(stop):
        directions = _choose_many(player, boards[going], numbers)
        if (wrong := kernels.step_games(going, directions, boards, scores, rows, rules.odds, states)) >= 0:
            position = Position2048.unpack(int(boards[going[wrong]]), rules=rules)
            raise PlayerFault(f"the player {player_name(player)} answers {directions[wrong]} in {position}")
        moves += len(going)
    max_tiles = [max(kernels.unpack_board(board, rules)) for board in boards.tolist()]
    return Results(scores.tolist(), max_tiles, moves, time.thread_time() - begun)


def _choose_many(player: "Player2048", boards: Boards, numbers: range) -> NDArray[np.int8]:
    """Directions of a player; whatever it fails with becomes a sentence."""
    try:
        return cast(NDArray[np.int8], cast(Any, player).choose_many(boards))
    except GridlabError:
        raise
    except Exception as error:
        where, what = f"games {numbers.start + 1} to {numbers.stop}", f"{type(error).__name__}: {error}"
        raise PlayerFault(f"{where}: the player {player_name(player)} fails: {what}") from error


def _play_in_python(player: "Player2048", rules: Rules2048, seed: int, numbers: range, stop: Stop) -> Results:
    begun = time.thread_time()
    games = [PythonGame(player, rules, seed, number).play(stop) for number in numbers]
    spent = time.thread_time() - begun
    last, moves = [game.position for game in games], sum(len(game.directions) for game in games)
    return Results([end.score for end in last], [end.max_tile for end in last], moves, spent)


def record_game(
    player: "Player2048", rules: Rules2048, seed: int, number: int, stop: Stop, limits: Limits = NO_LIMITS,
    with_values: bool = False, watch: Watch | None = None,
) -> Recorded:  # fmt: skip
    """The game of this number on a board of up to 4x4 cells, every move written down.

    Values are written down if they are asked for and the player can say them.
    """
    policy, with_values = kernel_policy_of(player, rules), with_values and adviser_of(player) is not None
    if policy is None:
        return PythonGame(player, rules, seed, number, with_values).play(stop, limits, watch).recorded()
    trace, ends = play_and_record(policy, rules, streams(seed, 1, number), stop, limits, watch)
    values, nodes = (trace.values, trace.nodes) if with_values else (None, None)
    return Recorded(*trace[:3], values, nodes, int(ends.boards[0]), int(ends.scores[0]))


class PythonGame:
    """The game loop for every player and every board; new tiles appear as in the loop of kernels."""

    def __init__(
        self, player: "Player2048", rules: Rules2048, seed: int, number: int, with_values: bool = False
    ) -> None:
        state = int(streams(seed, 1, number)[0])
        self.player, self.number = player, number
        self.adviser = adviser_of(player) if with_values else None
        self.stream, self.random = Stream(state), np.random.default_rng(state)
        self.positions = [Position2048(reference.start(rules, self.stream), 0, rules)]
        self.directions: list[str] = []
        self.values: list[dict[str, float]] = []

    @property
    def position(self) -> Position2048:
        return self.positions[-1]

    def play(self, stop: Stop, limits: Limits = NO_LIMITS, watch: Watch | None = None) -> "PythonGame":
        """Play to the end, or to a limit."""
        while not stopped(stop) and not self._at_limit(limits) and (legal := self.position.moves()):
            if watch and self.directions and len(self.directions) % watch.every == 0:
                watch.see(self.position.packed, self.position.score, len(self.directions))
            direction = self._ask(legal)
            after = self.position.play(direction)
            tiles = reference.spawn(after.rules, after.tiles, self.stream)
            self.positions.append(Position2048(tiles, after.score, after.rules))
            self.directions.append(direction)
        return self

    def recorded(self) -> Recorded:
        """All moves of a game on a board of up to 4x4 cells."""
        boards = [position.packed for position in self.positions]
        values = [[said.get(direction, -np.inf) for direction in DIRECTIONS] for said in self.values]
        return Recorded(
            np.array(boards[:-1], np.uint64),
            np.array([DIRECTIONS.index(direction) for direction in self.directions], np.int8),
            np.array([position.score for position in self.positions[:-1]], np.int64),
            np.array(values, np.float64) if self.adviser else None, None, boards[-1], self.position.score,
        )  # fmt: skip

    def _at_limit(self, limits: Limits) -> bool:
        enough = limits.moves > 0 and len(self.directions) >= limits.moves
        return enough or (limits.exponent > 0 and self.position.max_tile >= 1 << limits.exponent)

    def _ask(self, legal: list[str]) -> str:
        """A legal direction of the player; PlayerFault if it has none to give."""
        try:
            if self.adviser:  # with a copy, so that the move sees the same chance as without being asked for values
                self.values.append(self.adviser.values(self.position, deepcopy(self.random)))
            direction = ask(self.player, self.position, self.random, self.directions)
        except Exception as error:
            reason = str(error) if isinstance(error, GridlabError) else f"{type(error).__name__}: {error}"
            raise self._fault(f"fails in {self.position}: {reason}") from error
        can_be = f"in {self.position}, where {', '.join(legal)} can be played"
        if not isinstance(direction, str) or direction not in legal:
            raise self._fault(f"answers {short_repr(direction)} {can_be}")
        if self.adviser and not all(_is_finite(self.values[-1], each) for each in legal):
            raise self._fault(f"gives the values {short_repr(self.values[-1])} {can_be}")
        return direction

    def _fault(self, what: str) -> PlayerFault:
        return PlayerFault(f"game {self.number + 1}: the player {player_name(self.player)} {what}")


def _is_finite(values: Any, direction: str) -> bool:
    value = values.get(direction) if isinstance(values, dict) else None
    return isinstance(value, (int, float, np.number)) and bool(np.isfinite(value))


# ---- What a player can do, besides finding a move


def has_kernel_policy(player: "Player2048", rules: Rules2048) -> bool:
    """Whether kernels can play whole games for this player."""
    return rules.packed and callable(getattr(player, "kernel_policy", None)) and not _is_overruled(type(player))


def kernel_policy_of(player: "Player2048", rules: Rules2048) -> KernelPolicy | None:
    """The player as kernels take it, if they can: a new one, for one thread."""
    return cast(Any, player).kernel_policy() if has_kernel_policy(player, rules) else None


def _is_overruled(kind: type) -> bool:
    """Whether a subclass finds its moves in another way than the class whose policy it has inherited."""
    for each in kind.__mro__:
        if "kernel_policy" in vars(each):
            return False
        if "move" in vars(each) or "values" in vars(each):
            return True
    return False


def sees_many(player: "Player2048", rules: Rules2048) -> bool:
    """Whether a player can be asked about many boards at once."""
    return rules.packed and callable(getattr(player, "choose_many", None))


def adviser_of(player: "Player2048") -> "Adviser2048 | None":
    """The player, if it can say what directions are worth."""
    return cast("Adviser2048", player) if callable(getattr(player, "values", None)) else None
