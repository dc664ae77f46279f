"""What is printed of exams: a sheet to hand out, the answers in a file of their own, and marks as a page.

Nothing is fetched: boards are drawn as SVG, and every free cell has the name by which an answer calls it.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from html import escape
from pathlib import Path
from shlex import quote
from typing import Any

from gridlab.arena.exam import SHIPPED, Exam, Question, key_path, read_exam
from gridlab.arena.mark import HEADER, ClassList, Marked, Marks, PairedMarks, row_of
from gridlab.core.arguments import counted, typed
from gridlab.core.files import refuse_overlap, whole_file

# ---- Marks as a page: one HTML file with nothing outside it, tables, accuracy by ply drawn, and the worst blunders


PAGE_STYLE = """
:root { color-scheme: light dark; --ink: #222; --paper: #fff; --faint: #666; --line: #ddd; --bar: #1f4e9c;
  --card: #f7f7f5; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e6; --paper: #1b1c1e; --faint: #9a9a9a; --line: #3a3c40;
  --bar: #8fb4f0; --card: #26282b; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 70rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: 0; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
p { margin: .4rem 0; } .faint { color: var(--faint); }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .15rem .7rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { font-weight: 600; } tr.all td { font-weight: 600; }
.blunders { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: 1rem; }
figure { margin: 0; background: var(--card); border-radius: .5rem; padding: .8rem; text-align: center; }
figure svg { max-width: 100%; height: auto; max-height: 16rem; } figcaption { text-align: left; font-size: .9rem; }
@page { size: A4; margin: 14mm 12mm 16mm;
  @bottom-right { content: counter(page) " / " counter(pages); font: 8pt sans-serif; color: #666; } }
@media print { :root { color-scheme: light; --ink: #000; --paper: #fff; --faint: #444; --line: #ccc; --bar: #1f4e9c;
  --card: #fff; }
  body { font-size: 9.5pt; max-width: none; margin: 0; padding: 0; } .wide { overflow: visible; }
  table { width: 100%; font-size: 8pt; } th, td { padding: .1rem .2rem; } th { white-space: normal; }
  tr, figure, svg, blockquote { break-inside: avoid; } h2 { break-after: avoid; } thead { display: table-header-group; }
  .person + .person { break-before: page; } blockquote { max-height: none; }
  .blunders { grid-template-columns: repeat(3, 1fr); } figure { border: 1px solid #ccc; } }
blockquote { margin: .4rem 0 0; padding-left: .6rem; border-left: 3px solid var(--line); color: var(--faint);
  max-height: 6rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
"""


def write_page(path: Path, marks: Sequence[Marks], compared: Sequence[PairedMarks] = ()) -> None:
    """Write the page of one player or several."""
    with whole_file(path) as file:
        file.write(page_of(marks, compared).encode())


def page_of(marks: Sequence[Marks], compared: Sequence[PairedMarks] = ()) -> str:
    exam, rules = marks[0].exam, marks[0].exam.rules
    title = f"{exam.name}: {', '.join(each.player for each in marks)}"
    asked = counted(len(marks[0].marked), "question")
    parts = [
        f"<h1>{escape(exam.name)}</h1>",
        f'<p class="faint">{escape(str(rules))}, {asked}. {escape(rules.words)}</p>',
        *(f"<p>{escape(str(each))}</p>" for each in compared),
        *_everybody(marks),
        *(part for each in marks for part in ('<section class="person">', *_player(each), "</section>")),
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{PAGE_STYLE}</style>\n" + "\n".join(parts) + "\n</html>\n"
    )


def _everybody(marks: Sequence[Marks]) -> list[str]:
    """A line for each of several people."""
    if len(marks) < 2:
        return []
    people = ClassList(tuple(marks))
    head = "".join(f"<th>{escape(name)}</th>" for name in HEADER)
    rows = "".join(map(_row, people.rows))
    table = f'<div class="wide"><table><thead><tr>{head}</tr></thead>{rows}</table></div>'
    return ['<section class="person">', table, f'<p class="faint">{escape(people.hardest_text())}</p></section>']


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
        _table(family.STAGE, [*marks.by_stage, {family.STAGE: "all"} | marks.total], marks.kinds),
        f'<p class="faint">{escape(family.DEPTH.capitalize())}:</p>',
        _table(family.DEPTH, marks.by_depth, marks.kinds),
    ]
    if marks.worst:
        shown = "\n".join(_blunder(each, marks) for each in marks.worst)
        parts += [f"<h2>The worst blunders of {escape(marks.player)}</h2>", f'<div class="blunders">{shown}</div>']
    return parts


def _table(first: str, rows: Sequence[dict[str, Any]], kinds: Sequence[str]) -> str:
    names = (first, "questions", "accuracy", "95 %", "random", "first legal", *kinds)
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join(_row(row_of(row[first], row)) for row in rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead>{body}</table></div>'


def _row(cells: Sequence[str | int]) -> str:
    kind = ' class="all"' if cells[0] == "all" else ""
    return f"<tr{kind}>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in cells) + "</tr>"


def _blunder(each: Marked, marks: Marks) -> str:
    family, place = marks.exam.family, each.question.id - 1
    picture = family.picture(marks.exam.positions[place], each.key, each.move)
    asked = each.question
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
    return "\n".join(
        [
            *parts,
            "</svg>",
            f'<p class="faint">Accuracy by {escape(stage)}, with 95 % intervals; orange: random play.</p>',
        ]
    )


def _label(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x}" y="{y}" font-size="11" text-anchor="{anchor}" fill="var(--faint)">{escape(text)}</text>'


# ---- An exam on paper: a sheet to hand out and, in a file of its own, the answers; each an HTML page that prints on A4


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
USUAL_COLS = 5  # of a board that is no grid
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
    wide = getattr(exam.rules, "cols", USUAL_COLS)
    return next(boards for boards, cols in COLUMNS.items() if wide <= cols)


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
