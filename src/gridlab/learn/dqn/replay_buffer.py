"""What has been played, to be learnt from in random order: a ring of moves, the oldest of which make room.

A move is kept as the position before it, its reward, and the position after it, each as the player to move has it. A
move that ends the game, and a position whose value is known from elsewhere, has nothing after it.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Moves(NamedTuple):
    """Moves, column by column."""

    own: NDArray[np.int64]  # [move]: the stones of its maker before it
    other: NDArray[np.int64]
    next_own: NDArray[np.int64]  # those of the opponent, who is next
    next_other: NDArray[np.int64]
    reward: NDArray[np.float32]
    done: NDArray[np.bool_]  # nothing comes after it


def new_moves(number: int) -> Moves:
    own, other, next_own, next_other = np.zeros((4, number), np.int64)
    return Moves(own, other, next_own, next_other, np.zeros(number, np.float32), np.zeros(number, np.bool_))


def each_column(change: Callable[..., Any], *moves: Moves) -> Moves:
    """The columns that come of a change of each."""
    return Moves(*(change(*columns) for columns in zip(*moves, strict=True)))


class Replay:
    """The latest `capacity` moves."""

    def __init__(self, capacity: int, moves: Moves | None = None, added: int = 0) -> None:
        self.capacity = capacity
        self.moves = new_moves(capacity)
        self.added = added  # ever
        if moves is not None:
            self._write(slice(len(moves.own)), moves)

    def __len__(self) -> int:
        return min(self.added, self.capacity)

    def add(self, moves: Moves) -> None:
        """Write down moves, over the oldest ones if there is no room."""
        number = len(moves.own)
        places = np.arange(self.added, self.added + number) % self.capacity
        self._write(places, moves)
        self.added += number

    def _write(self, places: Any, moves: Moves) -> None:
        for name in Moves._fields:
            getattr(self.moves, name)[places] = getattr(moves, name)

    def kept(self) -> Moves:
        """All moves in their places."""
        return each_column(lambda column: column[: len(self)], self.moves)

    def sample(self, number: int, random: np.random.Generator) -> Moves:
        """Different moves, all equally likely."""
        chosen = random.choice(len(self), number, replace=False, shuffle=False)
        return each_column(lambda column: column[chosen], self.moves)
