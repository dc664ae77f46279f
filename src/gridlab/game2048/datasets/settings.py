"""What a dataset of 2048 games is asked to be, and the journal of the run that makes it."""

import hashlib
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from gridlab.core.arguments import MOST, check_seed
from gridlab.core.errors import BadNotation, BadRules, CorruptFile, FileTrouble
from gridlab.core.files import NO_LINK, RESULTS_VERSION
from gridlab.core.untrusted import Count, Plain, lines, parse_json, reason_of
from gridlab.game2048.players import ExpectimaxPlayer, Player2048
from gridlab.game2048.records import LONGEST_LINE
from gridlab.game2048.rules import Rules2048
from gridlab.game2048.search.evaluators import find_evaluator
from gridlab.players.registry import make_player

# ---- The journal of a run that makes games: what was asked for, then a line for every game played, in order
#
#     5d8c… {"journal": "gridlab 2048 games", "version": 2, "behaviour": …, "settings": {…}}
#     01ab… {"totalMoves": …}                                      a game
#     77e0… {"dropped": "score 812 is below 15000"}                a game that a filter has dropped
#
# A run that adds games to a finished file has `base` in its first line: how many were played for that file, how many of
# them it has, and its SHA-256.
#
# It stands beside the file to be made, and lines are only added to it. In front of each line stand 32 hexadecimal
# digits, the beginning of the SHA-256 of all lines up to this one (without these digits): nothing can be changed, left
# out or put elsewhere. A run that was killed leaves whole lines and perhaps the beginning of one, which is cut off when
# the run goes on.


NAME, VERSION = "gridlab 2048 games", 2
DIGITS = 32
DROPPED = b'{"dropped":'


class Base(msgspec.Struct, frozen=True):
    """The finished file that a run adds games to."""

    played: Count
    kept: Count
    sha256: str


class Head(msgspec.Struct):
    """The first line."""

    journal: str
    version: int
    behaviour: int
    settings: dict[str, Plain]
    base: Base | None = None


class Dropped(msgspec.Struct, forbid_unknown_fields=True):
    """A game that is not kept."""

    dropped: str


def journal_of(target: Path) -> Path:
    return target.with_name(f".{target.name}.journal")


class Journal:
    """A journal being read, then written."""

    def __init__(self, target: Path) -> None:
        self.path = journal_of(target)
        self._digest = hashlib.sha256()
        self._size = self._head = 0  # bytes of the lines that are known to be sound, and of the first of them

    def exists(self) -> bool:
        return os.path.lexists(self.path)

    def begin(self, settings: dict[str, Any], base: Base | None = None) -> None:
        """A new journal; there must be none."""
        if self.exists():
            raise FileTrouble(f"a run that was stopped has left {self.path}: go on with --resume, or remove that file")
        head: dict[str, Any] = {"journal": NAME, "version": VERSION, "behaviour": RESULTS_VERSION, "settings": settings}
        if base:
            head["base"] = msgspec.to_builtins(base)
        self.add(json.dumps(head).encode() + b"\n")
        self._head = self._size

    def is_empty(self) -> bool:
        """Whether this run has begun the journal, and no game has come into it."""
        return self._size == self._head

    def settings(self) -> dict[str, Plain]:
        """What the run was asked for."""
        return self._first().settings

    def base(self) -> Base | None:
        """What it adds games to, if there is such a file."""
        return self._first().base

    def _first(self) -> Head:
        line = next(self._checked(), b"")
        try:
            head = parse_json(line, Head, self.path)
        except CorruptFile:
            head = Head("", 0, 0, {})
        if head.journal != NAME or head.version != VERSION:
            raise CorruptFile(f"{self.path} is not a journal of games, or of another version; remove it and start over")
        if head.behaviour != RESULTS_VERSION:
            raise CorruptFile(f"{self.path} was begun by another version whose games differ; remove it and start over")
        return head

    def lines(self) -> Iterator[bytes]:
        """A line for every game played so far, each checked; when all were read the journal can go on."""
        found = self._checked()
        next(found, b"")
        yield from found

    def _checked(self) -> Iterator[bytes]:
        """The lines without their digits; a line that was not finished is passed over."""
        self._digest, self._size = hashlib.sha256(), 0
        if not self.path.is_file():
            raise FileTrouble(f"{self.path} cannot be read: it is not a file; remove it and start over")
        for number, line in lines(self.path, LONGEST_LINE + DIGITS + 1):
            if not line.endswith(b"\n"):
                return
            self._digest.update(line[DIGITS + 1 :])
            if line[: DIGITS + 1] != self._digits():
                if number == 1:
                    return  # no journal at all, or of another version
                raise CorruptFile(
                    f"{self.path}, line {number}: this is not what was written; remove the file and start over"
                )
            self._size += len(line)
            yield line[DIGITS + 1 :]

    def _digits(self) -> bytes:
        return self._digest.hexdigest()[:DIGITS].encode() + b" "

    def cut(self) -> None:
        """Cut off what follows the lines that were read: the beginning of a line that was not finished."""
        try:
            os.truncate(self.path, self._size)
        except OSError as error:
            raise self._trouble(error) from error

    def games(self) -> Iterator[bytes]:
        """The lines of games that were kept."""
        return (line for line in self.lines() if not line.startswith(DROPPED))

    def add(self, line: bytes) -> None:
        """One more line."""
        self._digest.update(line)
        try:
            with os.fdopen(os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | NO_LINK, 0o666), "ab") as file:
                file.write(self._digits() + line)
        except OSError as error:
            raise self._trouble(error) from error
        self._size += DIGITS + 1 + len(line)

    def _trouble(self, error: OSError) -> FileTrouble:
        why = reason_of(error)
        return FileTrouble(f"cannot write {self.path}: {why}; once it can be written, the run goes on with --resume")

    def remove(self) -> None:
        with suppress(OSError):
            self.path.unlink()


def dropped(reason: str) -> bytes:
    return json.dumps({"dropped": reason}).encode() + b"\n"


# ---- Which part of a game a dataset records, and where games stop: what the generator does and the verifier expects
#
# easy       to the first 256          hard       from the first 1024 on
# medium     to the first 1024


Curriculum = Literal["", "easy", "medium", "hard"]

MAX_MOVES = 5000  # where a game stops unless its file says otherwise


class Stage(NamedTuple):
    """A step of the curriculum."""

    depth: int  # of the search, if no other player is named
    until: int = 0  # the tile that ends the run; 0 for the end of the game
    since: int = 0  # the tile that begins it; 0 for the start of the game


WHOLE_GAME = Stage(depth=4)
CURRICULUM = {
    "easy": Stage(depth=2, until=256),
    "medium": Stage(depth=3, until=1024),
    "hard": Stage(depth=5, since=1024),
}


def stage(name: str) -> Stage:
    """The step of this name; whole games if there is none."""
    return CURRICULUM.get(name, WHOLE_GAME)


# ---- What a dataset of 2048 games is asked to be: filled in, checked, and compared with a run that goes on


SPEC = "spec"
RULES = Rules2048()
SEARCH = ("depth", "evaluator", "sample_cells")  # what says how expectimax plays


@dataclass(frozen=True)
class DatasetSettings:
    """What is asked for: this and the number of a game decide every byte of it but its time."""

    seed: int
    depth: int = WHOLE_GAME.depth
    evaluator: str = SPEC
    sample_cells: int = 0  # at each chance node; 0 is all
    max_moves: int = MAX_MOVES  # 0 is no limit
    curriculum: Curriculum = ""
    min_score: int = 0
    min_tile: int = 0
    metadata: bool = False
    player: str = ""  # instead of expectimax by the settings above
    rules: str = str(RULES)

    def as_dict(self) -> dict[str, Any]:
        """As journal and index have it: either a player or how expectimax plays; rules if they are not the usual."""
        left_out = (*(SEARCH if self.player else ("player",)), *(("rules",) if self.game == RULES else ()))
        return {name: value for name, value in asdict(self).items() if name not in left_out}

    @property
    def game(self) -> Rules2048:
        """What is played."""
        return Rules2048.parse(self.rules)

    def make_player(self) -> Player2048:
        if self.player:
            return make_player(self.player, self.game)
        return ExpectimaxPlayer(self.game, self.evaluator, self.depth, self.sample_cells)


def make_settings(
    seed: int | None = None, depth: int | None = None, evaluator: str | None = None, sample_cells: int | None = None,
    max_moves: int | None = None, player: str | None = None, rules: str = str(RULES), **more: Any,
) -> DatasetSettings:  # fmt: skip
    """Settings with what was not said filled in, and `more` of them; BadNotation where they make no sense."""
    game = Rules2048.parse(rules)
    if not game.packed:
        raise BadNotation(f"games of {game} cannot be written; the format of files is for boards of up to 4x4 cells")
    if player is None:
        depth, evaluator = _depth(depth, more.get("curriculum", "")), SPEC if evaluator is None else evaluator
        search = depth, evaluator, _cells(sample_cells, game)
        find_evaluator(evaluator)
    else:
        _refuse_search(player, (depth, evaluator, sample_cells))
        make_player(player, game)  # a text that is none is refused now, not once a file has been begun
        search = WHOLE_GAME.depth, SPEC, 0  # not used
    seed = secrets.randbits(32) if seed is None else check_seed(seed)
    if max_moves is None:
        max_moves = MAX_MOVES if player is None and evaluator == SPEC else 0
    return _checked(DatasetSettings(seed, *search, max_moves, player=player or "", rules=str(game), **more))


def _checked(settings: DatasetSettings) -> DatasetSettings:
    if not 0 <= settings.max_moves <= MOST:
        raise BadNotation(f"{settings.max_moves} moves cannot be a limit; write a number from 1, or 0 for no limit")
    for number, name in ((settings.min_score, "score"), (settings.min_tile, "tile")):
        if not 0 <= number <= MOST:
            raise BadNotation(f"{number} is not a {name} that games could be measured by; a number from 0 is needed")
    return settings


def _depth(depth: int | None, curriculum: Curriculum) -> int:
    usual = stage(curriculum).depth
    if depth is not None and curriculum and depth != usual:
        raise BadNotation(f"the curriculum {curriculum} has depth {usual}; leave out --depth {depth}")
    depth = usual if depth is None else depth
    if not 2 <= depth <= 6:
        raise BadNotation(f"depth {depth} is out of range; 2 to 6 can be searched")
    return depth


def _cells(cells: int | None, game: Rules2048) -> int:
    if cells is not None and not 0 <= cells <= game.cells:
        raise BadNotation(f"{cells} cells cannot be sampled; 1 to {game.cells}, or 0 for all")
    return cells or 0


def _refuse_search(player: str, search: tuple[int | str | None, ...]) -> None:
    """A player by name has settings of its own."""
    said = [f"--{name.replace('_', '-')}" for name, value in zip(SEARCH, search, strict=True) if value is not None]
    if said:
        raise BadNotation(f"the player {player!r} says itself how it plays; leave out {', '.join(said)}")


def settings_to_resume(output: Path, asked: DatasetSettings, seed_was_said: bool) -> DatasetSettings:
    """The settings of the journal, which must be those asked for; a seed that was not said is taken from it."""
    journal = Journal(output)
    if not journal.exists():
        if output.exists():
            raise FileTrouble(f"there is nothing to resume: {output} is whole and no run of it was stopped")
        return asked
    known = settings_from(journal.settings(), journal.path, "remove it and start over")
    asked = asked if seed_was_said else replace(asked, seed=known.seed)
    of_search = SEARCH if known.player or asked.player else ()  # of no use to another player
    differing = [
        name for name, value in asdict(known).items() if value != getattr(asked, name) and name not in of_search
    ]
    if differing:
        told = ", ".join(f"{name} {getattr(known, name)!r}, not {getattr(asked, name)!r}" for name in differing)
        raise FileTrouble(f"the run to be resumed, {journal.path}, has {told}; ask for the same or start over")
    return known


def settings_from(said: dict[str, Any], place: Path, remedy: str) -> DatasetSettings:
    """The settings that a file says; of what they mean only the seed is looked at."""
    try:
        known = msgspec.convert(said, DatasetSettings)
        check_seed(known.seed)
        if not known.game.packed:
            raise BadNotation(f"games of {known.game} are in no file")
    except (msgspec.ValidationError, BadNotation, BadRules) as error:
        raise CorruptFile(f"{place} has settings of no run: {error}; {remedy}") from error
    if known.as_dict() != said:
        raise CorruptFile(f"{place} has settings of another form; {remedy}")
    return known
