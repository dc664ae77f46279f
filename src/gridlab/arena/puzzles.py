"""Puzzles: the questions of the standard exams for people, sorted by how hard they are.

A level is of the truth alone: in a row the fewer moves are right, the harder; in 2048, where one direction of at most
four is right, the less the next one gives away. Puzzles are numbered within their level, in the order of the exam, so
the first of them are a fair part of all.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from gridlab.arena.exam import Exam, Judged, Question, read_exam, standard_exams
from gridlab.core.errors import BadNotation, IllegalMove
from gridlab.games.registry import FAMILIES, GameRules, family_of

NAMES = ("easy", "medium", "hard", "very hard")


@dataclass(frozen=True)
class Puzzle:
    """A question for a person, and the truth about it."""

    book: "Book"
    level: int
    number: int  # within its level
    question: Question
    position: Any  # of the family of the game
    key: Any  # as that family has it

    @property
    def aim(self) -> str:
        """What a right move keeps: win, draw or points."""
        return str(self.book.exam.family.aim(self.key))

    @property
    def right(self) -> list[str]:
        """The moves that give nothing away."""
        return [move for move in self.question.legal if self.judge(move).kept]

    def move(self, text: str) -> str:
        """A legal move as it was written, or a sentence that says why it is none."""
        move: str = self.position.move_text(self.position.parse_move(text))
        if move not in self.question.legal:
            raise IllegalMove(
                f"{move} is not a move in {self.question.board}; there are {', '.join(self.question.legal)}"
            )
        return move

    def judge(self, move: str) -> Judged:
        """What a legal move gives away."""
        judged: Judged = self.book.exam.family.judge(self.key, move)
        return judged

    def line(self, move: str, ask: Callable[..., Any]) -> list[Any]:
        """A legal move and the best replies to it, as far as `ask` knows them: (before, move, after) each."""
        line: list[Any] = self.book.exam.family.line(self.position, move, ask)
        return line


@dataclass(frozen=True)
class Level:
    """Puzzles that are about equally hard, and how many of their moves are right."""

    level: int
    about: str
    puzzles: tuple[Puzzle, ...]
    right: tuple[int, int]  # the fewest and the most right moves
    legal: tuple[int, int]  # out of so many, the fewest and the most

    @property
    def name(self) -> str:
        return NAMES[self.level - 1]


class Book:
    """The puzzles of one game, by level."""

    def __init__(self, exam: Exam) -> None:
        self.exam = exam
        sorted_: dict[int, list[Puzzle]] = {}
        for question, position, key in zip(exam.questions, exam.positions, exam.key(), strict=True):
            level = exam.family.level(key)
            same = sorted_.setdefault(level, [])
            same.append(Puzzle(self, level, len(same) + 1, question, position, key))
        self.levels = {level: _level(level, exam, sorted_[level]) for level in sorted(sorted_)}

    @property
    def rules(self) -> GameRules:
        return self.exam.rules

    @property
    def game(self) -> str:
        """The name of the game, or its rules if it has none."""
        named = family_of(self.rules).named
        return next((name for name, rules in named.items() if rules == str(self.rules)), str(self.rules))

    def puzzle(self, level: int, number: int) -> Puzzle:
        if level not in self.levels:
            raise BadNotation(
                f"{self.game} has no puzzles of level {level}; there are {', '.join(map(str, self.levels))}"
            )
        puzzles = self.levels[level].puzzles
        if not 1 <= number <= len(puzzles):
            raise BadNotation(
                f"{self.game} has no puzzle {number} of level {level}; they are numbered 1 to {len(puzzles)}"
            )
        return puzzles[number - 1]


def _level(level: int, exam: Exam, puzzles: list[Puzzle]) -> Level:
    right, legal = zip(*((len(each.right), len(each.question.legal)) for each in puzzles), strict=True)
    return Level(
        level, exam.family.LEVELS[level - 1], tuple(puzzles), (min(right), max(right)), (min(legal), max(legal))
    )


@cache
def books() -> dict[GameRules, Book]:
    """The puzzles of every game that a standard exam is about: in a row first, small boards first; read once."""
    exams = [read_exam(name) for name in standard_exams()]
    exams.sort(key=lambda exam: (list(FAMILIES).index(exam.rules.family), len(exam.questions[0].board)))
    return {exam.rules: Book(exam) for exam in exams}


def book_of(rules: GameRules) -> Book:
    """The puzzles of a game, or a sentence that names the games that have some."""
    if rules not in books():
        games = ", ".join(book.game for book in books().values())
        raise BadNotation(f"there are no puzzles of {rules}; there are puzzles of {games}")
    return books()[rules]
