"""What a shell can complete beside commands and options: games, players and exams."""

from typing import Any

FAMILY = {"2048 evaluate": "2048"}  # commands that play one family of games alone


def games(incomplete: str) -> list[str]:
    """Names of games; rules such as 5x5:4-3 cannot be listed."""
    from gridlab.games import NAMED

    return [name for name in NAMED if name.startswith(incomplete)]


def players(ctx: Any, incomplete: str) -> list[str]:
    """Names of players of the game that the line names, or of in-a-row games."""
    from gridlab.core.errors import GridlabError
    from gridlab.games.registry import game
    from gridlab.players.registry import kinds_of

    asked = ctx.params.get("game") or ctx.params.get("rules") or FAMILY.get(" ".join(ctx.command_path.split()[1:]))
    try:
        kinds = kinds_of(game(asked or "tictactoe"))
    except GridlabError:
        return []
    return [name for name in kinds if name.startswith(incomplete)]


def game_then_players(ctx: Any, incomplete: str) -> list[str]:
    """Names for GAME PLAYER…: games at first, unless --game has named one, and players of that game then."""
    words = ctx.params.get("words") or ()
    if words and not ctx.params.get("game"):
        ctx.params["game"] = words[0]
    found = players(ctx, incomplete)
    return found if ctx.params.get("game") else [*games(incomplete), *found]


def exams(incomplete: str) -> list[str]:
    """Names of the exams that come with the package; files are for the shell to complete."""
    from gridlab.arena.exams.paper import standard_exams

    return [name for name in standard_exams() if name.startswith(incomplete)]
