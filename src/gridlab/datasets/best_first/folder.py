"""Best-first search over a folder of inputs: every file answered, and a table with a row for each.

inputs/a.txt   ->   steps/a.txt   output/a.txt
"""

from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from gridlab.core import draw
from gridlab.core.errors import FileTrouble, GridlabError
from gridlab.core.files import locked_folder, refuse_overlap, try_folder
from gridlab.core.interrupts import pause
from gridlab.datasets.best_first.report import Answer, BothReports, Report, read_or_fail
from gridlab.search.mnk.best_first import Start

Ask = Callable[[Start, Path, Path, Path], Answer]  # start, where it stands, steps, output


class Row(NamedTuple):
    """One input: what was found, or why it could not be read."""

    file: str
    answer: Answer | None
    failure: str = ""

    @property
    def reports(self) -> tuple[Report, ...]:
        if self.answer is None:
            return ()
        return tuple(self.answer) if isinstance(self.answer, BothReports) else (self.answer,)

    def as_dict(self) -> dict[str, Any]:
        found = self.answer.as_dict() if self.answer else {"result": "failed", "why": self.failure}
        return {"file": self.file, **found}


class Summary(NamedTuple):
    """All inputs of a folder."""

    rows: list[Row]

    @property
    def failed(self) -> list[Row]:
        return [each for each in self.rows if each.answer is None]

    def as_dict(self) -> dict[str, Any]:
        return {"inputs": [each.as_dict() for each in self.rows]}

    def __str__(self) -> str:
        header = ["file", "size", "to move"]
        for report in next((row.reports for row in self.rows if row.answer), ()):
            header += [report.asked, "plies", "expansions" if report.asked == "cooperative" else "positions"]
        header += [] if len(header) > 3 else ["result"]
        rows = [_cells(row, len(header)) for row in self.rows]
        return "\n".join([draw.table(header, rows), *(f"failed: {row.failure}" for row in self.failed)])


def _cells(row: Row, width: int) -> list[str | int]:
    if not row.reports:
        return [row.file, "-", "-", "failed", *["-"] * (width - 4)]
    start = row.reports[0].start
    found: list[str | int] = [row.file, start.size, start.player]
    for report in row.reports:
        found += [report.result, len(report.line), next(iter(report.effort.values()))]
    return found


def answer_folder(folder: Path, steps: Path, output: Path, ask: Ask) -> Summary:
    """Answer every file of a folder."""
    files = check_folders(folder, steps, output)
    rows = []
    with locked_folder(steps), locked_folder(output):
        for path in files:
            pause()
            places = steps / path.name, output / path.name
            try:
                start = read_or_fail(path, *places)
            except GridlabError as error:
                rows.append(Row(path.name, None, str(error)))
            else:
                rows.append(Row(path.name, ask(start, path, *places)))
    return Summary(rows)


def check_folders(folder: Path, steps: Path, output: Path) -> list[Path]:
    """The inputs of a folder, if there are any and the other two are folders elsewhere that can be written."""
    for one, other in combinations((folder, steps, output), 2):
        refuse_overlap(one, other)
        refuse_overlap(other, one)
    try:
        files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    except OSError as error:
        raise FileTrouble(f"{folder} cannot be read: {(error.strerror or str(error)).lower()}") from error
    if not files:
        raise FileTrouble(f"{folder} holds no inputs; name a file, or a folder of files")
    try_folder(steps)
    try_folder(output)
    return files
