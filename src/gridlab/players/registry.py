"""Players from text: a name and its settings, "alpha-beta depth=4".

Each family of games has its own list of kinds (`PLAYERS` in players/mnk.py and players/game2048.py).
"""

import shlex
from collections.abc import Callable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from gridlab.core.errors import BadPlayer

P = TypeVar("P")


class Kind(NamedTuple, Generic[P]):
    """A kind of player."""

    make: Callable[..., P]  # (rules, **settings)
    settings: dict[str, Any]  # with their defaults; a value of the text must be of the same type
    about: str


def parse_player(text: str, kinds: Mapping[str, Kind[Any]]) -> tuple[str, dict[str, Any]]:
    """`alpha-beta depth=6` -> ("alpha-beta", {"depth": 6}); what is not said has its default."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise BadPlayer(f"player {text!r} cannot be read: {error}") from error
    name = words[0].split("=")[0] if words else ""
    if name not in kinds:
        raise BadPlayer(f"{text!r} is no player; there are {', '.join(kinds)}")
    kind = kinds[name]
    settings = dict(kind.settings)
    for word in words if "=" in words[0] else words[1:]:
        key, equals, value = word.partition("=")
        if not equals or key not in settings:
            takes = ", ".join(f"{each}={default}" for each, default in kind.settings.items()) or "no settings"
            raise BadPlayer(f"{word!r} is no setting of the player {name}; it takes {takes}")
        settings[key] = _value(name, key, value, settings[key])
    return name, settings


def _value(player: str, key: str, text: str, default: Any) -> Any:
    try:
        return type(default)(text)
    except ValueError as error:
        raise BadPlayer(f"{key}={text} of the player {player}: a number such as {default} is needed") from error
