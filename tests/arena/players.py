"""Players for tests, by name."""

from collections.abc import Callable

import numpy as np
import pytest

from gridlab.core.errors import PlayerFault
from gridlab.inarow.players import PLAYERS
from gridlab.inarow.position import Position
from gridlab.players.registry import Kind


class First:
    """The first free cell."""

    def move(self, position: Position, random: np.random.Generator) -> int:
        return position.moves()[0]

    def close(self) -> None:
        pass


class Answers(First):
    """Gives one and the same answer."""

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def move(self, position: Position, random: np.random.Generator) -> int:
        return self.answer  # type: ignore[return-value]


class Late(First):
    """Never has an answer."""

    def move(self, position: Position, random: np.random.Generator) -> int:
        raise PlayerFault("no answer within 2 seconds")


def add_player(monkeypatch: pytest.MonkeyPatch, name: str, make: Callable[[], First]) -> None:
    monkeypatch.setitem(PLAYERS, name, Kind(lambda rules: make(), {}, "for tests"))
