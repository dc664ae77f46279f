"""What the server offers: games, players, and whether it is well."""

from importlib.util import find_spec
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field

from gridlab import __version__
from gridlab.core.fingerprint import BEHAVIOUR
from gridlab.games.registry import FAMILIES, game
from gridlab.web.lab import Lab
from gridlab.web.limits import REPLY_SECONDS
from gridlab.web.models import GameText

# ---- What the server offers


class Health(BaseModel):
    """Whether the server answers."""

    status: Literal["ok"]
    version: str
    behaviour: int


class NamedGame(BaseModel):
    """A game with a name."""

    name: str
    rules: str
    family: str


class LabInfo(BaseModel):
    """What this server offers."""

    version: str
    behaviour: int
    games: list[NamedGame]
    folder: str
    learning: bool  # whether networks can be asked
    commands: bool  # whether players may start programs


class Setting(BaseModel):
    """A setting of a player."""

    name: str
    default: str | int | float
    kind: Literal["whole", "real", "text"]


class PlayerKind(BaseModel):
    """A kind of player."""

    name: str
    about: str
    settings: list[Setting]
    reason: str = Field(description="Why it cannot play this game here; empty if it can.")


# ---- What the server offers: games, players, and whether it is well


def health(routes: APIRouter) -> None:
    """The route that says whether the server is well."""

    @routes.get("/health", tags=["lab"])
    async def well() -> Health:
        """Whether the server answers."""
        return Health(status="ok", version=__version__, behaviour=BEHAVIOUR)


def router(lab: Lab) -> APIRouter:
    """The routes of what is offered."""
    routes = APIRouter(tags=["lab"])

    @routes.get("/lab")
    async def about() -> LabInfo:
        """What this server offers."""
        games = [
            NamedGame(name=name, rules=rules, family=family.name)
            for family in FAMILIES.values()
            for name, rules in family.named.items()
        ]
        return LabInfo(
            version=__version__, behaviour=BEHAVIOUR, games=games, folder=lab.folder.root.name or "/",
            learning=find_spec("torch") is not None, commands=lab.settings.commands,
        )  # fmt: skip

    @routes.get("/players")
    async def players(request: Request, game: Annotated[GameText, Query()]) -> list[PlayerKind]:
        """The kinds of players of a game, and which of them can play it here."""
        rules = _rules(game)
        found = await lab.replies.run(lambda: lab.offered(rules), REPLY_SECONDS, request.is_disconnected)
        return [
            PlayerKind(
                name=each.name,
                about=each.about,
                settings=[_setting(name, default) for name, default in each.settings.items()],
                reason=each.reason,
            )
            for each in found
        ]

    return routes


def _rules(text: str) -> Any:
    return game(text)


def _setting(name: str, default: Any) -> Setting:
    kind: Literal["whole", "real", "text"] = (
        "whole" if isinstance(default, int) else "real" if isinstance(default, float) else "text"
    )
    return Setting(name=name, default=default, kind=kind)
