"""Two players of 2048 on the same chance: the same starts, and new tiles from the same streams, game by game.

Both play every game alone. What chance gives one it gives the other, for as long as their boards are alike, so the
difference of their scores says more than two separate means.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridlab.arena.evaluate import Evaluation2048, evaluate
from gridlab.arena.intervals import Interval, of_mean, wilson
from gridlab.core import draw
from gridlab.core.errors import BadNotation
from gridlab.core.numbers import counted
from gridlab.core.shown import Sheet, brief, shown
from gridlab.games.game2048.rules import Rules2048
from gridlab.games.registry import game
from gridlab.players.registry import Player

HEADER = ("", "mean score", "median", "best", "largest tile")


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
        return Sheet(self._heading(), HEADER, self._rows(), [*self._names(), *self._findings()])

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
        table = draw.table(HEADER, self._rows())
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
