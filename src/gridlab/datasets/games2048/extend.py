"""More games for a finished file or a stopped run: how it was made, and that it is still what it was.

Games are numbered on from where the run of the file ended, so two runs give the bytes of one that played all of them.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from gridlab.arena.records.game2048_reading import LONGEST_LINE
from gridlab.core.behaviour import BEHAVIOUR
from gridlab.core.errors import FileTrouble
from gridlab.core.files import sha256_of
from gridlab.core.untrusted import lines
from gridlab.datasets.games2048.journal import Base
from gridlab.datasets.games2048.reader import Index, Made, index_of, known_index
from gridlab.datasets.games2048.settings import DatasetSettings, make_settings, settings_from, settings_to_resume


def settings_for(
    output: Path, said: dict[str, Any], extend: bool = False, resume: bool = False, player: str = ""
) -> DatasetSettings:
    """The settings of a run: what is said, and for the rest those of the file or of the run that it goes on with.

    `player` is the name of one that is handed over and takes the place of the one that the settings name.
    """
    if extend:
        return settings_to_extend(output, said)
    asked = make_settings(**said)
    asked = replace(asked, player=player) if player else asked
    return settings_to_resume(output, asked, "seed" in said) if resume else asked


def settings_to_extend(output: Path, said: dict[str, Any]) -> DatasetSettings:
    """How a finished file was made; FileTrouble if that is not known, or is not what is said now."""
    known = settings_from(_index(output)[0].settings, index_of(output), "the games cannot be numbered on")
    has = known.as_dict()
    make_settings(**{name: value for name, value in has.items() if name != "player"})  # refuses what makes no sense
    differing = [name for name, value in said.items() if has.get(name) != value]
    if differing:
        told = ", ".join(f"{name} {has[name]!r}" if name in has else f"no {name}" for name in differing)
        asked = ", ".join(repr(said[name]) for name in differing)
        raise FileTrouble(f"{output} was made with {told}, not {asked}; leave that out, or write another file")
    return known


def base_of(output: Path) -> Base:
    """The file as it is now."""
    index, made = _index(output)
    return Base(made.played, len(index.moves), sha256_of(output))


def lines_of(output: Path, base: Base) -> Iterator[bytes]:
    """The games of the file, which must be the one that a run has begun with."""
    digest = hashlib.sha256()
    for _, line in lines(output, LONGEST_LINE):
        digest.update(line)
        yield line
    if digest.hexdigest() != base.sha256:
        raise FileTrouble(f"{output} is not what it was when the run began; bring that file back, or start over")


def _index(output: Path) -> tuple[Index, Made]:
    """The index of a whole file, and the run that it is of."""
    why = f"{output} cannot be extended:"
    if output.suffix != ".jsonl":
        raise FileTrouble(f"{why} only of JSON lines (.jsonl) is it written down how they were made")
    if not output.exists():
        raise FileTrouble(f"{why} there is no such file; leave out --extend to make it")
    index = known_index(output)
    if index is None or index.made is None:
        raise FileTrouble(f"{why} {index_of(output).name} does not say which run it is of; write another file")
    if index.made.behaviour != BEHAVIOUR:
        raise FileTrouble(f"{why} it was made by another version, whose games differ; write another file")
    if index.made.played < len(index.moves):
        raise FileTrouble(f"{why} {index_of(output).name} says that it has more games than were played")
    return index, index.made
