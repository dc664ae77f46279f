"""Lines in halves of the board: the low halves that make a line with each high half.

    a winning line of 4, two of its cells low, two high       low part 0011   high part 0110
    so every high half that covers 0110 has the entry         part 0011, score LOST

and stones have a line where their low half covers the part of an entry of their high half. Scores are for the other
player, who is to move: LOST where the stones win, WON where they lose.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core.bits import int64
from gridlab.core.jit import inner
from gridlab.exact.tablebase.scores import LOST, WON
from gridlab.games.mnk.rules import Rules

Entry = tuple[int, int]  # score of a line, its low part


class LineParts(NamedTuple):
    """For every high half, the low halves that make a line with it."""

    parts: NDArray[np.int16]  # [part]: the low halves of lines
    needs: NDArray[np.int64]  # [high half]: where its entries begin; ends with their number
    part_of: NDArray[np.int16]  # [entry]: a part that makes a line with this high half
    score_of: NDArray[np.int8]  # [entry]: the score of that line for the other player; those that lose come first


def line_parts(rules: Rules, cells: list[int], low: int) -> LineParts:
    """The lines by halves, of which the first has `low` bits; entries that decide nothing are left out."""
    where = high_halves(rules, cells, low)
    for entry, made in where.items():
        for other, made_too in where.items():
            if entry != other and decides(other, entry):
                made &= ~made_too
    parts = sorted({part for _, part in where})
    high, listed = np.nonzero(np.array(list(where.values())).T)
    scores, places = zip(*((score, parts.index(part)) for score, part in where), strict=True)
    return LineParts(
        np.array(parts, np.int16),
        np.searchsorted(high, np.arange((1 << len(cells) - low) + 1)),
        np.array(places, np.int16)[listed],
        np.array(scores, np.int8)[listed],
    )


def high_halves(rules: Rules, cells: list[int], low: int) -> dict[Entry, NDArray[np.bool_]]:
    """For every entry, those that lose first, the high halves with which its part makes a line: bool[high half]."""
    bit = {cell: 1 << place for place, cell in enumerate(cells)}
    halves = np.arange(1 << len(cells) - low)
    where: dict[Entry, NDArray[np.bool_]] = {}
    for score, lines in ((WON, rules.losing_lines), (LOST, rules.winning_lines)):
        for line in lines:
            bits = sum(bit[cell] for cell in cells if line >> cell & 1)
            entry, needed = (score, bits & (1 << low) - 1), bits >> low
            where[entry] = where.get(entry, np.zeros(len(halves), np.bool_)) | (halves & needed == needed)
    return where


def decides(one: Entry, other: Entry) -> bool:
    """Whether the other entry says nothing new beside one that needs no more: a line that wins decides over all."""
    (score, part), (other_score, other_part) = one, other
    return part & ~other_part == 0 and score in (LOST, other_score)


@inner
def line_score(low: int, high: int, lines: LineParts) -> int:
    """The score of these stones for the other player: LOST if they win, WON if they lose, 0 if they have no line."""
    score = 0
    for entry in range(lines.needs[high], lines.needs[high + 1]):
        if lines.parts[lines.part_of[entry]] & ~low == 0:
            score = int64(lines.score_of[entry])  # what wins comes last
    return score
