"""A player compared with perfect play: how often its moves keep what a position is worth; a game reviewed.

A question is a position in which a move can change the value (gridlab.inarow.questions).

    win   -> win    kept; the plies by which it comes later than it could are the lost distance
    win   -> draw   }
    win   -> loss   } blunders
    draw  -> loss   }
    fault           a wrong, late or missing answer, which counts as a blunder of its own kind
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, overload

import numpy as np

from gridlab.arena.session import Entrant, Seat, enter
from gridlab.arena.statistics import Interval, of_difference, wilson
from gridlab.core import draw
from gridlab.core.arguments import counted, typed
from gridlab.core.charts import new_figure, save
from gridlab.core.draw import Sheet, between, brief, percent, shown
from gridlab.core.errors import BadNotation, PlayerFault
from gridlab.core.progress import bar
from gridlab.core.workers import in_order
from gridlab.games.protocol import GameRules
from gridlab.games.registry import family_of, game
from gridlab.inarow.match import faults_text
from gridlab.inarow.position import Position
from gridlab.inarow.questions import NODES, Question, chance, find_questions, has_choice
from gridlab.inarow.rules import Rules
from gridlab.inarow.solution import Solution, Value
from gridlab.players.registry import Player, close_player, make_player

QUESTIONS_A_JOB = 50
ANSWERING = 1  # what a source of chance is for; questions are drawn with 0
FAULT = "fault"
BLUNDERS = ("win->draw", "win->loss", "draw->loss", FAULT)
COLOURS = ("#1f4e9c", "#b3261e", "#2e7d32", "#8e5ea2", "#c77700", "#555555")


class Answer(NamedTuple):
    """What a player did with a question."""

    position: Position
    value: Value
    move: int | None  # None is a fault
    blunder: str = ""  # one of BLUNDERS; none if the value was kept
    lost: int | None = None  # plies given away where the value was kept and is not a draw
    fault: str = ""  # what was wrong with the answer, as a sentence

    @property
    def kept(self) -> bool:
        return not self.blunder


@shown
@dataclass(frozen=True)
class Grade:
    """The answers of a player, and what they come to."""

    player: str
    rules: Rules
    seed: int
    outcomes: tuple[Answer, ...]

    @property
    def positions(self) -> int:
        return len(self.outcomes)

    @property
    def accuracy(self) -> float:
        """The share of moves that keep the value."""
        return _accuracy(self.outcomes)

    @property
    def accuracy_interval(self) -> Interval:
        return _interval(self.outcomes)

    @property
    def blunders(self) -> dict[str, int]:
        """How often each kind of blunder was made."""
        return _blunders(self.outcomes)

    @property
    def lost_distance(self) -> float:
        """Plies given away a move, where the value was kept and is not a draw."""
        lost = [each.lost for each in self.outcomes if each.lost is not None]
        return sum(lost) / len(lost) if lost else 0.0

    @cached_property
    def by_ply(self) -> list[dict[str, Any]]:
        """The same for every ply that has questions."""
        plies: dict[int, list[Answer]] = {}
        for each in sorted(self.outcomes, key=lambda each: each.position.ply):
            plies.setdefault(each.position.ply, []).append(each)
        return [{"ply": ply, **_summary(answers)} for ply, answers in plies.items()]

    @property
    def faults(self) -> list[str]:
        return [f"position {number}: {each.fault}" for number, each in enumerate(self.outcomes, 1) if each.fault]

    def as_dict(self) -> dict[str, Any]:
        return {
            "player": self.player,
            "rules": str(self.rules),
            **_summary(self.outcomes),
            "lost_distance": self.lost_distance,
            "by_ply": self.by_ply,
            "seed": self.seed,
        }

    def _in_short(self) -> str:
        kept = f"{percent(self.accuracy)} of {self.positions:,} positions, {between(self.accuracy_interval)}"
        return f"{brief(self.player)}, {self.rules}: {kept}"

    def _sheet(self) -> Sheet:
        lost = f"{self.lost_distance:.2f} plies lost a move where a win was kept"
        notes = [self._heading(), lost, *faults_text(self.faults)]
        return Sheet(self.player, ("ply", "positions", "accuracy", "95 %", *BLUNDERS), self._rows(), notes)

    def _heading(self) -> str:
        asked = f"{counted(self.positions, 'position')} in which a move can change the value"
        return f"{self.rules}, {asked}, seed {self.seed}"

    def _rows(self) -> list[tuple[str | int, ...]]:
        return [_row(str(each["ply"]), each) for each in self.by_ply] + [_row("all", _summary(self.outcomes))]

    def __str__(self) -> str:
        table = draw.table(("ply", "positions", "accuracy", "95 %", *BLUNDERS), self._rows())
        lost = f"{self.lost_distance:.2f} plies lost a move where a win was kept"
        return "\n".join([self._heading(), self.player, table, lost, *faults_text(self.faults)])


def _accuracy(answers: Sequence[Answer]) -> float:
    return sum(each.kept for each in answers) / len(answers)


def _interval(answers: Sequence[Answer]) -> Interval:
    return wilson(sum(each.kept for each in answers), len(answers))


def _blunders(answers: Sequence[Answer]) -> dict[str, int]:
    return {kind: sum(each.blunder == kind for each in answers) for kind in BLUNDERS}


def _summary(answers: Sequence[Answer]) -> dict[str, Any]:
    return {
        "positions": len(answers),
        "accuracy": _accuracy(answers),
        "accuracy_interval": list(_interval(answers)),
        "blunders": _blunders(answers),
    }


def _row(name: str, summary: dict[str, Any]) -> tuple[str | int, ...]:
    low, high = summary["accuracy_interval"]
    shares = f"{summary['accuracy']:.1%}", f"{low:.1%} to {high:.1%}"
    return name, summary["positions"], *shares, *summary["blunders"].values()


@overload
def grade(
    player: str | Player, rules: "Rules", positions: int = 1000, nodes: int = NODES,
    questions: Sequence[Question] | None = None, tablebase: Path | str | None = None, seed: int = 0,
    workers: int | None = None, progress: bool = False,
) -> Grade: ...  # fmt: skip
@overload
def grade(
    player: str | Player, rules: GameRules | str, positions: int = 1000, nodes: int = NODES,
    questions: Sequence[Question] | None = None, tablebase: Path | str | None = None, seed: int = 0,
    workers: int | None = None, progress: bool = False,
) -> Any: ...  # fmt: skip
@typed
def grade(
    player: str | Player,
    rules: GameRules | str,
    positions: int = 1000,
    nodes: int = NODES,
    questions: Sequence[Question] | None = None,
    tablebase: Path | str | None = None,
    seed: int = 0,
    workers: int | None = None,
    progress: bool = False,
) -> Any:
    """Ask a player for its move in each of `positions` positions and compare with the exact solution.

    The truth comes from `tablebase` as far as it goes, else from a search of at most `nodes`; `perfect` looks there
    too. `questions` that are there already are not drawn again. The same seed gives the same grade for any number of
    workers. A game of 2048 is graded by `grade2048`, which gives a Grade2048.
    """
    family = family_of(game(rules))
    if family.grade:
        if questions is not None:
            raise BadNotation(f"questions are for in-a-row games; {rules} is graded on boards of its own")
        graded = family.load("grade")
        return graded(player, rules, positions, tablebase=tablebase, seed=seed, workers=workers, progress=progress)
    rules = game(rules, "mnk")
    close_player(make_player(player, rules, tablebase))  # what is wrong with it is said before anything long begins
    (entrant,), workers = enter([player], rules, workers)
    if questions is None:
        questions = find_questions(rules, positions, nodes, tablebase=tablebase, seed=seed, progress=progress)
    starts = range(0, len(questions), QUESTIONS_A_JOB)
    jobs = [
        Job(rules, entrant, tablebase, seed, first, tuple(questions[first : first + QUESTIONS_A_JOB]))
        for first in starts
    ]
    workers = min(workers, len(jobs))
    given: list[Answer] = []
    with bar(len(questions), entrant.name, "positions", progress) as shown:
        shared = in_order(ask, jobs, workers, processes=True, name=Job.name)
        for answers in shared if workers > 1 else map(ask, jobs):
            given += answers
            shown.update(len(answers))
    return Grade(entrant.name, rules, seed, tuple(given))


class Job(NamedTuple):
    """A chunk of questions for one worker."""

    rules: Rules
    player: Entrant
    tablebase: Path | str | None
    seed: int
    first: int  # the number of its first question
    questions: tuple[Question, ...]

    def name(self) -> str:
        return f"positions {self.first + 1} to {self.first + len(self.questions)}"


def ask(job: Job) -> list[Answer]:
    """The answers of a new player to a chunk of questions."""
    seat = Seat(job.player, job.rules, job.tablebase)
    try:
        return [
            _answer(seat, question, chance(job.seed, ANSWERING, number))
            for number, question in enumerate(job.questions, job.first)
        ]
    finally:
        seat.leave()


def _answer(seat: Seat, question: Question, random: np.random.Generator) -> Answer:
    try:
        return judge(question, seat.move(question.position, random))
    except PlayerFault as fault:
        seat.leave()
        return Answer(question.position, question.solution.value, None, FAULT, fault=str(fault))


def judge(question: Question, cell: int) -> Answer:
    """What a legal move is worth beside the best."""
    position, solution = question
    move = next(each for each in solution.moves if each.cell == cell)
    if move.value != solution.value:
        return Answer(position, solution.value, cell, f"{solution.value}->{move.value}")
    if move.value == "draw" or move.distance is None or solution.distance is None:
        return Answer(position, solution.value, cell)
    return Answer(position, solution.value, cell, lost=abs(move.distance - solution.distance))


class Mistake(NamedTuple):
    """A move that changed the value, and how the player found it, if it can say so."""

    position: Position
    move: str
    change: str
    report: Any

    def as_dict(self) -> dict[str, Any]:
        told = None if self.report is None else self.report.as_dict()
        return {"board": str(self.position), "move": self.move, "change": self.change, "report": told}

    def __str__(self) -> str:
        drawn = f"{self.position.draw()}\n{self.position.to_move} plays {self.move}: {self.change}"
        return drawn if self.report is None else f"{drawn}\n{self.report}"


def mistakes(grade: Grade, player: str | Player, tablebase: Path | str | None = None) -> Iterator[Mistake]:
    """Every move of a grade that changed the value; a player with `report(position)` is asked once more."""
    asked = make_player(player, grade.rules, tablebase)
    report = getattr(asked, "report", None)
    try:
        for each in grade.outcomes:
            if each.move is not None and each.blunder:
                told = report(each.position) if callable(report) else None
                yield Mistake(each.position, each.position.move_text(each.move), each.blunder, told)
    finally:
        close_player(asked)


# ---- two players


@shown
@dataclass(frozen=True)
class Comparison:
    """How much more often A keeps the value than B, on the same questions."""

    a: str
    b: str
    rules: Rules
    positions: int
    difference: float
    difference_interval: Interval
    seed: int

    def as_dict(self) -> dict[str, Any]:
        return {
            "a": self.a,
            "b": self.b,
            "rules": str(self.rules),
            "positions": self.positions,
            "difference": self.difference,
            "difference_interval": list(self.difference_interval),
            "seed": self.seed,
        }

    def _in_short(self) -> str:
        low, high = (f"{100 * each:+.1f}" for each in self.difference_interval)
        names = f"{brief(self.a, 24)} less {brief(self.b, 24)}, {self.rules}"
        return f"{names}: {100 * self.difference:+.1f} percentage points, {low} to {high}"

    def _sheet(self) -> Sheet:
        return Sheet(str(self), notes=[f"{self.rules}, {self.positions:,} positions, seed {self.seed}"])

    def __str__(self) -> str:
        low, high = (f"{100 * each:+.1f}" for each in self.difference_interval)
        points = f"{100 * self.difference:+.1f} percentage points, 95 % {low} to {high}"
        return f"accuracy of {self.a} less that of {self.b}: {points}"


@typed
def compare(a: Grade, b: Grade, seed: int = 0) -> Comparison:
    """The difference in accuracy of two grades on the same questions, with an interval by bootstrap."""
    if a.rules != b.rules or [each.position for each in a.outcomes] != [each.position for each in b.outcomes]:
        raise BadNotation(
            f"the grades of {a.player} and {b.player} are not on the same positions; "
            "grade both with the same game, number of positions and seed"
        )
    better = np.array([one.kept - other.kept for one, other in zip(a.outcomes, b.outcomes, strict=True)])
    difference, interval = float(better.mean()), of_difference(better, seed)
    return Comparison(a.player, b.player, a.rules, a.positions, difference, interval, seed)


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
    figure.suptitle(
        f"{grades[0].rules}: {counted(grades[0].positions, 'position')} in which a move can change the value"
    )
    axes.legend(ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)
    axes.grid(axis="y", alpha=0.3)
    save(figure, path)


# ---- A played game compared with perfect play: what each position was worth, and which moves gave something away
#
# A move counts for the scorecard where it could change the value, as in a grade; not where the truth is unknown.


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
