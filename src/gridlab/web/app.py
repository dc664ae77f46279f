"""The application: routes, errors as sentences, the page, and the guard around all of it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.middleware.gzip import GZipMiddleware

from gridlab import __version__
from gridlab.core.errors import GridlabError
from gridlab.games.mnk.position import Position
from gridlab.games.registry import game
from gridlab.web.guard import Guard
from gridlab.web.lab import Lab
from gridlab.web.models import Problem
from gridlab.web.pages import pages
from gridlab.web.problems import say_errors
from gridlab.web.routes import data, game2048, jobs, mnk, puzzles
from gridlab.web.routes import lab as lab_routes
from gridlab.web.settings import Settings
from gridlab.web.work import TooLong

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
    root = APIRouter()
    lab_routes.health(root)
    app.include_router(root)
    for each in (lab_routes, mnk, game2048, puzzles, jobs, data):
        app.include_router(each.router(lab), prefix=API)
    app.mount("/", GZipMiddleware(pages(STATIC)), name="page")
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
        await lab.replies.run(lambda: lab.truth.ask(Position(game("tictactoe", "mnk"))), WARM_SECONDS)
