"""Whether the command line accepts a command, without running it."""

import shlex
from typing import Any

import typer

from gridlab.cli import app


def parse(command: str) -> None:
    """Every word is read as the command would read it: files that are to be there, rules, players; or it raises."""
    found: Any = typer.main.get_command(app)
    name, context, words = "gridlab", None, shlex.split(command)
    while hasattr(found, "resolve_command"):
        context = found.make_context(name, words, parent=context)
        name, found, words = found.resolve_command(context, [*context._protected_args, *context.args])
    found.make_context(name, words, parent=context)
