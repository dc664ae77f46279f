"""What a step of the tour shows: a little for the terminal, and pictures, tables and commands for the report."""

import shlex
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from gridlab.core.here import program
from gridlab.games.mnk.position import Position
from gridlab.games.mnk.solution import Solution
from gridlab.games.notation import MARKS


class Shown(NamedTuple):
    """The outcome of a step."""

    line: str  # for the terminal: a line or a small picture
    html: str  # for the report
    further: tuple[str, ...] = ()  # commands of gridlab that go further
    reused: bool = False  # whether it was there from an earlier tour


def said(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def named(text: Path | str) -> str:
    """A file or a player as it is typed in a command."""
    return shlex.quote(str(text))


def typed(command: str) -> str:
    """A command of gridlab as it is typed here."""
    return f"<code>{escape(f'{program()} {command}')}</code>"


def drawn(picture: str, caption: str, *commands: str) -> str:
    """A picture or a table with what it shows, and the commands that show the same."""
    made = "".join(f'<div class="made">{typed(each)}</div>' for each in commands)
    return f'<figure class="drawn">{picture}<figcaption>{escape(caption)}{made}</figcaption></figure>'


def plain(text: str) -> str:
    """Text as a terminal shows it."""
    return f"<pre>{escape(text)}</pre>"


def said_by(command: str) -> str:
    """The command that says what has just been said."""
    return f'<p class="made">{typed(command)}</p>'


def gallery(pictures: Iterable[tuple[str, str]]) -> str:
    """Pictures, each with its caption."""
    shown = "".join(f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>" for svg, caption in pictures)
    return f'<div class="gallery">{shown}</div>'


def table(header: Sequence[str], rows: Iterable[Sequence[str | int]]) -> str:
    def cell(kind: str, value: str | int) -> str:
        return f"<{kind}>{escape(f'{value:,}' if isinstance(value, int) else value)}</{kind}>"

    head = "".join(cell("th", each) for each in header)
    body = "".join(f"<tr>{''.join(cell('td', each) for each in row)}</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def values(position: Position, found: Solution) -> str:
    """A board with what each move is worth: W9 wins in 9 plies, L6 loses in 6, D draws; the best are framed."""
    marks = [MARKS[value] for value in position.values]
    cells = [f'<td class="stone">{mark}</td>' if mark != MARKS[0] else "<td></td>" for mark in marks]
    for move in found.moves:
        far = move.distance if move.value in ("win", "loss") else ""
        best = " best" if move.cell in found.best else ""
        cells[move.cell] = f'<td class="{move.value}{best}">{move.value[0].upper()}{far}</td>'
    cols = position.rules.cols
    rows = "".join(f"<tr>{''.join(cells[at : at + cols])}</tr>" for at in range(0, len(cells), cols))
    return f'<table class="board">{rows}</table>'
