"""Is the table of a solved board of 2048 what it says? Every way in which it may not be has a sentence of its own.

Always: directory, checksums, every layer unpacked, its boards and values looked at, and some values of every layer
worked out anew from the layers above. In full: every value, to the last bit; every board after a move from the layers
below; how many boards there are to move.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from gridlab.core.behaviour import BEHAVIOUR
from gridlab.core.errors import CorruptFile, GridlabError
from gridlab.core.interrupts import interruptible
from gridlab.core.numbers import counted
from gridlab.core.progress import bar
from gridlab.exact.game2048.layers import Values, after_moves, board_of, means, sums_over_tiles, table_of
from gridlab.exact.game2048.probe import Tablebase2048
from gridlab.exact.game2048.solve import NONE
from gridlab.exact.verdict import FULL, Verdict
from gridlab.games.game2048.kernels import Boards

SAMPLE = 50  # values of each layer worked out anew


@dataclass(frozen=True)
class Verdict2048(Verdict):
    layers: int = 0
    values: int = 0  # worked out anew

    @property
    def looked_at(self) -> str:
        return f"{counted(self.layers, 'layer')} unpacked, {counted(self.values, 'value')} computed again"


def verify(path: Path, full: bool = False, seed: int = 0, progress: bool = False) -> Verdict2048:
    """Judge a file. What cannot be read at all is a complaint too."""
    try:
        table = Tablebase2048(path)
    except CorruptFile as error:
        return Verdict2048(str(path), "?", full, (), (str(error),))
    remarks = () if full else (f"not checked: values other than these, and which boards there are; {FULL}",)
    behaviour = table.file.directory.behaviour
    if behaviour != BEHAVIOUR:
        wrong = f"the file was made for behaviour {behaviour}; this is {BEHAVIOUR}"
        return Verdict2048(str(path), str(table.rules), full, remarks, (wrong,))
    random, complaints, values, layers = np.random.default_rng(seed), list[str](), 0, 0
    with bar(len(table.file.layers), f"verifying {table.rules}", "layers", progress) as shown:
        for total in table.file.layers:
            try:
                judged, wrong_ones = _check_layer(table, total, None if full else random)
            except GridlabError as error:
                judged, wrong_ones = 0, [str(error)]
            layers, values, complaints = layers + 1, values + judged, complaints + wrong_ones
            shown.update(1)
    return Verdict2048(str(path), str(table.rules), full, remarks, tuple(complaints), layers, values)


def _check_layer(table: Tablebase2048, total: int, random: np.random.Generator | None) -> tuple[int, list[str]]:
    """How many values of a layer were worked out anew, and what is wrong with it."""
    boards, values = table.layer(total)
    chosen = np.arange(len(boards)) if random is None else np.sort(random.permutation(len(boards))[:SAMPLE])
    again = values_anew(table, total, boards[chosen])
    wrong = np.flatnonzero(again != values[chosen])
    complaints = []
    if len(wrong):
        complaints.append(
            f"sum {total}: {len(wrong):,} values are not what the layers above give; the first one is "
            f"{values[chosen[wrong[0]]]!r} and should be {again[wrong[0]]!r}"
        )
    return len(chosen), complaints if random else [*complaints, *_board_flaws(table, total)]


def values_anew(table: Tablebase2048, total: int, afters: Boards) -> Values:
    """What boards after a move of a layer are worth by the layers above."""
    game, odds = board_of(table.rules, table.tile), table.rules.odds
    sums = np.zeros((2, len(afters)))
    for four in range(2):
        above = total + 2 + 2 * four
        if odds[four] and above in table.file.layers:
            keys, worth = table_of(*table.layer(above))
            one, other = (NONE, afters) if four else (afters, NONE)
            add_up = partial(sums_over_tiles, one, other, keys, worth, game, sums[0][: len(one)], sums[1][: len(other)])
            interruptible(add_up)
    return means(afters, sums[0], sums[1], odds)


def _board_flaws(table: Tablebase2048, total: int) -> Iterator[str]:
    """Are the boards of a layer those that the rules make of the layers below?"""
    stored = table.file.layers[total]
    boards, game = table.boards(total), board_of(table.rules, table.tile)
    afters, over = interruptible(lambda stop: after_moves(boards, game, stop))
    if not np.array_equal(np.sort(afters), table.layer(total)[0]):
        yield f"sum {total}: the boards after a move are not those that the layers below lead to"
    if (stored.boards, stored.over) != (len(boards), over):
        yield (
            f"sum {total}: the directory counts {stored.boards:,} boards to move, {stored.over:,} of them over; "
            f"there are {len(boards):,} and {over:,}"
        )
