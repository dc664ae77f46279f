"""Players of other packages: entry points of the group `gridlab.players`, found where they are installed.

    [project.entry-points."gridlab.players"]
    corners = "my_package:Corners"           a class or function: (rules, **settings) -> an object with `move`
    centre = "my_package:CENTRE"             or a gridlab.players.registry.Kind

Of a class or function the settings are its named parameters with their defaults, and what it is the first line of its
docstring. Nothing of a package is imported before its player is asked for, and names of the house stay the house's.
"""

import inspect
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from gridlab.core.errors import BadPlayer
from gridlab.core.untrusted import reason_of
from gridlab.players.registry import Kind

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
        yield from self.own
        yield from (name for name in found() if name not in self.own)

    def __len__(self) -> int:
        return len(list(iter(self)))


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
