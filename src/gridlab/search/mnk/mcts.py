"""Monte Carlo tree search: how often each move was tried, what it brought, and what was proved of it."""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from gridlab.core import draw
from gridlab.core.arguments import typed
from gridlab.core.errors import BadNotation, IllegalMove
from gridlab.core.shown import Sheet, shown
from gridlab.core.splitmix import States, streams
from gridlab.core.stop import Stop, stop_flag
from gridlab.core.workers import call
from gridlab.games import notation
from gridlab.games.mnk.position import Position, position_of
from gridlab.search.mnk.geometry import Geometry, geometry_of
from gridlab.search.mnk.mcts_kernel import PROVED_DRAW, PROVED_LOSS, PROVED_WIN, UNPROVED, grow, new_tree

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


@shown
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

    def as_dict(self) -> dict[str, Any]:
        rows, cols = self.position.rules.rows, self.position.rules.cols
        return {
            "rules": str(self.position.rules),
            "board": str(self.position),
            "playouts": self.playouts,
            "moves": [
                {"move": notation.move_text(cell, rows, cols), "visits": visits, "value": value, "proved": proved}
                for cell, visits, value, proved in self.moves
            ],
        }

    def _in_short(self) -> str:
        best = self.position.move_text(self.best) if self.moves else "none"
        return f"{self.position.rules} {self.position}: best {best} after {self.playouts:,} playouts"

    def _sheet(self) -> Sheet:
        rules = self.position.rules
        heading = f"{self.playouts:,} playouts; the share of visits of each move in percent"
        chosen = (self.best,) if self.moves else ()
        return Sheet(heading, pictures=[draw.board_svg(self._marks(), rules.cols, chosen, title=str(self.position))])

    def __str__(self) -> str:
        """The board with the share of visits of each move, in percent."""
        return draw.cells_text(self._marks(), self.position.rules.cols, (self.best,))

    def _marks(self) -> list[str]:
        marks = [notation.MARKS[value] for value in self.position.values]
        visits = sum(move.visits for move in self.moves)
        for move in self.moves:
            marks[move.cell] = f"{100 * move.visits / visits:.0f}"
        return marks


@typed
def search(
    position: Position | str,
    playouts: int = PLAYOUTS,
    seconds: float | None = None,
    proofs: bool = True,
    careful: bool = True,
    exploration: float = EXPLORATION,
    states: States | None = None,
    geometry: Geometry | None = None,
    stop: Stop | None = None,
    seed: int = 0,
) -> SearchResult:
    """Search an ongoing position by `playouts` playouts, fewer if it is proved before or `seconds` have passed.

    Chance comes from a stream of `states`, or of its own made from the seed.
    """
    position = position_of(position)
    if outcome := position.outcome():
        raise IllegalMove(f"the game {position} is over ({outcome.value}): there is nothing to search")
    if playouts < 1:
        raise BadNotation(f"{playouts} playouts find no move; at least 1 is needed")
    states = streams(seed, 1) if states is None else states
    geometry = geometry or geometry_of(position.rules)
    own, other = position.own, position.other
    tree, stop = new_tree(playouts + 1), stop_flag() if stop is None else stop
    done = call(
        lambda: grow(own, other, playouts, exploration, proofs, careful, geometry, tree, states, stop), stop, seconds
    )
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
