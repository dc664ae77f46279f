"""What is printed of exams: a sheet to hand out, the answers in a file of their own, and marks as a page.

Nothing is fetched: boards are drawn as SVG, and every free cell has the name by which an answer calls it.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from html import escape
from pathlib import Path
from shlex import quote
from typing import Any

from gridlab.arena.assess import HEADER, ClassList, Marked, Marks, PairedMarks, row_of
from gridlab.arena.exam import SHIPPED, Exam, Question, exam_of, key_path
from gridlab.core.arguments import counted, typed
from gridlab.core.files import refuse_overlap, whole_file


def _page(title: str, style: str, body: str) -> str:
    """A page that stands alone."""
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n{body}\n</html>\n"
    )


# ---- Marks as a page: one HTML file with nothing outside it, tables, accuracy by ply drawn, and the worst blunders


MARKS_STYLE = Path(__file__).with_name("marks.css")


def write_page(path: Path, marks: Sequence[Marks], compared: Sequence[PairedMarks] = ()) -> None:
    """Write the page of one player or several."""
    with whole_file(path) as file:
        file.write(page_of(marks, compared).encode())


def page_of(marks: Sequence[Marks], compared: Sequence[PairedMarks] = ()) -> str:
    exam, rules = marks[0].exam, marks[0].exam.rules
    asked = counted(len(marks[0].marked), "question")
    parts = [
        f"<h1>{escape(exam.name)}</h1>",
        f'<p class="faint">{escape(str(rules))}, {asked}. {escape(rules.words)}</p>',
        *(f"<p>{escape(str(each))}</p>" for each in compared),
        *_everybody(marks),
        *(part for each in marks for part in ('<section class="person">', *_player(each), "</section>")),
    ]
    title = f"{exam.name}: {', '.join(each.player for each in marks)}"
    return _page(title, MARKS_STYLE.read_text("utf-8"), "\n".join(parts))


def _everybody(marks: Sequence[Marks]) -> list[str]:
    """A line for each of several people."""
    if len(marks) < 2:
        return []
    people = ClassList(tuple(marks))
    said = f'<p class="faint">{escape(people.hardest_text())}</p></section>'
    return ['<section class="person">', _table(HEADER, people.rows), said]


def _player(marks: Marks) -> list[str]:
    family, low, high = marks.exam.family, *marks.accuracy_interval
    lead = (
        f"<strong>{marks.accuracy:.1%}</strong> of the answers keep the value (95 % {low:.1%} to {high:.1%}); "
        f"random play {float(marks.random.accuracy):.1%}, the first legal move {float(marks.first_legal.accuracy):.1%}"
    )
    parts = [
        f"<h2>{escape(marks.player)}</h2>",
        f"<p>{lead}. {escape(marks.regret_text())}.</p>",
        accuracy_svg(marks),
        _table(marks.header(family.STAGE), marks.rows()),
        f'<p class="faint">{escape(family.DEPTH.capitalize())}:</p>',
        _table(marks.header(family.DEPTH), [row_of(each[family.DEPTH], each) for each in marks.by_depth]),
    ]
    if marks.worst:
        shown = "\n".join(_blunder(each, marks) for each in marks.worst)
        parts += [f"<h2>The worst blunders of {escape(marks.player)}</h2>", f'<div class="blunders">{shown}</div>']
    return parts


def _table(names: Sequence[str], rows: Sequence[Sequence[str | int]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead>{"".join(map(_row, rows))}</table></div>'


def _row(cells: Sequence[str | int]) -> str:
    kind = ' class="all"' if cells[0] == "all" else ""
    return f"<tr{kind}>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in cells) + "</tr>"


def _blunder(each: Marked, marks: Marks) -> str:
    family, asked = marks.exam.family, each.question
    picture = family.picture(each.position, each.key, each.move)
    side = f", {asked.to_move} to move" if len(marks.exam.rules.sides) > 1 else ""
    head = f"question {asked.id}, {family.STAGE} {asked.stage}{side}: {each.judged.kind}"
    said = f"<blockquote>{escape(each.answer.text)}</blockquote>" if each.answer and each.answer.text else ""
    told = escape(family.told(each.key, each.move))
    return f"<figure>{picture}<figcaption>{escape(head)}<br>{told}{said}</figcaption></figure>"


def accuracy_svg(marks: Marks) -> str:
    """Accuracy by stage as bars with intervals; a short line across each bar is random play."""
    rows, stage = marks.by_stage, marks.exam.family.STAGE
    step = 34 if all(len(str(row[stage])) < 4 for row in rows) else 66
    width, height, left, top, bottom = step * len(rows) + 60, 220, 44, 10, 30
    high = height - top - bottom

    def y(share: float) -> float:
        return round(top + high * (1 - share), 1)

    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}" style="max-width:100%;height:auto"'
    name = f"accuracy by {escape(stage)}"
    parts = [f'<svg {size} role="img" aria-label="{name}"><title>{name}</title>']
    for share in (0, 0.25, 0.5, 0.75, 1):
        parts.append(f'<path d="M{left} {y(share)}H{width - 8}" stroke="var(--line)"/>')
        parts.append(_label(left - 6, y(share) + 4, f"{share:.0%}", "end"))
    for place, row in enumerate(rows):
        x, (low, most) = left + step // 2 - 10 + step * place, row["accuracy_interval"]
        bar = f'x="{x}" y="{y(row["accuracy"])}" width="20" height="{round(high * row["accuracy"], 1)}"'
        parts.append(f'<rect {bar} fill="var(--bar)" opacity="0.75"/>')
        parts.append(f'<path d="M{x + 10} {y(low)}V{y(most)}" stroke="var(--ink)" stroke-width="1.5"/>')
        parts.append(f'<path d="M{x - 3} {y(row["random"])}h26" stroke="#c77700" stroke-width="2.5"/>')
        parts.append(_label(x + 10, height - 12, str(row[stage]), "middle"))
    parts += ["</svg>", f'<p class="faint">Accuracy by {escape(stage)}, with 95 % intervals; orange: random play.</p>']
    return "\n".join(parts)


def _label(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x}" y="{y}" font-size="11" text-anchor="{anchor}" fill="var(--faint)">{escape(text)}</text>'


# ---- An exam on paper: a sheet to hand out and, in a file of its own, the answers; each an HTML page that prints on A4


SHEET_STYLE = Path(__file__).with_name("sheet.css")
USUAL_COLS = 5  # of a board that is no grid
COLUMNS = {4: 3, 3: 5, 2: 9, 1: 1000}  # boards beside each other: the most columns that such a board has


@typed
def print_exam(
    exam: Exam | Path | str, out: Path | str, questions: int | None = None, answers: Path | str | None = None,
    key: Path | str | None = None, seed: int | None = None,
) -> None:  # fmt: skip
    """Write an exam as a page to print and hand out, and with `answers` the right ones as a page of their own.

    `questions` takes the first so many, which are a fair part of the whole; with a `seed`, so many at random. Their
    numbers stay those of the exam. `mark` takes the same two, to mark these questions alone.
    """
    paper = exam_of(exam)
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
    written = [Path(each) for each in (out, answers) if each is not None]
    for place in written:
        for read in (exam.path, key_path(exam.path), *([] if key is None else [Path(key)])):
            refuse_overlap(read, place)
    if answers is not None:
        refuse_overlap(*written)


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
    return _printed(exam, exam.name, body)


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


def _printed(exam: Exam, title: str, body: str) -> str:
    """A page for A4, with so many boards beside each other that their cells are a centimetre wide or nearly so."""
    wide = getattr(exam.rules, "cols", USUAL_COLS)
    columns = next(boards for boards, cols in COLUMNS.items() if wide <= cols)
    name = title.replace("\\", "").replace('"', "").replace("\n", " ")
    style = SHEET_STYLE.read_text("utf-8").replace("COLUMNS", str(columns))
    return _page(title, style.replace("NAME", escape(name, quote=False)), body)


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
    return _printed(exam, title, body)


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
