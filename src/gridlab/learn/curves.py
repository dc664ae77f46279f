"""Pictures of trainings: numbers over games, epochs or minutes, in panels above each other or side by side."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gridlab.core.charts import new_figure, save
from gridlab.core.errors import BadNotation
from gridlab.learn.info import Info

COLOURS = ("#1f4e9c", "#b3261e", "#2e7d32", "#8e5ea2", "#c77700", "#546e7a")
INSIDE: dict[str, Any] = {"frameon": False}  # a legend
BESIDE: dict[str, Any] = {"frameon": False, "loc": "center left", "bbox_to_anchor": (1.01, 0.5)}

Points = Sequence[tuple[float, float]]


class Line(NamedTuple):
    """A line of a panel; without a label it stands in no legend."""

    label: str
    points: Points
    colour: str
    style: str = "-"
    width: float | None = None


class Panel(NamedTuple):
    """Lines, and what is said of their axes."""

    lines: Sequence[Line]
    axes: dict[str, Any]
    legend: dict[str, Any] | None = None
    grid: bool = True
    numbers: str = ""  # how those beside it are written


def column(curve: Sequence[Mapping[str, Any]], axis: str, name: str, times: int = 1) -> Points:
    """What the rows of a curve say of a number, where they say anything."""
    return [(row[axis], times * row[name]) for row in curve if row.get(name) is not None]


def plot_panels(path: Path, *panels: Panel) -> None:
    """Panels above each other, over the same axis."""
    figure = new_figure(path, 6.5)
    for axes, panel in zip(figure.subplots(len(panels), sharex=True), panels, strict=True):
        for label, points, colour, style, width in panel.lines:
            along, up = [point[0] for point in points], [point[1] for point in points]
            axes.plot(along, up, style, color=colour, linewidth=width, label=label)
        axes.set(**panel.axes)
        if panel.numbers:
            axes.yaxis.set_major_formatter(panel.numbers)
        if panel.legend and panel.lines:
            axes.legend(**panel.legend)
        if panel.grid:
            axes.grid(axis="y", alpha=0.3)
    save(figure, path)


# ---- what checkpoints hold


def plot_infos(infos: Sequence[Info], path: Path) -> None:
    """The curves of one training, or of several in one picture: a panel for each number that they have."""
    curves = [info for info in infos if info.curve]
    if not curves:
        raise BadNotation(f"{infos[0].path} has no curve to draw; the file to go on from has it")
    axes = sorted({info.axis for info in curves})
    if len(axes) > 1:
        raise BadNotation(f"trainings by {' and by '.join(axes)} have nothing to be drawn over together")
    names = _drawn(curves, axes[0])
    rows = (len(names) + 1) // 2
    figure = new_figure(path, 1.2 + 2.4 * rows)
    panels = figure.subplots(rows, 2, sharex=True, squeeze=False).ravel()
    for panel, name in zip(panels, names, strict=False):
        _draw(panel, name, curves)
    for panel in panels[len(names) :]:
        panel.set_visible(False)
    for panel in panels[max(0, len(names) - 2) : len(names)]:
        panel.set_xlabel(axes[0])
    if len(curves) > 1:
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", frameon=False, ncols=2)
    save(figure, path)


def _drawn(curves: Sequence[Info], axis: str) -> list[str]:
    """The numbers that have a panel; time has one where it is not the same for all."""
    skipped = {axis, "moves", "phase"} | (set() if axis == "games" else {"seconds"})
    return [name for name in dict.fromkeys(each for info in curves for each in info.columns()) if name not in skipped]


def _draw(panel: Any, name: str, curves: Sequence[Info]) -> None:
    """A number in each of the trainings."""
    for info, colour in zip(curves, COLOURS * len(curves), strict=False):
        if seen := column(info.curve, info.axis, name):
            panel.plot(*zip(*seen, strict=True), color=colour, label=info.path.name)
    panel.set_title(name.replace("_", " "), fontsize=9)
    panel.grid(axis="y", alpha=0.3)
