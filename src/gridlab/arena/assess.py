"""Assessment: answers marked against the truth, and grades, which are exams made, answered and marked in memory.

accuracy        answers that keep the value (2048: one of the best directions), of all questions
illegal         an answer that is not a legal move      }  wrong, and counted apart
missing         no answer                              }
fault           in a grade: a wrong, late or missing answer
regret          plies by which a kept win comes later than it could (2048: points given away), a legal answer
random          the accuracy of random play: not drawn but worked out, the mean share of moves that keep the value
first legal     that of always playing the first legal move

Players on the same questions are compared question by question.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from gridlab.arena import exam as exams
from gridlab.arena.answers import Answer, Answers, Job, answers_to, read_everybody
from gridlab.arena.exam import NODES, Exam, Judged, Question
from gridlab.arena.match import faults_text
from gridlab.arena.session import enter
from gridlab.arena.statistics import Interval, mcnemar, of_difference, shares, wilson
from gridlab.core import draw
from gridlab.core.arguments import check_seed, counted, typed
from gridlab.core.charts import new_figure, save
from gridlab.core.draw import AsJson, Sheet, between, brief, facts, percent, shown
from gridlab.core.errors import BadNotation, GridlabError
from gridlab.core.progress import bar
from gridlab.games.registry import GameRules, family_of, game
from gridlab.players.registry import Player, close_player, make_player

if TYPE_CHECKING:
    from gridlab.game2048.grade import Grade2048
    from gridlab.game2048.rules import Rules2048
    from gridlab.inarow.rules import Rules

ILLEGAL, MISSING, FAULT = "illegal", "missing", "fault"
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
        return _accuracy_of(self.answered)[0]

    @property
    def accuracy_interval(self) -> Interval:
        return _accuracy_of(self.answered)[1]

    @property
    def blunders(self) -> dict[str, int]:
        """How often each kind of wrong answer was given."""
        return _count_blunders(self.answered, self.kinds)

    @property
    def regret(self) -> float | None:
        """The mean over the answers for which it has a meaning."""
        known = [each.lost for each in self.answered if each.lost is not None]
        return float(sum(known) / len(known)) if known else None

    def summary(self, unit: str, marked: Sequence[Marked], **expected: float) -> AsJson:
        """Some of the answers, as a row of a table."""
        accuracy, interval = _accuracy_of(marked)
        known = {unit: len(marked), "accuracy": accuracy, "accuracy_interval": list(interval)}
        return known | expected | {"blunders": _count_blunders(marked, self.kinds)}


def _accuracy_of(marked: Sequence[Marked]) -> tuple[float, Interval]:
    """The share of answers that keep the value, and its interval."""
    kept = sum(each.kept for each in marked)
    return kept / len(marked), wilson(kept, len(marked))


def _count_blunders(marked: Sequence[Marked], kinds: Sequence[str]) -> dict[str, int]:
    counted = Counter(each.blunder for each in marked)
    return {kind: counted[kind] for kind in kinds}


def _sorted_by(name: Callable[[Marked], Any], marked: Sequence[Marked]) -> dict[Any, list[Marked]]:
    """Answers in groups of the same name, the lowest first."""
    groups: dict[Any, list[Marked]] = {}
    for each in sorted(marked, key=name):
        groups.setdefault(name(each), []).append(each)
    return groups


def _stage(each: Marked) -> int:
    return each.question.stage


def _accuracy(summary: AsJson) -> tuple[str, str]:
    return shares(summary["accuracy"], Interval(*summary["accuracy_interval"]))


def row_of(name: str, summary: AsJson) -> tuple[str | int, ...]:
    """A line of a table of marks."""
    expected = f"{summary['random']:.1%}", f"{summary['first_legal']:.1%}"
    return name, summary["questions"], *_accuracy(summary), *expected, *summary["blunders"].values()


# ---- Marks: the answers of a player to an exam


@dataclass(frozen=True)
class Expected:
    """What a player who knows nothing gets, worked out over all legal moves."""

    accuracy: Fraction
    blunders: dict[str, Fraction]  # a question
    regret: float | None

    def as_dict(self) -> AsJson:
        return facts(self, "accuracy blunders regret")


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
        return self._expected(self.marked, lambda each: list(each.key.moves))

    @cached_property
    def first_legal(self) -> Expected:
        """What the first legal move gets, always."""
        return self._expected(self.marked, lambda each: [each.question.legal[0]])

    @cached_property
    def by_stage(self) -> list[AsJson]:
        """Totals by ply; in 2048 by ranges of the sum of the tiles."""
        name, stages = self.exam.family.STAGE, _sorted_by(_stage, self.marked)
        if len(stages) <= MOST_ROWS:
            return [{name: str(stage)} | self._part(found) for stage, found in stages.items()]
        rows: list[AsJson] = []
        low = min(stages)
        for part in np.array_split(sorted(map(_stage, self.marked)), BANDS):
            high = int(part[-1])
            if found := [each for each in self.marked if low <= _stage(each) <= high]:
                rows.append({name: f"{low}-{high}"} | self._part(found))
                low = high + 1
        return rows

    @cached_property
    def by_depth(self) -> list[AsJson]:
        """Totals by how far away the best result is; in 2048 by how much is at stake."""
        groups = _sorted_by(lambda each: each.key.rank, self.marked).values()
        return [{self.exam.family.DEPTH: found[0].key.depth} | self._part(found) for found in groups]

    @property
    def total(self) -> AsJson:
        """A row of a table for all questions."""
        return self._part(self.marked)

    def _part(self, marked: Sequence[Marked]) -> AsJson:
        random = self._expected(marked, lambda each: list(each.key.moves))
        first = self._expected(marked, lambda each: [each.question.legal[0]])
        expected = {"random": float(random.accuracy), "first_legal": float(first.accuracy)}
        return self.summary("questions", marked, **expected)

    def _expected(self, marked: Sequence[Marked], played: Callable[[Marked], list[str]]) -> Expected:
        """What a player gets who plays each of some moves equally often: every one of them judged, nothing drawn."""
        kept, blunders = Fraction(0), dict.fromkeys(self.exam.family.KINDS, Fraction(0))
        weights, regrets = 0.0, 0.0
        for each in marked:
            moves = played(each)
            share = Fraction(1, len(moves) * len(marked))
            for judged in (self.exam.family.judge(each.key, move) for move in moves):
                if judged.kept:
                    kept += share
                else:
                    blunders[judged.kind] += share
                if judged.regret is not None:
                    weights, regrets = weights + float(share), regrets + float(share) * judged.regret
        return Expected(kept, blunders, regrets / weights if weights else None)

    @property
    def worst(self) -> list[Marked]:
        """The gravest blunders: a near win missed, a near loss not seen; in 2048 the most points given away."""
        wrong = [each for each in self.marked if each.judged.gravity]
        return sorted(wrong, key=lambda each: each.judged.gravity, reverse=True)[:WORST]

    def as_dict(self) -> AsJson:
        family = self.exam.family
        return {
            "exam": self.exam.name, "rules": str(self.exam.rules), "player": self.player, **self.total,
            "regret": self.regret, "expected": facts(self, "random first_legal"), f"by_{family.STAGE}": self.by_stage,
            f"by_{family.DEPTH.replace(' ', '_')}": self.by_depth, "worst": [self._told(each) for each in self.worst],
        }  # fmt: skip

    def _told(self, each: Marked) -> AsJson:
        asked, told = each.question, self.exam.family.told(each.key, each.move)
        return {"id": asked.id, "board": asked.board, "move": each.move, "blunder": each.blunder, "told": told}

    def _in_short(self) -> str:
        kept = f"{percent(self.accuracy)} of {len(self.marked):,} questions, {between(self.accuracy_interval)}"
        return f"{brief(self.player, 30)}, {brief(self.exam.name, 30)}: {kept}"

    def _sheet(self) -> Sheet:
        header, notes = self.header(self.exam.family.STAGE), [self.player, self.regret_text()]
        return Sheet(self._heading(), header, self.rows(), notes)

    def _heading(self) -> str:
        return f"{self.exam.name}: {self.exam.rules}, {counted(len(self.marked), 'question')}"

    def header(self, first: str) -> tuple[str, ...]:
        """Of a table of parts, which are named in its first column."""
        return (first, "questions", "accuracy", "95 %", "random", "first legal", *self.kinds)

    def rows(self) -> list[tuple[str | int, ...]]:
        """The table by stage, and for all questions."""
        rows = [row_of(each[self.exam.family.STAGE], each) for each in self.by_stage]
        return [*rows, row_of("all", self.total)]

    def __str__(self) -> str:
        table = draw.table(self.header(self.exam.family.STAGE), self.rows())
        return "\n".join([self._heading(), self.player, table, self.regret_text()])

    def regret_text(self) -> str:
        """The regret beside that of players who know nothing."""
        known = (self.regret, self.random.regret, self.first_legal.regret)
        own, random, first = ("no" if each is None else f"{each:.2f}" for each in known)
        return f"{own} {self.exam.family.UNIT}; random {random}, first legal {first}"


# ---- marking


@typed
def mark(
    exam: Exam | Path | str, answers: Answers | Path | str | dict[int, str], key: Path | str | None = None,
    questions: int | None = None, seed: int | None = None,
) -> Marks:  # fmt: skip
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
    exam: Exam | Path | str, answers: Path | str | Sequence[Answers | Path | str | dict[int, str]],
    key: Path | str | None = None, questions: int | None = None, seed: int | None = None,
) -> list[Marks]:  # fmt: skip
    """Mark the answers of several people, of one file or more; a table (CSV) has a column for each person."""
    paper = exams.exam_of(exam)
    chosen = paper.numbers(questions, seed)
    keys = paper.key(None if key is None else Path(key))
    given = [answers] if isinstance(answers, (str, Path)) else answers
    return [_mark(paper, person, keys, chosen) for each in given for person in _people(each, paper)]


def _people(answers: Answers | Path | str | dict[int, str], exam: Exam) -> list[Answers]:
    """The answers in whatever was handed over."""
    if isinstance(answers, dict):
        return [Answers("answers", {number: Answer(number, move) for number, move in answers.items()})]
    return [answers] if isinstance(answers, Answers) else read_everybody(Path(answers), exam)


def _mark(exam: Exam, answers: Answers, keys: tuple[Any, ...], chosen: Sequence[int]) -> Marks:
    """The marks of one person in the questions that were asked."""
    asked = set(chosen)
    if others := [each.id for each in answers.given.values() if each.said and each.id not in asked]:
        told = f"which is not one of the {len(chosen)} that were chosen; name the questions and the seed of the sheet"
        raise BadNotation(f"{answers.player} has answered question {others[0]}, {told}")
    marked = (_marked(exam, number - 1, keys[number - 1], answers.given.get(number)) for number in chosen)
    return Marks(exam, answers.player, tuple(marked))


def _marked(exam: Exam, place: int, key: Any, answer: Answer | None) -> Marked:
    question, position = exam.questions[place], exam.positions[place]
    if answer is None or not answer.said:
        return Marked(question, position, key, answer, "", Judged(MISSING, None, ()))
    try:
        move = position.move_text(position.parse_move(answer.said))
    except GridlabError:
        move = ""
    if move not in key.moves:
        return Marked(question, position, key, answer, "", Judged(ILLEGAL, None, ()))
    return Marked(question, position, key, answer, move, exam.family.judge(key, move))


# ---- two players


def _better_of(a: Sequence[Marked], b: Sequence[Marked]) -> npt.NDArray[np.int64]:
    """Question by question: 1 where A alone keeps the value, -1 where B does, 0 elsewhere."""
    return np.array([one.kept - other.kept for one, other in zip(a, b, strict=True)], np.int64)


def _points_text(difference: float, interval: Interval, sure: str = "95 % ") -> str:
    """A difference of accuracies, with its interval."""
    low, high = (f"{100 * each:+.1f}" for each in interval)
    return f"{100 * difference:+.1f} percentage points, {sure}{low} to {high}"


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

    def as_dict(self) -> AsJson:
        return facts(self, "a b exam questions both only_a only_b neither difference difference_interval p")

    def _in_short(self) -> str:
        names = f"{brief(self.a, 24)} less {brief(self.b, 24)}, {brief(self.exam, 20)}"
        return f"{names}: {100 * self.difference:+.1f} percentage points, p = {self.p:.2g}"

    def _sheet(self) -> Sheet:
        counts = (self.both, self.only_a, self.only_b, self.neither)
        return Sheet(f"{self.a} less {self.b}", ("both", "A alone", "B alone", "neither"), [counts], [str(self)])

    def __str__(self) -> str:
        points = _points_text(self.difference, self.difference_interval)
        right = f"alone {self.only_a:,} and {self.only_b:,} times, both {self.both:,}, neither {self.neither:,}"
        return f"{self.a} less {self.b}: {points}; right {right}; McNemar's exact test p = {self.p:.2g}"


@typed
def compare_marks(a: Marks, b: Marks, seed: int = 0) -> PairedMarks:
    """Two players on the same questions, question by question."""
    if a.exam.sha256 != b.exam.sha256:
        raise BadNotation(f"{a.player} and {b.player} have answered different exams, {a.exam.name} and {b.exam.name}")
    better = _better_of(a.marked, b.marked)
    only_a, only_b = int((better > 0).sum()), int((better < 0).sum())
    both = sum(each.kept for each in a.marked) - only_a
    counts = both, only_a, only_b, len(better) - both - only_a - only_b
    return PairedMarks(a.player, b.player, a.exam.name, len(better), *counts, of_difference(better, seed))


# ---- what there is


@dataclass(frozen=True)
class Listed:
    """The standard exams, and what players get in them who know nothing."""

    exams: tuple[Marks, ...]  # of nobody

    def as_dict(self) -> AsJson:
        found = []
        for each in self.exams:
            known = {name: each.total[name] for name in ("questions", "random", "first_legal")}
            place = {"file": str(each.exam.path), "sha256": each.exam.sha256}
            found.append(facts(each.exam, "name rules") | known | place)
        return {"exams": found}

    def __str__(self) -> str:
        rows = [
            (each["name"], each["rules"], each["questions"], f"{each['random']:.1%}", f"{each['first_legal']:.1%}")
            for each in self.as_dict()["exams"]
        ]
        return draw.table(("exam", "rules", "questions", "random", "first legal"), rows)


def listed() -> Listed:
    """Every exam that comes with the package."""
    return Listed(tuple(mark(name, {}) for name in exams.standard_exams()))


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
        return [_line_of(each) for each in self.marks]

    @property
    def hardest(self) -> list[tuple[int, int]]:
        """The questions that most people missed, and how many were right; none that everybody knew."""
        by_question = zip(*(each.marked for each in self.marks), strict=True)
        right = [(answers[0].question.id, sum(each.kept for each in answers)) for answers in by_question]
        missed = [each for each in right if each[1] < len(self.marks)]
        return sorted(missed, key=lambda each: (each[1], each[0]))[:HARDEST]

    def hardest_text(self) -> str:
        """What everybody got wrong, in a sentence; empty if everybody was right everywhere."""
        named = ", ".join(f"{number} ({right} of {len(self.marks)})" for number, right in self.hardest)
        return f"fewest right: question {named}" if named else ""

    def heading(self) -> str:
        return f"{self.marks[0]._heading()}, {counted(len(self.marks), 'person', 'people')}"

    def __str__(self) -> str:
        return "\n".join([self.heading(), draw.table(HEADER, self.rows), self.hardest_text()]).rstrip()


def _line_of(marks: Marks) -> tuple[str | int, ...]:
    illegal, missing = marks.blunders[ILLEGAL], marks.blunders[MISSING]
    right = sum(each.kept for each in marks.marked)
    wrong = len(marks.marked) - right - illegal - missing
    return marks.player, right, *shares(*_accuracy_of(marks.marked)), wrong, illegal, missing


# ---- Grades: an exam made, answered and marked in memory; players on the same questions are compared


QUESTIONS_A_JOB = 50
COLOURS = ("#1f4e9c", "#b3261e", "#2e7d32", "#8e5ea2", "#c77700", "#555555")


@shown
@dataclass(frozen=True)
class Grade(Tally):
    """The answers of a player, and what they come to."""

    player: str
    rules: Any
    seed: int
    outcomes: tuple[Marked, ...]

    @property
    def answered(self) -> Sequence[Marked]:
        return self.outcomes

    @property
    def kinds(self) -> tuple[str, ...]:
        return (*family_of(self.rules).load("exams").KINDS, FAULT)

    @property
    def positions(self) -> int:
        return len(self.outcomes)

    @property
    def lost_distance(self) -> float:
        """Plies given away a move, where the value was kept and is not a draw."""
        return self.regret or 0.0

    @cached_property
    def by_ply(self) -> list[AsJson]:
        """Totals of every ply that has questions."""
        plies = _sorted_by(_stage, self.outcomes).items()
        return [{"ply": ply} | self.summary("positions", answers) for ply, answers in plies]

    @property
    def faults(self) -> list[str]:
        return [f"position {number}: {each.fault}" for number, each in enumerate(self.outcomes, 1) if each.fault]

    def as_dict(self) -> AsJson:
        told = self.summary("positions", self.outcomes)
        return facts(self, "player rules") | told | facts(self, "lost_distance by_ply seed")

    def _in_short(self) -> str:
        kept = f"{percent(self.accuracy)} of {self.positions:,} positions, {between(self.accuracy_interval)}"
        return f"{brief(self.player)}, {self.rules}: {kept}"

    def _sheet(self) -> Sheet:
        return Sheet(self.player, self._header(), self._rows(), [self._heading(), *self._notes()])

    def _heading(self) -> str:
        return f"{_asked_about(self)}, seed {self.seed}"

    def _header(self) -> tuple[str, ...]:
        return ("ply", "positions", "accuracy", "95 %", *self.kinds)

    def _rows(self) -> list[tuple[str | int, ...]]:
        rows = [*self.by_ply, {"ply": "all"} | self.summary("positions", self.outcomes)]
        return [(str(each["ply"]), each["positions"], *_accuracy(each), *each["blunders"].values()) for each in rows]

    def _notes(self) -> list[str]:
        return [f"{self.lost_distance:.2f} plies lost a move where a win was kept", *faults_text(self.faults)]

    def __str__(self) -> str:
        return "\n".join([self._heading(), self.player, draw.table(self._header(), self._rows()), *self._notes()])


class Mistake(NamedTuple):
    """A move that changed the value, and how the player found it, if it can say so."""

    position: Any
    move: str
    change: str
    report: Any

    def as_dict(self) -> AsJson:
        return {"board": str(self.position)} | facts(self, "move change report")

    def __str__(self) -> str:
        drawn = f"{self.position.draw()}\n{self.position.to_move} plays {self.move}: {self.change}"
        return drawn if self.report is None else f"{drawn}\n{self.report}"


def mistakes(grade: Grade, player: str | Player, tablebase: Path | str | None = None) -> Iterator[Mistake]:
    """Every move of a grade that changed the value; a player with `report(position)` is asked once more."""
    asked = make_player(player, grade.rules, tablebase)
    report = getattr(asked, "report", None)
    try:
        for each in grade.outcomes:
            if each.move and each.blunder:
                told = report(each.position) if callable(report) else None
                yield Mistake(each.position, each.move, each.blunder, told)
    finally:
        close_player(asked)


@shown
@dataclass(frozen=True)
class Comparison:
    """How much more often A keeps the value than B, on the same questions."""

    a: str
    b: str
    rules: Any
    positions: int
    difference: float
    difference_interval: Interval
    seed: int

    def as_dict(self) -> AsJson:
        return facts(self)

    def _in_short(self) -> str:
        names = f"{brief(self.a, 24)} less {brief(self.b, 24)}, {self.rules}"
        return f"{names}: {_points_text(self.difference, self.difference_interval, sure='')}"

    def _sheet(self) -> Sheet:
        return Sheet(str(self), notes=[f"{self.rules}, {self.positions:,} positions, seed {self.seed}"])

    def __str__(self) -> str:
        return f"accuracy of {self.a} less that of {self.b}: {_points_text(self.difference, self.difference_interval)}"


@typed
def compare(a: Grade, b: Grade, seed: int = 0) -> Comparison:
    """The difference in accuracy of two grades on the same questions, with an interval by bootstrap."""
    if a.rules != b.rules or [each.position for each in a.outcomes] != [each.position for each in b.outcomes]:
        told = "not on the same positions; grade both with the same game, number of positions and seed"
        raise BadNotation(f"the grades of {a.player} and {b.player} are {told}")
    better = _better_of(a.outcomes, b.outcomes)
    return Comparison(a.player, b.player, a.rules, a.positions, float(better.mean()), of_difference(better, seed), seed)


@dataclass(frozen=True)
class Grades:
    """Players on the same questions, each compared with the first; with every mistake, if they were asked for."""

    grades: Sequence[Any]
    plot: Callable[[Sequence[Any], Path], None]
    comparisons: Sequence[Comparison] = ()
    mistakes: Sequence[Sequence[Mistake]] = ()

    def as_dict(self) -> AsJson:
        found: list[AsJson] = [each.as_dict() for each in self.grades]
        for each, wrong in zip(found, self.mistakes, strict=False):
            each["mistakes"] = [one.as_dict() for one in wrong]
        if len(found) == 1:
            return found[0]
        return {"grades": found} | (facts(self, "comparisons") if self.comparisons else {})

    def __str__(self) -> str:
        both = zip(self.grades, self.mistakes, strict=False)
        wrong = [f"{each.player}, a mistake\n{one}" for each, some in both for one in some]
        compared = ["\n".join(map(str, self.comparisons))] if self.comparisons else []
        return "\n\n".join([*wrong, *map(str, self.grades), *compared])


# ---- grading


class Order(NamedTuple):
    """How players are graded; a family refuses what is not for it."""

    positions: int = 1000
    nodes: int = NODES
    questions: Exam | None = None  # that are there already
    whole: bool = False  # of 2048: followed through all boards they can reach besides
    mistakes: bool = False  # every mistake is listed
    tablebase: Path | str | None = None
    seed: int = 0
    workers: int | None = None
    progress: bool = False


@overload
def grade(
    player: str | Player, rules: "Rules", positions: int = 1000, nodes: int = NODES,
    questions: Exam | None = None, tablebase: Path | str | None = None, seed: int = 0,
    workers: int | None = None, progress: bool = False,
) -> Grade: ...  # fmt: skip
@overload
def grade(
    player: str | Player, rules: "Rules2048", positions: int = 1000, nodes: int = NODES,
    questions: None = None, tablebase: Path | str | None = None, seed: int = 0,
    workers: int | None = None, progress: bool = False,
) -> "Grade2048": ...  # fmt: skip
@overload
def grade(
    player: str | Player, rules: GameRules | str, positions: int = 1000, nodes: int = NODES,
    questions: Exam | None = None, tablebase: Path | str | None = None, seed: int = 0,
    workers: int | None = None, progress: bool = False,
) -> Any: ...  # fmt: skip
@typed
def grade(
    player: str | Player, rules: GameRules | str, positions: int = 1000, nodes: int = NODES,
    questions: Exam | None = None, tablebase: Path | str | None = None, seed: int = 0,
    workers: int | None = None, progress: bool = False,
) -> Any:  # fmt: skip
    """Ask a player for its move in each of `positions` positions and compare with the exact solution.

    The truth comes from `tablebase` as far as it goes, else from a search of at most `nodes`; `perfect` looks there
    too. `questions` that are there already are not drawn again. The same seed gives the same grade for any number of
    workers. A game of 2048 is graded by `grade2048`, which gives a Grade2048.
    """
    order = Order(positions, nodes, questions, False, False, tablebase, seed, workers, progress)
    return grade_all([player], rules, order).grades[0]


def grade_all(players: Sequence[str | Player], rules: GameRules | str, order: Order) -> Grades:
    """Several players, on the same questions."""
    played: GameRules = game(rules)
    graded: Grades = family_of(played).load("grade")(players, played, order)
    return graded


def grade_between(players: Sequence[str | Player], rules: GameRules, order: Order) -> Grades:
    """Players of a game between two."""
    if order.whole:
        raise BadNotation("--whole is for 2048; a player of in-a-row games is graded by --positions")
    for player in players:
        close_player(make_player(player, rules, order.tablebase))  # a wrong one is told before anything long begins
    drawn = order.positions, order.nodes, None, order.tablebase, order.seed, order.progress
    exam = order.questions or find_questions(rules, *drawn)
    graded = [_grade(player, exam, order) for player in players]
    both = zip(graded, players, strict=True) if order.mistakes else ()
    wrong = [list(mistakes(each, player, order.tablebase)) for each, player in both]
    return Grades(graded, plot_grades, [compare(graded[0], other, order.seed) for other in graded[1:]], wrong)


def _grade(player: str | Player, exam: Exam, order: Order) -> Grade:
    """The grade of one player."""
    (entrant,), workers = enter([player], exam.rules, order.workers)
    asked = tuple((question.id, position) for question, position in zip(exam.questions, exam.positions, strict=True))
    job, given = Job(entrant, exam.rules, order.tablebase, order.seed, asked), {}
    with bar(len(asked), entrant.name, "positions", order.progress) as shown:
        for answer in answers_to(job, workers, QUESTIONS_A_JOB):
            given[answer.id] = answer
            shown.update(1)
    marked = mark(exam, Answers(entrant.name, given)).marked
    outcomes = (each._replace(move="", judged=Judged(FAULT, None, ())) if each.fault else each for each in marked)
    return Grade(entrant.name, exam.rules, order.seed, tuple(outcomes))


def find_questions(
    rules: GameRules | str, positions: int, nodes: int = NODES, plies: Sequence[int] | None = None,
    tablebase: Path | str | None = None, seed: int = 0, progress: bool = False,
) -> Exam:  # fmt: skip
    """The questions of a grade, with their key; at least one, or it is said why there is none.

    The truth comes from `tablebase` as far as it goes, else from a search of at most `nodes`.
    """
    played: GameRules = game(rules)
    if positions < 1:
        raise BadNotation(f"{positions} positions are too few for a grade; at least 1 is needed")
    family = family_of(played).load("exams")
    found = family.draw_evenly(played, positions, plies, check_seed(seed), tablebase, nodes)
    questions, asked, keys = zip(*exams.collect(found, played, positions, "grade another game", progress), strict=True)
    return Exam(f"a grade of {played}", played, seed, questions, asked, "", Path(), keys)


def plot_grades(grades: Sequence[Grade], path: Path) -> None:
    """Accuracy by ply with intervals, a line for each player; PNG, SVG or PDF by the name of the file."""
    figure = new_figure(path, 4.5)
    axes = figure.add_subplot()
    for number, each in enumerate(grades):
        side = 0.1 * (number - (len(grades) - 1) / 2)
        plies = [row["ply"] + side for row in each.by_ply]
        colour, name = COLOURS[number % len(COLOURS)], each.player.replace("$", r"\$")
        axes.plot(plies, [row["accuracy"] for row in each.by_ply], "o-", color=colour, markersize=4, label=name)
        lows, highs = zip(*(row["accuracy_interval"] for row in each.by_ply), strict=True)
        axes.vlines(plies, lows, highs, color=colour, alpha=0.5)
    axes.set(xlabel="ply", ylabel="moves that keep the value, with 95 % intervals", ylim=(-0.02, 1.02))
    axes.set_xticks(sorted({row["ply"] for each in grades for row in each.by_ply}))
    figure.suptitle(_asked_about(grades[0]))
    axes.legend(ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)
    axes.grid(axis="y", alpha=0.3)
    save(figure, path)


def _asked_about(grade: Grade) -> str:
    return f"{grade.rules}, {counted(grade.positions, 'position')} in which a move can change the value"
