"""The tour, stop by stop: what fails is told, and the others go on."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from gridlab.core.errors import GridlabError
from gridlab.core.files import locked_folder, try_folder
from gridlab.tour.report import Visit, write_report
from gridlab.tour.stops import Stop, stops

REPORT = "report.html"


def take_tour(
    folder: Path | str, tell: Callable[[int, int, Stop], object] = lambda *_: None, progress: bool = False
) -> Iterator[Visit]:
    """Every stop as it was; at the end the report is in the folder. `tell` hears of a stop before its work begins."""
    folder = try_folder(Path(folder))
    visits: list[Visit] = []
    with locked_folder(folder):
        every = stops()
        for number, stop in enumerate(every, 1):
            tell(number, len(every), stop)
            visits.append(visit(stop, folder, progress))
            yield visits[-1]
        write_report(folder / REPORT, visits)


def visit(stop: Stop, folder: Path, progress: bool) -> Visit:
    """One stop; whatever goes wrong there is kept to it."""
    began = time.monotonic()
    try:
        shown, error = stop.work(folder, progress), ""
    except GridlabError as trouble:
        shown, error = None, str(trouble)
    except Exception as trouble:
        shown, error = None, f"{type(trouble).__name__}: {trouble}"
    return Visit(stop, shown, time.monotonic() - began, error)
