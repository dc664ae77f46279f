"""What solving a board of 2048 will take, before anything is done.

How many boards there are is bounded by their tiles alone: on n cells at most k tiles can be 2^(n + 2 - k) or larger, as
the last of them came of two halves that stood beside the others, and so on down to n + 1 tiles on n cells. All boards
of such tiles are counted, by the sum of their tiles, and divided by the symmetries. The truth is less: a third on 3x3.
"""

import shutil
from dataclasses import dataclass
from math import comb
from pathlib import Path

from gridlab.core.errors import BadNotation, TooLarge
from gridlab.core.memory import available_memory, size_text
from gridlab.exact.game2048.file import LARGEST_LAYER
from gridlab.exact.game2048.solve import FIRST_SUM
from gridlab.games.game2048.rules import Rules2048

MOST_CELLS = 9  # of a board that is solved to its end
MOST_BOARDS = 4_000_000_000  # by this bound; a day of CPU
BOARDS_A_SECOND = 5e6  # of this bound, by one core
BYTES_A_BOARD = 2  # of this bound: boards after a move stay in memory, eight bytes each, and there are far fewer
FILE_BYTES_A_BOARD = 1
OTHER_MEMORY = 250 << 20


@dataclass(frozen=True)
class BuildEstimate2048:
    """What a build will take: bytes, and seconds of one core."""

    rules: Rules2048
    objective: str
    boards: int  # at most, up to symmetry
    memory: int
    disk: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"{self.rules}, {self.objective}: at most {self.boards:,} boards up to symmetry\n"
            f"at most {size_text(self.memory)} of memory, {size_text(self.disk)} of disk while it is made, "
            f"{max(1, round(self.seconds)):,} s of CPU"
        )


def check_order(rules: Rules2048, tile: int, most: int) -> None:
    """Refuse what cannot be solved, in a sentence."""
    if not rules.packed:
        raise TooLarge(f"{rules} has more than 4 rows or columns; boards of up to 4x4 cells can be solved")
    largest = 1 << rules.cells + 1
    if tile and (tile & tile - 1 or not 8 <= tile <= largest):
        raise BadNotation(f"{tile} is not a tile that a game of {rules} is played for; 8, 16, … {largest} are")
    if most and most < FIRST_SUM + 4:
        raise BadNotation(f"tiles that add up to {most} do not make a game; {FIRST_SUM + 4} or more are needed")
    if rules.cells > MOST_CELLS and not tile and not most:
        raise TooLarge(
            f"{rules} has {rules.cells} cells; boards of up to {MOST_CELLS} can be solved to their end, larger ones up "
            "to a tile (--target 16) or a sum of tiles (--max-sum 60)"
        )


def estimate(rules: Rules2048, tile: int = 0, most: int = 0) -> BuildEstimate2048:
    """What a build will take."""
    check_order(rules, tile, most)
    counts = boards_by_sum(rules, tile, most)
    boards = sum(counts.values())
    objective = f"chance of {tile}" if tile else "score"
    objective += f", tiles of up to {most} in all" if most else ""
    return BuildEstimate2048(
        rules,
        objective,
        boards,
        round(boards * BYTES_A_BOARD) + OTHER_MEMORY,
        round(2 * boards * FILE_BYTES_A_BOARD) + (1 << 20),
        boards / BOARDS_A_SECOND,
    )


def boards_by_sum(rules: Rules2048, tile: int = 0, most: int = 0) -> dict[int, int]:
    """At most so many boards up to symmetry have tiles of a sum: {4: …, 6: …}."""
    cells = rules.cells
    highest = min(cells + 1, tile.bit_length() - 2 if tile else cells + 1, most.bit_length() - 1 if most else cells + 1)
    found = {(0, 0): 1}  # (tiles so far, their sum) -> ways to place them, the largest tiles first
    for exponent in range(highest, 0, -1):
        following: dict[tuple[int, int], int] = {}
        for (used, total), ways in found.items():
            for number in range(cells + 2 - exponent - used + 1):
                there, with_these = used + number, total + (number << exponent)
                if there > cells or (most and with_these > most):
                    break
                key = there, with_these
                following[key] = following.get(key, 0) + ways * comb(cells - used, number)
        found = following
    symmetries = 8 if rules.rows == rules.cols else 4
    by_sum: dict[int, int] = {}
    for (_, total), ways in found.items():
        if total >= FIRST_SUM:
            by_sum[total] = by_sum.get(total, 0) + ways
    return {total: -(-ways // symmetries) for total, ways in sorted(by_sum.items())}


def require_room(needed: BuildEstimate2048, path: Path) -> None:
    """TooLarge if time, memory or disk will not do."""
    instead = "a smaller board, a smaller tile (--target) or sum of tiles (--max-sum) would do"
    if needed.boards > MOST_BOARDS:
        raise TooLarge(f"{needed.rules} may have {needed.boards:,} boards, more than {MOST_BOARDS:,}; {instead}")
    memory = available_memory()
    if memory is not None and needed.memory > memory:
        raise TooLarge(
            f"{needed.rules} may need {size_text(needed.memory)} of memory and {size_text(memory)} are free; {instead}"
        )
    folder = next(each for each in path.absolute().parents if each.exists())
    disk = shutil.disk_usage(folder).free
    if needed.disk > disk:
        raise TooLarge(
            f"{needed.rules} may need {size_text(needed.disk)} of disk and {size_text(disk)} are free in {folder}; "
            "name another place"
        )


def require_layer(total: int, boards: int) -> None:
    """TooLarge if a layer has more boards than a file can have."""
    if boards > LARGEST_LAYER:
        raise TooLarge(
            f"{boards:,} boards have tiles of {total} in all, more than {LARGEST_LAYER:,}; "
            "a smaller tile (--target) or sum of tiles (--max-sum) would do"
        )
