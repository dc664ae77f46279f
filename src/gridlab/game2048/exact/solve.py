"""A small board of 2048 solved: layers upwards from the starts, then their values downwards.

Each layer is shared out in slices, one for each worker; what is found does not hang on how many there are, as boards
are sorted and every value is worked out by itself, in the same order of additions.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import product
from typing import NamedTuple, TypeVar

import numpy as np

from gridlab.core.run import Stop, available_cores, in_order, interruptible, stop_flag
from gridlab.game2048.exact import layers
from gridlab.game2048.exact.layers import Board2048, Values
from gridlab.game2048.kernels import Boards, pack_board, smallest_images
from gridlab.game2048.rules import Rules2048

Found = TypeVar("Found")

FIRST_SUM, LAST_START = 4, 8  # of the tiles of a board to move, and of a start
ALONE = 1 << 12  # boards that one worker does as fast as several
NONE: Boards = np.empty(0, np.uint64)


class Layer(NamedTuple):
    """The boards with one sum of tiles, up to symmetry."""

    sum: int
    boards: int  # to move
    over: int  # of these, without a move
    afters: Boards  # after a move, ascending


class Starts(NamedTuple):
    """The boards on which games begin with one sum of tiles, up to symmetry, and how likely each is."""

    boards: Boards
    shares: Values


@cache
def starts_of(rules: Rules2048) -> dict[int, Starts]:
    """All starts by the sum of their tiles."""
    twos, fours = rules.odds
    weights, pairs = {2: twos, 4: fours}, rules.cells * (rules.cells - 1) // 2
    found: dict[int, dict[int, float]] = {}
    for first, second in product(range(rules.cells), repeat=2):
        for one, other in product(weights, repeat=2):
            share = weights[one] * weights[other] / (twos + fours) ** 2 / pairs
            if first < second and share:
                tiles = tuple(one if cell == first else other if cell == second else 0 for cell in range(rules.cells))
                by_board = found.setdefault(one + other, {})
                board = _smallest(pack_board(tiles, rules), rules)
                by_board[board] = by_board.get(board, 0.0) + share
    return {
        total: Starts(np.array(sorted(each), np.uint64), np.array([each[board] for board in sorted(each)]))
        for total, each in sorted(found.items())
    }


def _smallest(board: int, rules: Rules2048) -> int:
    game = layers.board_of(rules)
    return int(smallest_images(np.array([board], np.uint64), game.mirror, game.shape)[0])


def boards_to_move(rules: Rules2048, total: int, below: Boards, two_below: Boards, workers: int = 1) -> Boards:
    """The boards of a layer from those after a move of the layers 2 and 4 below it, ascending."""
    game, (twos, fours) = layers.board_of(rules), rules.odds
    with_two, with_four = below if twos else NONE, two_below if fours else NONE

    def spawn(part: float, end: float, stop: Stop) -> Boards:
        return layers.with_new_tiles(
            _cut(with_two, part, end), _cut(with_four, part, end), game.mirror, game.shape, stop
        )

    found = shared_out(spawn, len(with_two) + len(with_four), workers)
    begins = starts_of(rules)
    return _together([*found, begins[total].boards] if total in begins else found)


def make_layers(
    rules: Rules2048, tile: int = 0, most: int = 0, workers: int | None = None, tell: Callable[[Layer], object] = id
) -> Iterator[Layer]:
    """Every layer from the starts on; with `most` up to that sum. With `tile` boards that have it are left out."""
    game, workers = layers.board_of(rules, tile), workers or available_cores()
    below, two_below, total = NONE, NONE, FIRST_SUM
    while not most or total <= most:
        boards = boards_to_move(rules, total, below, two_below, workers)
        if not len(boards) and total > LAST_START and not len(below):
            return
        layer = after_layer(total, boards, game, workers)
        tell(layer)
        yield layer
        below, two_below, total = layer.afters, below, total + 2


def after_layer(total: int, boards: Boards, game: Board2048, workers: int) -> Layer:
    """A layer from its boards to move."""

    def play(part: float, end: float, stop: Stop) -> tuple[Boards, int]:
        return layers.after_moves(_cut(boards, part, end), game, stop)

    found = shared_out(play, len(boards), workers)
    return Layer(total, len(boards), sum(over for _, over in found), _together(afters for afters, _ in found))


class Solver:
    """Values of layers, the last one first; the sums over new tiles of the two layers below wait here."""

    def __init__(self, rules: Rules2048, tile: int = 0, workers: int | None = None) -> None:
        self.rules, self.game = rules, layers.board_of(rules, tile)
        self.workers = workers or available_cores()
        self.twos: dict[int, Values] = {}
        self.fours: dict[int, Values] = {}

    def values(self, total: int, afters: Boards) -> Values:
        """What the boards after a move of this layer are worth; both layers above have been `added`."""
        nothing = np.zeros(len(afters))
        twos, fours = self.twos.pop(total, nothing), self.fours.pop(total, nothing)
        return layers.means(afters, twos, fours, self.rules.odds)

    def add(self, total: int, afters: Boards, values: Values, below: Boards, two_below: Boards) -> None:
        """Let the boards of the layers 2 and 4 below know what the boards of this one are worth."""
        twos, fours = self.rules.odds
        with_two, with_four = below if twos else NONE, two_below if fours else NONE
        keys, worth = layers.table_of(afters, values)
        sums_two, sums_four = np.zeros(len(below)), np.zeros(len(two_below))

        def add_up(part: float, end: float, stop: Stop) -> None:
            layers.sums_over_tiles(
                _cut(with_two, part, end), _cut(with_four, part, end), keys, worth, self.game,
                _cut(sums_two, part, end), _cut(sums_four, part, end), stop,
            )  # fmt: skip

        shared_out(add_up, len(with_two) + len(with_four), self.workers)
        self.twos[total - 2], self.fours[total - 4] = sums_two, sums_four


def start_value(rules: Rules2048, game: Board2048, total: int, afters: Boards, values: Values) -> float:
    """What the starts of a layer add to the mean over all starts."""
    if total not in starts_of(rules):
        return 0.0
    keys, worth = layers.table_of(afters, values)
    boards, shares = starts_of(rules)[total]
    return float(
        sum(share * layers.best_value(board, keys, worth, game) for board, share in zip(boards, shares, strict=True))
    )


def shared_out(work: Callable[[float, float, Stop], Found], number: int, workers: int) -> list[Found]:
    """`work(from, to, stop)` for parts of a whole, 0.0 to 1.0, by several threads if there is enough to do."""
    if workers == 1 or number < ALONE:
        return [interruptible(lambda stop: work(0.0, 1.0, stop))]
    stop, ends = stop_flag(), [part / workers for part in range(workers + 1)]
    return list(in_order(lambda part: work(ends[part], ends[part + 1], stop), range(workers), workers, stop))


def _cut(array: Values | Boards, part: float, end: float) -> np.ndarray:
    return array[round(part * len(array)) : round(end * len(array))]


def _together(parts: Iterable[Boards]) -> Boards:
    """Boards of several sets, each once, ascending."""
    parts = list(parts)
    return np.sort(parts[0]) if len(parts) == 1 else np.unique(np.concatenate(parts))
