"""What a tablebase says of its game as a whole: positions by value and distance, ply by ply, and the openings."""

from typing import Any, NamedTuple

from gridlab.core import draw
from gridlab.exact.tablebase.directory import Directory, PlyCounts, ScoreCounts
from gridlab.exact.tablebase.probe import Tablebase
from gridlab.exact.tablebase.scores import value_and_distance
from gridlab.games.mnk.position import Position
from gridlab.games.mnk.solution import Solution


class PlyStats(NamedTuple):
    """Ongoing positions of a ply, for the player to move."""

    ply: int
    wins: int
    draws: int
    losses: int
    canonical: int
    longest_win: int  # plies; 0 if there is none
    longest_loss: int


class Stats(NamedTuple):
    """The statistics of a file."""

    directory: Directory
    plies: tuple[PlyStats, ...]
    openings: Solution

    def distances(self) -> dict[str, dict[int, int]]:
        """Positions by value and distance: {"win": {1: …, 3: …}, "loss": {2: …}}."""
        found: dict[str, dict[int, int]] = {"win": {}, "loss": {}}
        for ply in self.directory.counts:
            for score, number in ply.every.items():
                value, distance = value_and_distance(int(score), 0)
                if value != "draw":
                    found[value][distance] = found[value].get(distance, 0) + number
        return {value: dict(sorted(by.items())) for value, by in found.items()}

    def as_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "rules": str(self.directory.rules),
            "max_ply": self.directory.max_ply,
            "plies": [each._asdict() for each in self.plies],
            "distances": self.distances(),
            "openings": self.openings.as_dict(),
        }

    def __str__(self) -> str:
        rows: list[tuple[str | int, ...]] = [tuple(each) for each in self.plies]
        sums = [sum(each[column] for each in self.plies) for column in range(1, 5)]
        longest = [max(each[column] for each in self.plies) for column in (5, 6)]
        header = ["ply", "wins", "draws", "losses", "up to symmetry", "longest win", "longest loss"]
        return "\n".join(
            [
                f"Ongoing positions of {self.directory.rules} by value for the player to move",
                draw.table(header, [*rows, ("all", *sums, *longest)]),
                "",
                "By distance in plies",
                self._distance_table(),
                "",
                str(self.openings),
            ]
        )

    def _distance_table(self) -> str:
        by = self.distances()
        distances = sorted(by["win"].keys() | by["loss"].keys())
        rows = [(each, by["win"].get(each, 0), by["loss"].get(each, 0)) for each in distances]
        return draw.table(["distance", "wins", "losses"], rows)


def stats(table: Tablebase) -> Stats:
    """Read from the directory; `verify` holds it to the blocks."""
    directory = table.file.directory
    return Stats(directory, tuple(_ply(each) for each in directory.counts), table.probe(Position(table.rules)))


def _ply(counts: PlyCounts) -> PlyStats:
    def total(sign: int) -> int:
        return sum(number for score, number in counts.every.items() if (int(score) > 0) - (int(score) < 0) == sign)

    return PlyStats(
        counts.ply, total(1), total(0), total(-1), sum(counts.canonical.values()),
        _longest(counts.every, 1), _longest(counts.every, -1),
    )  # fmt: skip


def _longest(counts: ScoreCounts, sign: int) -> int:
    return max((value_and_distance(int(score), 0).distance for score in counts if int(score) * sign > 0), default=0)
