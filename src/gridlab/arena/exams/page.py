"""Marks as a page: one HTML file with nothing outside it, tables, accuracy by ply drawn, and the worst blunders."""

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from gridlab.arena.exams.class_list import HEADER, ClassList
from gridlab.arena.exams.mark import Marked, Marks, PairedMarks, row_of
from gridlab.core.files import whole_file
from gridlab.core.numbers import counted

STYLE = """
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
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n" + "\n".join(parts) + "\n</html>\n"
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
