"""The report of a tour: one page that stands alone, with boards, charts, tables, timings and what to do next."""

from html import escape
from pathlib import Path
from typing import NamedTuple

from gridlab import __version__
from gridlab.core.files import whole_file
from gridlab.tour.show import Shown
from gridlab.tour.stops import Stop

STYLE = Path(__file__).with_name("report.css")


class Visit(NamedTuple):
    """A stop as it went."""

    stop: Stop
    shown: Shown | None  # None if it failed
    seconds: float
    error: str = ""


def write_report(path: Path, visits: list[Visit]) -> None:
    """The page of a tour."""
    whole = sum(each.seconds for each in visits)
    failed = [each.stop.name for each in visits if each.error]
    summary = f"{len(visits)} stops in {whole:.0f} seconds" + (f"; failed: {', '.join(failed)}" if failed else "")
    body = "".join(_section(number, each) for number, each in enumerate(visits, 1))
    further = "".join(f"<li><code>{escape(each)}</code></li>" for each in ("gridlab serve --open", "gridlab --help"))
    page = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><title>gridlab: a tour</title>'
        f"<style>{STYLE.read_text()}</style></head><body><main><h1>gridlab</h1>"
        "<p>A laboratory for small grid games: what it does, done on this machine. "
        f'<span class="muted">{escape(summary)}, version {__version__}.</span></p>{body}'
        f"<section><h2>Go on</h2><ul>{further}</ul></section></main></body></html>"
    )
    with whole_file(path) as file:
        file.write(page.encode())


def _section(number: int, visit: Visit) -> str:
    stop, shown, seconds, error = visit
    time = f"{seconds:.1f} s" + (", found from an earlier tour" if shown and shown.reused else "")
    head = f'<h2>{number}. {escape(stop.name)}</h2><p class="muted">{escape(stop.doing)} · {time}</p>'
    if shown is None:
        return f'<section>{head}<p class="failed">This did not work: {escape(error)}</p></section>'
    further = "".join(f"<li><code>{escape(each)}</code></li>" for each in shown.further)
    return f'<section>{head}{shown.html}<p class="muted">Further:</p><ul>{further}</ul></section>'
