"""Options that mean the same in every command."""

import json
import logging
from pathlib import Path
from typing import Annotated, Any

import typer

Game = Annotated[str, typer.Argument(metavar="GAME", help="A name, or rules such as 3x3:3 or 5x5:4-3.")]
Out = Annotated[Path | None, typer.Option("-o", "--out", "--output", help="Where to write; missing folders are made.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress and no remarks on stderr.")]
Seed = Annotated[int | None, typer.Option("--seed", help="Makes random choices repeatable.")]
Workers = Annotated[
    int | None,
    typer.Option("--workers", min=1, help="Threads or processes; all cores by default. Same result."),
]


def print_result(result: Any, as_json: bool) -> None:
    """Print a result as text, or what its `as_dict` gives as JSON."""
    typer.echo(json.dumps(result.as_dict()) if as_json else str(result))


def set_quiet(quiet: bool) -> None:
    """With --quiet only errors are said."""
    if quiet:
        logging.getLogger("gridlab").setLevel(logging.ERROR)
