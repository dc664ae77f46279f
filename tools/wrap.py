"""Prose of all pages wrapped alike: paragraphs and items of lists fill lines of 120 characters.

python tools/wrap.py           wraps docs/, README and the others; what is code, table or heading stays as it is

`code` and [links](…) are never broken, so that a search finds them.
"""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
WIDTH = 120
FENCE = re.compile(r" *(```+|~~~+|:::+)")
MARKER = re.compile(r"( *)([-*+]|\d+\.) +")
OTHER = re.compile(r"#|\||>|!\[|<|\[[^\]]+\]:|:\w+:|\(.+\)=$|---|    |\s*$|\{|%")  # a line that is no prose
WORD = re.compile(r"(?:`+[^`]+`+|!?\[[^\]]*\](?:\([^)]*\))?|[^\s`\[]+|\S)+")


def pages() -> list[Path]:
    names = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
    docs = [
        page for page in sorted((ROOT / "docs").rglob("*.md")) if page.name != "benchmarks.md"
    ]  # a script writes that
    return [*docs, *(ROOT / name for name in names)]


def wrapped(text: str) -> str:
    """A page with its prose wrapped."""
    return "\n".join(_lines(text.split("\n")))


def _lines(lines: list[str]) -> Iterator[str]:
    fence, prose = "", list[str]()
    for number, line in enumerate(lines):
        found = FENCE.match(line)
        front = lines[0] == "---" and "---" not in lines[1:number] and number > 0  # what stands above a page
        if prose and (fence or front or found or (OTHER.match(line) and not _goes_on(line)) or MARKER.match(line)):
            yield from fill(prose)
            prose = []
        if found:
            fence = "" if fence == found[1] else fence or found[1]
            yield line
        elif fence or front or (OTHER.match(line) and not (prose and _goes_on(line))):
            yield line
        else:
            prose.append(line)
    yield from fill(prose)


def _goes_on(line: str) -> bool:
    """Whether a line that looks like something else may go on with a paragraph: one that is indented."""
    return line.startswith("    ") and bool(line.strip()) and not MARKER.match(line)


def fill(lines: list[str]) -> Iterator[str]:
    """A paragraph, or an item of a list, in lines as long as may be."""
    if not lines:
        return
    marker = MARKER.match(lines[0])
    first = marker[0] if marker else re.match(" *", lines[0])[0]  # type: ignore[index]
    rest = " " * len(first)
    words = WORD.findall(" ".join(each.strip() for each in lines)[len(first.strip()) :])
    line, empty = first, True
    for word in words:
        if not empty and len(line) + 1 + len(word) > WIDTH and not OTHER.match(word) and not MARKER.match(word + " "):
            yield line
            line, empty = rest, True
        line, empty = (line if empty else f"{line} ") + word, False
    yield line


if __name__ == "__main__":
    for page in pages():
        page.write_text(wrapped(page.read_text()))
