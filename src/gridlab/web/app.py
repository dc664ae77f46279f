"""The application: what it offers, routes, errors as sentences, the page, and the guard around all of it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

from fastapi import APIRouter, FastAPI, Query
from fastapi.middleware.gzip import GZipMiddleware
from fastapi.staticfiles import StaticFiles
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import Scope

from gridlab import __version__
from gridlab.core.errors import GridlabError
from gridlab.core.files import RESULTS_VERSION
from gridlab.games.registry import FAMILIES
from gridlab.games.registry import game as rules_of
from gridlab.inarow.position import Position
from gridlab.web.lab import Lab
from gridlab.web.routes import data, game2048, inarow, jobs, puzzles
from gridlab.web.work import ApiModel, GameText, Guard, Problem, Settings, TooLong, say_errors

# ---- The page and its files; an address that somebody has typed is answered with a page, too, not with JSON


NAMES = ("board", "2048", "puzzles", "arena", "data", "about")
MISSING = Path(__file__).with_name("missing.html")


class Pages(StaticFiles):
    """Files of the page; /data is #/data of the page, and what is not there is said in words."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        try:
            return await super().get_response(path, scope)
        except HTTPException as error:
            first, *_ = parts = PurePosixPath(path).parts or ("",)
            if error.status_code != 404 or first == "api" or PurePosixPath(path).suffix:
                raise
        if len(parts) == 1 and first in NAMES:
            query = scope["query_string"].decode("latin-1")
            return RedirectResponse(f"/#/{first}" + (f"?{query}" if query else ""))
        return HTMLResponse(MISSING.read_text("utf-8"), 404)


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


class PlayerKind(ApiModel):
    """A kind of player."""

    name: str
    about: str
    settings: list[Setting]
    reason: str = Field(description="Why it cannot play this game here; empty if it can.")


def offers(lab: Lab) -> APIRouter:
    """The routes of what is offered."""
    routes = APIRouter(tags=["lab"])

    @routes.get("/lab")
    async def about() -> LabInfo:
        """What this server offers."""
        named = [(family, *each) for family in FAMILIES.values() for each in family.named.items()]
        games = [NamedGame(name=name, rules=rules, family=family.name) for family, name, rules in named]
        return LabInfo(
            version=__version__, behaviour=RESULTS_VERSION, games=games, folder=lab.folder.root.name or "/",
            learning=find_spec("torch") is not None, commands=lab.settings.commands,
        )  # fmt: skip

    @lab.replies.on(routes.get("/players"))
    def players(game: Annotated[GameText, Query()]) -> list[PlayerKind]:
        """The kinds of players of a game, and which of them can play it here."""
        return [
            PlayerKind.taken_from(each, settings=[_setting(*setting) for setting in each.settings.items()])
            for each in lab.offered(rules_of(game))
        ]

    return routes


def _setting(name: str, default: Any) -> Setting:
    kind = "whole" if isinstance(default, int) else "real" if isinstance(default, float) else "text"
    return Setting.model_validate({"name": name, "default": default, "kind": kind})


# ---- The application: routes, errors as sentences, the page, and the guard around all of it


WARM_SECONDS = 120.0
API = "/api/v1"
STATIC = Path(__file__).parent / "static"
ABOUT = "Small grid games: exact values, players, matches, grades and datasets. Values are for the player to move."
PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": HTTPStatus(status).phrase}
    for status in (400, 403, 404, 405, 409, 413, 421, 422, 429)
}


def make_app(settings: Settings) -> FastAPI:
    """The server of a folder."""
    lab = Lab(settings)

    @asynccontextmanager
    async def living(app: FastAPI) -> AsyncIterator[None]:
        chores = [asyncio.create_task(_tidy(lab)), asyncio.create_task(_warm(lab))]
        yield
        for each in chores:
            each.cancel()
        lab.close()

    app = FastAPI(
        title="gridlab", version=__version__, description=ABOUT, lifespan=living, openapi_url=f"{API}/openapi.json",
        docs_url=None, redoc_url=None, responses=PROBLEMS,
    )  # fmt: skip
    app.state.lab = lab

    @app.get("/health", tags=["lab"])
    async def well() -> Health:
        """Whether the server answers."""
        return Health(status="ok", version=__version__, behaviour=RESULTS_VERSION)

    app.include_router(offers(lab), prefix=API)
    for each in (inarow, game2048, puzzles, jobs, data):
        app.include_router(each.router(lab), prefix=API)
    app.mount("/", GZipMiddleware(Pages(directory=STATIC, html=True)), name="page")
    say_errors(app, lab.folder.plain)
    app.add_middleware(Guard, settings=settings)
    return app


async def _tidy(lab: Lab) -> None:
    while True:
        await asyncio.sleep(1)
        lab.jobs.tidy()


async def _warm(lab: Lab) -> None:
    """Load what the first visitor would wait for."""
    with suppress(TooLong, GridlabError):
        await lab.replies.run(lambda: lab.truth.ask(Position(rules_of("tictactoe", "mnk"))), WARM_SECONDS)
