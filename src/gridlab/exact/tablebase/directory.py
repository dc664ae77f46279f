"""The directory of a tablebase: which plies stand where, and how many positions have which score.

It is read by its form and then compared, number by number, with what a file of these rules must hold. Whoever has a
Directory from `Directory.parse` may believe all of it but the numbers of positions, which `verify` works out anew.
"""

import json
from collections.abc import Iterable
from math import comb
from typing import Annotated, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from gridlab.core.errors import CorruptFile
from gridlab.core.untrusted import Count, parse_json
from gridlab.exact.tablebase.blocks import a_block, shape, stored_plies
from gridlab.exact.tablebase.halves import MAX_CELLS, halves
from gridlab.exact.tablebase.rows import Scores
from gridlab.exact.tablebase.scores import WON
from gridlab.games.mnk.rules import Rules

MOST_BYTES = 1 << 20  # of a directory; 25 plies of 100 scores take a tenth of it
ScoreCounts = dict[str, Count]  # by score, as text


class StoredPly(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the directory says of a stored ply."""

    ply: Count
    crosses: Count  # how many canonical X there are
    slots: Count  # scores for each of them
    a_block: Count  # X in a block
    blocks: Count
    blocks_at: Count  # offset of the first block
    index_at: Count  # offset of the sizes and checksums

    def scores_in(self, block: int) -> int:
        """How many scores a block holds; the last one has what is left."""
        return min(self.a_block, self.crosses - block * self.a_block) * self.slots


class PlyCounts(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """The ongoing positions of a ply by score: all of them, and up to symmetry."""

    ply: Count
    every: ScoreCounts
    canonical: ScoreCounts


class Written(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A directory as it stands in a file."""

    rules: Annotated[str, msgspec.Meta(max_length=20)]
    behaviour: Count
    max_ply: Count
    plies: Annotated[tuple[StoredPly, ...], msgspec.Meta(max_length=MAX_CELLS)]
    counts: Annotated[tuple[PlyCounts, ...], msgspec.Meta(max_length=MAX_CELLS)]


class Directory(NamedTuple):
    """What a file holds."""

    rules: Rules
    behaviour: int
    max_ply: int
    plies: tuple[StoredPly, ...]
    counts: tuple[PlyCounts, ...]

    def as_json(self) -> bytes:
        content = {
            "rules": str(self.rules),
            "behaviour": self.behaviour,
            "max_ply": self.max_ply,
            "plies": [msgspec.structs.asdict(each) for each in self.plies],
            "counts": [msgspec.structs.asdict(each) for each in self.counts],
        }
        return json.dumps(content, separators=(",", ":")).encode()

    @classmethod
    def parse(cls, text: bytes, part: int | None = None) -> "Directory":
        """Read a directory, of a whole file or of a part that holds one ply; CorruptFile says what is wrong."""
        if len(text) > MOST_BYTES:
            raise CorruptFile(f"the directory has {len(text):,} bytes; {MOST_BYTES:,} are the most it can have")
        found = parse_json(text, Written, "the directory cannot be understood")
        try:
            rules = Rules.parse(found.rules)
        except ValueError as error:
            raise CorruptFile(f"the directory cannot be understood: {error}") from error
        directory = cls(rules, found.behaviour, found.max_ply, found.plies, found.counts)
        directory._check_sizes(part)
        directory._check_counts(part)
        return directory

    def _check_sizes(self, part: int | None) -> None:
        """Are these the plies and sizes of the rules?"""
        rules, last = self.rules, self.max_ply
        if rules.cells > MAX_CELLS or last >= rules.cells:
            raise CorruptFile(f"the directory speaks of ply {last} of {rules}, which no tablebase holds")
        if part not in (None, last):
            raise CorruptFile(f"the directory ends with ply {last}, not {part}")
        wanted = stored_plies(rules, last) if part is None else [part]
        if [_sizes(each) for each in self.plies] != [_expected(rules, ply) for ply in wanted]:
            raise CorruptFile(f"the directory lists other plies or sizes than {rules} has")

    def _check_counts(self, part: int | None) -> None:
        """Are these numbers of positions possible?"""
        cells = self.rules.cells
        wanted = range(self.max_ply + 1) if part is None else range(part, min(part + 2, cells))
        if [each.ply for each in self.counts] != list(wanted):
            raise CorruptFile("the directory does not count every ply once")
        for each in self.counts:
            possible = {str(score) for score in possible_scores(cells - each.ply)}
            if not possible.issuperset(each.every) or each.every.keys() != each.canonical.keys():
                raise CorruptFile(f"the directory counts scores of ply {each.ply} that cannot be")
            most = comb(cells, (each.ply + 1) // 2) * comb(cells - (each.ply + 1) // 2, each.ply // 2)
            if sum(each.every.values()) > most or sum(each.canonical.values()) > most:
                raise CorruptFile(f"the directory counts more positions of ply {each.ply} than {self.rules} has")


def _sizes(ply: StoredPly) -> tuple[int, ...]:
    return ply.ply, ply.crosses, ply.slots, ply.a_block, ply.blocks


def _expected(rules: Rules, ply: int) -> tuple[int, ...]:
    crosses, _, _, slots = shape(rules.cells, ply)
    number, size = halves(rules).count(crosses), a_block(slots)
    return ply, number, slots, size, -(-number // size)


def possible_scores(empty: int) -> Iterable[int]:
    """The scores of ongoing positions with so many empty cells: a draw, or an end within them."""
    lowest = WON - empty
    return [0, *range(lowest, WON), *range(-WON + 1, -lowest + 1)]


def all_possible(scores: Scores, empty: int) -> bool:
    """Whether all scores are possible, in four passes that the processor does many scores at a time."""
    if not len(scores) or scores.min() <= -WON or scores.max() >= WON:
        return not len(scores)
    below: NDArray[np.uint8] = np.abs(scores).view(np.uint8) - np.uint8(1)  # a draw is 255 now
    return bool(below.min() >= WON - empty - 1)
