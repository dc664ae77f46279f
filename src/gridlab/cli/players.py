"""`gridlab players`: who can play."""

from typing import Annotated

import typer

from gridlab.cli.completion import games
from gridlab.cli.options import Json, print_result


def players(
    game: Annotated[
        str, typer.Argument(metavar="[GAME]", help="List only the players of this game.", autocompletion=games)
    ] = "",
    json: Json = False,
) -> None:
    """List all players, their settings, and what they need, including players from installed packages."""
    from gridlab.players.listing import list_players

    print_result(list_players(game), json)
