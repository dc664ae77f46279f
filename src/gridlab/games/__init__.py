"""What the games are. Nothing here knows of files, search or learning."""

from gridlab.core.errors import BadRules
from gridlab.games.mnk.rules import FORM, Rules

NAMED = {
    "tictactoe": Rules(3, 3, 3),
    "tictactoe4": Rules(4, 4, 4),
    "tictactoe5": Rules(5, 5, 5),
    "squava": Rules(5, 5, 4, 3),
}


def game(text: str) -> Rules:
    """The game of that name, or with those rules: `game("squava") == game("5x5:4-3")`."""
    if text in NAMED:
        return NAMED[text]
    if ":" in text:
        return Rules.parse(text)
    raise BadRules(f"{text!r} is no game; name one of {', '.join(NAMED)}, or {FORM}")
