"""The moves of a game of 2048 that gave away the most, as an adviser sees it.

Where the adviser knows the truth of a solved board so does the review; elsewhere it is the adviser's opinion. A long
game may take longer to look through than anybody waits: its moves are looked at spread evenly, finer and finer, until
time is up.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gridlab.arena.grade2048 import Answered
from gridlab.core.interrupts import pause
from gridlab.core.progress import bar
from gridlab.exact.game2048.probe import TIED
from gridlab.games.game2048.position import Position2048
from gridlab.players.advice2048 import best_direction
from gridlab.players.game2048 import Adviser2048

WORST = 5  # moves that are named


@dataclass(frozen=True)
class Review2048:
    """What was looked at, and the moves that lost the most, the worst first."""

    decisions: int  # moves that had an alternative
    looked_at: int  # of them
    kept: int  # of those looked at: the adviser would have played the same, or as good
    worst: tuple[tuple[int, Answered], ...]  # ply, and what was played there


def review_game(
    adviser: Adviser2048, positions: Sequence[Position2048], directions: Sequence[str], seconds: float
) -> Review2048:
    """Look at the moves of a game for so long, at one of them at least."""
    random, end = np.random.default_rng(0), time.monotonic() + seconds
    decisions = [ply for ply in range(len(directions)) if len(positions[ply].moves()) > 1]
    seen: list[tuple[int, Answered]] = []
    with bar(len(decisions), "reviewing", "moves", shown=False) as told:
        for place in spread(len(decisions)):
            pause()
            ply = decisions[place]
            seen.append((ply, _answered(adviser, positions[ply], directions[ply], random)))
            told.update(1)
            if time.monotonic() > end:
                break
    lost = sorted((each for each in seen if not each[1].kept), key=lambda each: (-each[1].regret, each[0]))
    return Review2048(len(decisions), len(seen), len(seen) - len(lost), tuple(lost[:WORST]))


def spread(amount: int) -> Iterator[int]:
    """All places of a list, the first of them spread evenly: 0 4 2 6 1 5 3 7."""
    bits = max(0, amount - 1).bit_length()
    for number in range(1 << bits):
        place = int(f"{number:0{bits}b}"[::-1], 2) if bits else 0
        if place < amount:
            yield place


def _answered(adviser: Adviser2048, position: Position2048, played: str, random: np.random.Generator) -> Answered:
    values = adviser.values(position, random)
    best = best_direction(values, position)
    regret = values[best] - values[played]
    same = regret <= TIED * max(1.0, abs(values[best]))
    return Answered(position, played, best, 0.0 if same else regret)
