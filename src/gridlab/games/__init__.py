"""What the games are. Nothing here knows of files, search or learning."""

from gridlab.games.registry import FAMILIES, game

__all__ = ["NAMED", "game"]

NAMED = {name: game(name) for family in FAMILIES.values() for name in family.named}
