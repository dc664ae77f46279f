"""How well a player plays 2048: many games, their mean score, each tile's share; two players on the same chance.

The same seed gives the same games for any number of workers; gridlab.game2048.evaluate plays them.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from reprlib import repr as short_repr
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from gridlab.arena.statistics import Interval, of_mean, wilson
from gridlab.core import draw
from gridlab.core.arguments import check_seed, counted, typed
from gridlab.core.draw import Sheet, brief, shown
from gridlab.core.errors import BadNotation, GridlabError, PlayerFault
from gridlab.core.progress import bar
from gridlab.core.splitmix import Stream, streams
from gridlab.core.stop import Stop, current_stop, stopped
from gridlab.core.workers import available_cores, in_order
from gridlab.game2048 import kernels
from gridlab.game2048 import rules as reference
from gridlab.game2048.kernels import Boards
from gridlab.game2048.players import Player2048, adviser_of, chooser_of, find_player2048, has_chooser, sees_many
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import DIRECTIONS, Rules2048
from gridlab.game2048.search.play import NO_LIMITS, Limits, Watch, play_and_record, play_batch
from gridlab.games.registry import game
from gridlab.players.registry import Player, ask, close_player, player_name

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
    max_tiles = [max(kernels.unpack_board(board, rules)) for board in ends.boards.tolist()]
    return Results(ends.scores.tolist(), max_tiles, int(ends.moves.sum()), spent)


def _play_side_by_side(player: Player2048, rules: Rules2048, seed: int, numbers: range, stop: Stop) -> Results:
    """Games of a player that looks at many boards at once: a move of each at a time."""
    begun, rows, states = time.thread_time(), kernels.row_tables(rules), streams(seed, len(numbers), numbers.start)
    boards, scores, moves = kernels.begin_games(rows, rules.odds, states), np.zeros(len(numbers), np.int64), 0
    while len(going := np.flatnonzero(kernels.can_move(boards, rows))) and not stopped(stop):
        with _told(player, numbers):
            directions = cast(Any, player).choose_many(boards[going])
        if (wrong := kernels.step_games(going, directions, boards, scores, rows, rules.odds, states)) >= 0:
            position = Position2048.unpack(int(boards[going[wrong]]), rules=rules)
            raise PlayerFault(f"the player {player_name(player)} answers {directions[wrong]} in {position}")
        moves += len(going)
    max_tiles = [max(kernels.unpack_board(board, rules)) for board in boards.tolist()]
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


# ---- How well a player plays 2048: many games, their mean score, and how often each tile was reached


GAMES_A_JOB = 32
GAMES_AT_ONCE = 128  # of a player that looks at many boards
HEADER = ("tile", "games", "share", "95 %")
LEAST_TILE = 128  # of the table for people; all are in `tile_rates`


@shown
@dataclass(frozen=True)
class Evaluation2048:
    """The games of one player."""

    player: str
    rules: Rules2048
    seed: int
    scores: NDArray[np.int64]  # [game]
    max_tiles: NDArray[np.int64]  # [game]
    moves: int
    cpu_seconds: float

    @property
    def games(self) -> int:
        return len(self.scores)

    @property
    def mean_score(self) -> float:
        return float(self.scores.mean())

    @property
    def mean_score_interval(self) -> Interval | None:
        """95 %; None for a single game."""
        return of_mean(self.scores)

    @property
    def tile_rates(self) -> dict[int, float]:
        """The share of games that reached each tile, from 2 to the largest seen."""
        tiles = [1 << exponent for exponent in range(1, int(self.max_tiles.max()).bit_length())]
        return {tile: float(np.mean(self.max_tiles >= tile)) for tile in tiles}

    @property
    def moves_per_second(self) -> float:
        """Of CPU time: what one core plays."""
        return self.moves / self.cpu_seconds if self.cpu_seconds else 0.0

    def as_dict(self) -> dict[str, Any]:
        interval = self.mean_score_interval
        return {
            "player": self.player,
            "rules": str(self.rules),
            "seed": self.seed,
            "games": self.games,
            "mean_score": self.mean_score,
            "mean_score_interval": None if interval is None else list(interval),
            "tile_rates": {str(tile): rate for tile, rate in self.tile_rates.items()},
            "moves": self.moves,
            "moves_per_second": self.moves_per_second,
        }

    def _in_short(self) -> str:
        largest = f"largest tile {int(self.max_tiles.max()):,}"
        found = f"mean score {self.mean_score:,.0f}, {counted(self.games, 'game')}, {largest}"
        return f"{brief(self.player)}, {self.rules}: {found}"

    def _sheet(self) -> Sheet:
        return Sheet(self.player, HEADER, self._rows(), self._facts())

    def _facts(self) -> list[str]:
        interval = self.mean_score_interval
        spread = "" if interval is None else f", 95 % {interval.low:,.0f} to {interval.high:,.0f}"
        return [
            f"{self.rules}, {counted(self.games, 'game')}, seed {self.seed}",
            f"mean score {self.mean_score:,.0f}{spread}",
            f"{counted(self.moves, 'move')}, {self.moves_per_second:,.0f} moves a second of CPU",
        ]

    def __str__(self) -> str:
        first, *others = self._facts()
        return "\n".join([first, self.player, *others, draw.table(HEADER, self._rows())])

    def _rows(self) -> list[tuple[str | int, ...]]:
        rows: list[tuple[str | int, ...]] = []
        for tile, rate in self.tile_rates.items():
            if tile >= LEAST_TILE or rate < 1:
                count = int(np.sum(self.max_tiles >= tile))
                low, high = wilson(count, self.games)
                rows.append((str(tile), count, f"{rate:.1%}", f"{low:.1%} to {high:.1%}"))
        return rows


@typed
def evaluate(
    player: str | Player2048,
    rules: Rules2048 | str = "2048",
    games: int = 100,
    seed: int = 0,
    workers: int | None = None,
    progress: bool = False,
) -> Evaluation2048:
    """Measure a player of 2048, "expectimax depth=3" or an object with `move(position, random)`, by playing games.

    Workers are threads: all cores for a player that has a chooser for kernels, one for any other, which is asked by
    Python and holds the GIL.
    """
    if games < 1:
        raise BadNotation(f"{games} games show nothing; at least one is needed")
    check_seed(seed)
    found, rules = find_player2048(player, rules)
    name, play = player_name(player), partial(_play, found, rules, seed)
    try:
        play(range(0))  # compiled before the clock starts
        workers = workers or (available_cores() if has_chooser(found, rules) else 1)
        size = max(1, min(GAMES_A_JOB, games // (4 * workers)))
        size = max(size, min(GAMES_AT_ONCE, games // workers)) if sees_many(found, rules) else size
        jobs = [range(first, min(first + size, games)) for first in range(0, games, size)]
        played: list[Results] = []
        done = in_order(play, jobs, workers, travels=True, name=lambda job: f"games {job.start + 1} to {job.stop}")
        with bar(games, name, "games", progress) as shown:
            for job, result in zip(jobs, done, strict=True):
                played.append(result)
                shown.update(len(job))
    finally:
        if isinstance(player, str):  # who was handed over is not ours to close
            close_player(found)
    return _gathered(name, rules, seed, played)


def _play(player: Player2048, rules: Rules2048, seed: int, numbers: range) -> Results:
    return play_to_end(player, rules, seed, numbers, current_stop())


def _gathered(player: str, rules: Rules2048, seed: int, played: list[Results]) -> Evaluation2048:
    return Evaluation2048(
        player,
        rules,
        seed,
        np.array([score for each in played for score in each.scores], np.int64),
        np.array([tile for each in played for tile in each.max_tiles], np.int64),
        sum(each.moves for each in played),
        sum(each.cpu_seconds for each in played),
    )


# ---- Two players of 2048 on the same chance: the same starts, and new tiles from the same streams, game by game
#
# Both play every game alone. What chance gives one it gives the other, for as long as their boards are alike, so the
# difference of their scores says more than two separate means.


MATCH_HEADER = ("", "mean score", "median", "best", "largest tile")


@shown
@dataclass(frozen=True)
class ScoreMatch:
    """The games of A and of B; game i of both had the same chance."""

    a: Evaluation2048
    b: Evaluation2048

    @property
    def games(self) -> int:
        return self.a.games

    @property
    def differences(self) -> NDArray[np.int64]:
        """What A scored more than B: [game]."""
        return self.a.scores - self.b.scores

    @property
    def difference(self) -> float:
        return float(self.differences.mean())

    @property
    def difference_interval(self) -> Interval | None:
        """95 %; None for a single game."""
        return of_mean(self.differences)

    @property
    def a_score(self) -> float:
        """The share of games in which A scored more; a tie is half of one."""
        return float(np.mean((np.sign(self.differences) + 1) / 2))

    def as_dict(self) -> dict[str, Any]:
        interval = self.difference_interval
        return {
            "a": self.a.as_dict(),
            "b": self.b.as_dict(),
            "games": self.games,
            "difference": self.difference,
            "difference_interval": None if interval is None else list(interval),
            "a_score": self.a_score,
        }

    def _in_short(self) -> str:
        names = f"{brief(self.a.player, 24)} – {brief(self.b.player, 24)}, {self.a.rules}"
        return f"{names}: {self.difference:+,.0f} points, {counted(self.games, 'game')} each"

    def _sheet(self) -> Sheet:
        return Sheet(self._heading(), MATCH_HEADER, self._rows(), [*self._names(), *self._findings()])

    def _heading(self) -> str:
        return f"{self.a.rules}, {counted(self.games, 'game')} each, seed {self.a.seed}"

    def _names(self) -> list[str]:
        return [f"A  {self.a.player}", f"B  {self.b.player}"]

    def _rows(self) -> list[tuple[str, ...]]:
        return [_row("A", self.a), _row("B", self.b)]

    def _findings(self) -> list[str]:
        interval = self.difference_interval
        spread = "" if interval is None else f", 95 % {interval.low:+,.0f} to {interval.high:+,.0f}"
        low, high = wilson(self.a_score * self.games, self.games)
        return [
            f"A scores {self.difference:+,.0f} points more than B{spread}",
            f"A scores more in {self.a_score:.1%} of the games, 95 % {low:.1%} to {high:.1%}",
        ]

    def __str__(self) -> str:
        table = draw.table(MATCH_HEADER, self._rows())
        return "\n".join([self._heading(), *self._names(), table, *self._findings()])


def _row(name: str, played: Evaluation2048) -> tuple[str, ...]:
    scores = played.scores
    best, tile = int(scores.max()), int(played.max_tiles.max())
    return name, f"{played.mean_score:,.0f}", f"{float(np.median(scores)):,.0f}", f"{best:,}", str(tile)


def play_match(
    a: str | Player,
    b: str | Player,
    rules: Rules2048 | str = "2048",
    games: int = 100,
    openings: str = "random:0",
    seed: int = 0,
    workers: int | None = None,
    progress: bool = False,
) -> ScoreMatch:
    """Let A and B each play so many games on the same chance; every game of 2048 opens at random anyway."""
    if openings != "random:0":
        raise BadNotation(f"openings {openings} are for games between two; 2048 begins with two random tiles")
    played = game(rules, "2048")
    return ScoreMatch(
        *(evaluate(player, played, games, seed=seed, workers=workers, progress=progress) for player in (a, b))
    )
