"""Pictures of datasets."""

from pathlib import Path
from typing import Any

from gridlab.datasets.manifest import Manifest
from gridlab.errors import FileTrouble
from gridlab.exact.tablebase.stats import Stats
from gridlab.extras import need
from gridlab.files import beside

PICTURES = (".png", ".svg", ".pdf")


def new_figure(path: Path, height: float) -> Any:
    """An empty figure to be saved under a name that says how: PNG, SVG or PDF."""
    if path.suffix not in PICTURES:
        raise FileTrouble(f"{path} is no name for a picture; end it in {', '.join(PICTURES)}")
    return need("matplotlib.figure", "export").Figure(figsize=(8, height), layout="constrained")


def save(figure: Any, path: Path) -> None:
    with beside(path) as part:
        figure.savefig(part, format=path.suffix[1:], dpi=150)


def plot_values(stats: Stats, path: Path) -> None:
    """Above, how many positions of each ply win, draw and lose; below, how far from the end they are."""
    figure = new_figure(path, 7.5)
    above, below = figure.subplots(2)
    plies = [each.ply for each in stats.plies]
    bottom = [0.0] * len(plies)
    for name, colour in (("wins", "#1f4e9c"), ("draws", "#b8b8b8"), ("losses", "#b3261e")):
        share = [getattr(each, name) / (each.wins + each.draws + each.losses) for each in stats.plies]
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


def plot_counts(manifest: Manifest, path: Path) -> None:
    """Records by ply and winner, on a logarithmic scale; PNG, SVG or PDF by the name of the file."""
    figure = new_figure(path, 4.5)
    axes = figure.add_subplot()
    for name, winner, colour, side in (("X wins", "x_wins", "#1f4e9c", -0.2), ("O wins", "o_wins", "#b3261e", 0.2)):
        won = [each for each in manifest.layers if getattr(each, winner)]
        places = [each.ply + side * (each.x_wins > 0 and each.o_wins > 0) for each in won]  # in the middle if alone
        axes.bar(places, [getattr(each, winner) for each in won], width=0.4, label=name, color=colour)
    axes.set_yscale("log")
    axes.set_xticks([each.ply for each in manifest.layers])
    axes.set_xlabel("ply")
    axes.set_ylabel("positions up to symmetry")
    axes.set_title(f"Terminal wins of {manifest.rules}: {sum(each.records for each in manifest.layers):,}")
    axes.legend()
    axes.grid(axis="y", alpha=0.3)
    save(figure, path)
