"""Pictures on disk: an empty figure, and saving it whole. What is drawn belongs to whoever has something to show."""

import gc
from pathlib import Path
from typing import Any

from gridlab.core.errors import FileTrouble
from gridlab.core.extras import import_extra
from gridlab.core.files import beside, refuse_overlap

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
