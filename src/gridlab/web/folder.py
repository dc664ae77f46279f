"""The served folder, and players named over the web: only what lies inside it can be named, wherever links lead."""

import math
import os
import re
import shlex
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

from gridlab.arena.match import SETTINGS
from gridlab.core.arguments import shortened
from gridlab.core.errors import BadPlayer, FileTrouble, GridlabError
from gridlab.core.untrusted import open_regular
from gridlab.game2048.rules import Rules2048
from gridlab.games.protocol import GameRules
from gridlab.games.registry import FAMILIES, family_of
from gridlab.games.tablebases import open_tablebase
from gridlab.players.registry import Kind, close_player, parse_player
from gridlab.web.limits import MOST_OF, MOST_OF_ANY, PLAIN_DEPTH

FileKind = Literal[
    "tablebase", "tablebase2048", "terminals", "games2048", "records", "tournament", "checkpoint", "ntuple"
]
DEEPEST, MOST_ENTRIES, MOST_FOUND = 4, 5000, 300
LONGEST_NAME = 500
GLANCE = 4096  # bytes of a file of lines that tell what it is
FRESH = 3.0  # seconds for which a listing is believed
TABLES: dict[str, FileKind] = {"mnk": "tablebase", "2048": "tablebase2048"}  # by family
PACKAGE = Path(__file__).parent.parent
SKIPPED = ("node_modules", "__pycache__")


class Found(NamedTuple):
    """Something the lab can show."""

    path: str  # from the served folder, with /
    kind: FileKind
    bytes: int


class Folder:
    """The folder, and what is in it."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._listing: tuple[float, list[Found]] = (-math.inf, [])
        self._looking = threading.Lock()
        self._rules: dict[tuple[str, int, int], GameRules | None] = {}

    def inside(self, name: str) -> Path:
        """The file or folder of that name, links followed; FileTrouble if it is not there or lies outside."""
        said = shortened(name, 120)
        if not name or len(name) > LONGEST_NAME or "\0" in name:
            raise FileTrouble(f"{said} is not the name of a file in the served folder")
        if Path(name).is_absolute() or ".." in Path(name).parts:  # said before anything is looked at
            raise FileTrouble(f"{said} lies outside the served folder")
        try:
            real = (self.root / name).resolve(strict=True)
        except (OSError, RuntimeError, ValueError) as error:
            raise FileTrouble(f"there is no {said} in the served folder") from error
        if not real.is_relative_to(self.root):
            raise FileTrouble(f"{said} lies outside the served folder")
        if not (real.is_file() or real.is_dir()):  # whoever opens a pipe waits for somebody to write
            raise FileTrouble(f"{said} is neither a file nor a folder")
        return real

    def plain(self, sentence: str) -> str:
        """A sentence for those outside: files by their names in the folder, those of the package by theirs in it."""
        short = sentence.replace(f"{self.root}{os.sep}", "").replace(f"{PACKAGE}{os.sep}", "")
        return short.encode("utf-8", "backslashreplace").decode()  # names on a disk need not be text

    def whole_folder(self, name: str) -> Path:
        """A folder, none of whose files is a link that leads out."""
        folder = self.inside(name)
        if not folder.is_dir():
            raise FileTrouble(f"{shortened(name, 120)} is not a folder")
        for entry in os.scandir(folder):
            if entry.is_symlink():
                self.inside(str(Path(name) / entry.name))
        return folder

    def listing(self) -> list[Found]:
        """Everything that the lab can show, by path."""
        when, found = self._listing
        if time.monotonic() - when <= FRESH or not self._looking.acquire(blocking=when < 0):
            return found  # fresh, or somebody looks already
        try:
            found = sorted(self._look())[:MOST_FOUND]
            self._listing = time.monotonic(), found
        finally:
            self._looking.release()
        return found

    def _look(self) -> Iterator[Found]:
        seen = 0
        for here, folders, files in os.walk(self.root):
            folder = Path(here)
            is_deepest = len(folder.relative_to(self.root).parts) >= DEEPEST
            folders[:] = [] if is_deepest else sorted(filter(_is_entered, folders))
            yield from self._as_whole(folder, files)
            for path in (folder / name for name in sorted(filter(_sayable, files))):
                seen += 1
                if seen > MOST_ENTRIES:
                    return
                if (kind := self._kind(path)) is not None:
                    yield self._found(path, kind, _size(path))

    def _as_whole(self, folder: Path, files: list[str]) -> Iterator[Found]:
        """What a folder is as a whole, by the files in it."""
        size = sum(_size(folder / each) for each in files)
        if any(each.startswith("layer_") for each in files):
            yield self._found(folder, "terminals", size)
        if SETTINGS in files:
            yield self._found(folder, "tournament", size)

    def _found(self, path: Path, kind: FileKind, size: int) -> Found:
        return Found(path.relative_to(self.root).as_posix(), kind, size)

    def _kind(self, path: Path) -> FileKind | None:
        readers: dict[str, Callable[[Path], FileKind | None]] = {
            ".tb": _kind_of_table, ".safetensors": lambda path: "checkpoint", ".jsonl": _kind_of_lines,
            ".ntuple": lambda path: "ntuple",
        }  # fmt: skip
        if path.suffix not in readers or path.name.startswith("."):
            return None
        try:
            real = self.inside(path.relative_to(self.root).as_posix())
            return readers[path.suffix](real) if real.is_file() else None
        except (GridlabError, OSError):
            return None

    def tablebase_of(self, rules: GameRules) -> Path | None:
        """A tablebase of a game of any family, the largest there is."""
        tables = [each for each in self.listing() if each.kind == TABLES.get(rules.family)]
        fitting = [each for each in tables if self._rules_of(each) == rules]
        return self.inside(max(fitting, key=lambda each: each.bytes).path) if fitting else None

    def _rules_of(self, found: Found) -> GameRules | None:
        path = self.root / found.path
        try:
            key = found.path, path.stat().st_mtime_ns, found.bytes
            if key not in self._rules:
                self._rules[key] = open_tablebase(path).rules
        except (GridlabError, OSError):
            return None
        return self._rules[key]


def _kind_of_table(path: Path) -> FileKind | None:
    """By its first bytes; what no family knows is not shown."""
    with open_regular(path) as file:
        magic = file.read(8)
    known = (
        family.name for family in FAMILIES.values() if family.tablebase and magic == family.load("tablebase").MAGIC
    )
    return TABLES.get(next(known, ""))


def _is_entered(name: str) -> bool:
    return _sayable(name) and not name.startswith(".") and name not in SKIPPED


def _sayable(name: str) -> bool:
    """Whether a name is text: one that is not could not be asked for."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _kind_of_lines(path: Path) -> FileKind | None:
    with open_regular(path) as file:
        head = file.read(GLANCE)
    if b'"totalMoves"' in head:
        return "games2048"
    return "records" if b'"rules"' in head and b'"moves"' in head else None


# ---- Players named over the web: what they may read, and how much they may do


PROGRAM = "command"  # the setting that names a program to start
WORDS = ("evaluator",)  # settings that are words, or a word and a file; every other text is the name of a file


class NotHere(GridlabError):
    """A player that this server does not start."""


class Offered(NamedTuple):
    """A kind of player, as the page lists it."""

    name: str
    about: str
    settings: dict[str, Any]
    reason: str  # why it cannot play this game here; empty if it can


def own_kinds(rules: GameRules) -> dict[str, Kind]:
    """The kinds of gridlab itself: what other packages have installed is not for whoever asks over a network."""
    kinds: dict[str, Kind] = family_of(rules).load("players").PLAYERS
    return kinds


def safe_player(text: str, rules: GameRules, folder: Folder, commands: bool) -> str:
    """The text of a player with its files found in the served folder, if all it asks for may be asked for here."""
    kinds = own_kinds(rules)
    name, settings = parse_player(text, kinds)
    defaults = kinds[name].settings
    if PROGRAM in settings:
        if not commands:
            raise NotHere("players that start programs are not for this server; gridlab serve --commands allows them")
        return text
    words = [name]
    for key, value in settings.items():
        if value != defaults[key]:
            checked = _checked(name, key, value, folder)
            words.append(f"{key}={shlex.quote(str(checked))}")
    _check_depth(name, settings, rules)
    return " ".join(words)


def _checked(player: str, key: str, value: Any, folder: Folder) -> Any:
    if isinstance(value, str):
        return _word(value, folder) if key in WORDS else folder.inside(value)
    most = MOST_OF.get(key, MOST_OF_ANY)
    if isinstance(value, int) and value > most:
        raise BadPlayer(f"{key}={value} of the player {player} is more than this server does; at most {most:,}")
    return value


def _word(value: str, folder: Folder) -> str:
    """A word, or a word and a file: `rows`, `ntuple:my.ntuple`."""
    word, colon, file = value.partition(":")
    if not re.fullmatch(r"[\w-]+", word):
        raise BadPlayer(f"{shortened(value)} is not a name; a word is needed, or a word and a file: ntuple:FILE")
    return f"{word}:{folder.inside(file)}" if colon else word


def _check_depth(name: str, settings: dict[str, Any], rules: GameRules) -> None:
    """Boards of 2048 that no kernel plays are searched in Python: two moves ahead, and no more."""
    if isinstance(rules, Rules2048) and not rules.packed and int(settings.get("depth", 0)) > PLAIN_DEPTH + 1:
        raise BadPlayer(
            f"{name} depth={settings['depth']} is too slow on a board larger than 4x4; depth={PLAIN_DEPTH} is not"
        )


def offered(rules: GameRules, commands: bool, tablebase: Path | None = None) -> list[Offered]:
    """The kinds of players of a game, each with the reason why it cannot play here, if there is one.

    One that can use a tablebase is tried with this one.
    """
    return [
        Offered(name, kind.about, kind.settings, "" if PROGRAM in kind.settings else _trouble(kind, rules, tablebase))
        for name, kind in own_kinds(rules).items()
        if commands or PROGRAM not in kind.settings
    ]


def _trouble(kind: Kind, rules: GameRules, tablebase: Path | None) -> str:
    given = {"tablebase": str(tablebase)} if tablebase and "tablebase" in kind.settings else {}
    try:
        close_player(kind.make(rules, **kind.settings | given))
    except GridlabError as error:
        return str(error)
    return ""
