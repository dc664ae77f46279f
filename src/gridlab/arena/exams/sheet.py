"""An exam on paper: a sheet to hand out and, in a file of its own, the answers; each an HTML page that prints on A4.

Nothing is fetched: boards are drawn as SVG, and every free cell has the name by which an answer calls it.
"""

from contextlib import ExitStack
from html import escape
from pathlib import Path
from shlex import quote
from typing import Any

from gridlab.arena.exams.paper import SHIPPED, Exam, Question, key_path, read_exam
from gridlab.core.arguments import typed
from gridlab.core.files import refuse_overlap, whole_file
from gridlab.core.numbers import counted

STYLE = """
@page { size: A4; margin: 14mm 12mm 16mm;
  @bottom-left { content: "NAME"; font: 8pt sans-serif; color: #666; }
  @bottom-right { content: counter(page) " / " counter(pages); font: 8pt sans-serif; color: #666; } }
:root { color-scheme: light; }
body { font: 10.5pt/1.4 system-ui, sans-serif; color: #000; background: #fff; max-width: 186mm; margin: 0 auto; }
@media screen { body { padding: 12mm; } }
h1 { font-size: 16pt; margin: 0 0 2mm; } p { margin: 0 0 2mm; }
.rules { font-size: 9.5pt; } .small { font-size: 9pt; color: #333; }
.person { display: flex; gap: 6mm; margin: 3mm 0 5mm; } .person span { flex: 2; border-bottom: 0.3mm solid #000; }
.person span:nth-of-type(2), .person span:nth-of-type(3) { flex: 1; }
.questions { display: grid; grid-template-columns: repeat(COLUMNS, 1fr); gap: 4mm 6mm; }
figure { margin: 0; break-inside: avoid; } figure svg { display: block; width: 90%; height: auto; margin: 0 auto; }
figcaption { display: flex; justify-content: space-between; align-items: baseline; }
figure svg text:not(.number):not(.tile text) { font-size: 12px; fill: #767676; }
.answer { display: flex; align-items: baseline; gap: 2mm; margin-top: -2.5mm; }
.answer span { flex: 1; border-bottom: 0.3mm solid #000; height: 6mm; }
.ticks { display: flex; flex-wrap: wrap; gap: 1mm 2mm; margin-top: 2mm; font-size: 8.5pt; }
.ticks span { white-space: nowrap; }
.ticks i { display: inline-block; width: 3.2mm; height: 3.2mm; border: 0.3mm solid #000; vertical-align: -0.4mm; }
.key { columns: 2; column-gap: 8mm; } .key div { break-inside: avoid; border-bottom: 0.2mm solid #bbb; padding: 0.8mm 0;
  display: grid; grid-template-columns: 11mm 1fr 30mm; gap: 2mm; font-size: 9.5pt; }
.key div span:last-child { text-align: right; color: #333; }
"""
COLUMNS = {4: 3, 3: 5, 2: 9, 1: 1000}  # boards beside each other: the most columns that such a board has


@typed
def print_exam(
    exam: Exam | Path | str,
    out: Path | str,
    questions: int | None = None,
    answers: Path | str | None = None,
    key: Path | str | None = None,
    seed: int | None = None,
) -> None:
    """Write an exam as a page to print and hand out, and with `answers` the right ones as a page of their own.

    `questions` takes the first so many, which are a fair part of the whole; with a `seed`, so many at random. Their
    numbers stay those of the exam. `mark` takes the same two, to mark these questions alone.
    """
    paper = exam if isinstance(exam, Exam) else read_exam(exam)
    chosen = paper.numbers(questions, seed)
    truth = None if answers is None else paper.key(None if key is None else Path(key))  # before anything is written
    _refuse_overlaps(paper, Path(out), answers, key)
    pages = {Path(out): sheet_of(paper, chosen)}
    if answers is not None and truth is not None:
        pages[Path(answers)] = answers_of(paper, chosen, truth, _marking(paper, questions, seed))
    with ExitStack() as stack:  # both are locked before one is there: they belong together
        for path, page in pages.items():
            stack.enter_context(whole_file(path)).write(page.encode())


def _refuse_overlaps(exam: Exam, out: Path, answers: Path | str | None, key: Path | str | None) -> None:
    """Neither page is written over what is read, nor over the other."""
    written = [out] if answers is None else [out, Path(answers)]
    for place in written:
        for read in (exam.path, key_path(exam.path), *([] if key is None else [Path(key)])):
            refuse_overlap(read, place)
    if answers is not None:
        refuse_overlap(out, Path(answers))


# ---- the sheet


def sheet_of(exam: Exam, chosen: tuple[int, ...]) -> str:
    """The page for those who answer."""
    asked = "\n".join(_question(exam, exam.questions[number - 1]) for number in chosen)
    person = "".join(f"{name} <span></span>" for name in ("Name", "Date", "Right"))
    body = (
        f'<h1>{escape(exam.name)}</h1>\n<div class="person">{person}</div>\n'
        f'<p class="rules">{escape(exam.rules.words)}</p>\n<p>{escape(exam.family.TASK)}</p>\n'
        f'<div class="questions">\n{asked}\n</div>'
    )
    return _page(exam, exam.name, body)


def _question(exam: Exam, question: Question) -> str:
    position = exam.positions[question.id - 1]
    side = f"{question.to_move} to move" if len(exam.rules.sides) > 1 else ""
    head = f"<figcaption><strong>{question.id}</strong><span>{escape(side)}</span></figcaption>"
    return f"<figure>{head}{exam.family.drawn(position)}{_room(exam, question)}</figure>"


def _room(exam: Exam, question: Question) -> str:
    """Where the answer goes: boxes to tick if every question has the same few answers, else a line."""
    if exam.family.TICKS:
        boxes = "".join(f"<span><i></i> {escape(each)}</span>" for each in question.legal)
        return f'<div class="ticks">{boxes}</div>'
    return '<div class="answer">Answer <span></span></div>'


def _columns(exam: Exam) -> int:
    """Boards beside each other, so that their cells are a centimetre wide or nearly so."""
    rules: Any = exam.rules  # of either family
    return next(boards for boards, cols in COLUMNS.items() if rules.cols <= cols)


def _page(exam: Exam, title: str, body: str) -> str:
    name = title.replace("\\", "").replace('"', "").replace("\n", " ")
    style = STYLE.replace("COLUMNS", str(_columns(exam))).replace("NAME", escape(name, quote=False))
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n{body}\n</html>\n"
    )


# ---- the answers


def answers_of(exam: Exam, chosen: tuple[int, ...], truth: tuple[Any, ...], command: str) -> str:
    """The page for those who mark: every right answer of each question, the best of them first."""
    rows = "\n".join(_solution(exam, number, truth[number - 1]) for number in chosen)
    title = f"{exam.name}: answers"
    body = (
        f"<h1>{escape(title)}</h1>\n<p>{escape(counted(len(chosen), 'question'))}. {escape(exam.family.RIGHT)}</p>\n"
        f'<p class="small">Answers typed into a table are marked by <code>{escape(command)}</code>; its first row is '
        "question,answer or, for several people, question and their names.</p>\n"
        f'<div class="key">\n{rows}\n</div>'
    )
    return _page(exam, title, body)


def _solution(exam: Exam, number: int, key: Any) -> str:
    family, best = exam.family, key.best
    right = [move for move in exam.questions[number - 1].legal if family.judge(key, move).kept and move not in best]
    said = f"<strong>{escape(', '.join(best))}</strong>" + "".join(f", {escape(move)}" for move in right)
    return f"<div><span>{number}</span><span>{said}</span><span>{escape(family.outlook(key))}</span></div>"


def _marking(exam: Exam, questions: int | None, seed: int | None) -> str:
    """The command that marks these questions."""
    some = "" if questions is None else f" --questions {questions}"
    name = exam.name if exam.path.parent == SHIPPED else quote(exam.path.name)
    return f"gridlab exam mark {name} answers.csv{some}{'' if seed is None else f' --seed {seed}'}"
