"""What the table of a solved board says as a whole, and whether it is what it says.

Always: directory, checksums, every layer unpacked, its boards and values looked at, and some values of every layer
worked out anew from the layers above. In full: every value, to the last bit; every board after a move from the layers
below; how many boards there are to move.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gridlab.core import draw
from gridlab.core.arguments import counted
from gridlab.core.charts import new_figure, save
from gridlab.core.draw import AsJson, facts
from gridlab.core.errors import CorruptFile, GridlabError
from gridlab.core.files import RESULTS_VERSION
from gridlab.core.progress import bar
from gridlab.core.run import interruptible
from gridlab.game2048.exact import layers
from gridlab.game2048.exact.file import SCORE
from gridlab.game2048.exact.layers import NONE, Values
from gridlab.game2048.exact.probe import TIED, Tablebase2048
from gridlab.game2048.kernels import Boards
from gridlab.game2048.rules import Rules2048
from gridlab.games.tablebases import FULL, Verdict

# ---- What the table of a solved board of 2048 says as a whole: boards, values and choices, by the sum of their tiles


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

    def as_dict(self) -> AsJson:
        """For `--json`."""
        return facts(self, "rules target start boards over afters corner_kept layers")

    def __str__(self) -> str:
        name = "expected score" if self.target == SCORE else f"chance of {self.target}"
        digits = 2 if self.target == SCORE else 6
        step = max(1, -(-len(self.layers) // SHOWN_LAYERS))
        rows: list[list[str | int]] = [
            [each.sum, *(f"{count:,}" for count in each[1:6]), *(f"{worth:,.{digits}f}" for worth in each[6:8])]
            for each in self.layers[::step]
        ]
        header = ("sum", "to move", "over", "after a move", "one direction", "tied", "worth", "best over second")
        every = "" if step == 1 else f", one of {step}"
        kept = "where directions differ in whether the largest tile is in a corner, it is best there in"
        return "\n".join(
            [
                f"{self.rules}, {name} under best play: {self.start:,.{digits}f} before a game begins",
                f"{counted(self.boards, 'board')} to move up to symmetry ({self.over:,} over), "
                f"{self.afters:,} after a move",
                f"{kept} {self.corner_kept:.1%}", f"by the sum of tiles{every}", draw.table(header, rows),
            ]
        )  # fmt: skip


def stats(table: Tablebase2048, progress: bool = False) -> Stats2048:
    """Count all boards, made anew from the file, and what there is to choose on them."""
    found = []
    with bar(sum(each.boards for each in table.file.directory.layers), str(table.rules), "boards", progress) as shown:
        for total, stored in table.file.layers.items():
            found.append(_layer(table, total))
            shown.update(stored.boards)
    return Stats2048(table.rules, table.target, table.mean, tuple(found))


def _layer(table: Tablebase2048, total: int) -> LayerStats:
    game, boards = layers.board_of(table.rules, table.tile), table.boards(total)
    keys, worth = layers.table_of(*table.layer(total))
    corners = layers.corners_of(table.rules, game)
    counts, value, gained = interruptible(
        lambda stop: layers.judge_boards(boards, keys, worth, game, corners, TIED, stop)
    )
    over, forced, tied, different, kept = counts.tolist()
    alive, choices = len(boards) - over, len(boards) - over - forced
    mean, gain = value / alive if alive else 0.0, gained / choices if choices else 0.0
    afters = table.file.layers[total].afterstates
    return LayerStats(total, len(boards), over, afters, forced, tied, mean, gain, different, kept)


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


# ---- Is the table of a solved board of 2048 what it says? Every way in which it may not be has a sentence of its own


SAMPLE = 50  # values of each layer worked out anew


@dataclass(frozen=True)
class Verdict2048(Verdict):
    layers: int = 0
    values: int = 0  # worked out anew

    @property
    def looked_at(self) -> str:
        return f"{counted(self.layers, 'layer')} unpacked, {counted(self.values, 'value')} computed again"


def verify(path: Path, full: bool = False, seed: int = 0, progress: bool = False) -> Verdict2048:
    """Judge a file. What cannot be read at all is a complaint too."""
    try:
        table = Tablebase2048(path)
    except CorruptFile as error:
        return Verdict2048(str(path), "?", full, (), (str(error),))
    remarks = () if full else (f"not checked: values other than these, and which boards there are; {FULL}",)
    behaviour = table.file.directory.behaviour
    if behaviour != RESULTS_VERSION:
        wrong = f"the file was made for results version {behaviour}; this is {RESULTS_VERSION}"
        return Verdict2048(str(path), str(table.rules), full, remarks, (wrong,))
    random, complaints, values, unpacked = np.random.default_rng(seed), list[str](), 0, 0
    with bar(len(table.file.layers), f"verifying {table.rules}", "layers", progress) as shown:
        for total in table.file.layers:
            try:
                judged, wrong_ones = _check_layer(table, total, None if full else random)
            except GridlabError as error:
                judged, wrong_ones = 0, [str(error)]
            unpacked, values, complaints = unpacked + 1, values + judged, complaints + wrong_ones
            shown.update(1)
    return Verdict2048(str(path), str(table.rules), full, remarks, tuple(complaints), unpacked, values)


def _check_layer(table: Tablebase2048, total: int, random: np.random.Generator | None) -> tuple[int, list[str]]:
    """How many values of a layer were worked out anew, and what is wrong with it."""
    boards, values = table.layer(total)
    chosen = np.arange(len(boards)) if random is None else np.sort(random.permutation(len(boards))[:SAMPLE])
    again, complaints = values_anew(table, total, boards[chosen]), list[str]()
    if len(wrong := np.flatnonzero(again != values[chosen])):
        first = f"{values[chosen[wrong[0]]]!r} and should be {again[wrong[0]]!r}"
        complaints.append(
            f"sum {total}: {len(wrong):,} values are not what the layers above give; the first one is {first}"
        )
    return len(chosen), complaints if random else [*complaints, *_board_flaws(table, total)]


def values_anew(table: Tablebase2048, total: int, afterstates: Boards) -> Values:
    """What boards after a move of a layer are worth by the layers above."""
    game, odds = layers.board_of(table.rules, table.tile), table.rules.odds
    sums = np.zeros((2, len(afterstates)))
    for four in range(2):
        above = total + 2 + 2 * four
        if odds[four] and above in table.file.layers:
            keys, worth = layers.table_of(*table.layer(above))
            one, other = (NONE, afterstates) if four else (afterstates, NONE)
            add_up = partial(
                layers.sums_over_tiles, one, other, keys, worth, game, sums[0][: len(one)], sums[1][: len(other)]
            )
            interruptible(add_up)
    return layers.means(afterstates, sums[0], sums[1], odds)


def _board_flaws(table: Tablebase2048, total: int) -> Iterator[str]:
    """Are the boards of a layer those that the rules make of the layers below?"""
    stored = table.file.layers[total]
    boards, game = table.boards(total), layers.board_of(table.rules, table.tile)
    afterstates, over = interruptible(lambda stop: layers.after_moves(boards, game, stop))
    if not np.array_equal(np.sort(afterstates), table.layer(total)[0]):
        yield f"sum {total}: the boards after a move are not those that the layers below lead to"
    if (stored.boards, stored.over) != (len(boards), over):
        yield (
            f"sum {total}: the directory counts {stored.boards:,} boards to move, {stored.over:,} of them over; "
            f"there are {len(boards):,} and {over:,}"
        )
