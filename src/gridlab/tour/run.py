"""The tour, step by step: what fails is told, and the others go on."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from gridlab.core.errors import GridlabError
from gridlab.core.files import locked_folder, try_folder
from gridlab.tour.report import Visit, write_report
from gridlab.tour.steps import Step, steps

REPORT = "report.html"


def take_tour(
    folder: Path | str, tell: Callable[[int, int, Step], object] = lambda *_: None, progress: bool = False
) -> Iterator[Visit]:
    """Every step as it was; at the end the report is in the folder. `tell` hears of a step before its work begins."""
    folder = try_folder(Path(folder))
    visits: list[Visit] = []
    with locked_folder(folder):
        every = steps()
        for number, step in enumerate(every, 1):
            tell(number, len(every), step)
            visits.append(visit(step, folder, progress))
            yield visits[-1]
        write_report(folder / REPORT, visits)


def visit(step: Step, folder: Path, progress: bool) -> Visit:
    """One step; whatever goes wrong there is kept to it."""
    began = time.monotonic()
    try:
        shown, error = step.work(folder, progress), ""
    except GridlabError as trouble:
        shown, error = None, str(trouble)
    except Exception as trouble:
        shown, error = None, f"{type(trouble).__name__}: {trouble}"
    return Visit(step, shown, time.monotonic() - began, error)
