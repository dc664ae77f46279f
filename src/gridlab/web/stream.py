"""An answer in parts, a line of JSON for each thing as it becomes known; whatever goes wrong, said in a sentence.

    {"part": "game", …}      what the rules say at once
    {"part": "doing", …}     what is being worked at, any number of times
    {"part": "values", …}    whatever else was asked for
    {"part": "end"}          always the last: or {"part": "error", "error": a sentence, "status": …}

What can be refused at once is refused before the first part, with a status, like everything else.
"""

import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import suppress

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, StreamingResponse
from starlette.exceptions import HTTPException

from gridlab.core.errors import CorruptFile, FileTrouble, GridlabError, MissingExtra
from gridlab.web.folder import NotHere
from gridlab.web.work import Busy, Lane, Tell, TooLong

# ---- Whatever goes wrong is said in a sentence, with a status: as an answer, or within one


SENTENCES = {
    Busy: (429, "the server has too much to do; ask again in a moment"),
    TooLong: (409, "that took longer than a page can wait; choose a faster player, or a smaller board"),
    MemoryError: (409, "there is not enough memory for this; ask for less"),
}
STATUSES = ((NotHere, 403), (CorruptFile, 422), (FileTrouble, 404), (GridlabError, 400))
LOST = 500, "something went wrong in the server; its terminal says more"


def problem_of(error: BaseException, plain: Callable[[str], str]) -> tuple[int, str]:
    """The status and the sentence of an error; `plain` keeps to itself what is nobody's business outside."""
    for kind, known in SENTENCES.items():
        if isinstance(error, kind):
            return known
    if isinstance(error, MissingExtra):  # how to get it may name a folder, and concerns whoever runs the server
        return 400, f"{str(error).partition(':')[0]}; `gridlab doctor` says how to get it"
    for kind, status in STATUSES:
        if isinstance(error, kind):
            return status, plain(str(error))
    with suppress(Exception):
        logging.getLogger("gridlab").error("a request failed", exc_info=error)
    return LOST


def say_errors(app: FastAPI, plain: Callable[[str], str]) -> None:
    """Let an application answer every error in this way."""

    async def refused(request: Request, error: Exception) -> JSONResponse:
        status, sentence = problem_of(error, plain)
        answer = problem(status, sentence)
        if status == 429:
            answer.headers["retry-after"] = "2"
        return answer

    for kind in (GridlabError, *SENTENCES, Exception):
        app.add_exception_handler(kind, refused)

    @app.exception_handler(RequestValidationError)
    async def misshapen(request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(each) for each in first["loc"] if each not in ("body", "query", "path"))
        return problem(422, f"{where or 'the request'}: {first['msg'].lower()}")

    @app.exception_handler(HTTPException)
    async def not_there(request: Request, error: HTTPException) -> JSONResponse:
        answer = problem(error.status_code, str(error.detail))
        answer.headers.update(error.headers or {})
        return answer


def problem(status: int, sentence: str) -> JSONResponse:
    return JSONResponse({"error": sentence}, status)


# ---- An answer in parts: one request, and a line of JSON for each thing as it becomes known


MEDIA_TYPE = "application/x-ndjson"


def streamed(
    lane: Lane, work: Callable[[Tell], object], seconds: float, plain: Callable[[str], str]
) -> StreamingResponse:
    """What `work(tell)` tells, as a response; `plain` makes of an error a sentence for those outside."""

    async def lines() -> AsyncIterator[str]:
        try:
            async for part in lane.parts(work, seconds):
                yield json.dumps(part) + "\n"
            yield json.dumps({"part": "end"}) + "\n"
        except Exception as error:
            status, sentence = problem_of(error, plain)
            yield json.dumps({"part": "error", "error": sentence, "status": status}) + "\n"

    return StreamingResponse(lines(), media_type=MEDIA_TYPE)
