"""`gridlab players`: who can play."""

from typing import Annotated

import typer

from gridlab.cli.options import Json, print_result


def players(
    game: Annotated[str, typer.Argument(metavar="[GAME]", help="Only those of this game.")] = "",
    json: Json = False,
) -> None:
    """All players with their settings and what they need, those of installed packages too."""
    from gridlab.players.listing import list_players

    print_result(list_players(game), json)
