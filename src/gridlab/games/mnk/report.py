"""Everything there is to say about one position, for people and as JSON."""

from typing import Any, NamedTuple

from gridlab.games import notation
from gridlab.games.mnk.position import Position
from gridlab.games.symmetry import symmetries


class PositionReport(NamedTuple):
    """What `gridlab show` prints."""

    position: Position

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
            "outcome": outcome.value if outcome else "ongoing",
            "to_move": None if outcome else position.to_move,
            "moves": [notation.move_text(cell, rules.rows, rules.cols) for cell in position.moves()],
            "canonical": str(best),
            "symmetry": symmetry.name,
            "orbit": len(images),
        }

    def __str__(self) -> str:
        facts = self.as_dict()
        legal = "yes" if facts["legal"] else f"no: {facts['reason']}"
        lines = [
            ("board", facts["board"]),
            ("ply", facts["ply"]),
            ("legal", legal),
            ("outcome", facts["outcome"]),
            ("to move", facts["to_move"] or "nobody"),
            ("bitboards", f"crosses {facts['crosses']}, noughts {facts['noughts']}, packed {facts['packed']}"),
            ("canonical", f"{facts['canonical']} ({facts['symmetry']}), one of {facts['orbit']} images"),
        ]
        return "\n".join([self.position.draw(), "", *(f"{name:<10} {fact}" for name, fact in lines)])
