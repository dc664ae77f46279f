"""Nim with one heap, a whole family of games in one module: take one to three stones, who takes the last one wins.

What gridlab asks of a game is drawn in gridlab.games.protocol; CONTRIBUTING.md enters this one into the registry.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gridlab import BadNotation, BadRules, IllegalMove, Session, make_player
from gridlab.arena.terminal import Console, until_goodbye
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


PLAYERS = {"perfect": Kind(lambda rules: Perfect(), {}, "leaves a multiple of four")}


def play(rules: Rules, console: Console) -> None:
    """In the terminal, against a player."""
    session = Session.begin(rules, {"second": make_player(console.against or "perfect", rules)}, console.seed)

    def hold() -> None:
        while not session.over:
            console.say(session.position.draw())
            if session.waits_for_person:
                session.play(session.position.parse_move(console.ask("take: ")))
            else:
                console.say(f"the player takes {session.reply()}")

    until_goodbye(hold, console.say)
