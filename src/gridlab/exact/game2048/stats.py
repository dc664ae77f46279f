"""What the table of a solved board of 2048 says as a whole: boards, values and choices, by the sum of their tiles."""

from pathlib import Path
from typing import Any, NamedTuple

from gridlab.core import draw
from gridlab.core.figures import new_figure, save
from gridlab.core.interrupts import interruptible
from gridlab.core.numbers import counted
from gridlab.core.progress import bar
from gridlab.exact.game2048.choices import CORNER_KEPT, DIFFERENT, FORCED, TIED, corners_of, judge_boards
from gridlab.exact.game2048.file import SCORE
from gridlab.exact.game2048.layers import board_of, table_of
from gridlab.exact.game2048.probe import TIED as SAME
from gridlab.exact.game2048.probe import Tablebase2048
from gridlab.games.game2048.rules import Rules2048

SHOWN_LAYERS = 24  # rows of the table for people; all are in `as_dict`


class LayerStats(NamedTuple):
    """The boards with one sum of tiles, up to symmetry; those to move unless said otherwise."""

    sum: int
    boards: int
    over: int  # without a move
    afters: int  # after a move
    forced: int  # with one direction alone
    tied: int  # on which several directions are the best
    mean: float  # of what they are worth, those that are over left out
    gain: float  # mean of what the best direction is worth more than the second, where there are two
    corner_differs: int  # on which some directions leave the largest tile in a corner and others do not
    corner_kept: int  # of these, on which a best direction does


class Stats2048(NamedTuple):
    """The statistics of a file."""

    rules: Rules2048
    target: str
    start: float  # what a game is worth before it begins: the mean over random starts
    layers: tuple[LayerStats, ...]

    @property
    def boards(self) -> int:
        return sum(each.boards for each in self.layers)

    @property
    def over(self) -> int:
        return sum(each.over for each in self.layers)

    @property
    def afters(self) -> int:
        return sum(each.afters for each in self.layers)

    @property
    def corner_kept(self) -> float:
        """How often a best direction leaves the largest tile in a corner, where directions differ in that."""
        differs = sum(each.corner_differs for each in self.layers)
        return sum(each.corner_kept for each in self.layers) / differs if differs else 0.0

    def as_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "rules": str(self.rules),
            "target": self.target,
            "start": self.start,
            "boards": self.boards,
            "over": self.over,
            "afters": self.afters,
            "corner_kept": self.corner_kept,
            "layers": [each._asdict() for each in self.layers],
        }

    def __str__(self) -> str:
        name = "expected score" if self.target == SCORE else f"chance of {self.target}"
        digits = 2 if self.target == SCORE else 6
        step = max(1, -(-len(self.layers) // SHOWN_LAYERS))
        rows = [
            (
                each.sum, f"{each.boards:,}", f"{each.over:,}", f"{each.afters:,}", f"{each.forced:,}",
                f"{each.tied:,}", f"{each.mean:,.{digits}f}", f"{each.gain:,.{digits}f}",
            )
            for each in self.layers[::step]
        ]  # fmt: skip
        header = ("sum", "to move", "over", "after a move", "one direction", "tied", "worth", "best over second")
        every = "" if step == 1 else f", one of {step}"
        return "\n".join(
            [
                f"{self.rules}, {name} under best play: {self.start:,.{digits}f} before a game begins",
                f"{counted(self.boards, 'board')} to move up to symmetry ({self.over:,} over), "
                f"{self.afters:,} after a move",
                f"where directions differ in whether the largest tile is in a corner, it is best there in "
                f"{self.corner_kept:.1%}",
                f"by the sum of tiles{every}",
                draw.table(header, rows),
            ]
        )


def stats(table: Tablebase2048, progress: bool = False) -> Stats2048:
    """Count all boards, made anew from the file, and what there is to choose on them."""
    found = []
    with bar(sum(each.boards for each in table.file.directory.layers), str(table.rules), "boards", progress) as shown:
        for total, stored in table.file.layers.items():
            found.append(_layer(table, total))
            shown.update(stored.boards)
    return Stats2048(table.rules, table.target, table.mean, tuple(found))


def _layer(table: Tablebase2048, total: int) -> LayerStats:
    game, boards = board_of(table.rules, table.tile), table.boards(total)
    keys, worth = table_of(*table.layer(total))
    corners = corners_of(table.rules, game)
    judged = interruptible(lambda stop: judge_boards(boards, keys, worth, game, corners, SAME, stop))
    counts, value, gained = judged
    stored = table.file.layers[total]
    alive, choices = len(boards) - int(counts[0]), len(boards) - int(counts[0]) - int(counts[FORCED])
    return LayerStats(
        total, len(boards), int(counts[0]), stored.afters, int(counts[FORCED]), int(counts[TIED]),
        value / alive if alive else 0.0, gained / choices if choices else 0.0, int(counts[DIFFERENT]),
        int(counts[CORNER_KEPT]),
    )  # fmt: skip


def plot(found: Stats2048, path: Path) -> None:
    """Boards and values by the sum of tiles; PNG, SVG or PDF by the name of the file."""
    figure = new_figure(path, 6)
    above, below = figure.subplots(2, 1, sharex=True)
    sums = [each.sum for each in found.layers]
    above.plot(sums, [each.boards for each in found.layers], color="#1f4e9c", label="to move")
    above.plot(sums, [each.afters for each in found.layers], color="#c77700", label="after a move")
    above.set(ylabel="boards up to symmetry")
    above.legend(frameon=False)
    name = "points to come" if found.target == SCORE else f"chance of {found.target}"
    below.plot(sums, [each.mean for each in found.layers], color="#1f4e9c", label="mean value")
    below.plot(sums, [each.gain for each in found.layers], color="#b3261e", label="best less second direction")
    below.set(xlabel="sum of the tiles", ylabel=name)
    below.legend(frameon=False)
    figure.suptitle(f"{found.rules}: {counted(found.boards, 'board')}, best play from the start {found.start:,.2f}")
    save(figure, path)
