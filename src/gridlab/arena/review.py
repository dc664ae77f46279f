"""A played game compared with perfect play: what each position was worth, and which moves gave something away.

A move counts for the scorecard where it could change the value, as in a grade; not where the truth is unknown.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from gridlab.arena.grade import Answer, judge
from gridlab.arena.questions import Question, has_choice
from gridlab.games.mnk.position import Position
from gridlab.games.mnk.solution import Solution


class Step(NamedTuple):
    """A position of the game, the truth about it, and what was done there."""

    position: Position
    solution: Solution
    move: int | None  # None after the last one
    answer: Answer | None  # None where there was nothing to decide, or nobody knows


class Scorecard(NamedTuple):
    """How a side has played."""

    decisions: int  # moves that could change the value
    kept: int  # of these
    blunders: tuple[int, ...]  # the numbers of the steps, from 0
    unknown: int = 0  # moves that nobody can judge, for want of the truth

    @property
    def accuracy(self) -> float | None:
        """The share of decisions that kept the value; None if there were none."""
        return self.kept / self.decisions if self.decisions else None


class Review(NamedTuple):
    """A game, step by step."""

    steps: tuple[Step, ...]

    def scorecard(self, side: str) -> Scorecard:
        own = [(number, each.answer) for number, each in enumerate(self.steps) if each.position.to_move == side]
        answers = [(number, answer) for number, answer in own if answer is not None]
        wrong = tuple(number for number, answer in answers if not answer.kept)
        moved = [each.solution for each in self.steps if each.position.to_move == side and each.move is not None]
        return Scorecard(len(answers), len(answers) - len(wrong), wrong, sum(not each.exact for each in moved))


def review(history: Sequence[Position], moves: Sequence[int], ask: Callable[[Position], Solution]) -> Review:
    """Review a game: its positions, one more than there are moves. `ask` is the oracle.

    It is asked from the end, where questions are easy and their answers help with those before.
    """
    known = [ask(position) for position in reversed(history)][::-1]
    played: list[int | None] = [*moves, None]
    return Review(tuple(_step(*each) for each in zip(history, known, played, strict=True)))


def _step(position: Position, solution: Solution, move: int | None) -> Step:
    if move is None or not has_choice(solution):
        return Step(position, solution, move, None)
    return Step(position, solution, move, judge(Question(position, solution), move))
