"""The application: routes, errors as sentences, the page, and the guard around all of it."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from gridlab import __version__
from gridlab.core.errors import FileTrouble, GridlabError, SpoiltFile
from gridlab.games.mnk.position import Position
from gridlab.games.registry import game
from gridlab.web.guard import Guard
from gridlab.web.lab import Lab
from gridlab.web.models import Problem
from gridlab.web.players import NotHere
from gridlab.web.routes import data, game2048, jobs, mnk
from gridlab.web.routes import lab as lab_routes
from gridlab.web.settings import Settings
from gridlab.web.work import Busy, TooLong

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
    root = APIRouter()
    lab_routes.health(root)
    app.include_router(root)
    for each in (lab_routes, mnk, game2048, jobs, data):
        app.include_router(each.router(lab), prefix=API)
    app.mount("/", StaticFiles(directory=STATIC, html=True), name="page")
    _say_errors(app)
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


def _say_errors(app: FastAPI) -> None:
    """Whatever goes wrong is said in a sentence."""

    @app.exception_handler(GridlabError)
    async def refused(request: Request, error: GridlabError) -> JSONResponse:
        statuses = ((NotHere, 403), (SpoiltFile, 422), (FileTrouble, 404))
        return _problem(next((status for kind, status in statuses if isinstance(error, kind)), 400), str(error))

    @app.exception_handler(RequestValidationError)
    async def misshapen(request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(each) for each in first["loc"] if each not in ("body", "query", "path"))
        return _problem(422, f"{where or 'the request'}: {first['msg'].lower()}")

    @app.exception_handler(HTTPException)
    async def not_there(request: Request, error: HTTPException) -> JSONResponse:
        answer = _problem(error.status_code, str(error.detail))
        answer.headers.update(error.headers or {})
        return answer

    @app.exception_handler(Busy)
    async def busy(request: Request, error: Busy) -> JSONResponse:
        answer = _problem(429, "the server has too much to do; ask again in a moment")
        answer.headers["retry-after"] = "2"
        return answer

    @app.exception_handler(TooLong)
    async def too_long(request: Request, error: TooLong) -> JSONResponse:
        return _problem(409, "that took longer than a page can wait; choose a faster player, or a smaller board")

    @app.exception_handler(MemoryError)
    async def too_much(request: Request, error: MemoryError) -> JSONResponse:
        return _problem(409, "there is not enough memory for this; ask for less")

    @app.exception_handler(Exception)
    async def lost(request: Request, error: Exception) -> JSONResponse:
        with suppress(Exception):
            logging.getLogger("gridlab").error("a request failed", exc_info=error)
        return _problem(500, "something went wrong in the server; its terminal says more")


def _problem(status: int, sentence: str) -> JSONResponse:
    return JSONResponse({"error": sentence}, status)
