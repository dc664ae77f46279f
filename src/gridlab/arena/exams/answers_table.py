"""Answers in a table, as a spreadsheet saves it: CSV with a row for each question and a column for each person.

    question,answer        question;Ann;Ben
    1,22                   1;22;13
    2,                     2;11;

Cells are separated by commas, semicolons or tabs, whichever the first row has; a mark of byte order at the start is
skipped. An empty cell is no answer. With the heading `answer` the file's name is that of the person.
"""

import csv
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

from gridlab.arena.exams.answers import Answer, Answers, read_answers
from gridlab.arena.exams.paper import Exam
from gridlab.core.errors import CorruptFile, GridlabError
from gridlab.core.numbers import shortened, whole_number
from gridlab.core.untrusted import read_bytes

ENDING = ".csv"
QUESTION, ANSWER = "question", "answer"
SEPARATORS = ",;\t"
MOST_PEOPLE = 1000


def read_everybody(path: Path, exam: Exam) -> list[Answers]:
    """The answers of everybody in a file: one person in JSON lines, one or several in a table (.csv)."""
    return read_table(path, exam) if path.suffix.lower() == ENDING else [read_answers(path, exam)]


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
        raise CorruptFile(
            f"{where}: a table of answers begins with the headings question,answer, or with question and a name for "
            f"each person, not with {shortened(','.join(header))}"
        )
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
    if number > len(exam.questions):
        raise CorruptFile(f"{where}: {exam.name} has no question {number}; it has {len(exam.questions):,}")
    return number
