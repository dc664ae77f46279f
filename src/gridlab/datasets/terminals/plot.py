"""The picture of a dataset of terminal wins: records by ply and winner."""

from pathlib import Path

from gridlab.core.errors import FileTrouble
from gridlab.core.figures import new_figure, save
from gridlab.core.files import try_place
from gridlab.datasets.terminals.manifest import Manifest


def plot_counts(manifest: Manifest, path: Path) -> None:
    """Records by ply and winner, on a logarithmic scale; PNG, SVG or PDF by the name of the file."""
    if not any(each.records for each in manifest.layers):
        raise FileTrouble(f"the layers of {manifest.rules} have no records; there is nothing to draw")
    try_place(path)
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
