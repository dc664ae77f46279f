"""In-a-row games on record, and how they open: `x` and `o` have played, moves are cells, the result is an Outcome."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self

from gridlab.arena.session import PLAYED, Answered, result_of
from gridlab.arena.session import Record as AnyRecord
from gridlab.core import draw
from gridlab.inarow.position import Outcome, Position
from gridlab.inarow.rules import Rules

if TYPE_CHECKING:
    import numpy as np


@draw.shown
class Record(AnyRecord):
    """One game; its moves are cells from 0."""

    __slots__ = ()

    def __init__(
        self, rules: Rules, x: str, o: str, moves: tuple[int, ...], result: Outcome, reason: str = PLAYED,
        seed: int | None = None, opening: int = 0, answers: tuple[Answered, ...] = (),
    ) -> None:  # fmt: skip
        super().__init__(rules, (x, o), moves, result.winner, reason, seed, opening, answers)

    @classmethod
    def of(cls, rules: Any, players: tuple[str, ...], moves: Iterable[int], winner: str | None, *more: Any) -> Self:
        """The record of a game."""
        x, o = players
        return cls(rules, x, o, tuple(moves), Outcome(result_of(winner)), *more)

    @property
    def x(self) -> str:
        return self.players[0]

    @property
    def o(self) -> str:
        return self.players[1]

    @property
    def result(self) -> Outcome:
        return Outcome(result_of(self.winner))

    def _sheet(self) -> draw.Sheet:
        marks = ["."] * self.rules.cells
        for number, cell in enumerate(self.moves, 1):
            marks[cell] = f"{'X' if number % 2 else 'O'}{number}"
        heading = f"{self.x} – {self.o}: {self.result.value}"
        picture = draw.board_svg(marks, self.rules.cols, title=heading)
        return draw.Sheet(heading, pictures=[picture], notes=[self.reason])


def draw_opening(rules: Rules, length: int, random: "np.random.Generator") -> tuple[int, ...]:
    """Random moves after which the game is not over, every such sequence equally likely.

    Lines once completed stay, so a game that is not over afterwards was not over before.
    """
    from gridlab.arena.match import TRIES, no_opening  # which needs NumPy; records are verified without it

    for _ in range(TRIES if length < rules.cells else 0):
        moves = random.permutation(rules.cells)[:length].tolist()
        crosses, noughts = (sum(1 << move for move in moves[side::2]) for side in (0, 1))
        if Position(rules, crosses, noughts).outcome() is None:
            return tuple(moves)
    raise no_opening(rules, length)
