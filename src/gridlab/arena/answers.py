"""Answers to an exam: one JSON object a line or a table, which anybody may write, and a player that sits the exam.

    {"format": "gridlab-exam-answers", "version": 1, "exam": "squava-v1", "player": "heuristic"}    may be left out
    {"id": 1, "move": "33"}                                    that is enough; also read: text, tokens, seconds, error
    {"id": 2, "error": "the program has not answered within 10 seconds"}                                     no answer

A question is answered once or not at all, in any order; fields of any other name are allowed and not looked at.
"""

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from io import StringIO
from itertools import chain
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple, TypeGuard

import msgspec
import numpy as np

from gridlab.arena.exam import ENDING, Exam, Id, Short, exam_of
from gridlab.arena.session import Entrant, Seat, enter
from gridlab.core.arguments import check_seed, counted, shortened, typed, whole_number
from gridlab.core.draw import Sheet, brief, shown
from gridlab.core.errors import CorruptFile, FileTrouble, GridlabError, PlayerFault, WrongAnswer
from gridlab.core.files import Appended, locked, whole_file
from gridlab.core.progress import bar
from gridlab.core.run import in_order, is_elsewhere
from gridlab.core.untrusted import Count, lines, parse_json, read_bytes
from gridlab.games.registry import GamePosition, GameRules
from gridlab.players.registry import MOST_TRIES, Player, Seconds, Try, close_player, kinds_of, make_player, parse_player

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
    return b"".join(_lines_of(exam, answers.player, answers.given.values())).decode()


def _lines_of(exam: Exam, player: str, given: Iterable[Answer]) -> list[bytes]:
    return [to_line(AnswersHead(ANSWERS, VERSION, exam.name, player)), *map(to_line, given)]


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
        _check_number(where, answer.id, exam)
        if answer.id in given:
            raise CorruptFile(f"{where}: question {answer.id} is answered a second time; one answer each is taken")
        given[answer.id] = answer
    return Answers(player, given)


def _check_number(where: str, number: int, exam: Exam) -> int:
    if number > len(exam.questions):
        raise CorruptFile(f"{where}: {exam.name} has no question {number}; it has {len(exam.questions):,}")
    return number


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


# ---- Answers in a table, as a spreadsheet saves it: CSV with a row for each question and a column for each person
#
#     question,answer        question;Ann;Ben
#     1,22                   1;22;13
#     2,                     2;11;
#
# Cells are separated by commas, semicolons or tabs, whichever the first row has; a mark of byte order at the start is
# skipped. An empty cell is no answer. With the heading `answer` the file's name is that of the person.


TABLE_ENDING = ".csv"
QUESTION, ANSWER = "question", "answer"
SEPARATORS = ",;\t"
MOST_PEOPLE = 1000


def read_everybody(path: Path, exam: Exam) -> list[Answers]:
    """The answers of everybody in a file: one person in JSON lines, one or several in a table (.csv)."""
    return read_table(path, exam) if path.suffix.lower() == TABLE_ENDING else [read_answers(path, exam)]


def read_table(path: Path, exam: Exam) -> list[Answers]:
    """The answers in the columns of a table; CorruptFile says in which line something is wrong."""
    rows = _rows(path)
    where, header = next(rows, (f"{path}", []))
    people = _people(where, header, path)
    given: list[dict[int, Answer]] = [{} for _ in people]
    lines: dict[int, str] = {}
    for where, row in rows:
        if not any(row):
            continue
        if len(row) != len(header):
            raise CorruptFile(f"{where} has {len(row)} cells, and the first row has {len(header)} headings")
        number = _number(where, row[0], exam)
        if number in lines:
            raise CorruptFile(f"{where}: question {number} has a row already, {lines[number]}; one row each is taken")
        lines[number] = where.removeprefix(f"{path} ")
        if any(row[len(people) + 1 :]):
            raise CorruptFile(f"{where}: there is an answer in a column without a heading; write a name above it")
        for each, said in zip(given, row[1:], strict=False):
            each[number] = Answer(number, said or None)
    return [Answers(name, dict(sorted(found.items()))) for name, found in zip(people, given, strict=True)]


def _rows(path: Path) -> Iterator[tuple[str, list[str]]]:
    """The rows of a table, with where each stands; cells without the spaces around them."""
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CorruptFile(f"{path} is not a table in UTF-8; save it as CSV UTF-8") from error
    first = text.partition("\n")[0]
    reader = csv.reader(StringIO(text, newline=""), delimiter=max(SEPARATORS, key=first.count), strict=True)
    line = 1
    try:
        for row in reader:
            yield f"{path} line {line}", [" ".join(cell.split()) for cell in row]
            line = reader.line_num + 1
    except csv.Error as error:
        raise CorruptFile(f"{path} line {line} is not a row of a table: {error}") from error


def _people(where: str, header: list[str], path: Path) -> list[str]:
    """Whose answers the columns are; empty headings may stand at the end, as spreadsheets leave them."""
    names = [*header]
    while names and not names[-1]:
        names.pop()
    if len(names) < 2 or names[0].lower() != QUESTION:
        right = "with the headings question,answer, or with question and a name for each person"
        raise CorruptFile(f"{where}: a table of answers begins {right}, not with {shortened(','.join(header))}")
    people = names[1:]
    if len(people) > MOST_PEOPLE:
        raise CorruptFile(f"{where}: there are {len(people):,} people; a table has up to {MOST_PEOPLE:,}")
    if not all(people):
        raise CorruptFile(f"{where}: column {names.index('', 1) + 1} has no heading; write a name above it")
    if twice := [name for place, name in enumerate(people) if name in people[:place]]:
        raise CorruptFile(f"{where}: two columns are headed {shortened(twice[0])}; give each person a name")
    return [path.stem] if [name.lower() for name in people] == [ANSWER] else people


def _number(where: str, text: str, exam: Exam) -> int:
    try:
        number = whole_number(text, 1)
    except GridlabError as error:
        raise CorruptFile(f"{where}: {shortened(text)} is not the number of a question") from error
    return _check_number(where, number, exam)


# ---- A player sits an exam: its answer to every question, kept as it comes


QUESTIONS_A_JOB = 25
ANSWERING = 1  # what a source of chance is for, as in grades


@typed
def sit(
    exam: Exam | Path | str, player: str | Player, out: Path | str | None = None, tablebase: Path | str | None = None,
    seed: int = 0, workers: int | None = None, resume: bool = False, progress: bool = False,
) -> Answers:  # fmt: skip
    """The answers of a player to an exam, written to `out` as they come.

    With `resume` the questions that `out` holds an answer to are not asked again; those whose answer is missing are.
    Without it a sitting that was stopped is not written over. Nobody else can write to `out` meanwhile.
    A program is started once unless `workers` says more. The same seed gives the same answers for any number of them.
    """
    paper = exam_of(exam)
    check_seed(seed)
    close_player(make_player(player, paper.rules, tablebase))  # what is wrong with it is said before it is asked
    (entrant,), workers = enter([player], paper.rules, workers or _usual_workers(player, paper.rules))
    target = None if out is None else Path(out)
    with ExitStack() as held:
        if _is_kept(target):
            held.enter_context(locked(target))
        given = _begun(target, paper, entrant.name, resume)
        open_questions = [number for number in range(1, len(paper.questions) + 1) if number not in given]
        add = held.enter_context(_book(target, _lines_of(paper, entrant.name, given.values())))
        shown = held.enter_context(bar(len(open_questions), entrant.name, "questions", progress))
        asked = tuple((number, paper.positions[number - 1]) for number in open_questions)
        size = max(1, len(asked)) if workers == 1 and not is_elsewhere() else QUESTIONS_A_JOB
        for answer in answers_to(Job(entrant, paper.rules, tablebase, seed, asked), workers, size):
            given[answer.id] = answer
            add(to_line(answer))
            shown.update(1)
    return Answers(entrant.name, dict(sorted(given.items())))


def _usual_workers(player: str | Player, rules: GameRules) -> int | None:
    """One for a program, which may count its callers; else as many as there are cores."""
    return 1 if isinstance(player, str) and "command" in parse_player(player, kinds_of(rules))[1] else None


def _is_kept(target: Path | None) -> TypeGuard[Path]:
    """Whether answers are kept as they come; a pipe or a device can be opened once only, and gets all at the end."""
    return target is not None and (target.is_file() or not target.exists())


def _begun(target: Path | None, exam: Exam, player: str, resume: bool) -> dict[int, Answer]:
    """The moves that a sitting which was stopped has left; FileTrouble if nobody has said that it may go on."""
    if target is None or not target.is_file():
        return {}
    if not resume:
        if is_begun(target, exam):
            raise FileTrouble(f"{target} is what an earlier sitting has left; go on with --resume, or remove it")
        return {}
    found = read_answers(target, exam)
    if found.player != player:
        raise FileTrouble(f"{target} has the answers of {found.player}, not of {player}; name another file")
    return {number: answer for number, answer in found.given.items() if answer.said}


@contextmanager
def _book(path: Path | None, kept: list[bytes]) -> Iterator[Callable[[bytes], object]]:
    """What adds lines to a file, if there is one; the file is sound after every line."""
    if _is_kept(path):
        _write(path, kept)
        with Appended(path) as file:
            yield file.add
        return
    try:
        yield kept.append
    finally:
        if path is not None:
            _write(path, kept)


def _write(path: Path, kept: Iterable[bytes]) -> None:
    with whole_file(path) as file:
        for line in kept:
            file.write(line)


class Job(NamedTuple):
    """Some questions for one worker, with their numbers."""

    player: Entrant
    rules: GameRules
    tablebase: Path | str | None
    seed: int
    questions: tuple[tuple[int, GamePosition], ...]

    def name(self) -> str:
        return f"positions {self.questions[0][0]} to {self.questions[-1][0]}"


def answers_to(asked: Job, workers: int, size: int) -> Iterator[Answer]:
    """The answers of a player, made anew for every so many questions, as they come."""
    starts = range(0, len(asked.questions), size)
    jobs = [asked._replace(questions=asked.questions[at : at + size]) for at in starts]
    if workers == 1 and not is_elsewhere():
        yield from chain.from_iterable(map(answer_all, jobs))
    else:
        workers = min(workers, max(1, len(jobs)))
        yield from chain.from_iterable(in_order(answer_job, jobs, workers, processes=True, name=Job.name))


def answer_job(job: Job) -> list[Answer]:
    return list(answer_all(job))


def answer_all(job: Job) -> Iterator[Answer]:
    """The answers of a player, made anew, one after the other."""
    seat = Seat(job.player, job.rules, job.tablebase)
    try:
        for number, position in job.questions:
            random = np.random.default_rng(np.random.SeedSequence(job.seed, spawn_key=(ANSWERING, number - 1)))
            yield _answer(seat, number, position, random)
    finally:
        seat.leave()


def _answer(seat: Seat, number: int, position: GamePosition, random: np.random.Generator) -> Answer:
    move, error = None, ""
    try:
        move = position.move_text(seat.move(position, random))
    except PlayerFault as fault:
        move, error = fault.answer if isinstance(fault, WrongAnswer) else None, str(fault)
    tries = seat.tries
    if error:
        seat.leave()
    if not tries:
        return Answer(number, move, error=error)
    last = tries[-1]
    seconds = round(sum(each.seconds for each in tries), 6)
    return Answer(number, move, seconds, last.text, last.tokens, error, tries if len(tries) > 1 else ())
