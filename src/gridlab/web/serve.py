"""A server that runs until it is stopped, then ends within a second; connections that cost no more than they may."""

import asyncio
import errno
import logging
import os
import signal
import socket
import sys
import threading
import time
import webbrowser
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from gridlab.core.errors import GridlabError
from gridlab.core.run import SIGNALS, give_back, ignore_signals
from gridlab.web.app import make_app
from gridlab.web.lab import Lab
from gridlab.web.work import Settings

# ---- Connections that cost no more than they may: places, times, and what is said of them
#
# A connection has a few seconds for the head of a request, more for its body, and must take what it is sent. When all
# places are taken, the newcomer gets that of the connection which has waited longest without a request, among those of
# the address that holds most: whoever opens many closes his own. Places are fewer than the handles that the system
# gives us, so that files can be opened; should handles run out all the same, nobody is accepted for a second.


HEAD = 10.0  # seconds for the head of a request, from its first byte or, if none has come, from the last answer
BODY = 30.0  # seconds for a whole request
UNREAD = 30.0  # seconds in which something of what was sent must be taken
LOOK = 1.0  # seconds between two looks at a connection
MOST_PLACES, LEAST_PLACES = 512, 8
SPARE = 128  # handles for everything but connections: files, and those who have just come and just left
AT_ONCE = 32  # connections taken before those that are there have their turn
QUIET = 60.0  # seconds in which the log says a thing once
NO_HANDLES = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)

log = logging.getLogger("uvicorn.error")


def places() -> int:
    """Connections that may be open at the same time."""
    try:
        import resource

        handles = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    except ImportError:  # Windows
        return MOST_PLACES
    endless = handles == resource.RLIM_INFINITY
    return MOST_PLACES if endless else max(LEAST_PLACES, min(MOST_PLACES, handles - SPARE))


class Listener(socket.socket):
    """A listening socket that lets in a few at a time, and nobody while there are no handles.

    asyncio asks until it hears that nobody is waiting, which with hundreds waiting may be too late, and after a
    lack of handles it asks on, with an entry in the log each time.
    """

    _entered = 0
    _shut = False

    def accept(self) -> tuple[socket.socket, Any]:
        if self._shut or self._entered >= AT_ONCE:
            self._shut, self._entered = False, 0
            raise BlockingIOError
        self._entered += 1
        try:
            return super().accept()
        except OSError as error:
            self._entered = 0
            self._shut = error.errno in NO_HANDLES
            raise


class Connection(H11Protocol):
    """A connection with limits."""

    places = MOST_PLACES
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.since = self.taken_at = time.monotonic()  # it waits for a request; something was taken of what was sent
        self.unread = 0  # bytes
        self._timer = self.loop.call_later(LOOK, self._look)
        if sum(not each.transport.is_closing() for each in self.connections) > self.places:
            (longest_waiting(self) or self).transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._unset_keepalive_if_required()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.idle and not self.conn.trailing_data[0]:  # the first bytes of a request
            self.since = time.monotonic()
        super().data_received(data)

    def on_response_complete(self) -> None:
        self.since = time.monotonic()
        super().on_response_complete()

    def shutdown(self) -> None:
        if self.idle:
            self.transport.close()
        else:
            self.cycle.keep_alive = False

    @property
    def idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def waits(self) -> bool:
        """Whether it has no request that is whole."""
        return self.idle or bool(self.cycle.more_body)

    @property
    def address(self) -> str:
        return self.client[0] if self.client else ""

    @property
    def too_slow(self) -> bool:
        """Whether it has used up its time."""
        now, unread = time.monotonic(), self.transport.get_write_buffer_size()
        if unread == 0 or unread < self.unread:
            self.taken_at = now
        self.unread = unread
        if now - self.taken_at > UNREAD:
            return True
        if self.idle:
            kept_alive = self.cycle is not None and self.conn.their_state is not h11.SEND_BODY
            return (not kept_alive or bool(self.conn.trailing_data[0])) and now - self.since > HEAD
        return bool(self.cycle.more_body) and now - self.since > BODY

    def _look(self) -> None:
        if self.too_slow:
            self.transport.abort()
        else:
            self._timer = self.loop.call_later(LOOK, self._look)


def longest_waiting(newcomer: Connection) -> Connection | None:
    """Whose place a newcomer gets; nobody's if all others are being answered."""
    there: list[Connection] = [each for each in newcomer.connections if isinstance(each, Connection)]
    waiting = [each for each in there if each.waits and each is not newcomer and not each.transport.is_closing()]
    held = Counter(each.address for each in there)
    return min(waiting, key=lambda each: (-held[each.address], each.since), default=None)


class Calm(logging.Filter):
    """Says a thing once a minute, and nothing any more when the server takes its leave."""

    leaving = False

    def __init__(self) -> None:
        super().__init__()
        self._said: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        now, what = time.monotonic(), str(record.msg)
        if self.leaving or now - self._said.get(what, -QUIET) < QUIET:
            return False
        self._said[what] = now
        return True


def say_of_handles(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """What an event loop does about an error that concerns nobody in particular."""
    error = context.get("exception")
    if isinstance(error, OSError) and error.errno in NO_HANDLES:
        reason = os.strerror(error.errno or 0).lower()
        log.warning("no connection can be accepted: %s; trying again every second", reason)
    else:
        loop.default_exception_handler(context)


# ---- A server that runs until it is stopped, and then ends within a second, whatever it does


PORT = 8000
IDLE = 60  # seconds until a connection that nobody uses is closed: a request that comes just then is lost
FAREWELL = 0.5  # seconds in which answers may come to their end when the server is stopped
STEP = 0.02
SWITCH = 0.0005  # seconds that a thread may keep the lock of Python from others: whoever writes has to wait for it


class AddressTrouble(GridlabError):
    """An address that cannot be listened at."""


def serve(settings: Settings, port: int | None, say: Callable[[str], object], open_page: bool = False) -> None:
    """Serve a folder; port 0 is any free one, None the usual one or, if that is taken, any. Ctrl-C ends it."""
    listening = _listen(settings.host, port) if port is not None else _listen_somewhere(settings.host)
    shown = f"[{settings.host}]" if ":" in settings.host else settings.host
    address = f"http://{shown}:{listening.getsockname()[1]}/"
    give_back()
    sys.setswitchinterval(SWITCH)
    app = make_app(settings)
    Connection.places = places()
    config = uvicorn.Config(
        app, http=Connection, ws="none", loop="asyncio", log_level="warning", access_log=False, server_header=False,
        timeout_keep_alive=IDLE, timeout_graceful_shutdown=1,
    )  # fmt: skip
    server = Server(config, app.state.lab)
    say(f"gridlab is at {address} (Ctrl-C ends it)")
    if open_page:
        webbrowser.open(address)
    with server.calm():
        server.run(sockets=[listening])
    if server.stopped:
        ignore_signals()
        raise KeyboardInterrupt


class Server(uvicorn.Server):
    """Stopped by a signal it stops all work, lets streams end, and hangs up on who is still there."""

    def __init__(self, config: uvicorn.Config, lab: Lab) -> None:
        super().__init__(config)
        self.lab, self.stopped, self._calm = lab, False, Calm()

    @contextmanager
    def calm(self) -> Iterator[None]:
        """Let the log be quiet, as long as the server runs."""
        logs = [logging.getLogger(name) for name in ("uvicorn.error", "asyncio")]
        for each in logs:
            each.addFilter(self._calm)
        try:
            yield
        finally:
            for each in logs:
                each.removeFilter(self._calm)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Every signal that ends a command ends the server, but for those that are ignored."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {each: signal.getsignal(each) for each in SIGNALS if signal.getsignal(each) != signal.SIG_IGN}
        for number in before:
            signal.signal(number, self.handle_exit)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, signal.SIG_IGN if self.stopped else handler)

    def handle_exit(self, *signal_and_frame: object) -> None:
        self.should_exit = self.stopped = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        asyncio.get_running_loop().set_exception_handler(say_of_handles)
        await super().startup(sockets)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._calm.leaving = True
        self.lab.stop()
        for each in list(self.server_state.connections):
            each.shutdown()
        end = time.monotonic() + FAREWELL
        while self.server_state.tasks and time.monotonic() < end:
            await asyncio.sleep(STEP)
        for task in list(self.server_state.tasks):
            task.cancel()
        for each in list(self.server_state.connections):
            each.transport.abort()
        await super().shutdown(sockets)


def _listen_somewhere(host: str) -> Listener:
    try:
        return _listen(host, PORT)
    except AddressTrouble:
        return _listen(host, 0)


def _listen(host: str, port: int) -> Listener:
    """A socket at an address, or why there cannot be one."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        made = Listener(family, kind, protocol)
        try:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind(address)
            made.listen(128)
        except OSError:
            made.close()
            raise
    except (OSError, UnicodeError, OverflowError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise AddressTrouble(f"cannot listen at {host}:{port}: {reason}; name another with --host or --port") from error
    return made
