"""All players: what they are, the settings they take, and what they need."""

from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import Any

from gridlab.core.errors import BadPlayer
from gridlab.games.registry import FAMILIES, Family, family_of, game
from gridlab.players.installed import Kinds, OtherGames, found, package_of

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
