"""`gridlab play`, `players` and `serve`: a game in the terminal, who can play, and the web lab."""

import atexit
import os
import re
import sys
import threading
from pathlib import Path
from typing import Annotated, Literal

from gridlab.cli import options
from gridlab.core.errors import BadNotation, FileTrouble

# ---- `gridlab players`: who can play


def players(game: options.GameText = "", json: options.Json = False) -> None:
    """List all players, their settings, and what they need, including players from installed packages.

    [GAME]      List only the players of this game.
    """
    from gridlab.players.registry import list_players

    options.print_result(list_players(game), json)


# ---- `gridlab serve`: the web lab


INTERRUPTED = 130
PATIENCE = 0.1  # seconds for threads to end when the server has


def serve(
    host: str = "127.0.0.1", port: Annotated[int, options.whole(0, 65535)] | None = None, open_page: bool = False,
    folder: options.Source = Path(), allow_host: list[str] | None = None, commands: bool = False,
) -> None:  # fmt: skip
    """Start the web lab: play, see the exact value of every move, run matches, browse datasets.

    Only files inside the folder can be opened, and nothing in it is changed except indexes of games.

    --host ADDRESS      The address to listen on; 0.0.0.0 lets other machines connect.
    --port N            The port; 0 takes any free one. 8000 by default, or a free one if that is taken.
    --open              Open the page in a browser.
    --folder DIR        The folder with the datasets, tables and networks to show.
    --allow-host NAME   Another name by which this machine may be reached; can be repeated.
    --commands          Let players start programs; then anybody who can open the page can, too.
    """
    from gridlab.core.run import import_extra

    for name in ("fastapi", "uvicorn"):
        import_extra(name, "web")
    from gridlab.web.serve import serve as run
    from gridlab.web.work import Settings

    if not folder.is_dir():
        raise FileTrouble(f"{folder} is not a folder; name one with --folder")
    names = tuple(name.lower() for name in allow_host or ())
    for name in (host, *names):
        if not re.fullmatch(r"[A-Za-z0-9._:-]{1,253}", name):
            raise BadNotation(
                f"{name[:40]!r} is not the name or address of a machine; write it as localhost or 127.0.0.1"
            )
    try:
        run(Settings(folder, host, names, commands), port, options.tell, open_page)
    except KeyboardInterrupt:
        _end_soon()
        raise


def _end_soon() -> None:
    """End the process without taking Python apart, which costs half a second.

    And even if a thread is deep in what cannot be stopped, such as the compiler: Python would wait for it.
    """
    atexit.register(os._exit, INTERRUPTED)
    end = threading.Timer(PATIENCE, os._exit, [INTERRUPTED])
    end.daemon = True
    end.start()


# ---- `gridlab play`: a game in the terminal


def play(
    game: options.Game, against: options.PlayerText | None = None,
    side: Annotated[Literal["x", "o"], options.Also("case_sensitive", False)] = "x", seed: options.Seed = None,
    tablebase: options.Table = None, out: options.Target | None = None,
) -> None:  # fmt: skip
    """Play a game in the terminal, with hints and the exact value of every move.

    A move is a row and a column: 11 is the top left cell. Type help for the commands, and q or Ctrl-D to leave. You
    play 2048 alone, with the arrow keys; --against names the adviser who gives the hints.

    --against PLAYER        A player, perfect by default; nobody lets two people share the keyboard; in 2048 the
                            adviser.
    --side                  The stones you play; x begins.
    -o --out --output FILE  Add finished games to this file, as JSON lines.
    """
    from gridlab.arena.terminal import Console
    from gridlab.arena.terminal import play as play_at

    play_at(game, Console(ask, options.print_boards, against, "X" if side == "x" else "O", seed, tablebase, out))


def ask(prompt: str) -> str:
    """A line from the person; stdin may have ended, be closed, or hold bytes that are no text."""
    if sys.stdin is None:
        raise EOFError
    try:
        return input(prompt)
    except UnicodeDecodeError:
        return "?"
