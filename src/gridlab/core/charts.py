"""Charts: small ones as SVG for a page that stands alone, and pictures on disk by matplotlib."""

import gc
import math
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from gridlab.core.errors import FileTrouble
from gridlab.core.files import beside, refuse_overlap
from gridlab.core.run import import_extra

# ---- Pictures on disk: an empty figure, and saving it whole. What is drawn belongs to whoever has something to show


PICTURES = (".png", ".svg", ".pdf")


def new_figure(path: Path, height: float) -> Any:
    """An empty figure to be saved under a name that says how: PNG, SVG or PDF."""
    if path.suffix not in PICTURES:
        raise FileTrouble(f"{path} is not a name for a picture; end it in {', '.join(PICTURES)}")
    return import_extra("matplotlib.figure", "plots").Figure(figsize=(8, height), layout="constrained")


def check_picture(picture: Path | None, *sources: Path) -> None:
    """Whether a picture, if one is wanted, can be drawn there: found out before the work, and before files are read."""
    if picture is not None:
        new_figure(picture, 1)
        for source in sources:
            refuse_overlap(source, picture)


def save(figure: Any, path: Path) -> None:
    with beside(path) as part:
        figure.savefig(part, format=path.suffix[1:], dpi=150)
    figure.clear()
    gc.collect()  # a figure is a knot of references, some MiB each, which long work would keep for hours


# ---- Small charts as SVG, for a page that stands alone: bars in groups and lines, with axes that can be read


WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 560, 236, 72, 12, 28, 36
COLOURS = ("#2457a6", "#c2512f", "#3d8a5c", "#8a6d1f")
WANTED = 4  # marks on an axis
Points = Sequence[tuple[float, float]]


def bars_svg(title: str, names: Sequence[str], series: Mapping[str, Sequence[float]], below: str, beside: str) -> str:
    """Bars side by side, one group a name, one colour a series; `below` and `beside` name the axes."""
    high = max([1e-9, *(value for values in series.values() for value in values)])
    step = (WIDTH - LEFT - RIGHT) / len(names)
    width = 0.8 * step / len(series)
    parts = _grid(0, high)
    for number, values in enumerate(series.values()):
        for place, value in enumerate(values):
            x, y = LEFT + place * step + 0.1 * step + number * width, _height(value, 0, high)
            told = f"<title>{escape(names[place])}: {value:,g}</title>"
            box = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{HEIGHT - BOTTOM - y:.1f}"'
            parts.append(f'<rect {box} fill="{COLOURS[number]}">{told}</rect>')
    every = -(-len(names) // 20)
    parts += [_below(LEFT + (place + 0.5) * step, name) for place, name in enumerate(names) if place % every == 0]
    return _whole(title, parts, list(series), below, beside)


def lines_svg(title: str, series: Mapping[str, Points], below: str, beside: str, high: float | None = None) -> str:
    """Lines, one colour a series; both axes begin at 0, and `below` and `beside` name them."""
    every = [point for points in series.values() for point in points]
    last = max([1e-9, *(x for x, _ in every)])
    top = high or max([1e-9, *(y for _, y in every)])
    parts = _grid(0, top)
    for number, points in enumerate(series.values()):
        places = " ".join(f"{_across(x, last):.1f},{_height(y, 0, top):.1f}" for x, y in points)
        parts.append(f'<polyline points="{places}" fill="none" stroke="{COLOURS[number]}" stroke-width="2"/>')
    parts += [_below(_across(mark, last), f"{mark:g}") for mark in marks(0, last)]
    return _whole(title, parts, list(series), below, beside)


def marks(low: float, high: float) -> list[float]:
    """Round numbers from low to high, a handful of them."""
    rough = (high - low) / WANTED
    unit = 10 ** math.floor(math.log10(rough))
    step = next(each * unit for each in (1, 2, 5, 10) if each * unit >= rough)
    return [step * number for number in range(math.ceil(low / step), math.floor(high / step + 1e-9) + 1)]


def short(value: float) -> str:
    """1200000 as 1.2M."""
    for unit, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= unit:
            return f"{value / unit:.3g}{letter}"
    return f"{value:.3g}"


def _across(x: float, last: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * x / last


def _height(value: float, low: float, high: float) -> float:
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - (value - low) / (high - low))


def _grid(low: float, high: float) -> list[str]:
    parts = []
    for mark in marks(low, high):
        y = _height(mark, low, high)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" class="rule"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{short(mark)}</text>')
    return parts


def _below(x: float, text: str) -> str:
    return f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 15}" text-anchor="middle">{escape(text)}</text>'


def _whole(title: str, parts: list[str], names: list[str], below: str, beside: str) -> str:
    head = f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">'
    return "".join([head, _legend(names), *parts, _axes(below, beside), "</svg>"])


def _legend(names: list[str]) -> str:
    """The colours, above the chart; a single line or kind of bars needs none."""
    if len(names) < 2:
        return ""
    pairs = zip(names, COLOURS, strict=False)
    said = "  ".join(f'<tspan fill="{colour}">■</tspan> {escape(name)}' for name, colour in pairs)
    return f'<text x="{LEFT}" y="14" xml:space="preserve">{said}</text>'


def _axes(below: str, beside: str) -> str:
    across, down = (LEFT + WIDTH - RIGHT) / 2, (TOP + HEIGHT - BOTTOM) / 2
    looks = 'text-anchor="middle" class="axis"'
    return (
        f'<text x="{across:g}" y="{HEIGHT - 4}" {looks}>{escape(below)}</text>'
        f'<text transform="translate(14 {down:g}) rotate(-90)" {looks}>{escape(beside)}</text>'
    )
