"""Boards and tables for people: as text, in colour, as SVG, as what a notebook shows, and results as JSON.

Nothing here knows a game: a board is a string of marks, one a cell, row-major, and a number of columns. Parts of an SVG
have classes, so that a page can give them colours of its own; alone it has those that stand in it.
"""

import os
import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from html import escape
from itertools import zip_longest
from numbers import Rational
from typing import Any, NamedTuple, TextIO, TypeVar

import msgspec

# ---- Colour for people at a terminal: when there is any, what it means, and how drawn boards are painted
#
# Colour is never the only sign: a stone is an X or an O, a move that wins has a plus, a tile its number. Only what is
# printed is painted, never what is written to files or read by programs; without colour every text stays as it is.
#
#     XX..  blue   OO..  orange   +5 green: wins   -4 red: loses   = grey: draws   [+1] bold: the best   tiles by value


# Parameters of the escape sequence, colours out of 256: each is readable on black and on white (contrast above 3.9).
FIRST, SECOND = "1;38;5;27", "1;38;5;130"
WON, LOST, DRAWN = "38;5;28", "38;5;196", "38;5;243"
ERROR, WARNING = "1;38;5;196", "38;5;130"
BEST, LAST = "1", "4"  # bold, underlined: on top of the others
TILES = (  # ground and number of 2, 4, 8, …; larger tiles look like the last
    (230, 16), (223, 16), (215, 16), (209, 16), (203, 16), (160, 231), (228, 16), (221, 16), (214, 16), (178, 16),
    (76, 16), (35, 16), (25, 231), (61, 231), (91, 231), (53, 231),
)  # fmt: skip

STONES = {"X": FIRST, "O": SECOND}
VALUES = {"+": WON, "-": LOST, "=": DRAWN}
DRAWN_CELL = re.compile(r"\[?([XO.=?]|[+-]\d*)\]?")
DRAWN_ROW = re.compile(rf"([ \d]\d) (?: *{DRAWN_CELL.pattern})+")  # of gridlab.core.draw: its number, then its cells
TILE_ROW = re.compile(r" *(?:\d+|\.)(?: +(?:\d+|\.))+")
FLAG = re.compile(r"^(?:⚠️ |wrong: |extra \S+: missing ).*", re.MULTILINE)
BOARD = re.compile(r"(?<!\S)[XO./\[\]]*[XO][XO./\[\]]*(?![^\s,;:])")  # X.O/.X./O.X, or a lone X in a sentence


def has_colour(stream: TextIO | None) -> bool:
    """Whether to write colours there: never with NO_COLOR, else always with FORCE_COLOR, else to a terminal."""
    if os.environ.get("NO_COLOR") or os.environ.get("FORCE_COLOR"):
        return not os.environ.get("NO_COLOR")
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def paint(text: str, *styles: str) -> str:
    """The text in some styles; nothing is as wide as before."""
    return f"\x1b[{';'.join(styles)}m{text}\x1b[0m" if styles else text


def warning(text: str) -> str:
    """A remark of which somebody should take note, for stderr."""
    return paint(text, WARNING) if has_colour(sys.stderr) else text


def error(sentence: str) -> str:
    """What went wrong, for stderr."""
    return f"{paint('error:', ERROR) if has_colour(sys.stderr) else 'error:'} {sentence}"


def flags(text: str) -> str:
    """A text for stdout whose lines on what is wrong, missing or suspicious are painted."""
    return FLAG.sub(lambda line: paint(line[0], WARNING), text) if has_colour(sys.stdout) else text


def boards(text: str, last: tuple[int, int] | None = None) -> str:
    """A text for stdout, its boards painted: stones, values of moves, tiles; `last` is the cell of the last move."""
    if not has_colour(sys.stdout):
        return text
    return "\n".join(_coloured_line(line, last) for line in text.split("\n"))


def _coloured_line(line: str, last: tuple[int, int] | None) -> str:
    if tiles := _tiles(line):
        return " ".join(tiles)
    if (row := DRAWN_ROW.fullmatch(line)) is None:
        return BOARD.sub(lambda found: re.sub("[XO]", lambda stone: paint(stone[0], STONES[stone[0]]), found[0]), line)
    last_col = last[1] if last is not None and int(row[1]) == last[0] + 1 else None
    cells = enumerate(DRAWN_CELL.finditer(line, 3))
    parts = [(cell.start(), cell.end(), _coloured_cell(cell, col == last_col)) for col, cell in cells]
    ends = [3, *(end for _, end, _ in parts)]
    return line[:3] + "".join(line[end:start] + cell for end, (start, _, cell) in zip(ends, parts, strict=False))


def _coloured_cell(cell: re.Match[str], is_last: bool) -> str:
    """A stone or a value, and the brackets around it if there are any."""
    mark = cell[1]
    style = STONES.get(mark) or VALUES.get(mark[0])
    styles = [*([style] if style else []), *([BEST] if cell[0] != mark else []), *([LAST] if is_last else [])]
    return paint(cell[0], *styles)


def _tiles(line: str) -> list[str]:
    """The cells of a row of tiles (gridlab.core.draw.tiles_text), painted; none if the line is something else."""
    if not TILE_ROW.fullmatch(line):
        return []
    words = line.split()
    width = (len(line) + 1) // len(words) - 1
    cells = [line[place : place + width] for place in range(0, len(line), width + 1)]
    if width < 4 or [cell.strip() for cell in cells] != words or not all(map(_is_tile, words)):
        return []
    return [cell if word == "." else paint(cell, _tile(int(word))) for cell, word in zip(cells, words, strict=True)]


def _is_tile(word: str) -> bool:
    return word == "." or (int(word) > 1 and int(word).bit_count() == 1)


def _tile(tile: int) -> str:
    ground, number = TILES[min(tile.bit_length() - 2, len(TILES) - 1)]
    return f"48;5;{ground};38;5;{number}"


# ---- How things show themselves where nobody prints them: one short line in a console, a table in a notebook
#
#     @shown
#     @dataclass(frozen=True)
#     class Grade:
#         def _in_short(self) -> str: ...       "random, 3x3:3: 61.5 % of 200 positions"
#         def _sheet(self) -> Sheet: ...        a heading, a table, a picture; may be left out
#
# What `print` writes is another matter: the whole text, by `__str__`.


LONGEST = 120  # characters of a line
LONGEST_NAME = 40  # of a player or a file within it
LONGEST_CELL = 80
MOST_ROWS = 20
TABLE = 'style="border-collapse:collapse;font-variant-numeric:tabular-nums"'  # colours are those of the notebook
CELL_STYLE = 'style="text-align:right;padding:.1em .6em"'

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
            head = f"<thead>{_row('th', self.header)}</thead>"
            parts.append(f"<table {TABLE}>{head}<tbody>{self._body()}</tbody></table>")
        return "".join([*parts, *(f"<div>{escape(brief(each, 2 * LONGEST))}</div>" for each in self.notes)])

    def _body(self) -> str:
        left_out = len(self.rows) - MOST_ROWS
        if left_out <= 0:
            return "".join(_row("td", row) for row in self.rows)
        more = f'<tr><td {CELL_STYLE} colspan="{len(self.header)}">… {left_out:,} more …</td></tr>'
        return "".join([*(_row("td", row) for row in self.rows[: MOST_ROWS - 1]), more, _row("td", self.rows[-1])])


def shown(kind: type[T]) -> type[T]:
    """Give a class its line, from `_in_short` or else `__str__`, and its table, from `_sheet` if it has that."""
    setattr(kind, "__repr__", _one_line)  # noqa: B010 - a type does not know what is set here
    if hasattr(kind, "_sheet"):
        setattr(kind, "_repr_html_", _html)  # noqa: B010
    return kind


def _one_line(self: Any) -> str:
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
    return f"<tr>{''.join(f'<{tag} {CELL_STYLE}>{escape(_cell_text(each))}</{tag}>' for each in cells)}</tr>"


def _cell_text(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return brief(f"{value:.4g}" if isinstance(value, float) else value, LONGEST_CELL)


# ---- Boards and tables for people: as text for a terminal, as SVG for a notebook, a report or a page


CELL = 48  # SVG units
MARGIN = 20


def board_text(marks: str, cols: int, highlight: Collection[int] = ()) -> str:
    """The board with row and column numbers; highlighted cells stand in brackets.

        1  2  3
    1  [X] .  O
    2   . [X] O
    3   .  . [X]
    """
    numbers = "".join(f"{col:^3}" for col in range(1, cols + 1))
    lines = [f"   {numbers}".rstrip()]
    for start in range(0, len(marks), cols):
        cells = (f"[{marks[i]}]" if i in highlight else f" {marks[i]} " for i in range(start, start + cols))
        lines.append(f"{start // cols + 1:>2} {''.join(cells)}".rstrip())
    return "\n".join(lines)


def cells_text(texts: Sequence[str], cols: int, highlight: Collection[int] = ()) -> str:
    """The board with cells that hold more than a mark, all columns as wide as the widest.

         1    2    3
    1  [+5]   X   +7
    2    O    .   -4
    """
    width = max(map(len, texts), default=1)
    framed = [f"[{text}]" if i in highlight else f"{text} " for i, text in enumerate(texts)]
    cells = [text.rjust(width + 2) for text in framed]
    lines = ["   " + "".join(f"{col} ".rjust(width + 2) for col in range(1, cols + 1)).rstrip()]
    for start in range(0, len(texts), cols):
        lines.append(f"{start // cols + 1:>2} {''.join(cells[start : start + cols])}".rstrip())
    return "\n".join(lines)


def beside(blocks: Sequence[str], gap: int = 3) -> str:
    """Blocks of text next to each other."""
    split = [block.splitlines() for block in blocks]
    widths = [max(map(len, lines), default=0) for lines in split]
    rows = (map(str.ljust, row, widths) for row in zip_longest(*split, fillvalue=""))
    return "\n".join((" " * gap).join(row).rstrip() for row in rows)


def table(header: Sequence[str], rows: Iterable[Sequence[str | int]]) -> str:
    """Columns under their headings, numbers with thousands marked, aligned to the right."""
    cells = [list(header)] + [[f"{cell:,}" if isinstance(cell, int) else cell for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in cells]
    rule = "  ".join("-" * width for width in widths)
    return "\n".join([lines[0], rule, *lines[1:]])


def board_svg(
    marks: Sequence[str], cols: int, highlight: Collection[int] = (), title: str = "", wrong: int | None = None
) -> str:
    """The board as an SVG picture with row and column numbers; highlighted cells have a coloured ground.

    A mark may be a short text. A cell that was the wrong choice has a ground of its own.
    """
    rows = len(marks) // cols
    parts = [_svg_ground(cell, cols) for cell in sorted(highlight)]
    parts += [] if wrong is None else [_svg_ground(wrong, cols, "wrong", "#f2a49c")]
    parts += _svg_grid(rows, cols)
    parts += [_svg_mark(mark, cell, cols) for cell, mark in enumerate(marks) if mark != "."]
    return _svg(cols * CELL + 2 * MARGIN, rows * CELL + 2 * MARGIN, title, 'class="paper"', 'fill="#fff"', parts)


def _svg(width: int, height: int, title: str, ground: str, looks: str, parts: Sequence[str]) -> str:
    """A picture that stands alone, its parts on a ground."""
    size, name = f'width="{width}" height="{height}"', escape(title)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" {size} role="img"'
    paper = f"<rect {ground} {size} {looks}/>"
    return "\n".join([f'{head} aria-label="{name}">', f"<title>{name}</title>", paper, *parts, "</svg>"])


def _corner(cell: int, cols: int) -> tuple[int, int]:
    row, col = divmod(cell, cols)
    return MARGIN + col * CELL, MARGIN + row * CELL


def _svg_ground(cell: int, cols: int, kind: str = "marked", colour: str = "#ffe08a") -> str:
    x, y = _corner(cell, cols)
    return f'<rect class="{kind}" x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{colour}"/>'


def _svg_grid(rows: int, cols: int) -> list[str]:
    right, bottom = MARGIN + cols * CELL, MARGIN + rows * CELL
    across = "".join(f"M{MARGIN} {MARGIN + row * CELL}H{right}" for row in range(rows + 1))
    down = "".join(f"M{MARGIN + col * CELL} {MARGIN}V{bottom}" for col in range(cols + 1))
    style = 'class="number" font-family="sans-serif" font-size="11" fill="#666" text-anchor="middle"'
    middle = MARGIN + CELL // 2
    above = [(middle + col * CELL, MARGIN - 7, col + 1) for col in range(cols)]
    beside = [(MARGIN - 10, middle + row * CELL + 4, row + 1) for row in range(rows)]
    numbers = [f'<text x="{x}" y="{y}" {style}>{number}</text>' for x, y, number in above + beside]
    return [f'<path class="grid" d="{across}{down}" stroke="#999" stroke-width="1" fill="none"/>', *numbers]


def _svg_mark(mark: str, cell: int, cols: int) -> str:
    x, y = _corner(cell, cols)
    near, far, middle = 12, CELL - 12, CELL // 2
    if mark == "X":
        strokes = f"M{x + near} {y + near}L{x + far} {y + far}M{x + far} {y + near}L{x + near} {y + far}"
        return f'<path class="cross" d="{strokes}" stroke="#1f4e9c" stroke-width="6" stroke-linecap="round"/>'
    if mark == "O":
        place = f'cx="{x + middle}" cy="{y + middle}" r="13"'
        return f'<circle class="nought" {place} fill="none" stroke="#b3261e" stroke-width="6"/>'
    place = f'x="{x + middle}" y="{y + middle + 6}"'
    return f'<text {place} font-family="sans-serif" font-size="18" text-anchor="middle">{escape(mark)}</text>'


def tiles_text(tiles: Sequence[int], cols: int) -> str:
    """Numbers on a board, all columns as wide as the widest, a dot where there is none.

    2  .  16
    .  4   2
    """
    width = max(4, *(len(str(tile)) for tile in tiles))
    texts = [str(tile or ".").rjust(width) for tile in tiles]
    return "\n".join(" ".join(texts[start : start + cols]) for start in range(0, len(texts), cols))


def tiles_svg(tiles: Sequence[int], cols: int, title: str = "") -> str:
    """Numbers on coloured tiles; the colour deepens with each doubling, the number is always there to be read."""
    rows, side = len(tiles) // cols, 64
    corners = [(cell % cols * side, cell // cols * side) for cell in range(len(tiles))]
    parts = [_svg_square("hole", "#ddd", *corner, side) for corner in corners]
    parts += [_svg_tile(tile, cell, *corners[cell], side) for cell, tile in enumerate(tiles) if tile]
    return _svg(cols * side, rows * side, title, 'class="frame"', 'rx="6" fill="#bbb"', parts)


def _svg_square(kind: str, ground: str, x: int, y: int, side: int) -> str:
    place = f'x="{x + 3}" y="{y + 3}" width="{side - 6}" height="{side - 6}"'
    return f'<rect class="{kind}" {place} rx="4" fill="{ground}"/>'


def _svg_tile(tile: int, cell: int, x: int, y: int, side: int) -> str:
    """A square and its number as a group, which a page can move."""
    exponent = min(tile.bit_length() - 1, 15)
    square = _svg_square("face", f"hsl({48 - 3 * exponent} 90% {94 - 2.5 * exponent:g}%)", x, y, side)
    size = 24 if tile < 1000 else 72 // len(str(tile)) + 2
    place = f'x="{x + side // 2}" y="{y + side // 2 + size // 3}"'
    number = f'<text {place} font-family="sans-serif" font-size="{size}" text-anchor="middle">{tile}</text>'
    return f'<g class="tile tile-{exponent}" data-cell="{cell}">{square}{number}</g>'


# ---- Results as JSON takes them, in one way for all of them
#
#     facts(grade, "player rules games")   {"player": "random", "rules": "3x3:3", "games": 100}, in the order named
#     plain(value)                         text, numbers, lists and dicts, whatever a value is made of
#
# A value that `parse` reads back (rules, a position) is its text; one that has `as_dict` says itself what there is.


AsJson = dict[str, Any]


def facts(thing: Any, names: str = "") -> AsJson:
    """Fields and properties of a result by name, those named with spaces between; all fields if none is named."""
    return {name: plain(getattr(thing, name)) for name in names.split() or _fields(thing)}


def _fields(thing: Any) -> Sequence[str]:
    return [each.name for each in fields(thing)] if is_dataclass(thing) else thing._fields


def plain(value: Any) -> Any:
    """A value, and all that it holds, as JSON takes it."""
    if isinstance(value, (int, float, str, type(None))):
        return value
    if hasattr(value, "as_dict"):
        return value.as_dict()
    if hasattr(value, "parse") or isinstance(value, os.PathLike):
        return str(value)
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if hasattr(value, "_fields") or is_dataclass(value):
        return facts(value)
    if isinstance(value, (Sequence, Set)):
        return [plain(each) for each in value]
    if hasattr(value, "tolist"):  # of NumPy
        return value.tolist()
    return float(value) if isinstance(value, Rational) else msgspec.to_builtins(value)
