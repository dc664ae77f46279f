"""A player sits an exam: its answer to every question, kept as it comes."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple, TypeGuard

import numpy as np

from gridlab.arena.exams.answers import ANSWERS, VERSION, Answer, Answers, AnswersHead, is_begun, read_answers, to_line
from gridlab.arena.exams.paper import Exam, read_exam
from gridlab.arena.seat import Entrant, Seat, enter
from gridlab.core.arguments import typed
from gridlab.core.errors import FileTrouble, PlayerFault, WrongAnswer
from gridlab.core.files import Appended, locked, whole_file
from gridlab.core.numbers import check_seed
from gridlab.core.progress import bar
from gridlab.core.workers import in_order, is_elsewhere
from gridlab.games.protocol import GamePosition, GameRules
from gridlab.players.registry import Player, close_player, kinds_of, make_player, parse_player

QUESTIONS_A_JOB = 25
ANSWERING = 1  # what a source of chance is for, as in grades


@typed
def sit(
    exam: Exam | Path | str,
    player: str | Player,
    out: Path | str | None = None,
    tablebase: Path | str | None = None,
    seed: int = 0,
    workers: int | None = None,
    resume: bool = False,
    progress: bool = False,
) -> Answers:
    """The answers of a player to an exam, written to `out` as they come.

    With `resume` the questions that `out` holds an answer to are not asked again; those whose answer is missing are.
    Without it a sitting that was stopped is not written over. Nobody else can write to `out` meanwhile.
    A program is started once unless `workers` says more. The same seed gives the same answers for any number of them.
    """
    paper = exam if isinstance(exam, Exam) else read_exam(exam)
    check_seed(seed)
    close_player(make_player(player, paper.rules, tablebase))  # what is wrong with it is said before it is asked
    (entrant,), workers = enter([player], paper.rules, workers or _usual_workers(player, paper.rules))
    target = None if out is None else Path(out)
    with ExitStack() as held:
        if _is_kept(target):
            held.enter_context(locked(target))
        given = _begun(target, paper, entrant.name, resume)
        open_questions = [number for number in range(1, len(paper.questions) + 1) if number not in given]
        head = AnswersHead(ANSWERS, VERSION, paper.name, entrant.name)
        book = held.enter_context(_Book(target, [head, *given.values()]))
        shown = held.enter_context(bar(len(open_questions), entrant.name, "questions", progress))
        for answer in _answers(paper, entrant, open_questions, seed, workers, tablebase):
            given[answer.id] = answer
            book.add(answer)
            shown.update(1)
    return Answers(entrant.name, dict(sorted(given.items())))


def _usual_workers(player: str | Player, rules: GameRules) -> int | None:
    """One for a program, which may count its callers; else as many as there are cores."""
    if not isinstance(player, str):
        return None
    return 1 if "command" in parse_player(player, kinds_of(rules))[1] else None


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


class _Book:
    """The file that answers are added to, if there is one; it is sound after every answer."""

    def __init__(self, path: Path | None, begin: Sequence[AnswersHead | Answer]) -> None:
        self._path, self._kept = path, [to_line(each) for each in begin]
        self._file: Appended | None = None
        if _is_kept(path):
            self._write(path)
            self._file = Appended(path)

    def add(self, answer: Answer) -> None:
        self._kept.append(to_line(answer))
        if self._file is not None:
            self._file.add(self._kept[-1])

    def _write(self, path: Path) -> None:
        with whole_file(path) as file:
            for line in self._kept:
                file.write(line)

    def __enter__(self) -> "_Book":
        return self

    def __exit__(self, *ending: object) -> None:
        if self._file is not None:
            self._file.close()
        elif self._path is not None:
            self._write(self._path)


class Job(NamedTuple):
    """Some questions for one worker."""

    player: Entrant
    rules: GameRules
    tablebase: Path | str | None
    seed: int
    questions: tuple[tuple[int, GamePosition], ...]


def _answers(
    exam: Exam, player: Entrant, numbers: list[int], seed: int, workers: int, tablebase: Path | str | None
) -> Iterator[Answer]:
    asked = [(number, exam.positions[number - 1]) for number in numbers]
    if workers == 1 and not is_elsewhere():
        yield from answer_all(Job(player, exam.rules, tablebase, seed, tuple(asked)))
        return
    starts = range(0, len(asked), QUESTIONS_A_JOB)
    jobs = [Job(player, exam.rules, tablebase, seed, tuple(asked[at : at + QUESTIONS_A_JOB])) for at in starts]
    for answers in in_order(answer_job, jobs, min(workers, max(1, len(jobs))), processes=True):
        yield from answers


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
