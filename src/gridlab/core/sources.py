"""Which sources a module reaches, and one digest of them all: what a kernel is compiled from.

A kernel is frozen together with everything it names: kernels and intrinsics of other modules, constants of the rules.
What it names its module has imported. So a module reaches itself, what it imports anywhere in its text, and what
those reach, within gridlab; an import too many only costs a compilation, one overlooked would serve stale code.

Import lines are searched for, not parsed: every start of the program does it, and all of gridlab takes milliseconds.
"""

import hashlib
import os
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

PACKAGE = str(Path(__file__).parent.parent)
NAME = re.compile(
    rb"""gridlab \b ((?:\.\w+)*)             # gridlab.core.bits
    (?:[ ]import[ ]                          # and the names taken from it, which may be modules:
      ( \( (?:[^)#]|\#[^\n]*)* \)            # in parentheses, over many lines,
      | (?:[^\n\\]|\\\n)* ))?               # or to the end of the line
    """,
    re.VERBOSE,
)
WORD = re.compile(rb"\w+")


class Source(NamedTuple):
    digest: bytes
    imports: frozenset[str]  # modules of gridlab


@cache
def digest_of(module: str) -> str:
    """One digest of the sources that a module of this package reaches, its own included."""
    digest = hashlib.sha256()
    for name in sorted(reached(module)):
        digest.update(name.encode() + b"\0" + read(name).digest)
    return digest.hexdigest()[:16]


@cache
def package_digest() -> str:
    """One digest of all that the package consists of: sources, and what is shipped with them."""
    digest = hashlib.sha256()
    for file in sorted(each for each in Path(PACKAGE).rglob("*") if each.is_file() and "__pycache__" not in each.parts):
        digest.update(
            file.relative_to(PACKAGE).as_posix().encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest()
        )
    return digest.hexdigest()[:16]


def reached(module: str) -> set[str]:
    """The module, the modules it imports, those that they import, and so on."""
    found, unread = {module}, [module]
    while unread:
        new = read(unread.pop()).imports - found
        found |= new
        unread.extend(new)
    return found


@cache
def read(module: str) -> Source:
    with open(file_of(module), "rb") as file:  # noqa: PTH123 paths as text: half the time
        text = file.read()
    return Source(hashlib.sha256(text).digest(), imports(text))


def imports(text: bytes) -> frozenset[str]:
    """The modules of gridlab that a text imports, wherever it does; spaces are single, as ruff leaves them."""
    found: set[str] = set()
    for match in NAME.finditer(text):
        if text[match.start() - 5 : match.start()] in (b"from ", b"port "):
            dotted, names = match.groups(b"")
            place = f"gridlab{dotted.decode()}"
            if names and file_of(place).endswith("__init__.py"):
                found.update(module_of(f"{place}.{name.decode()}") for name in WORD.findall(names))
            else:
                found.add(module_of(place))
    return frozenset(found)


@cache
def module_of(name: str) -> str:
    """The module that a dotted name is, or lies in: gridlab.core.bits.popcount -> gridlab.core.bits."""
    while not file_of(name) and name != "gridlab":
        name = name.rpartition(".")[0]
    return name


@cache
def file_of(name: str) -> str:
    """The source of a module or package; empty if there is none of this name."""
    place = os.path.join(PACKAGE, *name.split(".")[1:])  # noqa: PTH118
    candidates = f"{place}.py", os.path.join(place, "__init__.py")  # noqa: PTH118
    return next((file for file in candidates if os.path.isfile(file)), "")  # noqa: PTH113
