"""Questions about in-a-row games: positions drawn uniformly up to symmetry, the truth from tables or search."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gridlab.arena import exam as judge
from gridlab.arena.exam import Judged
from gridlab.core import draw
from gridlab.core.errors import CorruptFile
from gridlab.games import grid
from gridlab.games.grid import symmetries
from gridlab.inarow.exact.oracle import Oracle, whole_line
from gridlab.inarow.exact.tablebase.layout import TABLEBASE_CELLS, halves, shape
from gridlab.inarow.exact.tablebase.probe import Boards
from gridlab.inarow.exact.tablebase.sampling import MOST_TRIED, boards_at, draw_positions
from gridlab.inarow.position import Position
from gridlab.inarow.rules import Rules
from gridlab.inarow.solution import Budget, Solution

SIGNS = {"win": "+", "draw": "=", "loss": "-"}
BATCH, BATCHES = 1 << 14, 256  # slots of a large ply tried at a time, and how many times
SOME = 1 << 10  # positions made numbers of Python together


class Step(NamedTuple):
    """A move of a line, and the positions around it."""

    before: Position
    move: int
    after: Position


def truth_of(found: Solution) -> judge.Truth:
    """A solution as judges take it."""
    return judge.Truth(found.value, found.distance, {move.cell: (move.value, move.distance) for move in found.moves})


class Judge(judge.Judge):
    """Judges answers in in-a-row games."""

    TASK = "In each position, write down the move that you would play, by the number in its cell."

    def oracle(self, rules: Rules, tablebase: Path | str | None, nodes: int) -> judge.Oracle:
        ask = Oracle(rules, Budget(nodes), tablebase=tablebase).ask
        return lambda position: truth_of(ask(position))

    def plies(self, rules: Rules) -> range:
        return range(rules.cells - 1)

    def positions(self, rules: Rules, ply: int, random: np.random.Generator) -> Iterator[Position]:
        """Drawn uniformly up to symmetry, on boards of more than 25 cells by random play."""
        if rules.cells > TABLEBASE_CELLS:
            yield from super().positions(rules, ply, random)
            return
        images = symmetries(rules.rows, rules.cols)
        seen: set[tuple[int, int]] = set()
        for boards in _batches(rules, ply, random):
            for crosses, noughts in _one_by_one(random.permutation(boards)):
                if (crosses, noughts) not in seen:
                    seen.add((crosses, noughts))
                    yield Position(rules, crosses, noughts).image(images[random.integers(len(images))])

    def check(self, position: Position) -> None:
        position.require_legal()

    def check_key(self, key: judge.Key, position: Position) -> None:
        super().check_key(key, position)
        left = position.rules.cells - position.ply
        for move, (value, distance) in key.moves.items():
            if (distance or 0) > left or (value == "draw" and distance != left):
                raise CorruptFile(f"{move} is a {value} in {distance}, with {left} free cells")

    def picture(self, position: Position, key: judge.Key, move: str) -> str:
        marks = [grid.MARKS[value] for value in position.values]
        for name, (value, distance) in key.moves.items():
            marks[position.parse_move(name)] = f"{SIGNS[value]}{'' if value == 'draw' else distance}"
        best, played = [position.parse_move(each) for each in key.best], position.parse_move(move)
        title = f"{position.rules} {position}, {position.to_move} to move"
        return draw.board_svg(marks, position.rules.cols, best, title, wrong=played)

    def drawn(self, position: Position) -> str:
        """The board as SVG, every free cell with the name of its move."""
        values = enumerate(position.values)
        marks = [grid.MARKS[value] if value else position.move_text(cell) for cell, value in values]
        return draw.board_svg(marks, position.rules.cols, title=f"{position}, {position.to_move} to move")

    def line(self, position: Position, move: str, ask: Callable[[Position], Solution]) -> list[Step]:
        """A move and the best replies to it, to the end of the game if it is known so far."""
        after = position.play(position.parse_move(move))
        steps = [Step(position, position.parse_move(move), after)]
        for cell in () if after.over else whole_line(after, ask):
            steps.append(Step(steps[-1].after, cell, steps[-1].after.play(cell)))
        return steps


JUDGE = Judge()


def _one_by_one(boards: Boards) -> Iterator[tuple[int, int]]:
    """As numbers of Python, some at a time: a list of millions would keep every other thread waiting."""
    for start in range(0, len(boards), SOME):
        yield from boards[start : start + SOME].tolist()


def _batches(rules: Rules, ply: int, random: np.random.Generator) -> Iterator[Boards]:
    """All of a small ply; of a large one a part at a time, for a while: it may have fewer positions than are wanted."""
    tables = halves(rules)
    crosses, noughts, _, slots = shape(rules.cells, ply)
    total = tables.count(crosses) * slots
    if total <= MOST_TRIED:
        yield draw_positions(rules, ply, total, random)
        return
    for _ in range(BATCHES):
        yield boards_at(np.unique(random.integers(total, size=BATCH)), crosses, noughts, tables)


# ---- A played game compared with perfect play: what each position was worth, and which moves gave something away
#
# A move counts for the scorecard where it could change the value, as in a grade; not where the truth is unknown.


class Reviewed(NamedTuple):
    """A position of the game, the truth about it, and what was done there."""

    position: Position
    solution: Solution
    move: int | None  # None after the last one
    answer: Judged | None  # None where there was nothing to decide, or nobody knows


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

    steps: tuple[Reviewed, ...]

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


def _step(position: Position, solution: Solution, move: int | None) -> Reviewed:
    truth = truth_of(solution)
    if move is None or not truth.decisive:
        return Reviewed(position, solution, move, None)
    key = JUDGE.asked(1, position, truth).key
    return Reviewed(position, solution, move, JUDGE.judge(key, position.move_text(move)))
