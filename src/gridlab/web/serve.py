"""A server that runs until it is stopped."""

import socket
import webbrowser
from collections.abc import Callable

import uvicorn

from gridlab.core.errors import GridlabError
from gridlab.web.app import make_app
from gridlab.web.settings import Settings

PORT = 8000
IDLE = 60  # seconds until a connection that nobody uses is closed: a request that comes just then is lost


class AddressTrouble(GridlabError):
    """An address that cannot be listened at."""


def serve(settings: Settings, port: int | None, say: Callable[[str], object], open_page: bool = False) -> None:
    """Serve a folder; port 0 is any free one, None the usual one or, if that is taken, any. Ctrl-C ends it."""
    listening = _listen(settings.host, port) if port is not None else _listen_somewhere(settings.host)
    shown = f"[{settings.host}]" if ":" in settings.host else settings.host
    address = f"http://{shown}:{listening.getsockname()[1]}/"
    config = uvicorn.Config(
        make_app(settings), log_level="warning", access_log=False, timeout_graceful_shutdown=2, server_header=False,
        timeout_keep_alive=IDLE,
    )  # fmt: skip
    say(f"gridlab is at {address} (Ctrl-C ends it)")
    if open_page:
        webbrowser.open(address)
    uvicorn.Server(config).run(sockets=[listening])


def _listen_somewhere(host: str) -> socket.socket:
    try:
        return _listen(host, PORT)
    except AddressTrouble:
        return _listen(host, 0)


def _listen(host: str, port: int) -> socket.socket:
    """A socket at an address, or why there cannot be one."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        made = socket.socket(family, kind, protocol)
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
