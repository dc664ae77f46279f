"""What a server was started with, and what every request passes: who may ask, how much, which headers.

A page of somebody else's must not talk to this server: the Host must be an address or a name that is ours (so that no
foreign name can be bound to it), and the Origin of a request, where a browser says it, must be that same host.
"""

import ipaddress
import json
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException

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
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class BodyTooLarge(HTTPException):
    """More bytes than a request may have."""

    def __init__(self) -> None:
        super().__init__(413, TOO_LARGE)


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
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()


def _limited(receive: Receive) -> Receive:
    """A body of any length is read as far as it may go."""
    read = 0

    async def receiving() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > MOST_BODY:
            raise BodyTooLarge
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
