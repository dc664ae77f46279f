"""Exams of 2048 on solved boards: boards drawn by the sum of their tiles and by how much is at stake.

The regret of an answer is what the best direction is worth more, in points; what kind of blunder it is, is the share of
the board's worth that it gives away.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from math import log10
from pathlib import Path
from typing import Annotated, Never

import msgspec
import numpy as np

from gridlab.arena.exam import Drawn, Id, Judged, Question, in_turn
from gridlab.core import draw
from gridlab.core.errors import BadNotation, CorruptFile
from gridlab.game2048.exact.probe import Tablebase2048, best_of, table_of_points
from gridlab.game2048.exact.sampling import alive, random_image
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import Rules2048

STAGE, DEPTH = "sum", "at stake"
UNIT = "points lost a move"
KINDS = ("<1 %", "1-10 %", ">10 %")  # of what the board is worth
LIMITS = (0.01, 0.1)
STAKES = {-4: "<0.1 %", -3: "0.1-1 %", -2: "1-10 %", -1: ">10 %"}  # of what the second choice is worth less
TASK = "On each board, tick the direction that you would play."
RIGHT = "Right is the direction with the most points to come under best play, itself included."
TICKS = True  # an answer is one of a few words
LEVELS = (
    "the second best direction gives away 10 % of the points or more",
    "the second best direction gives away 1 to 10 % of the points",
    "the second best direction gives away 0.1 to 1 % of the points",
    "the second best direction gives away less than 0.1 % of the points",
)
BANDS = 20  # of sums of tiles, equally wide
LAYERS, BOARDS = 8, 16  # of a band, drawn together
VAIN = 3  # rounds without a new board, after which a band has no more

Worth = Annotated[float, msgspec.Meta(ge=0, le=1e9)]


class Key(msgspec.Struct, frozen=True):
    """The truth about a board: the points to come under best play, and those after each direction, its own included."""

    id: Id
    value: Worth
    moves: dict[str, Worth]

    @property
    def depth(self) -> str:
        """What a table by stakes calls it."""
        return STAKES[self.rank]

    @property
    def rank(self) -> int:
        return stake(self.moves)

    @property
    def best(self) -> list[str]:
        return best_of(self.moves)


KEY = Key


def stake(values: Mapping[str, float]) -> int:
    """How much the second choice is worth less than the best, as a power of ten of its share: -4 to -1."""
    best, tied = max(values.values()), best_of(values)
    second = max(value for direction, value in values.items() if direction not in tied)
    return min(-1, max(-4, int(log10((best - second) / best) // 1)))


def question(number: int, position: Position2048) -> Question:
    """What an exam says of a board."""
    legal = tuple(position.moves())
    return Question(number, str(position.rules), str(position), position.to_move, legal, sum=sum(position.tiles))


def draw_questions(
    rules: Rules2048, number: int, plies: range | None = None, seed: int = 0, tablebase: Path | str | None = None,
    nodes: int = 0,
) -> Iterator[Drawn]:  # fmt: skip
    """Boards from every band of sums in turn, within a band from every stake in turn; one of each symmetry class."""
    if plies is not None:
        raise BadNotation("--plies is for in-a-row games; questions about 2048 come from all sums of tiles")
    table = table_of_points(rules, tablebase, "an exam")
    sums = sorted(table.file.layers)
    wide = (sums[-1] - sums[0]) // BANDS + 1
    bands = [[each for each in sums if (each - sums[0]) // wide == band] for band in range(BANDS)]
    sources = [
        _of_band(table, band, np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0, place))))
        for place, band in enumerate(bands)
        if band
    ]
    for place, position in enumerate(islice(in_turn(sources), number), 1):
        values = table.values(position)
        yield Drawn(question(place, position), position, Key(place, max(values.values()), values))


def _of_band(table: Tablebase2048, sums: list[int], random: np.random.Generator) -> Iterator[Position2048]:
    """The boards of a band that leave a choice, in turn from all stakes, some layers at a time."""
    seen: set[int] = set()
    vain = 0
    while vain < VAIN:
        groups: dict[int, list[Position2048]] = {}
        for total in random.permutation(sums)[:LAYERS].tolist():
            for board in random.permutation(alive(table, total))[:BOARDS].tolist():
                position = Position2048.unpack(board, rules=table.rules)
                if board not in seen and has_choice(values := table.values(position)):
                    groups.setdefault(stake(values), []).append(random_image(position, random))
                seen.add(board)
        vain = 0 if groups else vain + 1
        yield from in_turn([iter(groups[name]) for name in sorted(groups, reverse=True)])


def has_choice(values: Mapping[str, float]) -> bool:
    """Whether a direction gives something away, beyond the order of additions."""
    return len(best_of(values)) < len(values)


def check_key(key: Key, position: Position2048) -> None:
    """CorruptFile if what a key says of a board cannot be."""
    if key.value != max(key.moves.values()):
        raise CorruptFile(
            f"the board is said to be worth {key.value}, its best direction is worth {max(key.moves.values())}"
        )
    if not has_choice(key.moves):
        raise CorruptFile("every direction is worth the same: there is nothing to decide")


def judge(key: Key, move: str) -> Judged:
    """What a legal direction gives away."""
    if move in key.best:
        return Judged("", 0.0, ())
    lost = key.value - key.moves[move]
    kind = sum(lost / key.value >= limit for limit in LIMITS)
    return Judged(KINDS[kind], lost, (lost,))


def told(key: Key, move: str) -> str:
    """An answer and the truth, in words."""
    return f"{move} is worth {key.moves[move]:,.1f} points; {', '.join(key.best)} {key.value:,.1f}"


def picture(position: Position2048, key: Key, move: str) -> str:
    """The board as SVG."""
    return draw.tiles_svg(position.tiles, position.rules.cols, title=f"{position.rules} {position}")


def drawn(position: Position2048) -> str:
    """The board as SVG."""
    return draw.tiles_svg(position.tiles, position.rules.cols, title=str(position))


def outlook(key: Key) -> str:
    """What a board comes to under best play."""
    return f"{key.value:,.0f} points"


def level(key: Key) -> int:
    """How hard a question is for people, from 1: the less the second choice gives away, the harder."""
    return -key.rank


def aim(key: Key) -> str:
    """What the right directions keep."""
    return "points"


def line(position: Position2048, move: str, ask: Callable[..., object]) -> Never:
    """There is none: after every move chance adds a tile."""
    raise BadNotation("in 2048 no line follows a move: chance adds a tile after each")
