"""The exact mean score of a player of 2048 on a small board, without a single game: all boards it can reach, weighted.

How likely each board of a layer is follows from the layers below: a player that knows its move sends all the weight of
a board to one board after a move, and that shares it out among its new tiles. So one way upwards is enough,

    mean score = sum over boards of   weight(board) · points of the move there

and only three layers are in memory at a time. A player that plays by no rule that symmetry keeps is followed on every
image of a board; random moves are followed up to symmetry.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from gridlab.core import draw
from gridlab.core.arguments import counted, typed
from gridlab.core.bits import Stop, stopped, streams
from gridlab.core.draw import AsJson, Sheet, brief, facts, shown
from gridlab.core.errors import BadPlayer, PlayerFault, TooLarge
from gridlab.core.jit import kernel
from gridlab.core.progress import bar
from gridlab.core.run import interruptible, own_cores
from gridlab.game2048 import kernels
from gridlab.game2048.exact import layers
from gridlab.game2048.exact.build import MOST_CELLS
from gridlab.game2048.exact.file import SCORE, tile_of
from gridlab.game2048.exact.layers import Board2048, Corners, Values
from gridlab.game2048.kernels import ONE, ZERO, Boards
from gridlab.game2048.players import Player2048, find_player2048
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import DIRECTIONS, Rules2048
from gridlab.game2048.search.play import KernelPolicy, RandomMoves, choose_boards, kernel_policy_of, sees_many
from gridlab.players.registry import player_name

Directions = NDArray[np.int8]
Choose = Callable[[Boards], Directions]

POINTS, MOVES, IN_A_CORNER, ALONG_AN_EDGE = range(4)  # what is summed
EXPONENTS = 16


class Weighted(NamedTuple):
    """Boards and how likely each is to come up in a game."""

    boards: Boards
    weights: Values


class Followed(NamedTuple):
    """The exact results of a player on a small board."""

    mean_score: float
    mean_moves: float
    tiles: dict[int, float]  # how likely each tile is the largest at the end
    in_a_corner: float  # share of moves after which one of the largest tiles is in a corner
    along_an_edge: float  # share of moves after which the largest tiles fall along an edge
    boards: int  # that can come up, with a move

    def reaching(self, tile: int) -> float:
        """How likely a tile is reached."""
        return min(1.0, sum(share for each, share in self.tiles.items() if each >= tile))


def follow(rules: Rules2048, choose: Choose | None, tell: Callable[[int], object] = id) -> Followed:
    """Follow a player through all boards it can reach; `choose` gives its directions, None stands for random moves.

    `tell` hears how many boards are done.
    """
    game, by_symmetry = layers.board_of(rules), choose is None
    corners, starts = layers.corners_of(rules, game), _starts(rules, by_symmetry)
    sums, ends, seen = np.zeros(4), np.zeros(EXPONENTS), 0
    nothing = Weighted(layers.NONE, np.empty(0))
    below, two_below, total = nothing, nothing, layers.FIRST_SUM
    while total <= layers.LAST_START or len(below.boards) or len(two_below.boards):
        here = spawned(below, two_below, rules, game, by_symmetry, starts.get(total, nothing))
        directions = np.full(len(here.boards), -1, np.int8) if choose is None else choose(here.boards)
        after, fault = after_layer(here, directions, choose is None, game, corners, sums, ends)
        if fault >= 0:
            board = Position2048.unpack(int(here.boards[fault]), rules=rules)
            raise PlayerFault(
                f"the player answers direction {int(directions[fault])} in {board}: no move, or none at all"
            )
        seen += len(here.boards)
        tell(len(here.boards))
        below, two_below, total = after, below, total + 2
    tiles = {1 << exponent: float(ends[exponent]) for exponent in range(EXPONENTS) if ends[exponent] > 0}
    moves = float(sums[MOVES])
    return Followed(
        float(sums[POINTS]), moves, tiles, float(sums[IN_A_CORNER]) / moves, float(sums[ALONG_AN_EDGE]) / moves, seen
    )


def _starts(rules: Rules2048, by_symmetry: bool) -> dict[int, Weighted]:
    """The starts with their weights, all images of each unless only the smallest is wanted."""
    found = {total: Weighted(*each) for total, each in layers.starts_of(rules).items()}
    return found if by_symmetry else {total: all_images(rules, each) for total, each in found.items()}


def all_images(rules: Rules2048, smallest: Weighted) -> Weighted:
    """The weight of each board shared out among its images."""
    weights: dict[int, float] = {}
    for board, weight in zip(smallest.boards.tolist(), smallest.weights.tolist(), strict=True):
        tiles = Position2048.unpack(board, rules=rules).array()
        turns = [tiles, tiles[::-1], tiles[:, ::-1], tiles[::-1, ::-1]]
        turns += [each.T for each in turns] if rules.rows == rules.cols else []
        images = {Position2048.of_array(each, rules=rules).packed for each in turns}
        for image in images:
            weights[image] = weights.get(image, 0.0) + weight / len(images)
    return Weighted(np.array(sorted(weights), np.uint64), np.array([weights[each] for each in sorted(weights)]))


def spawned(
    below: Weighted, two_below: Weighted, rules: Rules2048, game: Board2048, by_symmetry: bool, starts: Weighted
) -> Weighted:
    """The boards to move of a layer, in the order of a hash table, which is always the same."""
    twos, fours = rules.odds
    share = fours / (twos + fours)
    return Weighted(
        *interruptible(
            lambda stop: with_weighted_tiles(*below, *two_below, *starts, 1 - share, share, game, by_symmetry, stop)
        )
    )


def after_layer(
    here: Weighted, directions: Directions, at_random: bool, game: Board2048, corners: Corners, sums: Values,
    ends: Values,
) -> tuple[Weighted, int]:  # fmt: skip
    """The boards after the moves of a layer, in no order, and the first board on which the direction is none, or -1."""
    boards, weights, fault = interruptible(
        lambda stop: after_weighted_moves(*here, directions, at_random, game, corners, sums, ends, stop)
    )
    return Weighted(boards, weights), fault


@kernel
def with_weighted_tiles(
    twos_on: Boards, two_weights: Values, fours_on: Boards, four_weights: Values, starts: Boards, start_weights: Values,
    two_share: float, four_share: float, game: Board2048, by_symmetry: bool, stop: Stop,
) -> tuple[Boards, Values]:  # fmt: skip
    """Boards after a move with their new tiles, and starts, each with all the weight that comes to it."""
    keys, weights, number = np.zeros(layers.LEAST_PLACES, np.uint64), np.zeros(layers.LEAST_PLACES), 0
    for i in range(len(starts)):
        place = layers.find(starts[i], keys)
        keys[place], weights[place], number = starts[i], start_weights[i], number + 1
    for four in range(2):
        afterstates, shares = (fours_on, four_weights) if four else (twos_on, two_weights)
        for i in range(len(afterstates)):
            if i & layers.LOOK_AROUND == 0 and stopped(stop):
                break
            cells = kernels.empties(afterstates[i])
            weight = shares[i] * (four_share if four else two_share) / kernels.count(cells)
            while cells != ZERO and weight > 0.0:
                unit = cells & (~cells + ONE)
                cells ^= unit
                board = afterstates[i] | unit << np.uint64(four)
                if by_symmetry:
                    board = kernels.smallest_image(board, game.mirror, game.shape)
                place = layers.find(board, keys)
                number += keys[place] == ZERO
                keys[place] = board
                weights[place] += weight
            if 2 * (number + 32) > len(keys):
                keys, weights = layers.larger_table(keys, weights)
    return listed_weighted(keys, weights, number)


@kernel
def after_weighted_moves(
    boards: Boards, weights: Values, directions: Directions, at_random: bool, game: Board2048, corners: Corners,
    sums: Values, ends: Values, stop: Stop,
) -> tuple[Boards, Values, int]:  # fmt: skip
    """Boards after the move that is played on each, or after all moves at random, which symmetry keeps alike.

    Points, moves and corners are added to `sums`; to `ends` what ends here, by the exponent of its largest tile.
    """
    (slides, points, walls), mirror, shape, _ = game
    keys, found, number = np.zeros(layers.LEAST_PLACES, np.uint64), np.zeros(layers.LEAST_PLACES), 0
    afterstates = np.empty(4, np.uint64)
    for i in range(len(boards)):
        if i & layers.LOOK_AROUND == 0 and stopped(stop):
            break
        board, turned, legal = boards[i], kernels.transpose(boards[i]), 0
        for direction in range(4):
            afterstates[direction] = kernels.moved(board, turned, direction, slides)
            legal += afterstates[direction] != board
        if legal == 0:
            ends[kernels.largest_exponent(board ^ walls)] += weights[i]
        chosen = directions[i]
        if (not at_random and (chosen >= 0) != (legal > 0)) or (chosen >= 0 and afterstates[chosen] == board):
            return keys[:0], found[:0], i
        for direction in range(4):
            after = afterstates[direction]
            if after == board or not (at_random or direction == chosen):
                continue
            weight = weights[i] / legal if at_random else weights[i]
            sums[POINTS] += weight * kernels.points_of(board, direction, points)
            sums[MOVES] += weight
            sums[IN_A_CORNER] += weight * layers.in_a_corner(after, corners)
            sums[ALONG_AN_EDGE] += weight * layers.along_an_edge(after, corners)
            if at_random:
                after = kernels.smallest_image(after, mirror, shape)
            place = layers.find(after, keys)
            number += keys[place] == ZERO
            keys[place] = after
            found[place] += weight
        if 2 * (number + 8) > len(keys):
            keys, found = layers.larger_table(keys, found)
    some, their = listed_weighted(keys, found, number)
    return some, their, -1


@kernel
def listed_weighted(keys: Boards, weights: Values, number: int) -> tuple[Boards, Values]:
    """The members of a table as lists."""
    boards, found, filled = np.empty(number, np.uint64), np.empty(number), 0
    for i in range(len(keys)):
        if keys[i] != ZERO:
            boards[filled], found[filled] = keys[i], weights[i]
            filled += 1
    return boards, found


# ---- Players of 2048 on small boards, measured without a single game: every board they can reach, exactly weighted
#
# For players that always play the same move on the same board, and for random moves: see gridlab.game2048.exact.policy.


HEADER = ("tile", "largest at the end", "reached")


@shown
@dataclass(frozen=True)
class Whole2048:
    """The exact results of a player on a small board."""

    player: str
    rules: Rules2048
    followed: Followed
    target: str = SCORE  # or the tile whose chance is asked for
    best: float | None = None  # the mean score, or the chance, of best play

    @property
    def mean_score(self) -> float:
        return self.followed.mean_score

    @property
    def value(self) -> float:
        """What was asked for: the mean score, or how likely the tile is reached."""
        return self.mean_score if self.target == SCORE else self.followed.reaching(int(self.target))

    def as_dict(self) -> AsJson:
        """For `--json`."""
        found, corner, edge = self.followed, self.followed.in_a_corner, self.followed.along_an_edge
        known = facts(self, "player rules target value best") | facts(found, "mean_score mean_moves tiles")
        return known | {"largest_in_a_corner": corner, "largest_along_an_edge": edge, "boards": found.boards}

    def _in_short(self) -> str:
        what, boards = f"{self._asked()} {self._told(self.value)}", f"{self.followed.boards:,} boards"
        return f"{brief(self.player)}, {self.rules}: {what} exactly, over {boards}"

    def _sheet(self) -> Sheet:
        heading, *notes = self._facts()
        return Sheet(heading, HEADER, self._rows(), notes)

    def _facts(self) -> list[str]:
        found = self.followed
        beside = "" if self.best is None else f", {self.value / self.best:.2%} of best play, {self._told(self.best)}"
        return [
            f"{self.rules}, {self.player}: exactly, over all {counted(found.boards, 'board')} it can reach",
            f"{self._asked()} {self._told(self.value)}{beside}",
            f"{found.mean_moves:,.2f} moves a game; after {found.in_a_corner:.1%} of them the largest tile is in a "
            f"corner, after {found.along_an_edge:.1%} the largest fall along an edge",
        ]

    def _rows(self) -> list[tuple[str, ...]]:
        found = self.followed
        return [(str(tile), f"{share:.4%}", f"{found.reaching(tile):.4%}") for tile, share in found.tiles.items()]

    def __str__(self) -> str:
        return "\n".join([*self._facts(), draw.table(HEADER, self._rows())])

    def _told(self, value: float) -> str:
        return f"{value:,.4f}" if self.target == SCORE else f"{value:.6%}"

    def _asked(self) -> str:
        return "mean score" if self.target == SCORE else f"chance of {self.target}"


class NoChance:
    """In place of a source of random numbers: whoever asks it for one does not always play the same."""

    def __getattr__(self, name: str) -> NoReturn:
        raise BadPlayer("it plays by chance")


@typed
def follow_player(
    player: str | Player2048, rules: Rules2048 | str, target: int | str = SCORE, best: float | None = None,
    workers: int | None = None, progress: bool = False,
) -> Whole2048:  # fmt: skip
    """The exact mean score of a player that always plays the same on the same board, or of random moves.

    The `target` is score, or a tile whose chance is asked for instead; `best` is what best play comes to.
    """
    tile = tile_of(target)
    found, rules = find_player2048(player, rules)
    if rules.cells > MOST_CELLS:
        raise TooLarge(f"a player can be followed through all boards of up to {MOST_CELLS} cells, not of {rules}")
    policy, name = kernel_policy_of(found, rules), player_name(player)
    at_random = isinstance(policy, RandomMoves)
    if not at_random:
        _require_certain(found, rules, name)
    choose = partial(_ask, found, rules) if policy is None else partial(_choose, found, rules, workers)
    with bar(None, name, "boards", progress) as shown:
        followed = follow(rules, None if at_random else choose, shown.update)
    return Whole2048(name, rules, followed, str(tile) if tile else SCORE, best)


def _require_certain(player: Player2048, rules: Rules2048, name: str) -> None:
    """BadPlayer if a player needs chance on one of some boards."""
    random: Any = NoChance()
    position = Position2048.start(np.random.default_rng(0), rules)
    while legal := position.moves():
        try:
            player.move(position, random)
        except BadPlayer as error:
            raise BadPlayer(
                f"the player {name} plays by chance; only random, and players that always play the same, can be "
                "followed through all boards"
            ) from error
        position = position.step(legal[0], np.random.default_rng(len(legal)))


def _choose(player: Player2048, rules: Rules2048, workers: int | None, boards: Boards) -> Directions:
    """What a player plays on many boards, by kernels."""
    directions, rows = np.full(len(boards), -1, np.int8), kernels.row_tables(rules)

    def work(part: float, end: float, stop: Stop) -> None:
        policy: KernelPolicy | None = kernel_policy_of(player, rules)
        assert policy is not None
        some = slice(round(part * len(boards)), round(end * len(boards)))
        choose_boards(policy, boards[some], directions[some], rows, streams(0, 1), stop)

    layers.shared_out(work, len(boards), workers or own_cores())
    return directions


def _ask(player: Player2048, rules: Rules2048, boards: Boards) -> Directions:
    """Choices of a player that only Python can ask, about many boards if it can, else one after the other."""
    random: Any = NoChance()
    directions = np.full(len(boards), -1, np.int8)
    if sees_many(player, rules):
        going = np.flatnonzero(kernels.can_move(boards, kernels.row_tables(rules)))
        directions[going] = cast(Any, player).choose_many(boards[going]) if len(going) else 0
        return directions
    for number, board in enumerate(boards.tolist()):
        position = Position2048.unpack(board, rules=rules)
        if legal := position.moves():
            try:
                answer = position.as_move(player.move(position, random))
            except BadPlayer as error:
                raise BadPlayer(f"the player {player_name(player)} plays by chance in {position}") from error
            if answer not in legal:
                raise PlayerFault(f"the player {player_name(player)} answers {answer!r} in {position}")
            directions[number] = DIRECTIONS.index(answer)
    return directions
