"""Tablebases of every game: how they are built, which file a name stands for, which game it is of, what a check found.

A family names the module of its tables in the registry (`tablebase`): how they are built, asked, verified and counted.
"""

import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from gridlab.core.arguments import typed
from gridlab.core.draw import AsJson, facts
from gridlab.core.errors import BadRules, CorruptFile, FileTrouble, TooLarge
from gridlab.core.files import check_place, locked, try_folder
from gridlab.core.run import available_memory, here, size_text, variable
from gridlab.core.untrusted import open_regular, reading
from gridlab.games.registry import FAMILIES, family_of, game

# ---- What the verification of a tablebase found, whichever family it is of


FULL = "--full checks all of them"


@dataclass(frozen=True)
class Verdict(ABC):
    """What was looked at, and what is wrong with it; a family adds what it has counted, and says so."""

    file: str
    rules: str
    full: bool
    remarks: tuple[str, ...]
    complaints: tuple[str, ...]

    @property
    @abstractmethod
    def looked_at(self) -> str:
        """How much of what, in a few words."""

    def as_dict(self) -> AsJson:
        """For `--json`."""
        return facts(self) | {"sound": not self.complaints}

    def __str__(self) -> str:
        verdict = "sound" if not self.complaints else f"{len(self.complaints)} things are wrong"
        wrong = (f"wrong: {each}" for each in self.complaints)
        return "\n".join([f"{self.file}: {self.rules}, {self.looked_at}", *self.remarks, *wrong, verdict])


# ---- A build: parts wait in a folder beside the file until they are put together, and there is room for all of them


@contextmanager
def building(path: Path, parts: str) -> Iterator[Path]:
    """The folder of the parts of a file (`parts` is how its name ends), while nobody else builds that file."""
    if (place := check_place(path)).exists() and not place.is_file():
        raise FileTrouble(f"cannot write {path}: a tablebase keeps its {parts} beside it while it is made; name a file")
    try_folder(folder := path.with_name(f"{path.name}.{parts}"))
    with locked(path):
        yield folder


def has_parts(folder: Path, resume: bool) -> bool:
    """Whether an earlier build has left some; refused unless it is to go on."""
    if (found := any(folder.glob("*.tb"))) and not resume:
        raise FileTrouble(f"{folder} is what an earlier build has left; go on with --resume, or remove it")
    return found


@contextmanager
def reading_part(folder: Path) -> Iterator[None]:
    """Say what to do about a part that is damaged."""
    try:
        yield
    except CorruptFile as error:
        raise CorruptFile(f"{error}; remove {folder} and start again") from error


def remove_parts(parts: Iterable[Path], folder: Path) -> None:
    """Remove parts, what a killed writer has left, and their folder unless somebody else keeps something in it."""
    for each in (*parts, *folder.glob(".*.tb.*.part")):
        each.unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()


def require_room(who: str, memory: int, disk: int, path: Path, instead: str) -> None:
    """TooLarge if so many bytes of memory or disk are not there; `who` wants them, such as "5x5:5 needs about"."""
    free = available_memory()
    if free is not None and memory > free:
        raise TooLarge(f"{who} {size_text(memory)} of memory and {size_text(free)} are free; {instead}")
    folder = next(each for each in path.absolute().parents if each.exists())
    free = shutil.disk_usage(folder).free
    if disk > free:
        room = f"{size_text(disk)} of disk and {size_text(free)} are free in {folder}"
        raise TooLarge(f"{who} {room}; name another place")


# ---- Tablebases of every family: which file a name stands for, and which family a file is of


VARIABLE = "GRIDLAB_TABLEBASE"  # names the table that is asked where none is named


class BuildOrder(NamedTuple):
    """What a build is asked for; a family refuses what is not for it."""

    max_ply: int | None = None  # of in-a-row games
    target: str | None = None  # of 2048: score, or a tile
    max_sum: int | None = None  # of 2048: of the tiles
    workers: int | None = None
    resume: bool = False


@typed
def open_tablebase(name: Path | str) -> Any:
    """Open a tablebase of any game: a file, or a game whose table comes with the package, such as squava."""
    path = find(name)
    return tables_of_file(path).open_table(path)


def find(name: Path | str) -> Path:
    """The file of that name; a game such as squava or 2048:2x3 stands for the table that comes with the package."""
    with reading(name):
        if here(Path(name)).exists():
            return Path(name)
    found = None
    with suppress(BadRules):
        rules = game(str(name))
        found = tables_of(rules).shipped(rules)
    if found is None:
        shipped = "first plies come with the package, such as squava, or all of it, such as 2048:2x3"
        raise FileTrouble(f"{name} is neither a file nor a game whose {shipped}")
    return Path(found)


def usual_table(rules: Any) -> Any:
    """The table that is asked where none is named: that of GRIDLAB_TABLEBASE, if it is one of this game, or shipped.

    None if there is neither.
    """
    named = variable(VARIABLE)
    if named and (table := open_tablebase(named)).rules == rules:
        return table
    tables = tables_of(rules)
    path = tables.shipped(rules)
    return tables.open_table(path) if path else None


def tables_of(rules: Any) -> Any:
    """The module of the tables of a game's family."""
    family = family_of(rules)
    if not family.tablebase:
        raise BadRules(f"{rules} is a game of {family.name}, and there are no tablebases of these")
    return family.load("tablebase")


def tables_of_file(path: Path) -> Any:
    """The module of the tables of the family that a file is of, by its first bytes; in-a-row games if it is of none."""
    with reading(path), open_regular(path) as file:
        magic = file.read(8)
    known = [family.load("tablebase") for family in FAMILIES.values() if family.tablebase]
    return next((each for each in known if magic == each.MAGIC), known[0])
