"""What gridlab asks of a game. There is no base class: whatever has these names fits.

    rules = game("squava")                       a small frozen value, hashable, read by `parse`, written by `str`
    position = Position.start(random, rules)     a frozen value too
    position.moves()                             none when the game is over
    position.step(move, random)                  the next position with a decision in it: a move, and what chance adds
    position.move_text(move)                     how people write a move; `parse_move` reads it

`random` is the only source of chance. `gridlab.games.laws` checks a game against all of this.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

Move = Any  # a cell, a direction: hashable, and equal to itself only
R = TypeVar("R", bound="GameRules")


class GameRules(Protocol):
    """The rules of one game of a family."""

    family: ClassVar[str]  # its name in gridlab.games.registry.FAMILIES
    sides: ClassVar[tuple[str, ...]]  # who plays, in the order of their first moves: ("X", "O"), or one name alone

    @property
    def words(self) -> str:
        """The game in a few sentences, for a player who has never heard of it."""

    @classmethod
    def parse(cls: type[R], text: str, /) -> R: ...


class GamePosition(Protocol):
    """A position of a game."""

    @property
    def rules(self) -> Any: ...

    @property
    def to_move(self) -> str:
        """One of the sides."""

    @property
    def over(self) -> bool: ...

    def moves(self) -> Sequence[Move]:
        """Every legal move, in the order that decides among equals; none when the game is over."""

    def step(self, move: Move, random: np.random.Generator, /) -> "GamePosition":
        """The position in which the next decision is taken; IllegalMove for what is none of `moves()`."""

    def move_text(self, move: Move, /) -> str: ...

    def parse_move(self, text: str, /) -> Move: ...

    def draw(self) -> str:
        """The board for a terminal."""


class DuelPosition(GamePosition, Protocol):
    """A position of a game between two sides without chance: what matches, records, grades and exams go by."""

    @property
    def ply(self) -> int:
        """How many moves were made."""

    @property
    def winner(self) -> str | None:
        """The side that has won; None in a draw, and as long as the game goes on."""
