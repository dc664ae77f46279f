"""Files of games: JSON lines (one game a line), a JSON array, or a table; read game by game, written whole."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gridlab.arena.records.game2048 import Game, from_dict, parse
from gridlab.core.errors import BadNotation, FileTrouble, SpoiltFile
from gridlab.core.files import whole_file
from gridlab.datasets.games2048.table_files import FORMS, read_table, write_table

SUFFIXES = (".jsonl", ".json", *FORMS)


def check_name(path: Path) -> None:
    """The end of a name says the format."""
    if path.suffix not in SUFFIXES:
        raise FileTrouble(f"{path} does not say its format; end the name in {', '.join(SUFFIXES)}")


def lines_of(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a .jsonl file with their numbers from 1; blank ones are passed over."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line
    except OSError as error:
        raise FileTrouble(f"{path} cannot be read: {error.strerror}") from error


def array_of(path: Path) -> list[Any]:
    """The elements of a .json file."""
    try:
        found = json.loads(path.read_bytes())
    except OSError as error:
        raise FileTrouble(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise SpoiltFile(f"{path} is no JSON: {error}") from error
    if not isinstance(found, list):
        raise SpoiltFile(f"{path} is no JSON array of games; a file of one game a line ends in .jsonl")
    return found


def read_games(path: Path) -> Iterator[Game]:
    """The games of a file of any format; SpoiltFile where one is not of the form."""
    check_name(path)
    if path.suffix in FORMS:
        if not path.is_file():
            raise FileTrouble(f"{path} cannot be read: there is no such file")
        yield from read_table(path)
        return
    raw = lines_of(path) if path.suffix == ".jsonl" else enumerate(array_of(path), 1)
    for number, each in raw:
        try:
            yield (parse(each) if isinstance(each, bytes) else from_dict(each))[0]
        except BadNotation as error:
            where = "line" if path.suffix == ".jsonl" else "game"
            raise SpoiltFile(f"{path}, {where} {number}: {error}; gridlab 2048 verify tells more") from error


def write_games(path: Path, games: Iterator[Game]) -> int:
    """Write games in the format that the name says; how many there were."""
    check_name(path)
    if path.suffix in FORMS:
        return write_table(path, FORMS[path.suffix], games)
    return write_lines(path, (game.line() for game in games))


def write_lines(path: Path, lines: Iterator[bytes]) -> int:
    """Lines that are games already, as .jsonl or .json."""
    count = 0
    with whole_file(path) as file:
        for count, line in enumerate(lines, 1):
            if path.suffix == ".json":
                file.write((b"[\n" if count == 1 else b",\n") + line.rstrip(b"\n"))
            else:
                file.write(line)
        if path.suffix == ".json":
            file.write(b"\n]\n" if count else b"[]\n")
    return count


def export_games(source: Path, form: str, target: Path | None = None) -> tuple[Path, int]:
    """Write the games of a file in another format; where, and how many."""
    endings = {"json": ".json", "jsonl": ".jsonl"} | {name: suffix for suffix, name in reversed(FORMS.items())}
    target = target or source.with_suffix(endings[form])
    if target.resolve() == source.resolve():
        raise FileTrouble(f"{source} would be written over; name another file")
    games = read_games(source)
    if form in ("json", "jsonl"):
        return target, write_lines(target.with_suffix(endings[form]), (game.line() for game in games))
    return target, write_table(target, form, games)
