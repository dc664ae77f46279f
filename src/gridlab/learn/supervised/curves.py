"""The picture of a training on games: loss above, accuracy below, of what was learnt and of what was kept apart."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gridlab.core.figures import new_figure, save
from gridlab.datasets.games2048.sampling import PHASES

COLOURS = ("#1f4e9c", "#b3261e", "#2e7d32", "#8e5ea2", "#c77700", "#546e7a")


def plot_curve(curve: Sequence[dict[str, Any]], path: Path) -> None:
    """Loss and accuracy by epoch; of the games kept apart also by phase."""
    figure = new_figure(path, 6.5)
    above, below = figure.subplots(2, sharex=True)
    epochs = [row["epoch"] for row in curve]
    above.plot(epochs, [row["loss"] for row in curve], "o-", color=COLOURS[0], label="learnt")
    above.plot(epochs, [row["validation_loss"] for row in curve], "o-", color=COLOURS[1], label="kept apart")
    above.set(ylabel="loss")
    below.plot(epochs, [100 * row["accuracy"] for row in curve], "o-", color=COLOURS[0], label="learnt")
    rates = [100 * row["validation_accuracy"] for row in curve]
    below.plot(epochs, rates, "o-", color=COLOURS[1], label="kept apart")
    for name, colour in zip(PHASES, COLOURS[2:], strict=False):
        seen = [row for row in curve if row.get(f"validation_{name}") is not None]
        if seen:
            of_phase = [100 * row[f"validation_{name}"] for row in seen]
            below.plot([row["epoch"] for row in seen], of_phase, "--", color=colour, linewidth=1, label=name)
    below.set(xlabel="epoch", ylabel="accuracy, %")
    for each in (above, below):
        each.grid(axis="y", alpha=0.3)
        if curve:
            each.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    save(figure, path)
