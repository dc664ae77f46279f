"""Players, from text or as objects: "alpha-beta depth=4", or anything with a method `move`.

    make_player("alpha-beta depth=6", rules)       a kind of the family of the game, with its settings
    make_player(mine, rules)                       an object of your own, as it is

A game has its own kinds: `PLAYERS` in inarow/players.py and game2048/players.py, found through the registry of games;
packages that are installed add more. What is not said in a text has its default.
"""

import inspect
import os
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Protocol, runtime_checkable

import msgspec

from gridlab.core.arguments import MOST, told, typed, whole_number
from gridlab.core.errors import BadPlayer
from gridlab.core.files import is_there
from gridlab.core.untrusted import Count, reason_of
from gridlab.games.registry import FAMILIES, Family, GameRules, Move, family_of, game

if TYPE_CHECKING:
    import numpy as np


@runtime_checkable
class Player(Protocol):
    """Finds moves; `random` is its only source of chance.

    More methods are used where a player has them: `close()` gives back what it holds, such as a program it has
    started; `values(position, random)` says what each move is worth, `report(position)` how it finds its move;
    `move_in_game(position, moves, random)` hears of the moves so far; `tries` is what it said when last asked.
    """

    def move(self, position: Any, random: "np.random.Generator", /) -> Move:
        """A legal move of a position that is not over. PlayerFault if it has none to give."""


class Kind(NamedTuple):
    """A kind of player."""

    make: Callable[..., Player]  # (rules, **settings)
    settings: dict[str, Any]  # with their defaults; a value of the text must be of the same type
    about: str
    needs: str = ""  # what must be there besides the package
    families: tuple[str, ...] = ()  # of games, of a kind that is installed; none: it says itself what it does not play


def kinds_of(rules: GameRules) -> Mapping[str, Kind]:
    """The kinds of players that a game has, by name: gridlab's own, and those that are installed."""
    family = family_of(rules)
    return Kinds(family.name, family.load("players").PLAYERS)


@typed
def make_player(player: str | Player, rules: GameRules | str, tablebase: Path | str | None = None) -> Player:
    """The player that a text describes; one that can use a tablebase takes this one if the text names none."""
    if not isinstance(player, str):
        return checked(player)
    played: GameRules = game(rules)
    kinds = kinds_of(played)
    name, settings = parse_player(player, kinds)
    if tablebase is not None and settings.get("tablebase") == "":
        settings["tablebase"] = str(tablebase)
    return kinds[name].make(played, **settings)


def checked(player: Player) -> Player:
    """An object, if it can play; an object and not a class."""
    if isinstance(player, type) or not callable(getattr(player, "move", None)):
        wanted = "give a text such as 'random', or an object with move(position, random)"
        raise BadPlayer(f"{told(player)} is not a player; {wanted}")
    return player


def player_name(player: str | Player) -> str:
    """What a player is called in results: its text, its `name`, what it says of itself, or the name of its class."""
    if isinstance(player, str):
        return player
    speaks = type(player).__str__ is not object.__str__ or type(player).__repr__ is not object.__repr__
    return str(getattr(player, "name", str(player) if speaks else type(player).__name__))


def ask(player: Player, position: Any, random: "np.random.Generator", moves: Sequence[Move] | None = None) -> Move:
    """The move of a player; one that wants to know hears of the moves so far, where they are known."""
    in_game = None if moves is None else getattr(player, "move_in_game", None)
    answer = player.move(position, random) if in_game is None else in_game(position, moves, random)
    as_move = getattr(position, "as_move", None)  # of a game whose moves can be given in several ways
    return answer if as_move is None else as_move(answer)


def close_player(player: Player) -> None:
    """Let a player give back what it holds, if it holds anything."""
    if (close := getattr(player, "close", None)) is not None:
        close()


def player_text(name: str, **settings: object) -> str:
    """The text of a player with settings of any value, such as a file whose name has spaces and quotes in it."""
    return " ".join([name, *(f"{key}={shlex.quote(str(value))}" for key, value in settings.items())])


def files_of(player: str, tablebase: Path | None = None) -> list[Path]:
    """What a player may read: everything that a setting of its text could name, and the tablebase it is given."""
    named = [Path(value) for word in _words(player) if (value := word.partition("=")[2])]
    return named if tablebase is None else [*named, tablebase]


def parse_player(text: str, kinds: Mapping[str, Kind]) -> tuple[str, dict[str, Any]]:
    """`alpha-beta depth=6` -> ("alpha-beta", {"depth": 6}); what is not said has its default."""
    words = _words(text)
    name = words[0].split("=")[0] if words else ""
    if name not in kinds:
        raise BadPlayer(f"{text!r} is not a player{_hint(words, kinds)}; there are {', '.join(kinds)}")
    kind = kinds[name]
    settings = dict(kind.settings)
    for word in words if "=" in words[0] else words[1:]:
        key, equals, value = word.partition("=")
        if not equals or key not in settings:
            takes = ", ".join(f"{each}={default}" for each, default in kind.settings.items()) or "no settings"
            raise BadPlayer(f"{word!r} is not a setting of the player {name}; it takes {takes}")
        settings[key] = _value(name, key, value, settings[key])
    return name, settings


def _hint(words: list[str], kinds: Mapping[str, Kind]) -> str:
    """What may be meant by the name of a program."""
    if "command" not in kinds or not words or not (os.sep in words[0] or is_there(words[0])):
        return ""
    return f"; if it is a program, write {shlex.quote(f'command={shlex.join(words)}')}"


def _words(text: str) -> list[str]:
    """`perfect tablebase='my table.tb'` -> its name, and each setting as one word."""
    try:
        return shlex.split(text)
    except ValueError as error:
        raise BadPlayer(f"player {text!r} cannot be read: {error}") from error


def _value(player: str, key: str, text: str, default: Any) -> Any:
    try:
        return whole_number(text, -MOST, MOST) if isinstance(default, int) else type(default)(text)
    except ValueError as error:
        raise BadPlayer(f"{key}={text[:40]} of the player {player}: a number such as {default} is needed") from error


# ---- Players of other packages: entry points of the group `gridlab.players`, found where they are installed
#
#     [project.entry-points."gridlab.players"]
#     corners = "my_package:Corners"           a class or function: (rules, **settings) -> an object with `move`
#     centre = "my_package:CENTRE"             or a gridlab.players.registry.Kind
#
# Of a class or function the settings are its named parameters with their defaults, and what it is the first line of its
# docstring. Nothing of a package is imported before its player is asked for, and gridlab's own names stay its own.


GROUP = "gridlab.players"
TYPES = (str, int, float)  # that a setting may have


@cache
def found() -> dict[str, EntryPoint]:
    """The entry points by name; of two with one name the first counts."""
    return {each.name: each for each in reversed(entry_points(group=GROUP))}


class OtherGames(BadPlayer):
    """A player that does not play the games of this family."""


class Kinds(Mapping[str, Kind]):
    """The kinds of players of a family of games: its own, then those that are installed and play it."""

    def __init__(self, family: str, own: Mapping[str, Kind]) -> None:
        self.family, self.own = family, own

    def __getitem__(self, name: str) -> Kind:
        if name in self.own:
            return self.own[name]
        kind = load(name)
        if kind.families and self.family not in kind.families:
            raise OtherGames(f"the player {name} plays games of {', '.join(kind.families)}, not of {self.family}")
        return kind

    def __contains__(self, name: object) -> bool:
        return name in self.own or name in found()

    def __iter__(self) -> Iterator[str]:
        yield from dict.fromkeys((*self.own, *found()))

    def __len__(self) -> int:
        return len({*self.own, *found()})


def load(name: str) -> Kind:
    """The kind of player that an entry point names; BadPlayer if it cannot be loaded or is none."""
    point = found()[name]
    try:
        loaded = point.load()
    except Exception as error:  # another package: whatever it raises
        raise BadPlayer(f"the player {name} of {package_of(point)} cannot be loaded: {reason_of(error)}") from error
    if isinstance(loaded, Kind):
        return loaded
    if not callable(loaded):
        raise BadPlayer(f"the player {name} of {package_of(point)} is {loaded!r:.80}; a class or function is needed")
    about = (inspect.getdoc(loaded) or "").partition("\n")[0]
    return Kind(loaded, _settings(name, loaded), about, f"the package {package_of(point)}")


def package_of(point: EntryPoint) -> str:
    return "a package without a name" if point.dist is None else f"{point.dist.name} {point.dist.version}"


def _settings(name: str, make: Any) -> dict[str, Any]:
    """The parameters after the rules, with their defaults."""
    settings = {}
    for each in list(inspect.signature(make).parameters.values())[1:]:
        if each.kind not in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY):
            continue
        if not isinstance(each.default, TYPES):
            raise BadPlayer(f"the setting {each.name} of the player {name} needs a default: a text or a number")
        settings[each.name] = each.default
    return settings


# ---- All players: what they are, the settings they take, and what they need


EXTRAS = {"gridlab[learn]": ("torch", "safetensors")}  # and the libraries that say whether it is there


@dataclass(frozen=True)
class Listed:
    """A kind of player of a family of games."""

    name: str
    family: str
    about: str
    settings: dict[str, Any]  # with their defaults
    needs: str
    package: str  # that it comes from
    missing: str  # why it cannot play; empty if nothing is known against it

    @property
    def text(self) -> str:
        """Its name and its settings, as they are written."""
        said = " ".join(f"{key}={value}" for key, value in self.settings.items())
        return said if self.name in self.settings else f"{self.name} {said}".rstrip()


@dataclass(frozen=True)
class Players:
    """All kinds of players."""

    players: tuple[Listed, ...]

    def as_dict(self) -> dict[str, Any]:
        return {"players": [asdict(each) for each in self.players]}

    def __str__(self) -> str:
        parts = []
        for family in dict.fromkeys(each.family for each in self.players):
            parts.append(f"Players of {FAMILIES[family].form.partition(',')[0]}")
            for each in (each for each in self.players if each.family == family):
                parts += [f"  {each.text}", f"      {each.about}", *(f"      {line}" for line in _remarks(each))]
        return "\n".join(parts)


def _remarks(each: Listed) -> list[str]:
    needs = f"needs {each.needs}" if each.needs else ""
    return [line for line in (needs, f"not here: {each.missing}" if each.missing else "") if line]


def list_players(text: str = "") -> Players:
    """The players of a game, or of all of them."""
    families = [family_of(game(text))] if text else list(FAMILIES.values())
    return Players(tuple(each for family in families for each in _of_family(family)))


def _of_family(family: Family) -> list[Listed]:
    kinds = Kinds(family.name, family.load("players").PLAYERS)
    listed = []
    for name in kinds:
        package = "gridlab" if name in kinds.own else package_of(found()[name])
        try:
            kind = kinds[name]
        except OtherGames:
            continue
        except BadPlayer as error:
            listed.append(Listed(name, family.name, "", {}, "", package, str(error)))
            continue
        listed.append(Listed(name, family.name, kind.about, kind.settings, kind.needs, package, _missing(kind.needs)))
    return listed


def _missing(needs: str) -> str:
    absent = [each for each in EXTRAS.get(needs, ()) if find_spec(each) is None]
    return f"{', '.join(absent)} is not installed" if absent else ""


# ---- What a player from outside said when it was asked for a move: every try, with its text, its tokens and its time


MOST_TEXT = 4000  # characters of a text that are kept
MOST_TRIES = 100  # at one question

Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
Kept = Annotated[str, msgspec.Meta(max_length=MOST_TEXT)]


class Try(msgspec.Struct, frozen=True, omit_defaults=True):
    """One answer."""

    answer: Kept  # as it came
    seconds: Seconds
    text: Kept = ""
    tokens: Count | None = None
    error: Kept = ""  # what was wrong with it


def cut(text: str) -> str:
    """As much of a text as is kept."""
    return text if len(text) <= MOST_TEXT else text[: MOST_TEXT - 1] + "…"
