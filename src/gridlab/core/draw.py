"""Boards and tables for people: as text for a terminal, as SVG for a notebook, a report or a page.

Nothing here knows a game: a board is a string of marks, one a cell, row-major, and a number of columns. Parts of an SVG
have classes, so that a page can give them colours of its own; alone it has those that stand in it.
"""

from collections.abc import Collection, Iterable, Sequence
from html import escape

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
    """The same for cells that hold more than a mark, all columns as wide as the widest.

         1    2    3
    1  [+5]   X   +7
    2    O    .   -4
    """
    width = max(map(len, texts), default=1)
    cells = [
        f"[{text}]".rjust(width + 2) if i in highlight else f"{text} ".rjust(width + 2) for i, text in enumerate(texts)
    ]
    lines = ["   " + "".join(f"{col} ".rjust(width + 2) for col in range(1, cols + 1)).rstrip()]
    for start in range(0, len(texts), cols):
        lines.append(f"{start // cols + 1:>2} {''.join(cells[start : start + cols])}".rstrip())
    return "\n".join(lines)


def beside(blocks: Sequence[str], gap: int = 3) -> str:
    """Blocks of text next to each other."""
    split = [block.splitlines() for block in blocks]
    widths = [max(map(len, lines), default=0) for lines in split]
    rows = (
        (" " * gap).join(
            (lines[row] if row < len(lines) else "").ljust(width) for lines, width in zip(split, widths, strict=True)
        )
        for row in range(max(map(len, split), default=0))
    )
    return "\n".join(row.rstrip() for row in rows)


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
    width, height = cols * CELL + 2 * MARGIN, rows * CELL + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        f' role="img" aria-label="{escape(title)}">',
        f"<title>{escape(title)}</title>",
        f'<rect class="paper" width="{width}" height="{height}" fill="#fff"/>',
    ]
    parts += [_svg_ground(cell, cols) for cell in sorted(highlight)]
    parts += [] if wrong is None else [_svg_ground(wrong, cols, "wrong", "#f2a49c")]
    parts += _svg_grid(rows, cols)
    parts += [_svg_mark(mark, cell, cols) for cell, mark in enumerate(marks) if mark != "."]
    return "\n".join([*parts, "</svg>"])


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
    numbers = [
        f'<text x="{MARGIN + col * CELL + CELL // 2}" y="{MARGIN - 7}" {style}>{col + 1}</text>' for col in range(cols)
    ] + [
        f'<text x="{MARGIN - 10}" y="{MARGIN + row * CELL + CELL // 2 + 4}" {style}>{row + 1}</text>'
        for row in range(rows)
    ]
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
    return (
        f'<text x="{x + middle}" y="{y + middle + 6}" font-family="sans-serif" font-size="18" '
        f'text-anchor="middle">{escape(mark)}</text>'
    )


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
    width, height = cols * side, rows * side
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        f' role="img" aria-label="{escape(title)}">',
        f"<title>{escape(title)}</title>",
        f'<rect class="frame" width="{width}" height="{height}" rx="6" fill="#bbb"/>',
    ]
    corners = [(cell % cols * side, cell // cols * side) for cell in range(len(tiles))]
    parts += [_svg_square("hole", "#ddd", *corner, side) for corner in corners]
    parts += [_svg_tile(tile, cell, *corners[cell], side) for cell, tile in enumerate(tiles) if tile]
    return "\n".join([*parts, "</svg>"])


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
