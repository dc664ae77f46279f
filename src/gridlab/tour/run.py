"""The tour, step by step: what fails is told, and the others go on; its report, and what to do next."""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from gridlab import __version__
from gridlab.core.errors import GridlabError
from gridlab.core.files import locked_folder, try_folder, whole_file
from gridlab.core.machine import ROOT, program
from gridlab.tour.steps import Shown, Step, steps, typed

# ---- What to do after the tour: commands as they are typed here, and the pages that say more


class Next(NamedTuple):
    """A command, and what it is for."""

    command: str
    about: str


def next_commands(called: str | None = None) -> list[Next]:
    """Three things to type next: in the report, in the last lines of the tour and, with `called`, in README."""
    called = called or program()
    return [
        Next(f"{called} serve --open", "the web lab: play, and see what every move is worth"),
        Next(f"{called} play squava --against perfect", "Squava in the terminal, against perfect play"),
        Next(f'{called} grade tictactoe "mcts playouts=50"', "how often a player finds a best move"),
    ]


def page_link(page: str, report: Path, text: str = "") -> str:
    """A link from a report to a page of the docs, as built by `make docs` if it is; nothing where there are no docs."""
    source, built = ROOT / "docs" / page, (ROOT / "site" / page).with_suffix(".html")
    if not source.is_file():
        return ""
    title = text or source.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
    return f'<a href="{_address(built if built.is_file() else source, report)}">{escape(title)}</a>'


def _address(page: Path, report: Path) -> str:
    try:
        return quote(Path(os.path.relpath(page, report.resolve().parent)).as_posix())
    except ValueError:  # on another drive
        return page.as_uri()


# ---- The report of a tour: one page that stands alone, with boards, charts, tables, timings and what to do next


STYLE = Path(__file__).with_name("report.css")
WORDS = {
    "ply": "one move of one player",
    "W14, L13, D": "on a free cell: whoever moves there wins in 14 plies, loses in 13, or draws, if both go on to play "
    "their best; that move counts as the first ply, and the best moves are framed",
    "33": "a move: row 3, column 3, counted from the top left",
    "5x5:4-3": "the rules of a game: a board of 5×5 cells on which four in a row win and three in a row lose; 3x3:3 is "
    "tic-tac-toe, in which nothing loses",
    "up to symmetry": "boards that are turned or mirrored images of each other count once",
}


class Visit(NamedTuple):
    """A step as it went."""

    step: Step
    shown: Shown | None  # None if it failed
    seconds: float
    error: str = ""


def write_report(path: Path, visits: list[Visit]) -> None:
    """The page of a tour."""
    body = "".join(_section(number, each, path) for number, each in enumerate(visits, 1))
    page = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><title>gridlab: a tour</title>'
        f"<style>{STYLE.read_text()}</style></head><body><main><h1>gridlab</h1>"
        "<p>A laboratory for small grid games: what it does, done on this machine. "
        f'<span class="muted">{escape(_summary(visits))}, version {__version__}.</span></p>'
        f"{_words()}{body}{_onward(path)}</main></body></html>"
    )
    with whole_file(path) as file:
        file.write(page.encode())


def _summary(visits: list[Visit]) -> str:
    whole = sum(each.seconds for each in visits)
    failed = [each.step.name for each in visits if each.error]
    return f"{len(visits)} steps in {whole:.0f} seconds" + (f"; failed: {', '.join(failed)}" if failed else "")


def _words() -> str:
    """What is written on this page in short, before it is used."""
    listed = "".join(f"<dt>{escape(word)}</dt><dd>{escape(meaning)}</dd>" for word, meaning in WORDS.items())
    place = f"Type the commands in <code>{escape(str(Path.cwd()))}</code>."
    return f"<section><h2>How to read this page</h2><dl>{listed}</dl><p>{place}</p></section>"


def _section(number: int, visit: Visit, report: Path) -> str:
    step, shown, seconds, error = visit
    time = f"{seconds:.1f} s" + (", found from an earlier tour" if shown and shown.reused else "")
    head = f'<h2>{number}. {escape(step.name)}</h2><p class="muted">{escape(step.doing)} · {time}</p>'
    if shown is None:
        return f'<section>{head}<p class="failed">This did not work: {escape(error)}</p></section>'
    further = _listed([*map(typed, shown.further), *_links(step.pages, report)])
    return f'<section>{head}{shown.html}<p class="muted">To go further:</p>{further}</section>'


def _onward(report: Path) -> str:
    commands = [f"<code>{escape(each.command)}</code> {escape(each.about)}" for each in next_commands()]
    links = [*_links(("tutorial.md", "web.md", "commands.md"), report), *_whole_docs(report)]
    return f'<section id="next"><h2>What to type next</h2>{_listed(commands)}{_listed(links)}</section>'


def _whole_docs(report: Path) -> list[str]:
    link = page_link("index.md", report, "Every page of the docs, by purpose")
    return [link] if link else []


def _links(pages: Iterable[str], report: Path) -> list[str]:
    return [link for page in pages if (link := page_link(page, report))]


def _listed(items: Iterable[str]) -> str:
    inside = "".join(f"<li>{each}</li>" for each in items)
    return f"<ul>{inside}</ul>" if inside else ""


# ---- The tour, step by step: what fails is told, and the others go on


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
