"""The picture of a dataset of terminal wins: records by ply and winner."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gridlab.core.errors import FileTrouble
from gridlab.core.figures import new_figure, save
from gridlab.core.files import try_place
from gridlab.datasets.terminals.dataset import BLOCK, Terminals
from gridlab.datasets.terminals.manifest import wins_of_players
from gridlab.datasets.terminals.records import checker, count_won


class Count(NamedTuple):
    """A bar for each winner."""

    ply: int
    x_wins: int
    o_wins: int


def plot_counts(data: Terminals, path: Path) -> None:
    """Records by ply and winner, on a logarithmic scale; PNG, SVG or PDF by the name of the file."""
    counts = list(_counts(data))
    total = sum(each.x_wins + each.o_wins for each in counts)
    if not total:
        raise FileTrouble(f"the layers of {data.rules} have no records; there is nothing to draw")
    try_place(path)
    figure = new_figure(path, 4.5)
    axes = figure.add_subplot()
    for name, winner, colour, side in (("X wins", "x_wins", "#1f4e9c", -0.2), ("O wins", "o_wins", "#b3261e", 0.2)):
        won = [each for each in counts if getattr(each, winner)]
        places = [each.ply + side * (each.x_wins > 0 and each.o_wins > 0) for each in won]  # in the middle if alone
        axes.bar(places, [getattr(each, winner) for each in won], width=0.4, label=name, color=colour)
    axes.set_yscale("log")
    axes.set_xticks([each.ply for each in counts])
    axes.set_xlabel("ply")
    axes.set_ylabel("positions up to symmetry")
    axes.set_title(f"Terminal wins of {data.rules}: {total:,}")
    axes.legend()
    axes.grid(axis="y", alpha=0.3)
    save(figure, path)


def _counts(data: Terminals) -> Iterator[Count]:
    """The wins of each ply: from the manifest, or without one from the records."""
    if data.manifest:
        yield from (Count(each.ply, each.x_wins, each.o_wins) for each in data.manifest.layers)
        return
    game = checker(data.rules)
    for ply in data.plies:
        records = data.records(ply)
        blocks = (np.array(records[first : first + BLOCK]) for first in range(0, len(records), BLOCK))
        won = sum(count_won(block, ply, game) for block in blocks)
        yield Count(ply, *wins_of_players(ply, won, len(records) - won))
