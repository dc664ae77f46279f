"""Whole games of 2048 by any player: in a kernel, side by side for networks, or move by move in Python.

Every game has its own stream of chance, made from the seed and the number of the game, so it does not matter which
thread plays it. Kernels release the GIL and threads share the work; a player in Python holds it, and gains nothing.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from reprlib import repr as short_repr
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from gridlab.core.errors import GridlabError, PlayerFault
from gridlab.core.splitmix import Stream, streams
from gridlab.core.stop import Stop, stopped
from gridlab.games.game2048 import reference
from gridlab.games.game2048.kernels import Boards, unpack_board
from gridlab.games.game2048.position import Position2048
from gridlab.games.game2048.reference import DIRECTIONS
from gridlab.games.game2048.row_tables import row_tables
from gridlab.games.game2048.rules import Rules2048
from gridlab.games.game2048.side_by_side import begin_games, can_move, step_games
from gridlab.players.game2048 import Player2048, adviser_of, chooser_of, sees_many
from gridlab.players.registry import ask, player_name
from gridlab.search.game2048.play import NO_LIMITS, Limits, Watch, play_and_record, play_batch


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
        """The same without the moves before this one."""
        return self._replace(
            boards=self.boards[first:],
            directions=self.directions[first:],
            scores=self.scores[first:],
            values=None if self.values is None else self.values[first:],
            nodes=None if self.nodes is None else self.nodes[first:],
        )


def play_to_end(player: Player2048, rules: Rules2048, seed: int, numbers: range, stop: Stop) -> Results:
    """The games of these numbers, each to its end."""
    chooser = chooser_of(player, rules)
    if chooser is None and sees_many(player, rules):
        return _play_side_by_side(player, rules, seed, numbers, stop)
    if chooser is None:
        return _play_in_python(player, rules, seed, numbers, stop)
    states = streams(seed, len(numbers), numbers.start)
    begun = time.thread_time()
    ends = play_batch(chooser, rules, states, stop)
    spent = time.thread_time() - begun
    max_tiles = [max(unpack_board(board, rules)) for board in ends.boards.tolist()]
    return Results(ends.scores.tolist(), max_tiles, int(ends.moves.sum()), spent)


def _play_side_by_side(player: Player2048, rules: Rules2048, seed: int, numbers: range, stop: Stop) -> Results:
    """Games of a player that looks at many boards at once: a move of each at a time."""
    begun, rows, states = time.thread_time(), row_tables(rules), streams(seed, len(numbers), numbers.start)
    boards, scores, moves = begin_games(rows, rules.odds, states), np.zeros(len(numbers), np.int64), 0
    while len(going := np.flatnonzero(can_move(boards, rows))) and not stopped(stop):
        with _told(player, numbers):
            directions = cast(Any, player).choose_many(boards[going])
        if (wrong := step_games(going, directions, boards, scores, rows, rules.odds, states)) >= 0:
            position = Position2048.unpack(int(boards[going[wrong]]), rules=rules)
            raise PlayerFault(f"the player {player_name(player)} answers {directions[wrong]} in {position}")
        moves += len(going)
    max_tiles = [max(unpack_board(board, rules)) for board in boards.tolist()]
    return Results(scores.tolist(), max_tiles, moves, time.thread_time() - begun)


@contextmanager
def _told(player: Player2048, numbers: range) -> Iterator[None]:
    """Whatever a player fails with becomes a sentence."""
    try:
        yield
    except GridlabError:
        raise
    except Exception as error:
        where = f"games {numbers.start + 1} to {numbers.stop}"
        raise PlayerFault(
            f"{where}: the player {player_name(player)} fails: {type(error).__name__}: {error}"
        ) from error


def _play_in_python(player: Player2048, rules: Rules2048, seed: int, numbers: range, stop: Stop) -> Results:
    begun = time.thread_time()
    games = [PythonGame(player, rules, seed, number).play(stop) for number in numbers]
    spent = time.thread_time() - begun
    last, moves = [game.position for game in games], sum(len(game.directions) for game in games)
    return Results([end.score for end in last], [end.max_tile for end in last], moves, spent)


def record_game(
    player: Player2048,
    rules: Rules2048,
    seed: int,
    number: int,
    stop: Stop,
    limits: Limits = NO_LIMITS,
    with_values: bool = False,
    watch: Watch | None = None,
) -> Recorded:
    """The game of this number on a board of up to 4x4 cells, every move written down.

    Values are written down if they are asked for and the player can say them.
    """
    chooser, with_values = chooser_of(player, rules), with_values and adviser_of(player) is not None
    if chooser is None:
        return PythonGame(player, rules, seed, number, with_values).play(stop, limits, watch).recorded()
    trace, ends = play_and_record(chooser, rules, streams(seed, 1, number), stop, limits, watch)
    return Recorded(
        trace.boards, trace.directions, trace.scores, trace.values if with_values else None,
        trace.nodes if with_values else None, int(ends.boards[0]), int(ends.scores[0]),
    )  # fmt: skip


class PythonGame:
    """The game loop for every player and every board; new tiles appear as in the loop of kernels."""

    def __init__(self, player: Player2048, rules: Rules2048, seed: int, number: int, with_values: bool = False) -> None:
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
            np.array(values, np.float64) if self.adviser else None,
            None,
            boards[-1],
            self.position.score,
        )

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
