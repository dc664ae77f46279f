"""What to do after the tour: commands as they are typed here, and the pages that say more."""

import os
from html import escape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from gridlab.core.here import ROOT, program


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
