"""Work off the event loop: lanes for what a page waits for, jobs that show their progress, and what is said of both.

A lane has some threads and a bounded queue; whoever comes when it is full is told so. Work is stopped by the flag that
kernels look at (gridlab.core.run): when its time is up, when the client has left, when somebody cancels it. All
threads have the same priority: one with less would be slow to give back the interpreter's lock, and all would wait.

What can be refused at once is refused with a status and a sentence. An answer in parts is a line of JSON for each thing
as it becomes known:

    {"part": "game", …}      what the rules say at once
    {"part": "doing", …}     what is being worked at, any number of times
    {"part": "values", …}    whatever else was asked for
    {"part": "end"}          always the last: or {"part": "error", "error": a sentence, "status": …}
"""

import asyncio
import itertools
import json
import logging
import secrets
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial, wraps
from inspect import Parameter, signature
from typing import Any, Literal, TypeVar

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, StreamingResponse
from starlette.exceptions import HTTPException

from gridlab.core.bits import Stop
from gridlab.core.errors import CorruptFile, FileTrouble, GridlabError, MissingExtra
from gridlab.core.jit import compiling
from gridlab.core.run import pause, stop_flag, working
from gridlab.web.folder import NotHere
from gridlab.web.limits import REPLY_SECONDS

# ---- Lanes: threads for what a page waits for


Result = TypeVar("Result")
Part = dict[str, Any]  # {"part": its name, …}
Tell = Callable[..., None]  # tell("values", value="win", …)
State = Literal["waiting", "running", "done", "failed", "cancelled"]
GLANCE = 0.1  # seconds between two looks whether the client is still there
WORD = 0.3  # seconds of silence after which an answer in parts says that something is being compiled
PATIENCE = 5.0  # seconds without a listener after which a job is cancelled
KEPT = 32  # jobs whose results are remembered
COMPILING = "compiling, the first time only"


class Busy(Exception):
    """The queue is full."""


class TooLong(Exception):
    """Time is up, or the client has left."""


class Lane:
    """Threads for work of one kind, and so many places for what waits."""

    def __init__(self, name: str, threads: int, waiting: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._room, self._taken = threads + waiting, 0
        self._flags: dict[int, Stop] = {}
        self._closed = False
        self._numbers = itertools.count()

    async def run(
        self, function: Callable[[], Result], seconds: float, has_left: Callable[[], Awaitable[bool]] | None = None
    ) -> Result:
        """The result of a function; TooLong when its time is up or nobody waits for it any more."""
        if self._closed or self._taken >= self._room:
            raise Busy
        self._taken += 1
        number, stop = next(self._numbers), stop_flag()
        self._flags[number] = stop
        future = asyncio.get_running_loop().run_in_executor(self._pool, _stoppable, stop, function)
        future.add_done_callback(lambda done: self._leave(number))
        end = time.monotonic() + seconds
        try:
            while True:
                done, _ = await asyncio.wait({future}, timeout=GLANCE)
                if done:
                    return future.result()
                if self._closed:
                    raise TooLong
                if time.monotonic() > end or (has_left is not None and await has_left()):
                    stop[0] = 1
        finally:
            stop[0] = 1

    def route(self, work: Callable[..., Result]) -> Callable[..., Awaitable[Result]]:
        """The work of a route done in this lane, as long as the client waits for it."""

        @wraps(work)
        async def run(request: Request, **asked: Any) -> Result:
            return await self.run(partial(work, **asked), REPLY_SECONDS, request.is_disconnected)

        known, client = signature(work), Parameter("request", Parameter.KEYWORD_ONLY, annotation=Request)
        run.__signature__ = known.replace(parameters=[*known.parameters.values(), client])  # type: ignore[attr-defined]
        return run

    async def parts(self, work: Callable[[Tell], object], seconds: float) -> AsyncIterator[Part]:
        """What `work(tell)` tells, part by part, as it becomes known; whoever stops listening stops the work."""
        told: asyncio.Queue[Part] = asyncio.Queue()
        loop = asyncio.get_running_loop()

        def tell(part: str, **what: Any) -> None:
            pause()
            loop.call_soon_threadsafe(told.put_nowait, {"part": part, **what})

        working = asyncio.ensure_future(self.run(lambda: work(tell), seconds))
        try:
            while not working.done() or not told.empty():
                next_part = asyncio.ensure_future(told.get())
                await asyncio.wait({working, next_part}, timeout=WORD, return_when=asyncio.FIRST_COMPLETED)
                if next_part.done():
                    yield next_part.result()
                    continue
                next_part.cancel()
                if compiling() and not working.done():
                    yield {"part": "doing", "doing": COMPILING}
            await working
        finally:
            working.cancel()

    def _leave(self, number: int) -> None:
        self._taken -= 1
        del self._flags[number]

    def close(self) -> None:
        self._closed = True
        for stop in list(self._flags.values()):
            stop[0] = 1
        self._pool.shutdown(wait=False, cancel_futures=True)


def _stoppable(stop: Stop, function: Callable[[], Result]) -> Result:
    try:
        with working(stop):
            pause()
            return function()
    except KeyboardInterrupt as error:
        raise TooLong from error


# ---- Jobs: long work that shows its progress


@dataclass
class Job:
    """Long work: what it is, how far it has come, and what came of it."""

    kind: str
    id: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    state: State = "waiting"
    doing: str = ""
    done: float = 0.0
    total: float | None = None
    partial: Any = None  # a result so far
    result: Any = None
    error: str = ""
    version: int = 0  # goes up with every change
    stop: Stop = field(default_factory=stop_flag)
    deadline: float = 0.0
    listeners: int = 0
    left_at: float = field(default_factory=time.monotonic)
    place: "Future[None] | None" = None  # in the queue

    @property
    def active(self) -> bool:
        return self.state in ("waiting", "running")

    def change(self, **values: Any) -> None:
        for name, value in values.items():
            setattr(self, name, value)
        self.version += 1

    def cancel(self) -> None:
        """Stop it; if it has not begun, it never does, and its place is free at once."""
        self.stop[0] = 1
        if self.place is not None and self.place.cancel():
            self.change(state="failed" if self.error else "cancelled")

    def hear(self, doing: str, done: float, total: float | None) -> None:
        """What a bar of the work says; the place where work in Python hears that it is to stop."""
        self.change(doing=doing, done=done, total=total)
        pause()


class Jobs:
    """Jobs, a few at a time."""

    def __init__(self, threads: int, waiting: int, seconds: float, plain: Callable[[str], str] = str) -> None:
        """`plain` makes of an error a sentence for those outside."""
        self._plain = plain
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="job")
        self._room, self._seconds = threads + waiting, seconds
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._closed = False

    def begin(self, kind: str, function: Callable[[Job], Any], seconds: float | None = None) -> Job:
        """Begin a job, or Busy; it is cancelled when nobody has listened for a while."""
        if self._closed or sum(each.active for each in self._jobs.values()) >= self._room:
            raise Busy
        job = Job(kind)
        job.deadline = time.monotonic() + (seconds or self._seconds)
        self._jobs[job.id] = job
        for old in [each for each in self._jobs.values() if not each.active][: max(0, len(self._jobs) - KEPT)]:
            del self._jobs[old.id]
        job.place = self._pool.submit(_run, job, function, self._plain)
        return job

    def get(self, number: str) -> Job | None:
        return self._jobs.get(number)

    def tidy(self) -> None:
        """Stop what nobody waits for, and what takes too long."""
        now = time.monotonic()
        for job in list(self._jobs.values()):
            if not job.active:
                continue
            if now > job.deadline:
                job.error = "it took longer than it may here; the command line has no such limit"
                job.cancel()
            elif not job.listeners and now - job.left_at > PATIENCE:
                job.cancel()

    def close(self) -> None:
        """Stop all; whoever listens hears it at once, though a thread may need a moment to return."""
        self._closed = True
        for job in [each for each in self._jobs.values() if each.active]:
            job.cancel()
            job.change(state="cancelled")
        self._pool.shutdown(wait=False, cancel_futures=True)


def _run(job: Job, function: Callable[[Job], Any], plain: Callable[[str], str]) -> None:
    try:
        with working(job.stop, hear=job.hear):
            pause()
            job.change(state="running")
            result = function(job)
        job.change(state="done", result=result)
    except KeyboardInterrupt:
        job.change(state="failed" if job.error else "cancelled")
    except GridlabError as error:
        job.change(state="failed", error=plain(str(error)))
    except MemoryError:
        job.change(state="failed", error="there is not enough memory for this; ask for less")
    except Exception:
        job.change(state="failed", error="something went wrong in the server; its terminal says more")
        raise


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
