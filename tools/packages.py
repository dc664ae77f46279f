"""The packages as docs/design.md draws them: every module with the first sentence of its docstring.

python tools/packages.py          draws them into docs/design.md
"""

import argparse
import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "gridlab"
PAGE = ROOT / "docs" / "design.md"
PACKAGES = ("core", "games", "players", "arena", "learn", "inarow", "game2048", "environments.py", "tour", "web", "cli")
LONGEST = 96  # characters of a sentence; a longer one ends at its first colon or comma
BEGIN, END = "<!-- packages -->\n", "<!-- end of packages -->"


def sentence(module: Path) -> str:
    """The first sentence of a docstring."""
    text = " ".join((ast.get_docstring(ast.parse(module.read_text())) or "").split())
    first = re.split(r"(?<=[.;])\s", text, maxsplit=1)[0]
    return (first if len(first) <= LONGEST else re.split(r"[:,](?= )", first, maxsplit=1)[0]).rstrip(".:;")


def rows(folder: Path, depth: int = 0) -> Iterator[str]:
    """A package, its modules, and the packages inside it."""
    yield row(f"{folder.name}/", depth, sentence(folder / "__init__.py"))
    for module in sorted(folder.glob("*.py")):
        if module.name != "__init__.py":
            yield row(module.name, depth + 1, sentence(module))
    for inside in sorted(folder.iterdir()):
        if (inside / "__init__.py").exists():
            yield from rows(inside, depth + 1)


def row(name: str, depth: int, text: str) -> str:
    return f"{'  ' * depth}{name}".ljust(28) + text


def drawing() -> str:
    lines: list[str] = []
    for name in PACKAGES:
        path = SOURCE / name
        lines += [*rows(path), ""] if path.is_dir() else [row(name, 0, sentence(path)), ""]
    return "```\n" + "\n".join(line.rstrip() for line in lines).rstrip() + "\n```\n"


def redrawn(page: str) -> str:
    """The page with the packages as they are now."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + drawing() + END + after


if __name__ == "__main__":
    argparse.ArgumentParser(description=sentence(Path(__file__))).parse_args()
    PAGE.write_text(redrawn(PAGE.read_text()))
