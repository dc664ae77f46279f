"""Which part of a game a dataset records, and where games stop: what the generator does and the verifier expects.

easy       to the first 256          hard       from the first 1024 on
medium     to the first 1024
"""

from typing import Literal, NamedTuple

Curriculum = Literal["", "easy", "medium", "hard"]

MAX_MOVES = 5000  # where a game stops unless its file says otherwise


class Stage(NamedTuple):
    """A step of the curriculum."""

    depth: int  # of the search, if no other player is named
    until: int = 0  # the tile that ends the run; 0 for the end of the game
    since: int = 0  # the tile that begins it; 0 for the start of the game


WHOLE_GAME = Stage(depth=4)
CURRICULUM = {
    "easy": Stage(depth=2, until=256),
    "medium": Stage(depth=3, until=1024),
    "hard": Stage(depth=5, since=1024),
}


def stage(name: str) -> Stage:
    """The step of this name; whole games if there is none."""
    return CURRICULUM.get(name, WHOLE_GAME)
