"""The file of answers to an exam, which anybody may write: one JSON object a line.

    {"format": "gridlab-exam-answers", "version": 1, "exam": "squava-v1", "player": "heuristic"}    may be left out
    {"id": 1, "move": "33"}                                    that is enough; also read: text, tokens, seconds, error
    {"id": 2, "error": "the program has not answered within 10 seconds"}                                     no answer

A question is answered once or not at all, in any order; fields of any other name are allowed and not looked at.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec

from gridlab.arena.exams.paper import ENDING, Exam, Id, Short
from gridlab.core.errors import CorruptFile
from gridlab.core.numbers import counted
from gridlab.core.shown import Sheet, brief, shown
from gridlab.core.untrusted import Count, lines, parse_json
from gridlab.players.tries import MOST_TRIES, Seconds, Try

ANSWERS: Final = "gridlab-exam-answers"
VERSION: Final = 1
LONGEST_LINE = 1 << 20  # bytes


class AnswersHead(msgspec.Struct, frozen=True):
    """The first line of a file of answers."""

    format: Literal["gridlab-exam-answers"]
    version: Literal[1]
    exam: Short
    player: Short


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What somebody said to a question; a move that is none is kept as it was said."""

    id: Id
    move: str | int | None = None
    seconds: Seconds | None = None
    text: str = ""
    tokens: Count | None = None
    error: str = ""  # why there is no move, or what was wrong with it
    tries: Annotated[tuple[Try, ...], msgspec.Meta(max_length=MOST_TRIES)] = ()  # if there were several

    @property
    def said(self) -> str:
        """The move as text; empty if there is none."""
        return "" if self.move is None else str(self.move).strip()


@shown
@dataclass(frozen=True)
class Answers:
    """The answers of one player, by question."""

    player: str
    given: dict[int, Answer]

    def _in_short(self) -> str:
        missing = count_missing(self.given.values())
        return f"{brief(self.player)}: {counted(len(self.given), 'answer')}, {missing:,} without a move"

    def _sheet(self) -> Sheet:
        rows = [(each.id, each.said or "none", each.error) for each in self.given.values()]
        return Sheet(self.player, ("question", "move", "error"), rows)


def whole_text(exam: Exam, answers: Answers) -> str:
    """The file of answers as text."""
    head = AnswersHead(ANSWERS, VERSION, exam.name, answers.player)
    return b"".join([to_line(head), *map(to_line, answers.given.values())]).decode()


def to_line(each: AnswersHead | Answer) -> bytes:
    return json.dumps(msgspec.to_builtins(each)).encode() + b"\n"


def read_answers(path: Path, exam: Exam) -> Answers:
    """The answers of a file to the questions of an exam; CorruptFile if they are not answers to these."""
    player, given = path.name.removesuffix(ENDING), {}
    for number, line in lines(path, LONGEST_LINE):
        where = f"{path} line {number}"
        if number == 1 and (head := _head(line)) is not None:
            if head.exam != exam.name:
                raise CorruptFile(f"{where}: these are answers to the exam {head.exam}, not to {exam.name}")
            player = head.player
            continue
        if not line.strip():
            continue
        answer = parse_json(line, Answer, f"{where} is not an answer")
        if answer.id > len(exam.questions):
            raise CorruptFile(f"{where}: {exam.name} has no question {answer.id}; it has {len(exam.questions):,}")
        if answer.id in given:
            raise CorruptFile(f"{where}: question {answer.id} is answered a second time; one answer each is taken")
        given[answer.id] = answer
    return Answers(player, given)


def is_begun(path: Path, exam: Exam) -> bool:
    """Whether a file is a sitting that was stopped: it has the head of one, but not an answer to every question.

    How many questions another exam has is not known; a sitting of one counts as stopped.
    """
    known, answers = "", 0
    try:
        for number, line in lines(path, LONGEST_LINE):
            if number > 1:
                answers += bool(line.strip())
            elif (head := _head(line)) is not None:
                known = head.exam
            else:
                return False
    except CorruptFile:
        return bool(known)
    return bool(known) and (known != exam.name or answers < len(exam.questions))


def _head(line: bytes) -> AnswersHead | None:
    """The head, if a line is one; a line that is an answer is none."""
    try:
        if "format" not in parse_json(line, dict[str, msgspec.Raw], "line 1"):
            return None
    except CorruptFile:
        return None  # what is wrong with it is said when it is read as an answer
    return parse_json(line, AnswersHead, "line 1 is not the head of answers")


def count_missing(answers: Iterable[Answer]) -> int:
    return sum(not each.said for each in answers)
