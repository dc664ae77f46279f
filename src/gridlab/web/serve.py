"""A server that runs until it is stopped, and then ends within a second, whatever it does."""

import asyncio
import logging
import signal
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn

from gridlab.core.errors import GridlabError
from gridlab.core.memory import give_back
from gridlab.core.signals import SIGNALS, close_ears
from gridlab.web.app import make_app
from gridlab.web.connections import Calm, Connection, Listener, places, say_of_handles
from gridlab.web.lab import Lab
from gridlab.web.settings import Settings

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
        close_ears()
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
