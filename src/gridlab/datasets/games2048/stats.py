"""What a dataset of 2048 games comes to: scores, tiles, moves, directions, and what should make one suspicious."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from gridlab.arena.records.game2048 import WINNING_TILE, Game
from gridlab.core.figures import new_figure, save
from gridlab.core.files import refuse_overlap, try_place
from gridlab.games.game2048.reference import DIRECTIONS

PERCENTILES = (10, 25, 50, 75, 90)
RULE = "=" * 60
SHORT = 50  # moves of a very short game
BAR = 40  # signs of the longest bar


@dataclass
class Statistics:
    """Games counted as they come."""

    scores: list[int] = field(default_factory=list)
    moves: list[int] = field(default_factory=list)
    tiles: Counter[int] = field(default_factory=Counter)  # games by their largest tile
    directions: list[int] = field(default_factory=lambda: [0] * 4)

    def add(self, game: Game) -> None:
        self.scores.append(game.final_score)
        self.moves.append(game.moves)
        self.tiles[game.max_tile] += 1
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

    def flags(self) -> list[str]:
        """The document's red flags, and directions that nobody took."""
        if not self.games:
            return ["there are no games"]
        found = []
        if self.wins < self.games / 2:
            found.append(f"win rate {self.wins / self.games:.1%} is below 50%: the player does not perform well")
        if np.mean(self.scores) < 10_000:
            found.append(f"average score {np.mean(self.scores):,.0f} is below 10,000: check the evaluation function")
        if self.games >= 1000 and not any(tile >= 4096 for tile in self.tiles):
            found.append(f"no 4096 tile in {self.games:,} games: the search is too shallow")
        if np.mean(self.moves) < 100:
            found.append(f"average move count {np.mean(self.moves):.1f} is below 100: games end too early")
        unused = [name for name, number in zip(DIRECTIONS, self.directions, strict=True) if not number]
        return [*found, *(f"no move goes {name}" for name in unused)]

    def as_dict(self) -> dict[str, Any]:
        return {
            "games": self.games,
            "wins": self.wins,
            "mean_score": float(np.mean(self.scores)) if self.games else 0.0,
            "mean_moves": float(np.mean(self.moves)) if self.games else 0.0,
            "max_tile": max(self.tiles, default=0),
            "max_tiles": {str(tile): self.tiles[tile] for tile in sorted(self.tiles, reverse=True)},
            "samples": self.samples,
            "score_percentiles": self._percentiles(self.scores),
            "move_percentiles": self._percentiles(self.moves),
            "directions": dict(zip(DIRECTIONS, self.directions, strict=True)),
            "short_games": sum(moves < SHORT for moves in self.moves),
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
            f"Wins (2048+): {self.wins:,} ({self.wins / self.games:.1%})",
            f"Average score: {np.mean(self.scores):,.0f}",
            f"Average moves per game: {np.mean(self.moves):,.1f}",
            f"Max tile achieved: {max(self.tiles)}",
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


def statistics(games: Iterable[Game]) -> Statistics:
    found = Statistics()
    for game in games:
        found.add(game)
    return found


def check_picture(source: Path, picture: Path) -> None:
    """Whether a picture of a file can be drawn there, before the file is read: it must not be the file itself."""
    new_figure(picture, 1)
    refuse_overlap(source, picture)
    try_place(picture)


def plot_statistics(found: Statistics, path: Path, title: str) -> None:
    """Largest tiles above, scores below."""
    figure = new_figure(path, 6.5)
    above, below = figure.subplots(2)
    tiles = sorted(found.tiles)
    above.bar([str(tile) for tile in tiles], [found.tiles[tile] for tile in tiles], color="#1f4e9c")
    above.set(xlabel="largest tile", ylabel="games")
    below.hist(found.scores, bins=min(50, max(5, found.games // 5)), color="#2e7d32")
    below.set(xlabel="final score", ylabel="games")
    figure.suptitle(f"{title}: {found.games:,} games, {found.samples:,} moves")
    save(figure, path)
