"""What a network thinks of one position, and what it sees: the features by name."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gridlab.core import draw
from gridlab.games.mnk.position import Position
from gridlab.games.notation import move_text
from gridlab.nets.features import NAMES, PATTERNS, ZEROS, features_of
from gridlab.nets.judge import PLAYING_BLEND, SCALE, Judge
from gridlab.nets.search_report import SearchReport, report_of


@dataclass(frozen=True)
class Opinion:
    """Values are for the player to move, those of moves for their maker; a move that ends the game counts ±1 or 0."""

    position: Position
    features: dict[str, float]  # without the zeros at the end
    value: float
    heuristic: float
    blended: float
    moves: dict[str, float]  # none if the game is over
    search: SearchReport | None = None  # by the blended value

    def as_dict(self) -> dict[str, Any]:
        searched = {} if self.search is None else {"search": self.search.as_dict()}
        return {
            "rules": str(self.position.rules),
            "board": str(self.position),
            "to_move": self.position.to_move,
            "features": self.features,
            "value": self.value,
            "heuristic": self.heuristic,
            "blended": self.blended,
            "moves": self.moves,
            **searched,
        }

    def __str__(self) -> str:
        rows = [(name, f"{value:.2f}") for name, value in list(self.features.items())[PATTERNS:]]
        rows.append(("network", f"{self.value:+.3f}"))
        rows.append(("heuristic", f"{self.heuristic:+.0f}"))
        rows.append((f"blended, {PLAYING_BLEND} network", f"{self.blended:+.0f}"))
        best = sorted(self.moves.items(), key=lambda each: -each[1])
        liked = ", ".join(f"{move} {value:+.2f}" for move, value in best[:5])
        return "\n".join([
            self.position.draw(),
            f"{self.position.to_move} to move; cell 11 to cell 55 are 1 for its stones, -1 for the other's, 0",
            draw.table(("feature", "value"), rows),
            *([f"moves it likes best: {liked}"] if liked else []),
            *([] if self.search is None else [str(self.search)]),
        ])  # fmt: skip


def opinion_of(position: Position, judge: Judge, depth: int | None = None) -> Opinion:
    """The features of an ongoing position and what comes of them; with a depth also what the player makes of it."""
    boards = np.array([(position.own, position.other)], np.int64)
    features = features_of(boards, judge.lines)[0]
    cells, values = judge.moves(boards, 1, 1.0).of(0)
    return Opinion(
        position,
        {NAMES[i]: round(float(features[i]), 6) for i in range(ZEROS)},
        float(judge.values(boards)[0]),
        float(judge.blended(boards, 0.0)[0]),
        float(judge.blended(boards, PLAYING_BLEND)[0]),
        {
            move_text(cell, position.rules.rows, position.rules.cols): float(np.clip(value / SCALE, -1, 1))
            for cell, value in zip(cells.tolist(), values.tolist(), strict=True)
        },
        None if depth is None else report_of(position, judge, depth, PLAYING_BLEND),
    )
