"""Groups of commands, and how their help lists what they do."""

from typing import Any

import typer
from typer.core import TyperGroup

HELP = {"help_option_names": ["-h", "--help"]}
WHOLE = 10_000  # characters; no sentence of a command is longer


class Listed(TyperGroup):
    """Lists its commands with the whole first sentence of each, over several lines where one is too short."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, each.get_short_help_str(WHOLE)) for name, each in self.commands.items()])


def group(line: str) -> typer.Typer:
    """A group of commands, described in one line."""
    return typer.Typer(help=line, cls=Listed, rich_markup_mode=None, context_settings=HELP)
