"""Tablebases of every game: which file a name stands for, which game a file is of, what a check of it has found.

A family names the module of its tables in the registry (`tablebase`): how they are built, asked, verified and counted.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from gridlab.core.arguments import typed
from gridlab.core.errors import BadRules, FileTrouble
from gridlab.core.plain import facts
from gridlab.core.travel import here, variable
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

    def as_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return facts(self) | {"sound": not self.complaints}

    def __str__(self) -> str:
        verdict = "sound" if not self.complaints else f"{len(self.complaints)} things are wrong"
        wrong = (f"wrong: {each}" for each in self.complaints)
        return "\n".join([f"{self.file}: {self.rules}, {self.looked_at}", *self.remarks, *wrong, verdict])


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
    try:
        rules = game(str(name))
        found = tables_of(rules).shipped(rules)
    except BadRules:
        found = None
    if found is None:
        raise FileTrouble(
            f"{name} is neither a file nor a game whose first plies come with the package, such as squava, or all of "
            "it, such as 2048:2x3"
        )
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
