"""Behind the routes: the served folder, players named over the web, exact answers, players at rest, and threads."""

import math
import os
import re
import shlex
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from fastapi.responses import StreamingResponse

from gridlab.arena.match import SETTINGS
from gridlab.core.arguments import shortened
from gridlab.core.errors import BadPlayer, FileTrouble, GridlabError
from gridlab.core.run import available_cores, pause
from gridlab.core.untrusted import open_regular
from gridlab.game2048.rules import Rules2048
from gridlab.games.registry import FAMILIES, GameRules, family_of
from gridlab.games.tablebases import open_tablebase
from gridlab.inarow.exact.oracle import Oracle
from gridlab.inarow.position import Position
from gridlab.inarow.rules import Rules
from gridlab.inarow.solution import Budget, Move, Solution, Value
from gridlab.players.registry import Kind, Player, close_player, make_player, parse_player
from gridlab.web import work

# ---- The served folder: only what lies inside it can be named, wherever links lead


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
            entered = (each for each in folders if _sayable(each) and each[0] != "." and each not in SKIPPED)
            folders[:] = [] if is_deepest else sorted(entered)
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
        if path.suffix not in READERS or path.name.startswith("."):
            return None
        try:
            real = self.inside(path.relative_to(self.root).as_posix())
            return READERS[path.suffix](real) if real.is_file() else None
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
    tables = ((each.name, each.load("tablebase").MAGIC) for each in FAMILIES.values() if each.tablebase)
    return TABLES.get(next((name for name, known in tables if known == magic), ""))


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


READERS: dict[str, Callable[[Path], FileKind | None]] = {  # by the ending of a file
    ".tb": _kind_of_table, ".safetensors": lambda path: "checkpoint", ".jsonl": _kind_of_lines,
    ".ntuple": lambda path: "ntuple",
}  # fmt: skip


# ---- Players named over the web: what they may read, and how much they may do


PROGRAM = "command"  # the setting that names a program to start
WORDS = ("evaluator",)  # settings that are words, or a word and a file; every other text is the name of a file


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
            told = "players that start programs are not for this server; gridlab serve --commands allows them"
            raise work.NotHere(told)
        return text
    given = {key: _checked(name, key, value, folder) for key, value in settings.items() if value != defaults[key]}
    _check_depth(name, settings, rules)
    return " ".join([name, *(f"{key}={shlex.quote(str(value))}" for key, value in given.items())])


def _checked(player: str, key: str, value: Any, folder: Folder) -> Any:
    if isinstance(value, str):
        return _word(value, folder) if key in WORDS else folder.inside(value)
    most = work.MOST_OF.get(key, work.MOST_OF_ANY)
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
    if isinstance(rules, Rules2048) and not rules.packed and int(settings.get("depth", 0)) > work.PLAIN_DEPTH + 1:
        told = f"{name} depth={settings['depth']} is too slow on a board larger than 4x4"
        raise BadPlayer(f"{told}; depth={work.PLAIN_DEPTH} is not")


def offered(rules: GameRules, commands: bool, tablebase: Path | None = None) -> list[Offered]:
    """The kinds of players of a game, each with the reason why it cannot play here, if there is one.

    One that can use a tablebase is tried with this one.
    """
    kinds = own_kinds(rules).items()
    some = [(name, kind) for name, kind in kinds if commands or PROGRAM not in kind.settings]
    return [Offered(name, kind.about, kind.settings, _trouble(kind, rules, tablebase)) for name, kind in some]


def _trouble(kind: Kind, rules: GameRules, tablebase: Path | None) -> str:
    if PROGRAM in kind.settings:
        return ""
    given = {"tablebase": str(tablebase)} if tablebase and "tablebase" in kind.settings else {}
    try:
        close_player(kind.make(rules, **kind.settings | given))
    except GridlabError as error:
        return str(error)
    return ""


# ---- Exact answers for pages: remembered, and shared out so that nobody waits for somebody else's hard question
#
# A game has two oracles, each for one question at a time. One takes a glance: a tablebase, or some ten thousand nodes,
# a few hundredths of a second. The other searches longer; for it a question waits no longer than its own time allows,
# and is `unknown` if its turn did not come. Long searches that show their progress have oracles of their own; those
# that were stopped are kept for a while, and go on from there when they are asked again.


MOST_ORACLES = 6  # pairs of them; one of a pair may have a table of 84 MB
LONG_SEARCHES = 4  # under way and kept unfinished, all together; each has such a table
GLANCE_ENTRIES = 1 << 16
MOST_ANSWERS = 50_000
STEP = 0.1  # seconds between two looks whether somebody still waits

Key = tuple[Rules, Path | None, int, int]
Name = TypeVar("Name")
Thing = TypeVar("Thing")


class Pair:
    """The oracles of a game; each answers one question at a time."""

    def __init__(self, rules: Rules, table: Path | None) -> None:
        self.glance = Oracle(rules, Budget(work.GLANCE_NODES), entries=GLANCE_ENTRIES, tablebase=table)
        self.search = Oracle(rules, search_only=True)
        self.glancing, self.searching = threading.Lock(), threading.Lock()


class Truth:
    """What is known of the positions of every game."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._pairs: OrderedDict[tuple[Rules, Path | None], Pair] = OrderedDict()
        self._unfinished: OrderedDict[Key, Oracle] = OrderedDict()
        self._under_way = 0  # long searches
        self._answers: OrderedDict[Key, Solution] = OrderedDict()
        self._lock = threading.Lock()
        self._places = threading.Semaphore(max(2, available_cores()))
        self._long_places = threading.Semaphore(LONG_SEARCHES)

    def ask(
        self, position: Position, seconds: float = work.QUICK_SECONDS, nodes: int | None = work.QUICK_NODES
    ) -> Solution:
        """What is known of a legal position; its value may be unknown where time or nodes were too few."""
        if position.require_legal().over:
            return ended(position)
        end = time.monotonic() + seconds
        key = self._key(position)
        known = self._known(key)
        if known and (known.exact or nodes is not None):
            return known
        pair = self._pair(position.rules, key[1])
        if not known:
            with _held(pair.glancing, end) as mine:
                known = pair.glance.ask(position) if mine else unknown(position)
            if known.exact:
                return self._keep(key, known)
        with _held(self._places, end) as place, _held(pair.searching, end if place else 0) as mine:
            if not mine:
                return known
            left = max(0.0, end - time.monotonic())
            return self._keep(key, pair.search.ask(position, budget=Budget(nodes, left)))

    def search(
        self, position: Position, seconds: float, tell: Callable[[int, int], object], show: Callable[[Solution], object]
    ) -> Solution:
        """What a long search finds; `show` hears of each move as it is known, and all of it is remembered."""
        key = self._key(position)
        known = self._known(key)
        if known and complete(known):
            return known
        with _held(self._long_places, time.monotonic() + seconds) as place:
            if not place:
                return self.ask(position)
            with self._long_oracle(key) as oracle:
                budget = Budget(None, seconds)
                found = oracle.ask(position, False, tell, budget, lambda so_far: show(self._keep(key, so_far)))
                return self._keep(key, found)

    @contextmanager
    def _long_oracle(self, key: Key) -> Iterator[Oracle]:
        """An oracle for a long search: the one that was stopped at this question, or a new one.

        Those kept make room for those under way, so that there are never more than LONG_SEARCHES tables; a search that
        came to its end will not be asked for again.
        """
        with self._lock:
            kept = self._unfinished.pop(key, None)
            self._under_way += 1
            self._make_room()
        oracle = None
        try:
            oracle = kept or Oracle(key[0], tablebase=key[1])
            yield oracle
        finally:
            known = self._known(key)
            with self._lock:
                self._under_way -= 1
                if oracle and not (known and complete(known)):
                    self._unfinished[key] = oracle
                self._make_room()

    def _make_room(self) -> None:
        while self._unfinished and len(self._unfinished) + self._under_way > LONG_SEARCHES:
            self._unfinished.popitem(last=False)

    def _key(self, position: Position) -> Key:
        return position.rules, self._folder.tablebase_of(position.rules), position.crosses, position.noughts

    def _known(self, key: Key) -> Solution | None:
        with self._lock:
            if key in self._answers:
                self._answers.move_to_end(key)
            return self._answers.get(key)

    def _keep(self, key: Key, found: Solution) -> Solution:
        """Remember an answer, unless a better one is known; whichever is better."""
        with self._lock:
            before = self._answers.get(key)
            better = before if before and moves_known(before) > moves_known(found) else found
            return _remember(self._answers, key, better, MOST_ANSWERS)

    def _pair(self, rules: Rules, table: Path | None) -> Pair:
        made = self._pairs.get((rules, table)) or Pair(rules, table)
        with self._lock:
            return _remember(self._pairs, (rules, table), self._pairs.get((rules, table), made), MOST_ORACLES)


def _remember(known: OrderedDict[Name, Thing], name: Name, thing: Thing, most: int) -> Thing:
    """Keep a thing as the latest of so many, and give it back."""
    known[name] = thing
    known.move_to_end(name)
    if len(known) > most:
        known.popitem(last=False)
    return thing


class Prompt:
    """An oracle that answers within some seconds, exactly or not at all."""

    def __init__(self, truth: Truth, seconds: float) -> None:
        self.truth, self.seconds = truth, seconds

    def ask(self, position: Position) -> Solution:
        return self.truth.ask(position, self.seconds, None)


def ended(position: Position) -> Solution:
    """What a finished game is worth to the player who would be next."""
    outcome = position.outcome()
    assert outcome is not None
    value: Value = "draw" if outcome.winner is None else "win" if outcome.winner == position.to_move else "loss"
    return Solution(position, value, 0, (), (), at_least=value, at_most=value)


def unknown(position: Position) -> Solution:
    """Nothing."""
    return Solution(position, "unknown", None, tuple(Move(cell, "unknown", None) for cell in position.moves()), ())


def complete(found: Solution) -> bool:
    """Whether a longer search would find nothing more: the line comes last."""
    return found.exact and bool(found.line)


def moves_known(found: Solution) -> int:
    return sum(move.value != "unknown" for move in found.moves) + (found.value != "unknown")


@contextmanager
def _held(lock: "threading.Lock | threading.Semaphore", end: float) -> Iterator[bool]:
    """Hold a lock, if it can be had before `end`; whether it is held."""
    held = lock.acquire(blocking=False)
    while not held and time.monotonic() < end:
        pause()
        held = lock.acquire(timeout=STEP)
    try:
        yield held
    finally:
        if held:
            lock.release()


# ---- What the routes share: the served folder, exact answers, players at rest, and threads


MOST_AT_REST = 12  # players
MOST_GAMES = 64  # whose players are remembered


class Players:
    """Players that were made for one request and wait for the next: tables and networks are loaded once."""

    def __init__(self) -> None:
        self._at_rest: list[tuple[tuple[str, GameRules, Path | None], Player]] = []
        self._lock = threading.Lock()

    @contextmanager
    def lent(self, text: str, rules: GameRules, tablebase: Path | None = None) -> Iterator[Player]:
        """A player for one piece of work; one that fails at it is not used again."""
        key = text, rules, tablebase
        player = self._take(key) or make_player(*key)
        try:
            yield player
        except BaseException:
            close_player(player)
            raise
        with self._lock:
            self._at_rest.append((key, player))
            leaving = self._at_rest[:-MOST_AT_REST]
            del self._at_rest[:-MOST_AT_REST]
        for _, each in leaving:
            close_player(each)

    def _take(self, key: tuple[str, GameRules, Path | None]) -> Player | None:
        with self._lock:
            places = (place for place, (known, _) in enumerate(self._at_rest) if known == key)
            place = next(places, None)
            return None if place is None else self._at_rest.pop(place)[1]

    def close(self) -> None:
        """All at once: a program may take half a second to end."""
        with self._lock:
            leaving, self._at_rest = [player for _, player in self._at_rest], []
        with ThreadPoolExecutor(MOST_AT_REST) as pool:
            list(pool.map(close_player, leaving))


class Lab:
    """Everything behind the routes."""

    def __init__(self, settings: work.Settings) -> None:
        self.settings = settings
        self.folder = Folder(settings.folder)
        self.truth = Truth(self.folder)
        self.players = Players()
        self._offered: OrderedDict[tuple[GameRules, Path | None], list[Offered]] = OrderedDict()
        self._offering = threading.Lock()
        # Many threads, so that nothing short waits in a queue: the system shares the cores out among them.
        self.quick = work.Lane("quick", 16, 200)  # what takes a moment
        self.replies = work.Lane("reply", 32, 50)  # players, who may think
        self.jobs = work.Jobs(12, 12, work.JOB_SECONDS, self.folder.plain)

    def offered(self, rules: GameRules) -> list[Offered]:
        """The kinds of players of a game; looked at once, for libraries may have to be loaded."""
        key = rules, self.folder.tablebase_of(rules)
        known = self._offered.get(key)
        if known is None:
            found = offered(rules, self.settings.commands, key[1])
            known = [each._replace(reason=self.folder.plain(each.reason)) for each in found]
            with self._offering:  # another thread may forget this game before we return
                _remember(self._offered, key, known, MOST_GAMES)
        return known

    def safe(self, text: str, rules: GameRules) -> str:
        """The text of a player that may be asked for here."""
        return safe_player(text, rules, self.folder, self.settings.commands)

    def lent(self, text: str, rules: GameRules) -> AbstractContextManager[Player]:
        """A player that may be asked for here, for one piece of work, with the largest table there is for it."""
        return self.players.lent(self.safe(text, rules), rules, self.folder.tablebase_of(rules))

    def streamed(self, told: Callable[[work.Tell], object], lane: work.Lane | None = None) -> StreamingResponse:
        """What `told(tell)` tells, part by part."""
        return work.streamed(lane or self.replies, told, self.folder.plain)

    def stop(self) -> None:
        """Stop all work and begin no more; whoever listens to it hears its end."""
        for each in (self.jobs, self.replies, self.quick):
            each.close()

    def close(self) -> None:
        self.stop()
        self.players.close()
