"""A grade: an exam made, answered and marked in memory; players on the same questions are compared.

A wrong, late or missing answer is a fault, and counts as a blunder of its own kind.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from gridlab.arena.answers import Answers, answers_to
from gridlab.arena.exam import NODES, Drawn, Exam, Judged
from gridlab.arena.mark import Marked, Tally, accuracy_of, better_of, count_blunders, mark, points_text, shares
from gridlab.arena.match import faults_text
from gridlab.arena.session import enter
from gridlab.arena.statistics import Interval, of_difference
from gridlab.core import draw
from gridlab.core.arguments import check_seed, counted, typed
from gridlab.core.charts import new_figure, save
from gridlab.core.draw import Sheet, between, brief, percent, shown
from gridlab.core.errors import BadNotation
from gridlab.core.progress import bar
from gridlab.games.registry import GameRules, family_of, game
from gridlab.players.registry import Player, close_player, make_player

if TYPE_CHECKING:
    from gridlab.game2048.grade import Grade2048
    from gridlab.game2048.rules import Rules2048
    from gridlab.inarow.rules import Rules

QUESTIONS_A_JOB = 50
FAULT = "fault"
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
    def by_ply(self) -> list[dict[str, Any]]:
        """The same for every ply that has questions."""
        plies: dict[int, list[Marked]] = {}
        for each in sorted(self.outcomes, key=lambda each: each.question.stage):
            plies.setdefault(each.question.stage, []).append(each)
        return [{"ply": ply, **self._summary(answers)} for ply, answers in plies.items()]

    def _summary(self, marked: Sequence[Marked]) -> dict[str, Any]:
        accuracy, interval = accuracy_of(marked)
        return {
            "positions": len(marked),
            "accuracy": accuracy,
            "accuracy_interval": list(interval),
            "blunders": count_blunders(marked, self.kinds),
        }

    @property
    def faults(self) -> list[str]:
        return [f"position {number}: {each.fault}" for number, each in enumerate(self.outcomes, 1) if each.fault]

    def as_dict(self) -> dict[str, Any]:
        return {
            "player": self.player,
            "rules": str(self.rules),
            **self._summary(self.outcomes),
            "lost_distance": self.lost_distance,
            "by_ply": self.by_ply,
            "seed": self.seed,
        }

    def _in_short(self) -> str:
        kept = f"{percent(self.accuracy)} of {self.positions:,} positions, {between(self.accuracy_interval)}"
        return f"{brief(self.player)}, {self.rules}: {kept}"

    def _sheet(self) -> Sheet:
        return Sheet(self.player, self._header(), self._rows(), [self._heading(), *self._notes()])

    def _heading(self) -> str:
        asked = f"{counted(self.positions, 'position')} in which a move can change the value"
        return f"{self.rules}, {asked}, seed {self.seed}"

    def _header(self) -> tuple[str, ...]:
        return ("ply", "positions", "accuracy", "95 %", *self.kinds)

    def _rows(self) -> list[tuple[str | int, ...]]:
        rows = [*self.by_ply, {"ply": "all", **self._summary(self.outcomes)}]
        return [(str(each["ply"]), each["positions"], *shares(each), *each["blunders"].values()) for each in rows]

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
            if each.move and each.blunder:
                told = report(each.position) if callable(report) else None
                yield Mistake(each.position, each.move, each.blunder, told)
    finally:
        close_player(asked)


# ---- two players


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

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"rules": str(self.rules), "difference_interval": list(self.difference_interval)}

    def _in_short(self) -> str:
        names = f"{brief(self.a, 24)} less {brief(self.b, 24)}, {self.rules}"
        return f"{names}: {points_text(self.difference, self.difference_interval, sure='')}"

    def _sheet(self) -> Sheet:
        return Sheet(str(self), notes=[f"{self.rules}, {self.positions:,} positions, seed {self.seed}"])

    def __str__(self) -> str:
        return f"accuracy of {self.a} less that of {self.b}: {points_text(self.difference, self.difference_interval)}"


@typed
def compare(a: Grade, b: Grade, seed: int = 0) -> Comparison:
    """The difference in accuracy of two grades on the same questions, with an interval by bootstrap."""
    if a.rules != b.rules or [each.position for each in a.outcomes] != [each.position for each in b.outcomes]:
        raise BadNotation(
            f"the grades of {a.player} and {b.player} are not on the same positions; "
            "grade both with the same game, number of positions and seed"
        )
    better = better_of(a.outcomes, b.outcomes)
    difference, interval = float(better.mean()), of_difference(better, seed)
    return Comparison(a.player, b.player, a.rules, a.positions, difference, interval, seed)


@dataclass(frozen=True)
class Grades:
    """Players on the same questions, each compared with the first; with every mistake, if they were asked for."""

    grades: Sequence[Any]
    plot: Callable[[Sequence[Any], Path], None]
    comparisons: Sequence[Comparison] = ()
    mistakes: Sequence[Sequence[Mistake]] = ()

    def as_dict(self) -> dict[str, Any]:
        found: list[dict[str, Any]] = [each.as_dict() for each in self.grades]
        for each, wrong in zip(found, self.mistakes, strict=False):
            each["mistakes"] = [one.as_dict() for one in wrong]
        if len(found) == 1:
            return found[0]
        compared = {"comparisons": [each.as_dict() for each in self.comparisons]} if self.comparisons else {}
        return {"grades": found, **compared}

    def __str__(self) -> str:
        wrong = [
            f"{each.player}, a mistake\n{one}"
            for each, some in zip(self.grades, self.mistakes, strict=False)
            for one in some
        ]
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
    player: str | Player,
    rules: GameRules | str,
    positions: int = 1000,
    nodes: int = NODES,
    questions: Exam | None = None,
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
    exam = order.questions or find_questions(
        rules, order.positions, order.nodes, tablebase=order.tablebase, seed=order.seed, progress=order.progress
    )
    graded = [_grade(player, exam, order) for player in players]
    wrong = (
        [list(mistakes(each, player, order.tablebase)) for each, player in zip(graded, players, strict=True)]
        if order.mistakes
        else []
    )
    return Grades(graded, plot_grades, [compare(graded[0], other, order.seed) for other in graded[1:]], wrong)


def _grade(player: str | Player, exam: Exam, order: Order) -> Grade:
    """The grade of one player."""
    (entrant,), workers = enter([player], exam.rules, order.workers)
    asked = [(question.id, position) for question, position in zip(exam.questions, exam.positions, strict=True)]
    given = {}
    with bar(len(asked), entrant.name, "positions", order.progress) as shown:
        answers = answers_to(asked, entrant, exam.rules, order.tablebase, order.seed, workers, QUESTIONS_A_JOB)
        for answer in answers:
            given[answer.id] = answer
            shown.update(1)
    marked = mark(exam, Answers(entrant.name, given)).marked
    outcomes = (each._replace(move="", judged=Judged(FAULT, None, ())) if each.fault else each for each in marked)
    return Grade(entrant.name, exam.rules, order.seed, tuple(outcomes))


def find_questions(
    rules: GameRules | str,
    positions: int,
    nodes: int = NODES,
    plies: Sequence[int] | None = None,
    tablebase: Path | str | None = None,
    seed: int = 0,
    progress: bool = False,
) -> Exam:
    """The questions of a grade, with their key; at least one, or it is said why there is none.

    The truth comes from `tablebase` as far as it goes, else from a search of at most `nodes`.
    """
    played: GameRules = game(rules)
    if positions < 1:
        raise BadNotation(f"{positions} positions are too few for a grade; at least 1 is needed")
    check_seed(seed)
    drawn: list[Drawn] = []
    with bar(positions, "questions", "positions", progress) as shown:
        for each in family_of(played).load("exams").draw_evenly(played, positions, plies, seed, tablebase, nodes):
            drawn.append(each)
            shown.update(1)
    if not drawn:
        raise BadNotation(f"no position of {played} was found in which a move changes the value; grade another game")
    questions, asked, keys = zip(*drawn, strict=True)
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
    figure.suptitle(
        f"{grades[0].rules}: {counted(grades[0].positions, 'position')} in which a move can change the value"
    )
    axes.legend(ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)
    axes.grid(axis="y", alpha=0.3)
    save(figure, path)
