"""`gridlab serve`: the web lab."""

import re
from pathlib import Path
from typing import Annotated

import typer

from gridlab.cli.options import source, whole
from gridlab.core.errors import BadNotation, FileTrouble


def serve(
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="Where to listen; others can come in at 0.0.0.0.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option(
            "--port",
            metavar="N",
            parser=whole(0, 65535),
            help="0 is any free one; 8000 by default, or one that is free.",
        ),
    ] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    folder: Annotated[
        Path,
        typer.Option("--folder", metavar="DIR", parser=source, help="Datasets, tables and networks to show."),
    ] = Path(),
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", metavar="NAME", help="A name under which others may ask for it; can be repeated."),
    ] = None,
    commands: Annotated[
        bool, typer.Option("--commands", help="Players may start programs: whoever can open the page can, too.")
    ] = False,
) -> None:
    """The web lab: play, see the exact value of every move, run matches, look into datasets.

    Only what lies inside the folder can be named, and nothing in it is changed but indexes of games.
    """
    from gridlab.core.extras import import_extra

    for name in ("fastapi", "uvicorn"):
        import_extra(name, "web")
    from gridlab.web.serve import serve as run
    from gridlab.web.settings import Settings

    if not folder.is_dir():
        raise FileTrouble(f"{folder} is no folder; name one with --folder")
    names = tuple(name.lower() for name in allow_host or ())
    for name in (host, *names):
        if not re.fullmatch(r"[A-Za-z0-9._:-]{1,253}", name):
            raise BadNotation(f"{name[:40]!r} is no name or address of a machine")
    run(Settings(folder, host, names, commands), port, lambda text: typer.echo(text, err=True), open_page)
