"""Players named over the web: what they may read, and how much they may do."""

import re
import shlex
from pathlib import Path
from typing import Any, NamedTuple

from gridlab.core.errors import BadPlayer, GridlabError
from gridlab.core.numbers import shortened
from gridlab.games.game2048.rules import Rules2048
from gridlab.games.protocol import GameRules
from gridlab.games.registry import family_of
from gridlab.players.registry import Kind, close_player, parse_player
from gridlab.web.folder import Folder
from gridlab.web.settings import MOST_OF, MOST_OF_ANY, PLAIN_DEPTH

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


def house_kinds(rules: GameRules) -> dict[str, Kind]:
    """The kinds of the house: what other packages have installed is not for whoever asks over a network."""
    kinds: dict[str, Kind] = family_of(rules).load("players").PLAYERS
    return kinds


def safe_player(text: str, rules: GameRules, folder: Folder, commands: bool) -> str:
    """The text of a player with its files found in the served folder, if all it asks for may be asked for here."""
    kinds = house_kinds(rules)
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
    found = []
    for name, kind in house_kinds(rules).items():
        if PROGRAM in kind.settings:
            if commands:
                found.append(Offered(name, kind.about, kind.settings, ""))
            continue
        found.append(Offered(name, kind.about, kind.settings, _trouble(kind, rules, tablebase)))
    return found


def _trouble(kind: Kind, rules: GameRules, tablebase: Path | None) -> str:
    given = {"tablebase": str(tablebase)} if tablebase and "tablebase" in kind.settings else {}
    try:
        close_player(kind.make(rules, **kind.settings | given))
    except GridlabError as error:
        return str(error)
    return ""
