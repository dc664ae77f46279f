"""Colour for people at a terminal: when there is any, what it means, and boards that are painted once they are drawn.

Colour is never the only sign: a stone is an X or an O, a move that wins has a plus, a tile its number. Only what is
printed is painted, never what is written to files or read by programs; without colour every text stays as it is.

    XX..  blue   OO..  orange   +5 green: wins   -4 red: loses   = grey: draws   [+1] bold: the best   tiles by value
"""

import os
import re
import sys
from typing import TextIO

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
CELL = re.compile(r"\[?([XO.=?]|[+-]\d*)\]?")
ROW = re.compile(rf"([ \d]\d) (?: *{CELL.pattern})+")  # of gridlab.core.draw: its number, then its cells
TILE_ROW = re.compile(r" *(?:\d+|\.)(?: +(?:\d+|\.))+")
FLAG = re.compile(r"^(?:⚠️ |wrong: |extra \S+: missing ).*", re.MULTILINE)
BOARD = re.compile(r"(?<!\S)[XO./\[\]]*[XO][XO./\[\]]*(?![^\s,;:])")  # X.O/.X./O.X, or a lone X in a sentence


def has_colour(stream: TextIO | None) -> bool:
    """Whether to write colours there: never with NO_COLOR, else always with FORCE_COLOR, else to a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
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
    return "\n".join(_line(line, last) for line in text.split("\n"))


def _line(line: str, last: tuple[int, int] | None) -> str:
    if tiles := _tiles(line):
        return " ".join(tiles)
    if (row := ROW.fullmatch(line)) is None:
        return BOARD.sub(lambda found: re.sub("[XO]", lambda stone: paint(stone[0], STONES[stone[0]]), found[0]), line)
    last_col = last[1] if last is not None and int(row[1]) == last[0] + 1 else None
    cells = enumerate(CELL.finditer(line, 3))
    parts = [(cell.start(), cell.end(), _cell(cell, col == last_col)) for col, cell in cells]
    ends = [3, *(end for _, end, _ in parts)]
    return line[:3] + "".join(line[end:start] + cell for end, (start, _, cell) in zip(ends, parts, strict=False))


def _cell(cell: re.Match[str], is_last: bool) -> str:
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
