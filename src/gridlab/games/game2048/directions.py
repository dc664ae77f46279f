"""Directions in every way they may be given: "up", "UP", 0, or Direction.UP. Inside they are lower-case text.

number    0      1        2        3          the actions of environments, and `direction` of a dataset
name      up     down     left     right
"""

from enum import Enum, StrEnum
from typing import Any

from gridlab.core.arguments import told, whole
from gridlab.core.errors import BadNotation
from gridlab.games.game2048.rules import DIRECTIONS


class Direction(StrEnum):
    """A direction that equals its name: `Direction.UP == "up"`, and `Direction(0)` is it too."""

    UP = "up"
    DOWN = "down"
    LEFT = "left"
    RIGHT = "right"

    @classmethod
    def _missing_(cls, value: object) -> "Direction | None":
        found = find_direction(value)
        return None if found is None else cls(found)

    @property
    def number(self) -> int:
        """Its place in the order of moves, 0 to 3."""
        return DIRECTIONS.index(self.value)


def find_direction(given: Any) -> str | None:
    """The name of a direction, None if it is none."""
    if isinstance(given, Enum):
        given = given.value if isinstance(given.value, int | str) else given.name
    if isinstance(given, str):
        name = given.strip().lower()
        return next((each for each in DIRECTIONS if each == name), None)
    number = whole(given)
    return DIRECTIONS[number] if number is not None and 0 <= number < len(DIRECTIONS) else None


def direction_of(given: Any) -> str:
    """The same, or BadNotation."""
    if (found := find_direction(given)) is None:
        raise BadNotation(
            f"{told(given)} is not a direction; there are {', '.join(DIRECTIONS)}, or 0 to 3 in this order"
        )
    return found
