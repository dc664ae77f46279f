"""Answers marked: how many keep what the position is worth, what kind of blunder the others are, and what it costs.

accuracy        answers that keep the value (2048: one of the best directions), of all questions
illegal         an answer that is not a legal move      }  wrong, and counted apart
missing         no answer                              }
regret          plies by which a kept win comes later than it could (2048: points given away), a legal answer
random          the accuracy of random play: not drawn but worked out, the mean share of moves that keep the value
first legal     that of always playing the first legal move
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gridlab.arena.answers import Answer, Answers, read_everybody
from gridlab.arena.exam import Exam, Judged, Question, read_exam, standard_exams
from gridlab.arena.statistics import Interval, mcnemar, of_difference, wilson
from gridlab.core import draw
from gridlab.core.arguments import counted, typed
from gridlab.core.draw import Sheet, between, brief, percent, shown
from gridlab.core.errors import BadNotation, GridlabError

ILLEGAL, MISSING = "illegal", "missing"
WORST = 12  # blunders that are listed
BANDS = 10  # of stages, if there are more than fit a table
MOST_ROWS = 30


class Marked(NamedTuple):
    """An answer beside the truth."""

    question: Question
    position: Any
    key: Any
    answer: Answer | None
    move: str  # as the exam writes it; empty if it is none
    judged: Judged

    @property
    def kept(self) -> bool:
        return self.judged.kept

    @property
    def value(self) -> Any:
        """What the position is worth."""
        return self.key.value

    @property
    def blunder(self) -> str:
        """What was given away; empty if nothing was."""
        return self.judged.kind

    @property
    def lost(self) -> Any:
        """Plies, or points, given away where that has a meaning."""
        return self.judged.regret

    @property
    def fault(self) -> str:
        """What was wrong with the answer, as a sentence."""
        return self.answer.error if self.answer else ""


class Tally(ABC):
    """What the marked answers of a player come to."""

    @property
    @abstractmethod
    def answered(self) -> Sequence[Marked]:
        """Every answer."""

    @property
    @abstractmethod
    def kinds(self) -> tuple[str, ...]:
        """Of wrong answers."""

    @property
    def accuracy(self) -> float:
        """The share of all questions whose answer keeps the value."""
        return accuracy_of(self.answered)[0]

    @property
    def accuracy_interval(self) -> Interval:
        return accuracy_of(self.answered)[1]

    @property
    def blunders(self) -> dict[str, int]:
        """How often each kind of wrong answer was given."""
        return count_blunders(self.answered, self.kinds)

    @property
    def regret(self) -> float | None:
        """The mean over the answers for which it has a meaning."""
        known = [each.lost for each in self.answered if each.lost is not None]
        return float(sum(known) / len(known)) if known else None


def accuracy_of(marked: Sequence[Marked]) -> tuple[float, Interval]:
    """The share of answers that keep the value, and its interval."""
    kept = sum(each.kept for each in marked)
    return kept / len(marked), wilson(kept, len(marked))


def count_blunders(marked: Sequence[Marked], kinds: Sequence[str]) -> dict[str, int]:
    counted = Counter(each.blunder for each in marked)
    return {kind: counted[kind] for kind in kinds}


@dataclass(frozen=True)
class Expected:
    """What a player who knows nothing gets, worked out over all legal moves."""

    accuracy: Fraction
    blunders: dict[str, Fraction]  # a question
    regret: float | None

    def as_dict(self) -> dict[str, Any]:
        blunders = {kind: float(share) for kind, share in self.blunders.items()}
        return {"accuracy": float(self.accuracy), "blunders": blunders, "regret": self.regret}


@shown
@dataclass(frozen=True)
class Marks(Tally):
    """The answers of a player to an exam, and what they come to."""

    exam: Exam
    player: str
    marked: tuple[Marked, ...]

    @property
    def answered(self) -> Sequence[Marked]:
        return self.marked

    @property
    def kinds(self) -> tuple[str, ...]:
        return (*self.exam.family.KINDS, ILLEGAL, MISSING)

    @cached_property
    def random(self) -> Expected:
        """What random play gets, exactly."""
        return _expected(self.marked, lambda each: list(each.key.moves), self.exam.family)

    @cached_property
    def first_legal(self) -> Expected:
        """What the first legal move gets, always."""
        return _expected(self.marked, lambda each: [each.question.legal[0]], self.exam.family)

    @cached_property
    def by_stage(self) -> list[dict[str, Any]]:
        """The same for every ply; in 2048 for ranges of the sum of the tiles."""
        stages = sorted({each.question.stage for each in self.marked})
        if len(stages) <= MOST_ROWS:
            return [
                self._part(str(stage), [each for each in self.marked if each.question.stage == stage])
                for stage in stages
            ]
        rows: list[dict[str, Any]] = []
        for part in np.array_split(np.array(sorted(each.question.stage for each in self.marked)), BANDS):
            low, high = int(part[0]), int(part[-1])
            low = low if not rows else int(rows[-1][self.exam.family.STAGE].split("-")[1]) + 1
            found = [each for each in self.marked if low <= each.question.stage <= high]
            if found:
                rows.append(self._part(f"{low}-{high}", found))
        return rows

    @cached_property
    def by_depth(self) -> list[dict[str, Any]]:
        """The same by how far away the best result is; in 2048 by how much is at stake."""
        depths = dict(sorted({each.key.rank: each.key.depth for each in self.marked}.items()))
        name, stage = self.exam.family.DEPTH, self.exam.family.STAGE
        parts = (
            self._part(text, [each for each in self.marked if each.key.rank == rank]) for rank, text in depths.items()
        )
        return [{name: part.pop(stage), **part} for part in parts]

    def _part(self, name: str, marked: Sequence[Marked]) -> dict[str, Any]:
        return {self.exam.family.STAGE: name} | self._summary(marked)

    @property
    def total(self) -> dict[str, Any]:
        """A row of a table for all questions."""
        return self._summary(self.marked)

    def _summary(self, marked: Sequence[Marked]) -> dict[str, Any]:
        family, (accuracy, interval) = self.exam.family, accuracy_of(marked)
        return {
            "questions": len(marked),
            "accuracy": accuracy,
            "accuracy_interval": list(interval),
            "random": float(_expected(marked, lambda each: list(each.key.moves), family).accuracy),
            "first_legal": float(_expected(marked, lambda each: [each.question.legal[0]], family).accuracy),
            "blunders": count_blunders(marked, self.kinds),
        }

    @property
    def worst(self) -> list[Marked]:
        """The gravest blunders: a near win missed, a near loss not seen; in 2048 the most points given away."""
        wrong = [each for each in self.marked if each.judged.gravity]
        return sorted(wrong, key=lambda each: each.judged.gravity, reverse=True)[:WORST]

    def as_dict(self) -> dict[str, Any]:
        return {
            "exam": self.exam.name,
            "rules": str(self.exam.rules),
            "player": self.player,
            **self.total,
            "regret": self.regret,
            "expected": {"random": self.random.as_dict(), "first_legal": self.first_legal.as_dict()},
            f"by_{self.exam.family.STAGE}": self.by_stage,
            f"by_{self.exam.family.DEPTH.replace(' ', '_')}": self.by_depth,
            "worst": [_told(each, self.exam) for each in self.worst],
        }

    def _in_short(self) -> str:
        kept = f"{percent(self.accuracy)} of {len(self.marked):,} questions, {between(self.accuracy_interval)}"
        return f"{brief(self.player, 30)}, {brief(self.exam.name, 30)}: {kept}"

    def _sheet(self) -> Sheet:
        return Sheet(self._heading(), self._header(), self._rows(), [self.player, self.regret_text()])

    def _heading(self) -> str:
        return f"{self.exam.name}: {self.exam.rules}, {counted(len(self.marked), 'question')}"

    def _header(self) -> tuple[str, ...]:
        return (self.exam.family.STAGE, "questions", "accuracy", "95 %", "random", "first legal", *self.kinds)

    def _rows(self) -> list[tuple[str | int, ...]]:
        rows = [row_of(each[self.exam.family.STAGE], each) for each in self.by_stage]
        return [*rows, row_of("all", self.total)]

    def __str__(self) -> str:
        table = draw.table(self._header(), self._rows())
        return "\n".join([self._heading(), self.player, table, self.regret_text()])

    def regret_text(self) -> str:
        """The regret beside that of players who know nothing."""
        own, random, first = (
            "no" if each is None else f"{each:.2f}"
            for each in (self.regret, self.random.regret, self.first_legal.regret)
        )
        return f"{own} {self.exam.family.UNIT}; random {random}, first legal {first}"


def row_of(name: str, summary: dict[str, Any]) -> tuple[str | int, ...]:
    """A line of a table."""
    expected = f"{summary['random']:.1%}", f"{summary['first_legal']:.1%}"
    return name, summary["questions"], *shares(summary), *expected, *summary["blunders"].values()


def shares(summary: dict[str, Any]) -> tuple[str, str]:
    """The accuracy and its interval as cells of a table."""
    low, high = summary["accuracy_interval"]
    return f"{summary['accuracy']:.1%}", f"{low:.1%} to {high:.1%}"


def _told(each: Marked, exam: Exam) -> dict[str, Any]:
    return {
        "id": each.question.id, "board": each.question.board, "move": each.move,
        "blunder": each.judged.kind, "told": exam.family.told(each.key, each.move),
    }  # fmt: skip


def _expected(marked: Sequence[Marked], played: Callable[[Marked], list[str]], family: Any) -> Expected:
    """What a player gets who plays each of some moves equally often: every one of them judged, nothing drawn."""
    kept, blunders = Fraction(0), dict.fromkeys(family.KINDS, Fraction(0))
    weights, regrets = 0.0, 0.0
    for each in marked:
        moves = played(each)
        share = Fraction(1, len(moves) * len(marked))
        for judged in (family.judge(each.key, move) for move in moves):
            if judged.kept:
                kept += share
            else:
                blunders[judged.kind] += share
            if judged.regret is not None:
                weights, regrets = weights + float(share), regrets + float(share) * judged.regret
    return Expected(kept, blunders, regrets / weights if weights else None)


# ---- marking


@typed
def mark(
    exam: Exam | Path | str,
    answers: Answers | Path | str | dict[int, str],
    key: Path | str | None = None,
    questions: int | None = None,
    seed: int | None = None,
) -> Marks:
    """Mark the answers of one person: of a file (JSON lines or CSV), of a sitting, or moves by number of question.

    `questions` and `seed` are those of `print_exam`: the questions that were on the sheet, and no others, are marked.
    """
    found = mark_all(exam, [answers], key, questions, seed)
    if len(found) > 1:
        names = brief(", ".join(each.player for each in found), 60)
        raise BadNotation(f"{answers} has the answers of {len(found)} people, {names}; mark_all marks them all")
    return found[0]


@typed
def mark_all(
    exam: Exam | Path | str,
    answers: Path | str | Sequence[Answers | Path | str | dict[int, str]],
    key: Path | str | None = None,
    questions: int | None = None,
    seed: int | None = None,
) -> list[Marks]:
    """Mark the answers of several people, of one file or more; a table (CSV) has a column for each person."""
    paper = exam if isinstance(exam, Exam) else read_exam(exam)
    chosen = paper.numbers(questions, seed)
    keys = paper.key(None if key is None else Path(key))
    everybody = [
        person
        for each in ([answers] if isinstance(answers, (str, Path)) else answers)
        for person in _given(each, paper)
    ]
    return [_mark(paper, person, keys, chosen) for person in everybody]


def _given(answers: Answers | Path | str | dict[int, str], exam: Exam) -> list[Answers]:
    """The answers in whatever was handed over."""
    if isinstance(answers, dict):
        return [Answers("answers", {number: Answer(number, move) for number, move in answers.items()})]
    return [answers] if isinstance(answers, Answers) else read_everybody(Path(answers), exam)


def _mark(exam: Exam, answers: Answers, keys: tuple[Any, ...], chosen: tuple[int, ...]) -> Marks:
    """The marks of one person in the questions that were asked."""
    asked = set(chosen)
    if others := [each.id for each in answers.given.values() if each.said and each.id not in asked]:
        raise BadNotation(
            f"{answers.player} has answered question {others[0]}, which is not one of the {len(chosen)} that were "
            "chosen; name the questions and the seed of the sheet"
        )
    marked = tuple(
        _marked(
            exam.questions[number - 1], exam.positions[number - 1], keys[number - 1], answers.given.get(number),
            exam.family,
        )
        for number in chosen
    )  # fmt: skip
    return Marks(exam, answers.player, marked)


def _marked(question: Question, position: Any, key: Any, answer: Answer | None, family: Any) -> Marked:
    if answer is None or not answer.said:
        return Marked(question, position, key, answer, "", Judged(MISSING, None, ()))
    try:
        move = position.move_text(position.parse_move(answer.said))
    except GridlabError:
        move = ""
    if move not in key.moves:
        return Marked(question, position, key, answer, "", Judged(ILLEGAL, None, ()))
    return Marked(question, position, key, answer, move, family.judge(key, move))


# ---- two players


def points_text(difference: float, interval: Interval, sure: str = "95 % ") -> str:
    """A difference of accuracies, with its interval."""
    low, high = (f"{100 * each:+.1f}" for each in interval)
    return f"{100 * difference:+.1f} percentage points, {sure}{low} to {high}"


def better_of(a: Sequence[Marked], b: Sequence[Marked]) -> npt.NDArray[np.int64]:
    """Question by question: 1 where A alone keeps the value, -1 where B does, 0 elsewhere."""
    return np.array([one.kept - other.kept for one, other in zip(a, b, strict=True)], np.int64)


@shown
@dataclass(frozen=True)
class PairedMarks:
    """Two files of answers to the same questions."""

    a: str
    b: str
    exam: str
    questions: int
    both: int
    only_a: int
    only_b: int
    neither: int
    difference_interval: Interval

    @property
    def difference(self) -> float:
        return (self.only_a - self.only_b) / self.questions

    @property
    def p(self) -> float:
        """McNemar's exact test."""
        return mcnemar(self.only_a, self.only_b)

    def as_dict(self) -> dict[str, Any]:
        counts = {"both": self.both, "only_a": self.only_a, "only_b": self.only_b, "neither": self.neither}
        return {
            "a": self.a, "b": self.b, "exam": self.exam, "questions": self.questions, **counts,
            "difference": self.difference, "difference_interval": list(self.difference_interval), "p": self.p,
        }  # fmt: skip

    def _in_short(self) -> str:
        names = f"{brief(self.a, 24)} less {brief(self.b, 24)}, {brief(self.exam, 20)}"
        return f"{names}: {100 * self.difference:+.1f} percentage points, p = {self.p:.2g}"

    def _sheet(self) -> Sheet:
        counts = (self.both, self.only_a, self.only_b, self.neither)
        return Sheet(f"{self.a} less {self.b}", ("both", "A alone", "B alone", "neither"), [counts], [str(self)])

    def __str__(self) -> str:
        return (
            f"{self.a} less {self.b}: {points_text(self.difference, self.difference_interval)}; right "
            f"alone {self.only_a:,} and {self.only_b:,} times, both {self.both:,}, neither {self.neither:,}; "
            f"McNemar's exact test p = {self.p:.2g}"
        )


@typed
def compare_marks(a: Marks, b: Marks, seed: int = 0) -> PairedMarks:
    """Two players on the same questions, question by question."""
    if a.exam.sha256 != b.exam.sha256:
        raise BadNotation(f"{a.player} and {b.player} have answered different exams, {a.exam.name} and {b.exam.name}")
    better = better_of(a.marked, b.marked)
    only_a, only_b = int((better > 0).sum()), int((better < 0).sum())
    both = sum(each.kept for each in a.marked) - only_a
    neither = len(better) - both - only_a - only_b
    interval = of_difference(better, seed)
    return PairedMarks(a.player, b.player, a.exam.name, len(better), both, only_a, only_b, neither, interval)


# ---- what there is


@dataclass(frozen=True)
class Listed:
    """The standard exams, and what players get in them who know nothing."""

    exams: tuple[Marks, ...]  # of nobody

    def as_dict(self) -> dict[str, Any]:
        found = [
            {
                "name": each.exam.name, "rules": str(each.exam.rules), "questions": len(each.marked),
                "random": float(each.random.accuracy), "first_legal": float(each.first_legal.accuracy),
                "file": str(each.exam.path), "sha256": each.exam.sha256,
            }
            for each in self.exams
        ]  # fmt: skip
        return {"exams": found}

    def __str__(self) -> str:
        rows = [
            (each["name"], each["rules"], each["questions"], f"{each['random']:.1%}", f"{each['first_legal']:.1%}")
            for each in self.as_dict()["exams"]
        ]
        return draw.table(("exam", "rules", "questions", "random", "first legal"), rows)


def listed() -> Listed:
    """Every exam that comes with the package."""
    return Listed(tuple(mark(name, {}) for name in standard_exams()))


# ---- The marks of several people side by side: a line for each, and the questions that most of them missed


HARDEST = 5  # questions that are named
HEADER = ("name", "right", "accuracy", "95 %", "wrong", "illegal", "missing")


@dataclass(frozen=True)
class ClassList:
    """Everybody's marks in the same questions."""

    marks: tuple[Marks, ...]

    @property
    def rows(self) -> list[tuple[str | int, ...]]:
        """A line of a table for each person; wrong answers are legal moves that give something away."""
        return [_row(each) for each in self.marks]

    @property
    def hardest(self) -> list[tuple[int, int]]:
        """The questions that most people missed, and how many were right; none that everybody knew."""
        right = [
            (answers[0].question.id, sum(each.kept for each in answers))
            for answers in zip(*(each.marked for each in self.marks), strict=True)
        ]
        missed = [each for each in right if each[1] < len(self.marks)]
        return sorted(missed, key=lambda each: (each[1], each[0]))[:HARDEST]

    def hardest_text(self) -> str:
        """The same in a sentence; empty if everybody was right everywhere."""
        if not self.hardest:
            return ""
        named = ", ".join(f"{number} ({right} of {len(self.marks)})" for number, right in self.hardest)
        return f"fewest right: question {named}"

    def heading(self) -> str:
        exam, first = self.marks[0].exam, self.marks[0]
        asked = counted(len(first.marked), "question")
        return f"{exam.name}: {exam.rules}, {asked}, {counted(len(self.marks), 'person', 'people')}"

    def __str__(self) -> str:
        return "\n".join([self.heading(), draw.table(HEADER, self.rows), self.hardest_text()]).rstrip()


def _row(marks: Marks) -> tuple[str | int, ...]:
    low, high = marks.accuracy_interval
    blunders = marks.blunders
    right = sum(each.kept for each in marks.marked)
    wrong = len(marks.marked) - right - blunders[ILLEGAL] - blunders[MISSING]
    shares = f"{marks.accuracy:.1%}", f"{low:.1%} to {high:.1%}"
    return marks.player, right, *shares, wrong, blunders[ILLEGAL], blunders[MISSING]
