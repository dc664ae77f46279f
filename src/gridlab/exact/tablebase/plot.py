"""The picture of a tablebase: positions by value and by distance."""

from pathlib import Path

from gridlab.core.figures import new_figure, save
from gridlab.core.files import try_place
from gridlab.exact.tablebase.stats import Stats


def plot_values(stats: Stats, path: Path) -> None:
    """Above, how many positions of each ply win, draw and lose; below, how far from the end they are."""
    try_place(path)
    figure = new_figure(path, 7.5)
    above, below = figure.subplots(2)
    plies = [each.ply for each in stats.plies]
    bottom = [0.0] * len(plies)
    for name, colour in (("wins", "#1f4e9c"), ("draws", "#b8b8b8"), ("losses", "#b3261e")):
        share = [getattr(each, name) / max(1, each.wins + each.draws + each.losses) for each in stats.plies]
        above.bar(plies, share, bottom=bottom, color=colour, label=name, width=0.8)
        bottom = [low + more for low, more in zip(bottom, share, strict=True)]
    above.set(xlabel="ply", ylabel="share of ongoing positions", ylim=(0, 1), xticks=plies)
    figure.suptitle(f"Positions of {stats.directory.rules}, for the player to move")
    above.legend(ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)
    distances = stats.distances()
    for name, colour, side in (("win", "#1f4e9c", -0.2), ("loss", "#b3261e", 0.2)):
        by = distances[name]
        below.bar([each + side for each in by], list(by.values()), width=0.4, color=colour)
    below.set(xlabel="plies to the end under best play", ylabel="positions", yscale="log")
    save(figure, path)
