"""The marks of several people side by side: a line for each, and the questions that most of them missed."""

from dataclasses import dataclass

from gridlab.arena.exams.mark import ILLEGAL, MISSING, Marks
from gridlab.core import draw
from gridlab.core.numbers import counted

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
