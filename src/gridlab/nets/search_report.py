"""How a search over a network has found its move: what moves are worth, what was judged, and what was left out."""

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from gridlab.core import draw
from gridlab.core.numbers import counted
from gridlab.games.mnk.position import Position
from gridlab.nets.judge import Judge
from gridlab.search.mnk.depth_limited import DECIDED

SURE = DECIDED // 2  # what is worth more is a win, and no evaluation


class MoveReport(NamedTuple):
    """A move, for its maker."""

    move: str
    low: float | None  # what it is worth at least; None if that was of no interest
    high: float
    network: float | None  # of the position after it, from -1 to 1; None if the game is over there
    heuristic: float | None


@dataclass(frozen=True)
class SearchReport:
    """How a move was found."""

    depth: int
    blend: float
    ply: int  # of the position
    best: MoveReport
    moves: tuple[MoveReport, ...]  # the best first
    leaves: int  # positions at the end of the search
    judged: int  # of these
    pruned: float  # the share that was not
    nodes: int  # moves looked at
    table_hits: float  # the share of them that lead to a position met before
    rounds: int

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "best": self.best._asdict(), "moves": [each._asdict() for each in self.moves]}

    def __str__(self) -> str:
        rows = [
            (each.move, self._worth(each), "" if each.network is None else f"{each.network:+.3f}",
             "" if each.heuristic is None else f"{each.heuristic:+.0f}")
            for each in self.moves
        ]  # fmt: skip
        return "\n".join([
            f"{counted(self.depth, 'ply', 'plies')} ahead, {self.blend:g} network: "
            f"{self.best.move}, worth {self._worth(self.best)}",
            draw.table(("move", "worth", "network", "heuristic"), rows),
            f"{counted(self.leaves, 'position')} at the end, {self.judged:,} of them judged, {self.pruned:.0%} pruned; "
            f"{counted(self.nodes, 'move')} looked at, {self.table_hits:.0%} to a position met before",
        ])  # fmt: skip

    def _worth(self, move: MoveReport) -> str:
        """`+812`, `wins in 3`, or `at most -40`: of a move that is not the best no more is known."""
        return self._text(move.high) if move.low == move.high else f"at most {self._text(move.high)}"

    def _text(self, value: float) -> str:
        if abs(value) < SURE:
            return f"{value:+.0f}"
        plies = DECIDED - round(abs(value)) - self.ply
        return f"{'wins' if value > 0 else 'loses'} in {plies}"


def report_of(position: Position, judge: Judge, depth: int, blend: float) -> SearchReport:
    """The search for the best move of an ongoing position, told."""
    found = judge.best(position.own, position.other, depth, blend)
    after = [position.play(cell) for cell in found.cells.tolist()]
    boards = np.array([(each.own, each.other) for each in after], np.int64)
    network, heuristic = -judge.values(boards), -judge.blended(boards, 0.0)
    moves = [
        MoveReport(
            position.move_text(int(found.cells[i])),
            float(found.low[i]) if np.isfinite(found.low[i]) else None,
            float(found.high[i]),
            None if after[i].over else round(float(network[i]), 6),
            None if after[i].over else float(heuristic[i]),
        )
        for i in range(len(after))
    ]
    best = moves[found.cells.tolist().index(found.cell)]
    others = sorted((each for each in moves if each is not best), key=lambda each: -each.high)
    return SearchReport(
        depth, blend, position.ply, best, (best, *others), found.leaves, found.judged,
        1 - found.judged / found.leaves if found.leaves else 0.0,
        found.edges, found.met / found.edges, found.rounds,
    )  # fmt: skip
