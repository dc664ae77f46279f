"""The report of a tour: one page that stands alone, with boards, charts, tables, timings and what to do next."""

from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import NamedTuple

from gridlab import __version__
from gridlab.core.files import whole_file
from gridlab.tour.onward import next_commands, page_link
from gridlab.tour.show import Shown, typed
from gridlab.tour.steps import Step

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
