"""Nim with one heap, a whole family of games in one module: take one to three stones, who takes the last one wins.

What gridlab asks of a game is drawn in gridlab.games.registry; CONTRIBUTING.md enters this one into the registry.
Matches, tournaments, records, grades, exams and play in the terminal then come for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gridlab import BadNotation, BadRules, IllegalMove
from gridlab.players.registry import Kind


@dataclass(frozen=True)
class Rules:
    """A heap of stones: nim:21."""

    heap: int
    family: ClassVar[str] = "nim"
    sides: ClassVar[tuple[str, ...]] = ("first", "second")
    words: ClassVar[str] = "Two players take one to three stones in turn; who takes the last one wins."

    def __str__(self) -> str:
        return f"nim:{self.heap}"

    @classmethod
    def parse(cls, text: str) -> Rules:
        heap = text.partition(":")[2]
        if not (heap.isascii() and heap.isdigit()):
            raise BadRules(f"{text!r} is not a heap; write nim:STONES, such as nim:21")
        return cls(int(heap))


@dataclass(frozen=True)
class Position:
    """What is left of the heap, and how many moves were made."""

    rules: Rules
    left: int
    ply: int = 0

    @classmethod
    def start(cls, random: np.random.Generator, rules: Rules) -> Position:
        return cls(rules, rules.heap)

    @classmethod
    def parse(cls, text: str, rules: Rules) -> Position:
        left, ply = text.split("/")
        return cls(rules, int(left), int(ply))

    def __str__(self) -> str:
        return f"{self.left}/{self.ply}"

    @property
    def to_move(self) -> str:
        return self.rules.sides[self.ply % 2]

    @property
    def over(self) -> bool:
        return self.left == 0

    @property
    def winner(self) -> str | None:
        return self.rules.sides[(self.ply - 1) % 2] if self.over else None

    def moves(self) -> list[int]:
        return [taken for taken in (1, 2, 3) if taken <= self.left]

    def step(self, move: int, random: np.random.Generator) -> Position:
        if move not in self.moves():
            raise IllegalMove(f"{move} cannot be taken from {self.left}; {self.moves()} can")
        return Position(self.rules, self.left - move, self.ply + 1)

    def move_text(self, move: int) -> str:
        return str(move)

    def parse_move(self, text: str) -> int:
        if text not in ("1", "2", "3"):
            raise BadNotation(f"{text!r} is not a number of stones; 1, 2 or 3 can be taken")
        return int(text)

    def draw(self) -> str:
        return "|" * self.left or "nothing is left"


class Perfect:
    """Leaves a multiple of four."""

    def move(self, position: Position, random: np.random.Generator) -> int:
        return position.left % 4 or 1


class Random:
    """Any number of stones."""

    def move(self, position: Position, random: np.random.Generator) -> int:
        return int(random.choice(position.moves()))


PLAYERS = {
    "perfect": Kind(lambda rules: Perfect(), {}, "leaves a multiple of four"),
    "random": Kind(lambda rules: Random(), {}, "any number of stones"),
}


def truth(position: Position) -> dict[int, tuple[str, int]]:
    """What each move is worth, and in how many moves the game ends: who loses takes one stone at a time."""
    return {taken: worth(position.left - taken) for taken in position.moves()}


def worth(rest: int) -> tuple[str, int]:
    """What a move is worth that leaves so many stones."""
    rounds = 2 * (rest // 4)
    return ("loss", rounds + 2) if rest % 4 else ("win", rounds + 1)
