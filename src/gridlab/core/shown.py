"""How things show themselves where nobody prints them: one short line in a console, a table in a notebook.

    @shown
    @dataclass(frozen=True)
    class Grade:
        def _in_short(self) -> str: ...       "random, 3x3:3: 61.5 % of 200 positions"
        def _sheet(self) -> Sheet: ...        a heading, a table, a picture; may be left out

What `print` writes is another matter: the whole text, by `__str__`.
"""

from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple, TypeVar

LONGEST = 120  # characters of a line
LONGEST_NAME = 40  # of a player or a file within it
LONGEST_CELL = 80
MOST_ROWS = 20
TABLE = 'style="border-collapse:collapse;font-variant-numeric:tabular-nums"'  # colours are those of the notebook
CELL = 'style="text-align:right;padding:.1em .6em"'

T = TypeVar("T")


class Sheet(NamedTuple):
    """What a notebook shows: words, a table, words below it, and pictures that are SVG already."""

    heading: str
    header: Sequence[str] = ()
    rows: Sequence[Sequence[Any]] = ()
    notes: Sequence[str] = ()
    pictures: Sequence[str] = ()

    def html(self) -> str:
        """Everything escaped; of a long table the beginning and the last row, which often is the sum."""
        parts = [f"<div><b>{escape(brief(self.heading, LONGEST))}</b></div>", *self.pictures]
        if self.header:
            parts.append(
                f"<table {TABLE}><thead>{_row('th', self.header)}</thead><tbody>{self._body()}</tbody></table>"
            )
        return "".join([*parts, *(f"<div>{escape(brief(each, 2 * LONGEST))}</div>" for each in self.notes)])

    def _body(self) -> str:
        left_out = len(self.rows) - MOST_ROWS
        if left_out <= 0:
            return "".join(_row("td", row) for row in self.rows)
        more = f'<tr><td {CELL} colspan="{len(self.header)}">… {left_out:,} more …</td></tr>'
        return "".join([*(_row("td", row) for row in self.rows[: MOST_ROWS - 1]), more, _row("td", self.rows[-1])])


def shown(kind: type[T]) -> type[T]:
    """Give a class its line, from `_in_short` or else `__str__`, and its table, from `_sheet` if it has that."""
    setattr(kind, "__repr__", _line)  # noqa: B010 - a type does not know what is set here
    if hasattr(kind, "_sheet"):
        setattr(kind, "_repr_html_", _html)  # noqa: B010
    return kind


def _line(self: Any) -> str:
    return line_of(self, self._in_short() if hasattr(self, "_in_short") else str(self))


def _html(self: Any) -> str:
    return str(self._sheet().html())


def line_of(thing: object, words: str) -> str:
    """`Grade(words)`, on one line and not too long for one."""
    name = type(thing).__name__
    return f"{name}({brief(words, LONGEST - len(name) - 2)})"


def brief(text: object, most: int = LONGEST_NAME) -> str:
    """Text on one line; its beginning if it is long."""
    flat = " ".join(str(text).split())
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def between(interval: Sequence[float]) -> str:
    """The ends of an interval of shares: 93.0 to 98.3 %."""
    low, high = interval
    return f"{100 * low:.1f} to {percent(high)}"


def _row(tag: str, cells: Sequence[Any]) -> str:
    return f"<tr>{''.join(f'<{tag} {CELL}>{escape(_cell(each))}</{tag}>' for each in cells)}</tr>"


def _cell(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return brief(f"{value:.4g}" if isinstance(value, float) else value, LONGEST_CELL)
