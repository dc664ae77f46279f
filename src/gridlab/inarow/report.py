"""Everything there is to say about one position, for people and as JSON."""

from typing import Any, NamedTuple

from gridlab.core import draw
from gridlab.core.arguments import counted
from gridlab.games import grid
from gridlab.games.grid import symmetries
from gridlab.inarow.position import Flaw, Position
from gridlab.inarow.rules import Rules


def bits_text(stones: int, rules: Rules) -> str:
    """A bitboard as a binary number of a digit a cell, as a decimal one, and its stones counted."""
    return f"{stones:0{rules.cells}b} = {stones}, {counted(stones.bit_count(), 'stone')}"


def bit_order(rules: Rules) -> str:
    """Which bit is which cell; a binary number is written from the highest down, so its last digit is bit 0."""
    bits = [str(cell) for cell in range(rules.cells)]
    rows = [bits[first : first + rules.cols] for first in range(0, rules.cells, rules.cols)]
    width = len(bits[-1])
    return "\n".join(["bit of each cell", *("  ".join(f"{bit:>{width}}" for bit in row) for row in rows)])


class NoPosition(NamedTuple):
    """Two bitboards that no board can show."""

    rules: Rules
    crosses: int
    noughts: int
    flaw: Flaw

    def as_dict(self) -> dict[str, Any]:
        return {
            "rules": str(self.rules),
            "crosses": self.crosses,
            "noughts": self.noughts,
            "legal": False,
            "flaw": self.flaw.name.lower(),
            "reason": self.flaw.value,
        }

    def __str__(self) -> str:
        lines = [
            ("crosses", bits_text(self.crosses, self.rules)),
            ("noughts", bits_text(self.noughts, self.rules)),
            ("legal", f"no: {self.flaw.value}"),
        ]
        return "\n".join([bit_order(self.rules), "", *(f"{name:<10} {fact}" for name, fact in lines)])


class PositionReport(NamedTuple):
    """What `gridlab show` prints; `reading` says what the numbers meant, if the board was given as a list of them."""

    position: Position
    reading: str | None = None

    def as_dict(self) -> dict[str, Any]:
        position, rules = self.position, self.position.rules
        flaw, outcome = position.flaw(), position.outcome()
        best, symmetry = position.canonical()
        images = {position.image(each) for each in symmetries(rules.rows, rules.cols)}
        return {
            "rules": str(rules),
            "board": str(position),
            "ply": position.ply,
            "crosses": position.crosses,
            "noughts": position.noughts,
            "packed": position.packed,
            "legal": flaw is None,
            "flaw": flaw and flaw.name.lower(),
            "reason": flaw and flaw.value,
            "outcome": None if flaw else outcome.value if outcome else "ongoing",
            "to_move": None if flaw or outcome else position.to_move,
            "moves": [] if flaw else [grid.move_text(cell, rules.rows, rules.cols) for cell in position.moves()],
            "canonical": str(best),
            "symmetry": symmetry.name,
            "orbit": len(images),
        } | ({"reading": self.reading} if self.reading else {})

    def __str__(self) -> str:
        facts = self.as_dict()
        legal = "yes" if facts["legal"] else f"no: {facts['reason']}"
        lines = [
            ("board", facts["board"]),
            ("ply", facts["ply"]),
            ("legal", legal),
            ("outcome", facts["outcome"] or "none, as no game leads here"),
            ("to move", facts["to_move"] or "nobody"),
            ("crosses", bits_text(facts["crosses"], self.position.rules)),
            ("noughts", bits_text(facts["noughts"], self.position.rules)),
            ("packed", facts["packed"]),
            ("canonical", f"{facts['canonical']} ({facts['symmetry']}), one of {counted(facts['orbit'], 'image')}"),
        ]
        if self.reading:
            lines.insert(0, ("read with", self.reading))
        boards = draw.beside([self.position.draw(), bit_order(self.position.rules)])
        return "\n".join([boards, "", *(f"{name:<10} {fact}" for name, fact in lines)])
