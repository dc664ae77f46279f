"""Monte Carlo tree search: how often each move was tried, what it brought, and what was proved of it."""

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gridlab.core import draw
from gridlab.core.arguments import typed
from gridlab.core.bits import States, Stop, below, lowest_cell, popcount, stopped, streams
from gridlab.core.bits import draw as draw_number
from gridlab.core.draw import AsJson, facts
from gridlab.core.errors import BadNotation, IllegalMove
from gridlab.core.jit import kernel
from gridlab.core.run import call, stop_flag
from gridlab.games import grid
from gridlab.inarow.kernels import Int64s
from gridlab.inarow.position import Position, position_of
from gridlab.inarow.search import geometry as tactics
from gridlab.inarow.search.geometry import OTHER, OTHER_WINS, OWN, OWN_LOSSES, OWN_WINS, Geometry, LinesThrough

# ---- Upper confidence bounds applied to trees (UCT), with results that are proved on the way
#
# A playout goes down the tree by the move of the highest  mean + c·sqrt(ln N / n),  adds one position, plays at random
# to the end, and tells every position on its way the result. The tree is flat: a row a position, children in a chain.
#
#     row      0     1     2     3     4         first   0 -> 4 -> 2 -> 1, the latest child first
#     parent         0     0     1     0         untried the moves of a position that have no row yet
#
# With proofs, a position that is decided (by the rules, or at a glance) is not played out, and may decide its parent: a
# move to a lost position wins; if all moves are decided the best of them counts. Moves that are known to lose are left
# alone, and a draw is worth 0 with nothing more to be learnt from it.


UNPROVED, PROVED_LOSS, PROVED_DRAW, PROVED_WIN = range(4)  # of a position, for its player to move


class Tree(NamedTuple):
    """A tree of positions, the start in row 0: [row]."""

    first: NDArray[np.int32]  # its latest child, or 0
    following: NDArray[np.int32]  # the next child of its parent, or 0
    move: NDArray[np.int8]  # the cell that led here
    visits: NDArray[np.int32]
    total: NDArray[np.int32]  # results for the player who moved here: 1, 0 or -1 a visit
    proved: NDArray[np.int8]
    untried: Int64s  # cells
    rows: Int64s  # [1]: how many are in use


def new_tree(rows: int) -> Tree:
    return Tree(*[*tactics.columns(rows, "int32 int32 int8 int32 int32 int8 int64"), np.zeros(1, np.int64)])


@kernel
def grow(
    own: int, other: int, playouts: int, exploration: float, proofs: bool, careful: bool, geometry: Geometry,
    tree: Tree, states: States, stop: Stop,
) -> int:  # fmt: skip
    """Add playouts to the tree of a position, until the start is proved or `stop` is set; how many were made."""
    cells, winning, losing = geometry.cells, geometry.winning, geometry.losing
    move, proved, untried, rows = tree.move, tree.proved, tree.untried, tree.rows
    full = (1 << cells) - 1
    root = popcount(own | other)
    frames = np.empty((cells - root + 2, tactics.POSITION), np.int64)
    path, left = np.zeros(cells + 2, np.int64), np.zeros(cells, np.int64)
    tactics.put_position(own, other, frames, geometry.runs)
    if rows[0] == 0:
        rows[0] = 1
        untried[0] = full & ~(own | other)
    for number in range(playouts):
        if (proofs and proved[0] != UNPROVED) or stopped(stop):
            return number
        # selection and expansion: down the tree to a position that is proved, or to a new one
        stones, row, adding = root, path[0], False
        while proved[row] == UNPROVED and not adding:
            ply = stones - root
            adding = untried[row] != 0
            if adding:
                cell = tactics.random_cell(untried[row], states)
                row = add_child(row, cell, tree)
            else:
                row = best_child(row, exploration, proofs, tree)
                cell = int(move[row])
            wins, losses = frames[ply, OWN_WINS], frames[ply, OWN_LOSSES]
            tactics.make_move(cell, ply, frames, winning, losing)
            stones += 1
            path[ply + 1] = row
            if adding:
                judge(row, wins >> cell & 1, losses >> cell & 1, proofs, ply + 1, stones, full, frames, proved, untried)
        # simulation
        ply = stones - root
        if proved[row] != UNPROVED:
            value = int(proved[row]) - PROVED_DRAW
        elif careful:
            value = play_with_care(ply, frames, full, winning, losing, states)
        else:
            value = play_out(frames[ply, OWN], frames[ply, OTHER], full, left, winning, losing, states)
        back_up(value, ply, path, proofs, tree)
    return playouts


@kernel
def add_child(row: int, cell: int, tree: Tree) -> int:
    """A new row for the position after a move that was untried."""
    child = int(tree.rows[0])
    tree.rows[0] += 1
    tree.untried[row] ^= 1 << cell
    tree.move[child], tree.following[child], tree.first[row] = cell, tree.first[row], child
    return child


@kernel
def best_child(row: int, exploration: float, proofs: bool, tree: Tree) -> int:
    """The child with the highest upper bound, the latest of equals; with proofs none that is known to lose."""
    weight = exploration * math.sqrt(math.log(tree.visits[row]))
    best, highest = 0, -math.inf
    child = int(tree.first[row])
    while child != 0:
        visits = tree.visits[child]
        bound = tree.total[child] / visits + weight / math.sqrt(visits)
        if proofs and tree.proved[child] == PROVED_DRAW:
            bound = 0.0
        if bound > highest and not (proofs and tree.proved[child] == PROVED_WIN):
            best, highest = child, bound
        child = int(tree.following[child])
    return best


@kernel
def judge(
    row: int, won: int, lost: int, proofs: bool, ply: int, stones: int, full: int, frames: tactics.Frames,
    proved: NDArray[np.int8], untried: Int64s,
) -> None:  # fmt: skip
    """What is proved of a new position at once: how the move to it ended the game, or with proofs at a glance."""
    free = full & ~(frames[ply, OWN] | frames[ply, OTHER])
    own_wins, own_losses, other_wins = frames[ply, OWN_WINS], frames[ply, OWN_LOSSES], frames[ply, OTHER_WINS]
    known, moves = UNPROVED, free
    if won or lost or free == 0:
        known, moves = PROVED_LOSS if won else PROVED_WIN if lost else PROVED_DRAW, 0
    elif proofs:
        score, moves = tactics.glance(free, own_wins, own_losses, other_wins, stones)
        if moves == 0:
            known = PROVED_WIN if score > 0 else PROVED_LOSS if score < 0 else PROVED_DRAW
    proved[row], untried[row] = known, moves


@kernel
def back_up(value: int, ply: int, path: Int64s, proofs: bool, tree: Tree) -> None:
    """Tell every position on the way the result, which is for the player to move at its end; and what it proves."""
    visits, total, proved = tree.visits, tree.total, tree.proved
    for i in range(ply, -1, -1):
        row = path[i]
        if proofs and i < ply and proved[path[i + 1]] != UNPROVED:
            proved[row] = proved_by(row, path[i + 1], tree)
            if proved[row] != UNPROVED:
                value = int(proved[row]) - PROVED_DRAW
        visits[row] += 1
        total[row] -= value
        value = -value


@kernel
def proved_by(row: int, latest: int, tree: Tree) -> int:
    """What is proved of a position now that its child `latest` is."""
    if tree.proved[latest] == PROVED_LOSS:
        return PROVED_WIN
    if tree.untried[row] != 0:
        return UNPROVED
    best = PROVED_LOSS
    child = int(tree.first[row])
    while child != 0:
        if tree.proved[child] == UNPROVED:
            return UNPROVED
        best = max(best, 4 - int(tree.proved[child]))
        child = int(tree.following[child])
    return best


@kernel
def play_out(
    own: int, other: int, full: int, left: Int64s, winning: LinesThrough, losing: LinesThrough, states: States
) -> int:
    """The result of random moves for the player to move: 1, 0 or -1. `left` is room for the free cells."""
    free, count, sign, result = full & ~(own | other), 0, 1, 0
    while free != 0:
        left[count] = lowest_cell(free)
        free &= free - 1
        count += 1
    while count > 0:
        chosen = below(draw_number(states, 0), count)
        cell = left[chosen]
        count -= 1
        left[chosen] = left[count]
        own |= 1 << cell
        if tactics.fills(own, cell, winning):
            count, result = 0, sign
        elif tactics.fills(own, cell, losing):
            count, result = 0, -sign
        own, other, sign = other, own, -sign
    return result


@kernel
def play_with_care(
    ply: int, frames: tactics.Frames, full: int, winning: LinesThrough, losing: LinesThrough, states: States
) -> int:
    """The result of moves that take a win, avoid a loss if they can, and meet a threat; over the frames below `ply`."""
    sign = 1
    free = full & ~(frames[ply, OWN] | frames[ply, OTHER])
    safe = free & ~frames[ply, OWN_LOSSES]
    while safe != 0 and frames[ply, OWN_WINS] & free == 0:
        forced = frames[ply, OTHER_WINS] & safe
        tactics.make_move(tactics.random_cell(forced if forced != 0 else safe, states), ply, frames, winning, losing)
        ply, sign = ply + 1, -sign
        free = full & ~(frames[ply, OWN] | frames[ply, OTHER])
        safe = free & ~frames[ply, OWN_LOSSES]
    won = frames[ply, OWN_WINS] & free != 0
    return 0 if free == 0 else sign if won else -sign


# ---- Monte Carlo tree search: how often each move was tried, what it brought, and what was proved of it


EXPLORATION = 1.0  # results are 1, 0 and -1
PLAYOUTS = 2000
Proved = Literal["", "loss", "draw", "win"]
FOR_THE_MOVER: dict[int, Proved] = {UNPROVED: "", PROVED_LOSS: "win", PROVED_DRAW: "draw", PROVED_WIN: "loss"}


class TriedMove(NamedTuple):
    """A move of the start."""

    cell: int
    visits: int
    value: float  # mean result for the player who makes it, -1 to 1; what is proved counts as it is
    proved: Proved


@draw.shown
@dataclass(frozen=True)
class SearchResult:
    """The moves of a position after so many playouts, ascending; those never tried are not there."""

    position: Position
    playouts: int
    moves: tuple[TriedMove, ...]

    @property
    def best(self) -> int:
        """A move proved to win, else the one tried most that does not lose; a sure draw if that one looks worse."""
        sure = {each.proved: each for each in reversed(self.moves)}
        if "win" in sure:
            return sure["win"].cell
        going = [each for each in self.moves if each.proved != "loss"] or self.moves
        most = max(going, key=lambda each: (each.visits, each.value, -each.cell))
        return sure["draw"].cell if "draw" in sure and most.value < 0 else most.cell

    def as_dict(self) -> AsJson:
        name = self.position.move_text
        moves = [{"move": name(each.cell)} | facts(each, "visits value proved") for each in self.moves]
        return facts(self.position, "rules") | {"board": str(self.position), "playouts": self.playouts, "moves": moves}

    def _in_short(self) -> str:
        best = self.position.move_text(self.best) if self.moves else "none"
        return f"{self.position.rules} {self.position}: best {best} after {self.playouts:,} playouts"

    def _sheet(self) -> draw.Sheet:
        rules = self.position.rules
        heading = f"{self.playouts:,} playouts; the share of visits of each move in percent"
        chosen = (self.best,) if self.moves else ()
        picture = draw.board_svg(self._marks(), rules.cols, chosen, title=str(self.position))
        return draw.Sheet(heading, pictures=[picture])

    def __str__(self) -> str:
        """The board with the share of visits of each move, in percent."""
        return draw.cells_text(self._marks(), self.position.rules.cols, (self.best,))

    def _marks(self) -> list[str]:
        marks = [grid.MARKS[value] for value in self.position.values]
        visits = sum(move.visits for move in self.moves)
        for move in self.moves:
            marks[move.cell] = f"{100 * move.visits / visits:.0f}"
        return marks


@typed
def search(
    position: Position | str, playouts: int = PLAYOUTS, seconds: float | None = None, proofs: bool = True,
    careful: bool = True, exploration: float = EXPLORATION, states: States | None = None,
    geometry: Geometry | None = None, stop: Stop | None = None, seed: int = 0,
) -> SearchResult:  # fmt: skip
    """Search an ongoing position by `playouts` playouts, fewer if it is proved before or `seconds` have passed.

    Chance comes from a stream of `states`, or of its own made from the seed.
    """
    position = position_of(position)
    if outcome := position.outcome():
        raise IllegalMove(f"the game {position} is over ({outcome.value}): there is nothing to search")
    if playouts < 1:
        raise BadNotation(f"{playouts} playouts find no move; at least 1 is needed")
    states = streams(seed, 1) if states is None else states
    geometry = geometry or tactics.geometry_of(position.rules)
    tree, stop = new_tree(playouts + 1), stop_flag() if stop is None else stop
    task = position.own, position.other, playouts, exploration, proofs, careful, geometry, tree, states, stop
    done = call(lambda: grow(*task), stop, seconds)
    moves: list[TriedMove] = []
    child = int(tree.first[0])
    while child:
        visits, proved = int(tree.visits[child]), int(tree.proved[child])
        value = float(PROVED_DRAW - proved) if proved else int(tree.total[child]) / visits
        moves.append(TriedMove(int(tree.move[child]), visits, value, FOR_THE_MOVER[proved]))
        child = int(tree.following[child])
    return SearchResult(position, done, tuple(sorted(moves)))


def states_of(random: np.random.Generator) -> States:
    """A stream for the kernel, drawn from a generator."""
    return random.integers(1 << 63, size=1, dtype=np.uint64)
