"""The picture of a training: loss above, win rates below."""

from pathlib import Path
from typing import Any

from gridlab.core.figures import new_figure, save

SMOOTHED = 20  # rounds
OF_THE_ROUND = ("episode", "phase", "epsilon", "loss")
COLOURS = ("#1f4e9c", "#b3261e", "#2e7d32", "#8e5ea2")


def plot_curve(curve: list[dict[str, Any]], path: Path) -> None:
    """Loss and share of random moves by episode; win rates where they were measured."""
    figure = new_figure(path, 6.5)
    above, below = figure.subplots(2, sharex=True)
    learnt = [row for row in curve if row["loss"] is not None]
    episodes, losses = [row["episode"] for row in learnt], [row["loss"] for row in learnt]
    above.plot(episodes, losses, color="#b8b8b8", linewidth=0.8)
    above.plot(episodes, smooth(losses), color=COLOURS[0], label="loss")
    if any(row["epsilon"] for row in curve):
        above.plot([row["episode"] for row in curve], [row["epsilon"] for row in curve], color=COLOURS[1], label="ε")
    above.set(ylim=(0, None))
    above.legend(frameon=False)
    names = dict.fromkeys(name for row in curve for name in row if name not in OF_THE_ROUND)
    for name, colour in zip(names, COLOURS, strict=False):
        measured = [row for row in curve if name in row]
        below.plot(
            [row["episode"] for row in measured], [row[name] for row in measured], "o-", color=colour, label=name
        )
    below.set(xlabel="episode", ylabel="score", ylim=(0, 1.02))
    if names:
        below.legend(frameon=False)
    below.grid(axis="y", alpha=0.3)
    save(figure, path)


def smooth(numbers: list[float]) -> list[float]:
    """Means of the latest rounds."""
    return [sum(part) / len(part) for i in range(len(numbers)) for part in [numbers[max(0, i + 1 - SMOOTHED) : i + 1]]]
