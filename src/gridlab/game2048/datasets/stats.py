"""What a dataset of 2048 games comes to: scores, tiles, moves, directions, and what should make one suspicious."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gridlab.core.arguments import counted
from gridlab.core.charts import new_figure, save
from gridlab.core.draw import facts
from gridlab.game2048.datasets.files import read_games, reading_bar
from gridlab.game2048.datasets.reader import known_index
from gridlab.game2048.records import WINNING_TILE, Game
from gridlab.game2048.rules import DIRECTIONS

PERCENTILES = (10, 25, 50, 75, 90)
RULE = "=" * 60
SHORT = 50  # moves of a very short game
GOOD_SCORE, GOOD_LENGTH = 10_000, 100  # on average
MANY, LARGE_TILE = 1000, 4096  # in so many games there should be one with this tile
BAR = 40  # signs of the longest bar


class Stopped(NamedTuple):
    """How far a game had come when a limit or its curriculum stopped it."""

    score: int
    moves: int
    tile: int


@dataclass
class Statistics:
    """Games counted as they come."""

    scores: list[int] = field(default_factory=list)
    moves: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)  # moves, and those before the first one recorded
    tiles: Counter[int] = field(default_factory=Counter)  # games by their largest tile
    directions: list[int] = field(default_factory=lambda: [0] * 4)
    stopped: list[Stopped] = field(default_factory=list)  # games that still had a move
    min_score: int = 0  # games below were dropped
    min_tile: int = 0  # and games without this tile
    small: bool = False  # some are of boards smaller than 4x4, on which nobody gets far

    def add(self, game: Game) -> None:
        self.scores.append(game.final_score)
        self.moves.append(game.moves)
        self.lengths.append(game.moves + game.about.get("movesBefore", 0))
        self.tiles[game.max_tile] += 1
        self.small |= game.rules.walled
        if not game.over:
            self.stopped.append(Stopped(game.final_score, self.lengths[-1], game.max_tile))
        for direction, number in enumerate(np.bincount(game.directions, minlength=4).tolist()):
            self.directions[direction] += number

    @property
    def games(self) -> int:
        return len(self.scores)

    @property
    def wins(self) -> int:
        return sum(number for tile, number in self.tiles.items() if tile >= WINNING_TILE)

    @property
    def samples(self) -> int:
        return sum(self.moves)

    @property
    def short(self) -> int:
        """Very short games, whole ones."""
        return sum(length < SHORT for length in self.lengths)

    @property
    def filters(self) -> str:
        """What the games were held to."""
        score = f"score {self.min_score:,} or more" if self.min_score else ""
        tile = f"tile {self.min_tile} or more" if self.min_tile else ""
        return ", ".join(filter(None, (score, tile)))

    def flags(self) -> list[str]:
        """The published description's red flags, and directions that nobody took.

        A game that was stopped might have gone on to anything, so none of these is raised for where it stood then.
        """
        if not self.games:
            return ["there are no games"]
        if self.small:
            return self._unused()
        return [flag for is_raised, flag in self._flags() if is_raised] + self._unused()

    def _flags(self) -> list[tuple[bool, str]]:
        """The published red flags, each with whether it is to be raised."""
        score, length = float(np.mean(self.scores)), float(np.mean(self.lengths))
        lost = self.games - self.wins - sum(each.tile < WINNING_TILE for each in self.stopped)
        low = score < GOOD_SCORE and all(each.score >= GOOD_SCORE for each in self.stopped)
        short = length < GOOD_LENGTH and all(each.moves >= GOOD_LENGTH for each in self.stopped)
        shallow = self.games >= MANY and max(self.tiles) < LARGE_TILE and not self.stopped
        kept = " of the games kept" if self.filters else ""
        return [
            (
                lost > self.games / 2,
                f"win rate {self.wins / self.games:.1%}{kept} is below 50%: the player does not perform well",
            ),
            (low, f"average score {score:,.0f}{kept} is below {GOOD_SCORE:,}: check the evaluation function"),
            (shallow, f"no {LARGE_TILE} tile in {counted(self.games, 'game')}: the search is too shallow"),
            (short, f"average move count {length:.1f} is below {GOOD_LENGTH}: games end too early"),
        ]

    def _unused(self) -> list[str]:
        unused = [name for name, number in zip(DIRECTIONS, self.directions, strict=True) if not number]
        return [f"no move goes {name}" for name in unused]

    def as_dict(self) -> dict[str, Any]:
        return {
            **facts(self, "games wins"),
            "mean_score": float(np.mean(self.scores)) if self.games else 0.0,
            "mean_moves": float(np.mean(self.moves)) if self.games else 0.0,
            "max_tile": max(self.tiles, default=0),
            "max_tiles": {str(tile): self.tiles[tile] for tile in sorted(self.tiles, reverse=True)},
            "samples": self.samples,
            "score_percentiles": self._percentiles(self.scores),
            "move_percentiles": self._percentiles(self.moves),
            "directions": dict(zip(DIRECTIONS, self.directions, strict=True)),
            "short_games": self.short,
            "stopped_games": len(self.stopped),
            **facts(self, "min_score min_tile"),
            "flags": self.flags(),
        }

    def _percentiles(self, values: list[int]) -> dict[str, float]:
        return {str(each): float(np.percentile(values, each)) for each in PERCENTILES} if values else {}

    def __str__(self) -> str:
        if not self.games:
            return f"📊 Dataset Statistics\n{RULE}\nTotal games: 0"
        lines = [
            "📊 Dataset Statistics",
            RULE,
            f"Total games: {self.games:,}",
            *([f"Kept: {self.filters}"] if self.filters else []),
            f"Wins (2048+): {self.wins:,} ({self.wins / self.games:.1%})",
            f"Average score: {np.mean(self.scores):,.0f}",
            f"Average moves per game: {np.mean(self.moves):,.1f}",
            f"Max tile achieved: {max(self.tiles)}",
            f"Very short games (<{SHORT} moves): {self.short:,} ({self.short / self.games:.1%})",
            *([f"Stopped by a limit or a curriculum: {len(self.stopped):,}"] if self.stopped else []),
            "",
            "Max tile distribution:",
            *(f"  {tile:>4}: {self.tiles[tile]:>4} games ({self.tiles[tile] / self.games:>6.1%})"
              for tile in sorted(self.tiles, reverse=True)),
            "",
            f"Total training samples: {self.samples:,}",
            f"Average samples per game: {self.samples / self.games:,.0f}",
            "",
            "Percentiles: " + "  ".join(f"{each}%" for each in PERCENTILES),
            "  score: " + "  ".join(f"{value:,.0f}" for value in self._percentiles(self.scores).values()),
            "  moves: " + "  ".join(f"{value:,.0f}" for value in self._percentiles(self.moves).values()),
            "",
            "Directions:",
            *self._histogram(),
        ]  # fmt: skip
        flags = [f"⚠️ {flag}" for flag in self.flags()]
        return "\n".join([*lines, *(["", *flags] if flags else [])])

    def _histogram(self) -> list[str]:
        most, total = max(self.directions) or 1, self.samples or 1
        return [
            f"  {name:>5}: {number:>9,} ({number / total:>6.1%}) {'█' * round(BAR * number / most)}"
            for name, number in zip(DIRECTIONS, self.directions, strict=True)
        ]


def statistics(games: Iterable[Game], min_score: int = 0, min_tile: int = 0) -> Statistics:
    """All games counted; the filters are those that they have passed before."""
    found = Statistics(min_score=min_score, min_tile=min_tile)
    for game in games:
        found.add(game)
    return found


def statistics_of(path: Path, progress: bool = False) -> Statistics:
    """The games of a file; what they were held to is known from the index beside it, if there is one."""
    index = known_index(path) if path.suffix == ".jsonl" and path.is_file() else None
    said = [index.settings.get(name) if index else 0 for name in ("min_score", "min_tile")]
    held_to = [number if type(number) is int and number > 0 else 0 for number in said]
    with reading_bar(path, "reading", progress) as shown:
        return statistics(read_games(path, shown.update), *held_to)


def plot_statistics(found: Statistics, path: Path, title: str) -> None:
    """Largest tiles above, scores below."""
    figure = new_figure(path, 6.5)
    above, below = figure.subplots(2)
    tiles = sorted(found.tiles)
    above.bar([str(tile) for tile in tiles], [found.tiles[tile] for tile in tiles], color="#1f4e9c")
    above.set(xlabel="largest tile", ylabel="games")
    below.hist(found.scores, bins=min(50, max(5, found.games // 5)), color="#2e7d32")
    below.set(xlabel="final score", ylabel="games")
    figure.suptitle(f"{title}: {counted(found.games, 'game')}, {counted(found.samples, 'move')}")
    save(figure, path)
