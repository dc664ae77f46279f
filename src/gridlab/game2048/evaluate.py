"""How well a player plays 2048: many games, their mean score, each tile's share; two players on the same chance.

The same seed gives the same games for any number of workers; gridlab.game2048.evaluate plays them.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from gridlab.arena.statistics import Interval, of_mean, wilson
from gridlab.core import draw
from gridlab.core.arguments import check_seed, counted, typed
from gridlab.core.draw import AsJson, Sheet, brief, facts, shown
from gridlab.core.errors import BadNotation
from gridlab.core.progress import bar
from gridlab.core.run import available_cores, current_stop, in_order
from gridlab.game2048.players import Player2048, find_player2048
from gridlab.game2048.rules import Rules2048
from gridlab.game2048.search.play import Results, has_kernel_policy, play_to_end, sees_many
from gridlab.games.registry import game
from gridlab.players.registry import Player, close_player, player_name

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

    def as_dict(self) -> AsJson:
        """For `--json`."""
        known = facts(self, "player rules seed games mean_score mean_score_interval tile_rates moves moves_per_second")
        return known | {"mean_score_interval": self.mean_score_interval and list(self.mean_score_interval)}

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
    player: str | Player2048, rules: Rules2048 | str = "2048", games: int = 100, seed: int = 0,
    workers: int | None = None, progress: bool = False,
) -> Evaluation2048:  # fmt: skip
    """Measure a player of 2048, "expectimax depth=3" or an object with `move(position, random)`, by playing games.

    Workers are threads: all cores for a player that has a policy for kernels, one for any other, which is asked by
    Python and holds the GIL.
    """
    if games < 1:
        raise BadNotation(f"{games} games show nothing; at least one is needed")
    check_seed(seed)
    found, rules = find_player2048(player, rules)
    name, play = player_name(player), partial(_play, found, rules, seed)
    try:
        play(range(0))  # compiled before the clock starts
        workers = workers or (available_cores() if has_kernel_policy(found, rules) else 1)
        size = max(1, min(GAMES_A_JOB, games // (4 * workers)))
        size = max(size, min(GAMES_AT_ONCE, games // workers)) if sees_many(found, rules) else size
        jobs = [range(first, min(first + size, games)) for first in range(0, games, size)]
        played: list[Results] = []
        with bar(games, name, "games", progress) as shown:
            for result in in_order(play, jobs, workers, travels=True, name=_name_of):
                played.append(result)
                shown.update(len(result.scores))
    finally:
        if isinstance(player, str):  # who was handed over is not ours to close
            close_player(found)
    return _gathered(name, rules, seed, played)


def _gathered(name: str, rules: Rules2048, seed: int, played: list[Results]) -> Evaluation2048:
    scores = np.array([score for each in played for score in each.scores], np.int64)
    tiles = np.array([tile for each in played for tile in each.max_tiles], np.int64)
    moves, spent = sum(each.moves for each in played), sum(each.cpu_seconds for each in played)
    return Evaluation2048(name, rules, seed, scores, tiles, moves, spent)


def _name_of(numbers: range) -> str:
    return f"games {numbers.start + 1} to {numbers.stop}"


def _play(player: Player2048, rules: Rules2048, seed: int, numbers: range) -> Results:
    return play_to_end(player, rules, seed, numbers, current_stop())


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

    def as_dict(self) -> AsJson:
        """For `--json`."""
        known = facts(self, "a b games difference difference_interval a_score")
        return known | {"difference_interval": self.difference_interval and list(self.difference_interval)}

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
    a: str | Player, b: str | Player, rules: Rules2048 | str = "2048", games: int = 100, openings: str = "random:0",
    seed: int = 0, workers: int | None = None, progress: bool = False,
) -> ScoreMatch:  # fmt: skip
    """Let A and B each play so many games on the same chance; every game of 2048 opens at random anyway."""
    if openings != "random:0":
        raise BadNotation(f"openings {openings} are for games between two; 2048 begins with two random tiles")
    played = game(rules, "2048")
    return ScoreMatch(
        *(evaluate(player, played, games, seed=seed, workers=workers, progress=progress) for player in (a, b))
    )
