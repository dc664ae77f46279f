"""Players, from text or as objects: "alpha-beta depth=4", or anything with a method `move`.

    make_player("alpha-beta depth=6", rules)       a kind of the family of the game, with its settings
    make_player(mine, rules)                       an object of your own, as it is

A family of games has its own kinds: `PLAYERS` in players/mnk.py and players/game2048.py, found through the registry of
games; packages that are installed add more (gridlab.players.installed). What is not said in a text has its default.
"""

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from gridlab.core.arguments import told, typed
from gridlab.core.errors import BadPlayer
from gridlab.core.files import is_there
from gridlab.core.numbers import MOST, whole_number
from gridlab.games.protocol import GameRules, Move
from gridlab.games.registry import family_of, game


@runtime_checkable
class Player(Protocol):
    """Finds moves; `random` is its only source of chance.

    More methods are used where a player has them: `close()` gives back what it holds, such as a program it has
    started; `values(position, random)` says what each move is worth, `report(position)` how it finds its move;
    `move_in_game(position, moves, random)` hears of the moves so far; `tries` is what it said when last asked.
    """

    def move(self, position: Any, random: np.random.Generator, /) -> Move:
        """A legal move of a position that is not over. PlayerFault if it has none to give."""


class Kind(NamedTuple):
    """A kind of player."""

    make: Callable[..., Player]  # (rules, **settings)
    settings: dict[str, Any]  # with their defaults; a value of the text must be of the same type
    about: str
    needs: str = ""  # what must be there besides the package
    families: tuple[str, ...] = ()  # of games, of a kind that is installed; none: it says itself what it does not play


def kinds_of(rules: GameRules) -> Mapping[str, Kind]:
    """The kinds of players that a game has, by name: those of the house, and those that are installed."""
    from gridlab.players.installed import Kinds

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
        raise BadPlayer(
            f"{told(player)} is not a player; give a text such as 'random', or an object with move(position, random)"
        )
    return player


def player_name(player: str | Player) -> str:
    """What a player is called in results: its text, its `name`, what it says of itself, or the name of its class."""
    if isinstance(player, str):
        return player
    speaks = type(player).__str__ is not object.__str__ or type(player).__repr__ is not object.__repr__
    return str(getattr(player, "name", str(player) if speaks else type(player).__name__))


def ask(player: Player, position: Any, random: np.random.Generator, moves: Sequence[Move] | None = None) -> Move:
    """The move of a player; one that wants to know hears of the moves so far, where they are known."""
    in_game = None if moves is None else getattr(player, "move_in_game", None)
    answer = player.move(position, random) if in_game is None else in_game(position, moves, random)
    as_move = getattr(position, "as_move", None)  # of a game whose moves can be given in several ways
    return answer if as_move is None else as_move(answer)


def close_player(player: Player) -> None:
    """Let a player give back what it holds, if it holds anything."""
    close = getattr(player, "close", None)
    if close is not None:
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
        if isinstance(default, int):
            return whole_number(text, -MOST, MOST)
        return type(default)(text)
    except ValueError as error:
        raise BadPlayer(f"{key}={text[:40]} of the player {player}: a number such as {default} is needed") from error
