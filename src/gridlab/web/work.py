"""What every request has in common: what it may cost, who may ask, the words it is made of, and the work it begins.

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
import ipaddress
import itertools
import json
import logging
import secrets
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, MutableMapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial, wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from gridlab.core.bits import Stop
from gridlab.core.errors import CorruptFile, FileTrouble, GridlabError, MissingExtra
from gridlab.core.jit import compiling
from gridlab.core.run import pause, stop_flag, working

# ---- What a server was started with, and what a request may cost


GLANCE_NODES = 50_000  # of an exact search that anybody may make at any time: a few hundredths of a second
QUICK_NODES, QUICK_SECONDS = 1_000_000, 5.0  # of one that a page waits for; a third of a second as a rule
PROMPT_SECONDS = 1.5  # of a move of the player `perfect`: exact if that is possible in time, else the best so far
REPLY_SECONDS = 20.0  # of any other player's move, and of all that a request brings back
SOLVE_SECONDS = 300.0  # of a search that shows its progress
JOB_SECONDS = 900.0  # of a match, a grade or a look through a file
MOST_BODY = 1 << 20  # bytes of a request
MOST_GAMES, MOST_POSITIONS = 2000, 2000  # of a match, of a grade
MOST_AUTOPLAY = 50  # moves of one request
OPINION_PLAYOUTS, OPINION_VISITS = 40_000, 200  # of a tree search; a move tried less often has no opinion
# what a player may be asked to do over the web; any other whole number is at most a million
MOST_OF = {"depth": 12, "playouts": 200_000, "expansions": 100_000, "table": 16, "sample": 16, "moves": 1000}
MOST_OF_ANY = 1_000_000
PLAIN_DEPTH = 2  # of an expectimax on boards that no kernel plays


@dataclass(frozen=True)
class Settings:
    """How the server was started."""

    folder: Path
    host: str = "127.0.0.1"
    hosts: tuple[str, ...] = ()  # names under which it may be asked for, beside its own
    commands: bool = False  # whether players may start programs


# ---- What goes over the wire, in the words of the field: a value is for the player to move, a distance counts plies


Side = Literal["X", "O"]
Direction = Literal["up", "down", "left", "right"]

GameText = Annotated[str, Field(max_length=40, description="A name, or rules such as 3x3:3, 5x5:4-3 or 2048:3x3.")]
BoardText = Annotated[str, Field(max_length=400, description="Such as X.O/.X./...; the empty board if it is empty.")]
MoveText = Annotated[str, Field(max_length=5, description="Row and column, both from 1: 23; 2,3 on large boards.")]
PlayerText = Annotated[str, Field(max_length=300, description="Such as perfect, or alpha-beta depth=4.")]
FileName = Annotated[str, Field(max_length=500, description="A file or folder inside the served folder.")]
Seed = Annotated[int, Field(ge=0, le=2**53 - 1)]
Score = Annotated[int, Field(ge=0, le=2**40)]


class ApiModel(BaseModel):
    """What is said of something."""

    @classmethod
    def taken_from(cls, thing: object, **more: Any) -> Self:
        """What the thing itself has under the same names, and more."""
        return cls(**{name: getattr(thing, name) for name in cls.model_fields if name not in more}, **more)


class Told(BaseModel):
    """What is asked for, with nothing else in it."""

    model_config = ConfigDict(extra="forbid")


class Problem(BaseModel):
    """Why something was not done, in a sentence."""

    error: str


class RecordLine(BaseModel):
    """A finished game in the format of `gridlab games verify`, or one of 2048 as `gridlab 2048 verify` reads it."""

    line: str


# ---- Lanes: threads for what a page waits for


Result = TypeVar("Result")
Work = Callable[..., Any]
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


class NotHere(GridlabError):
    """A player that this server does not start."""


class Lane:
    """Threads for work of one kind, and so many places for what waits."""

    def __init__(self, name: str, threads: int, waiting: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._room = threads + waiting
        self._flags: dict[int, Stop] = {}  # of all that have a place
        self._closed = False
        self._numbers = itertools.count()

    async def run(
        self, function: Callable[[], Result], seconds: float, has_left: Callable[[], Awaitable[bool]] | None = None
    ) -> Result:
        """The result of a function; TooLong when its time is up or nobody waits for it any more."""
        if self._closed or len(self._flags) >= self._room:
            raise Busy
        number, stop = next(self._numbers), stop_flag()
        self._flags[number] = stop
        future = asyncio.get_running_loop().run_in_executor(self._pool, _stoppable, stop, function)
        future.add_done_callback(lambda done: self._flags.pop(number))
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

    def on(self, routes: Callable[[Work], Work]) -> Callable[[Callable[..., Result]], Callable[..., Awaitable[Result]]]:
        """Have the work of a route done in this lane: @lane.on(routes.get("/health"))."""
        return lambda work: routes(self._in_lane(work))

    def _in_lane(self, work: Callable[..., Result]) -> Callable[..., Awaitable[Result]]:
        """Work that is done as long as the client waits for it."""

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
        job = Job(kind, deadline=time.monotonic() + (seconds or self._seconds))
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
        return problem(status, sentence, {"retry-after": "2"} if status == 429 else None)

    for kind in (GridlabError, *SENTENCES, Exception):
        app.add_exception_handler(kind, refused)

    @app.exception_handler(RequestValidationError)
    async def misshapen(request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(each) for each in first["loc"] if each not in ("body", "query", "path"))
        return problem(422, f"{where or 'the request'}: {first['msg'].lower()}")

    @app.exception_handler(HTTPException)
    async def not_there(request: Request, error: HTTPException) -> JSONResponse:
        return problem(error.status_code, str(error.detail), error.headers)


def problem(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"error": sentence}, status, headers)


# ---- An answer in parts: one request, and a line of JSON for each thing as it becomes known


MEDIA_TYPE = "application/x-ndjson"


def streamed(lane: Lane, work: Callable[[Tell], object], plain: Callable[[str], str]) -> StreamingResponse:
    """What `work(tell)` tells, as a response; `plain` makes of an error a sentence for those outside."""

    async def lines() -> AsyncIterator[str]:
        try:
            async for part in lane.parts(work, REPLY_SECONDS):
                yield json.dumps(part) + "\n"
            yield json.dumps({"part": "end"}) + "\n"
        except Exception as error:
            status, sentence = problem_of(error, plain)
            yield json.dumps({"part": "error", "error": sentence, "status": status}) + "\n"

    return StreamingResponse(lines(), media_type=MEDIA_TYPE)


# ---- What every request passes: who may ask, how much, and the headers of every answer


Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

TOO_LARGE = f"a request has at most {MOST_BODY:,} bytes"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY, "x-content-type-options": "nosniff", "x-frame-options": "DENY",
    "referrer-policy": "no-referrer", "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin", "permissions-policy": "camera=(), geolocation=(), microphone=()",
}  # fmt: skip


class Guard:
    """Around the whole application."""

    def __init__(self, app: App, settings: Settings) -> None:
        self.app, self.settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        if refusal := self._refusal(headers):
            await _answer(send, *refusal)
            return

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = _with_ours(message["headers"], scope["path"])
            await send(message)

        await self.app(scope, _limited(receive), sending)

    def _refusal(self, headers: dict[str, str]) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if not self._is_ours(_name_of(host)):
            return 421, "this server does not answer under that name; gridlab serve --allow-host NAME lets it"
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2].lower() != host.lower():
            return 403, "this request comes from a page of another server"
        if headers.get("sec-fetch-site") == "cross-site" and headers.get("sec-fetch-mode") != "navigate":
            return 403, "this request comes from a page of another server"
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()) or int(length[:20]) > MOST_BODY:
            return 413, TOO_LARGE
        return None

    def _is_ours(self, name: str) -> bool:
        if name in ("localhost", self.settings.host.lower(), *self.settings.hosts):
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        return address.is_loopback or not _is_loopback(self.settings.host)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _name_of(host: str) -> str:
    """The name in a Host header, without its port: `[::1]:8000` is ::1."""
    name = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    return name.lower()


def _limited(receive: Receive) -> Receive:
    """A body of any length is read as far as it may go."""
    read = 0

    async def receiving() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > MOST_BODY:
            raise HTTPException(413, TOO_LARGE)
        return message

    return receiving


def _with_ours(headers: list[tuple[bytes, bytes]], path: str) -> list[tuple[bytes, bytes]]:
    ours = HEADERS | {"cache-control": "no-store" if path.startswith("/api/") else "no-cache"}
    kept = [(name, value) for name, value in headers if name.decode("latin-1").lower() not in ours]
    return [*kept, *((name.encode(), value.encode()) for name, value in ours.items())]


async def _answer(send: Send, status: int, sentence: str) -> None:
    body = json.dumps({"error": sentence}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": _with_ours(headers, "/api/")})
    await send({"type": "http.response.body", "body": body})
