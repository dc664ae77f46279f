"""The picture of a training: mean score above, tiles reached below, over the time it took, or over its games."""

from collections.abc import Sequence
from pathlib import Path

from gridlab.core.figures import new_figure, save
from gridlab.nets.ntuple_file import Point

COLOURS = ("#1f4e9c", "#2e7d32", "#b3261e", "#8e5ea2", "#c77700", "#546e7a")


def plot_curve(curve: Sequence[Point], path: Path) -> None:
    """The games that were learnt from: those of a network that is still changing."""
    figure = new_figure(path, 6.5)
    above, below = figure.subplots(2, sharex=True)
    timed = any(point.seconds for point in curve)  # not where the plan counts games
    along = [point.seconds / 60 if timed else point.games for point in curve]
    above.plot(along, [point.mean_score for point in curve], color=COLOURS[0])
    above.set(ylabel="mean score", ylim=(0, None))
    tiles = sorted({int(tile) for point in curve for tile, rate in point.tile_rates.items() if rate >= 0.01})[-5:]
    for tile, colour in zip(tiles, COLOURS, strict=False):
        rates = [100 * point.tile_rates.get(str(tile), 0.0) for point in curve]
        below.plot(along, rates, color=colour, label=f"{tile:,}")
    below.set(xlabel="minutes" if timed else "games", ylabel="games that reached a tile, %", ylim=(0, 102))
    above.yaxis.set_major_formatter("{x:,.0f}")
    if tiles:
        below.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    for each in (above, below):
        each.grid(axis="y", alpha=0.3)
    save(figure, path)
