"""Words of docs/glossary.md are links to it where they first appear on a page.

python tools/glossary.py       links them on all pages; a link that is no longer the first one becomes plain text

A heading of the glossary is a term. Comments below it say in which other forms it appears (also), that it counts in
these forms alone (only), and where a form means something else (not). Headings, code, tables, links, citations and
comments of a page are left alone.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
GLOSSARY = ROOT / "docs" / "glossary.md"
WRITTEN_BY_SCRIPT = ROOT / "docs" / "benchmarks.md"
FENCE = re.compile(r"^ *(```+|~~~+|:::+).*?^ *\1 *$\n?", re.MULTILINE | re.DOTALL)
FRONT = re.compile(r"\A---\n.*?^---$", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
SOURCES = re.compile(r"^## Sources\n.*\Z", re.MULTILINE | re.DOTALL)
LINES = re.compile(r"^(?:#|\||!\[|<|\(.+\)=$|:\w+:).*$", re.MULTILINE)  # headings, tables, pictures, HTML, targets
INDENTED = re.compile(r"(?<=\n\n) {4}(?! *(?:[-*+]|\d+\.) ).*\n(?: {4}.*\n|\n(?= {4}))*")  # code without a fence
INLINE = re.compile(r"`+[^`]+`+|!?\[[^\]]*\](?:\([^)]*\)|\{[^}]*\})?|<https?:[^>]*>")


class Term(NamedTuple):
    anchor: str
    forms: tuple[str, ...]
    not_in: tuple[str, ...]


def pages() -> list[Path]:
    """Every page but the glossary, and those beside the docs that are pages of the site."""
    docs = [page for page in sorted((ROOT / "docs").rglob("*.md")) if page != GLOSSARY]
    return [*docs, ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "examples" / "bots" / "README.md"]


def terms() -> list[Term]:
    """The terms of the glossary."""
    found = []
    for title, entry in re.findall(r"^## (.+)\n((?:(?!## ).*\n)*)", GLOSSARY.read_text(encoding="utf-8"), re.MULTILINE):
        said = {
            kind: tuple(map(str.strip, text.split(","))) for kind, text in re.findall(r"<!-- (\w+): (.+) -->", entry)
        }
        forms = said.get("only") or (title, *said.get("also", ()))
        anchor = re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
        found.append(Term(anchor, forms, said.get("not", ())))
    return found


def linked(text: str, glossary: str) -> str:
    """A page with each term linked where it first appears; `glossary` is the way there from the page."""
    known = terms()
    own = {term.anchor: term for term in known}
    plain = re.sub(
        rf"\[([^\]]+)\]\({re.escape(glossary)}#([\w-]+)\)",
        lambda found: found[1] if _is_form(found[1], own[found[2]]) else found[0],
        text,
    )
    for start, end, anchor in sorted(_first_places(plain, known), reverse=True):
        words = " ".join(plain[start:end].split())
        plain = f"{plain[:start]}[{words}]({glossary}#{anchor}){plain[end:]}"
    return plain


def _is_form(words: str, term: Term) -> bool:
    return " ".join(words.split()).lower() in {form.lower() for form in term.forms}


def _first_places(text: str, known: list[Term]) -> Iterator[tuple[int, int, str]]:
    """Where each term first stands in prose; a longer term hides the shorter ones inside it."""
    prose = _prose(text)
    for phrase in {phrase for term in known for phrase in term.not_in}:
        prose = _blank(_pattern(phrase), prose)
    anchors = {form.lower(): term.anchor for term in known for form in term.forms}
    longest = sorted(anchors, key=len, reverse=True)
    every = re.compile("|".join(_pattern(form).pattern for form in longest), re.IGNORECASE)
    seen = dict[str, int]()  # from where on a term needs no link
    for by_hand in re.finditer(r"glossary\.md#([\w-]+)", text):  # in other words
        seen.setdefault(by_hand[1], by_hand.start())
    for found in every.finditer(prose):
        anchor = anchors[" ".join(found[0].split()).lower()]
        if found.start() < seen.get(anchor, len(text)):
            seen[anchor] = found.start()
            yield found.start(), found.end(), anchor


def _pattern(form: str) -> re.Pattern[str]:
    words = r"\s+".join(map(re.escape, form.split()))
    return re.compile(rf"(?<![\w/.+-]){words}(?![\w/-])", re.IGNORECASE)


def _prose(text: str) -> str:
    """A page of the same length in which all that is not prose is blank."""
    for pattern in (FRONT, FENCE, COMMENT, SOURCES, LINES, INDENTED, INLINE):
        text = _blank(pattern, text)
    return text


def _blank(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda found: re.sub(r"[^\n]", "\0", found[0]), text)


def way_from(page: Path) -> str:
    """The path of the glossary as a link on a page has it."""
    return Path(os.path.relpath(GLOSSARY, page.parent)).as_posix()


if __name__ == "__main__":
    for page in pages():
        if page != WRITTEN_BY_SCRIPT:
            page.write_text(linked(page.read_text(encoding="utf-8"), way_from(page)), encoding="utf-8")
