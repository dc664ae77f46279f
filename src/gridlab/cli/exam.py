"""`gridlab exam`: the same questions for everybody, answered anywhere, marked against the truth."""

import json as json_module
from pathlib import Path
from typing import Annotated, Any

import typer

from gridlab.cli import options
from gridlab.cli.options import Json, PlayerText, Positive, Quiet, Seed, Source, Table, Target, print_result, tell
from gridlab.core.arguments import counted, whole_number
from gridlab.core.errors import BadNotation
from gridlab.core.files import refuse_overlap

app = options.group("Exams: positions where the move matters, answered by any player, marked against exact values.")

Paper = Annotated[
    Path,
    options.argument(
        "EXAM", "A file, or a standard exam such as squava-v1.", options.named, autocompletion=options.exams
    ),
]
Key = Annotated[Path | None, options.option("--key FILE", "The key, if it is not beside the exam.", options.source)]


@app.command(name="list")
def list_exams(json: Json = False) -> None:
    """List the exams that come with the package, with the score of random play in each."""
    from gridlab.arena.assess import listed

    print_result(listed(), json)


@app.command()
def show(exam: Paper) -> None:
    """Print the questions of an exam as JSON lines, for any program."""
    from gridlab.arena.exam import find_exam
    from gridlab.core.untrusted import read_bytes

    typer.echo(read_bytes(find_exam(exam)).decode("utf-8", "replace"), nl=False)


@app.command()
def make(
    game: options.Game, out: Target, positions: Positive = 300, plies: str | None = None,
    tablebase: Table = None, nodes: Positive = 10_000_000, seed: Seed = None, quiet: Quiet = False,
) -> None:  # fmt: skip
    """Make an exam: random positions in which some moves are better than others.

    They come from all plies and distances. The exact values go to the key.

    -o --out --output FILE  The exam to write; its key goes to FILE.key.jsonl.
    --positions N           How many questions to ask.
    --plies A-B             Only positions of these plies, such as 4-10.
    --nodes N               The limit of a search, for positions that no tablebase has.
    """
    from gridlab.arena.exam import key_path, make_exam

    if tablebase is not None:
        for place in (out, key_path(out)):
            refuse_overlap(tablebase, place)
    made = make_exam(
        game, out, positions, _range(plies), nodes=nodes, tablebase=tablebase, seed=seed or 0, progress=not quiet
    )
    tell(f"{out}: {counted(len(made.questions), 'question')}; {key_path(out)}: the key", quiet)


def _range(text: str | None) -> range | None:
    """`4-10` -> plies 4 to 10."""
    if text is None:
        return None
    low, dash, high = text.partition("-")
    first = whole_number(low, 0, 1000)
    last = whole_number(high, 0, 1000) if dash else first
    if last < first:
        raise BadNotation(f"--plies {text}: the first ply comes first, such as {last}-{first}")
    return range(first, last + 1)


@app.command()
def sit(
    exam: Paper, player: PlayerText, out: options.Out = None, tablebase: Table = None, resume: bool = False,
    seed: Seed = None, workers: options.Workers = None, cluster: options.Cluster = None, quiet: Quiet = False,
) -> None:  # fmt: skip
    """Let a player answer an exam.

    The answers are JSON lines on stdout, or in a file to which each answer is added as it comes.

    PLAYER      A player, such as random or command="./bot" protocol=json.
    --resume    Ask only the questions that FILE does not answer yet.
    """
    from gridlab.arena.answers import count_missing, sit, whole_text
    from gridlab.arena.exam import key_path, read_exam
    from gridlab.players.registry import files_of

    if resume and out is None:
        raise BadNotation("--resume needs the file of the sitting: --out FILE")
    paper = read_exam(exam)
    if out is not None:
        for place in (*files_of(player, tablebase), paper.path, key_path(paper.path)):
            refuse_overlap(place, out)
    kept = out and f"{out} keeps the answers so far; continue with --resume"
    with options.if_stopped(kept), options.working_on(cluster, workers):
        given = sit(
            paper, player, out, tablebase=tablebase, seed=seed or 0, workers=workers, resume=resume, progress=not quiet
        )
    if out is None:
        typer.echo(whole_text(paper, given), nl=False)
    else:
        missing = count_missing(given.given.values())
        tell(f"{out}: {counted(len(given.given) - missing, 'answer')}, {missing:,} missing", quiet)


@app.command(name="print")
def print_sheet(
    exam: Paper, out: Target, questions: Positive | None = None, answers: Target | None = None, key: Key = None,
    seed: options.Natural | None = None, quiet: Quiet = False,
) -> None:  # fmt: skip
    """Print an exam on paper: an HTML page with boards and room for answers, for A4.

    Open it in a browser and print it. Questions keep their numbers, so the answers can be typed into a table and marked
    by gridlab exam mark, with the same --questions and --seed.

    -o --out --output FILE  The page to write, such as sheet.html.
    --questions N           Print N questions: the first N or, with --seed, N at random.
    --answers FILE          Also write the right answers, to another page.
    --seed N                Draw the questions at random.
    """
    from gridlab.arena.printed import print_exam

    print_exam(exam, out, questions, answers, key, seed)
    tell("\n".join(str(each) for each in (out, answers) if each is not None), quiet)


@app.command()
def mark(
    exam: Paper, answers: list[Source], key: Key = None, html: Target | None = None,
    questions: Positive | None = None, seed: Seed = None, json: Json = False, quiet: Quiet = False,
) -> None:  # fmt: skip
    """Mark answers: accuracy by ply, kinds of blunders, and regret, beside those of random play.

    Several files of answers are compared with the first. A table may have a column for each person; then everybody has
    a line.

    ANSWERS...      Files of answers, JSON lines or tables (.csv); several are compared.
    --html FILE     Also write a page with drawings of the worst blunders.
    --questions N   Mark only the questions of gridlab exam print.
    """
    from gridlab.arena.assess import ClassList, compare_marks, mark_all
    from gridlab.arena.exam import read_exam
    from gridlab.arena.printed import write_page

    paper = read_exam(exam)
    if html is not None:
        for place in (paper.path, *answers):
            refuse_overlap(place, html)
    found = mark_all(paper, answers, key, questions, None if questions is None else seed)
    people = ClassList(tuple(found)) if len(found) > len(answers) else None
    compared = [] if people else [compare_marks(found[0], other, seed or 0) for other in found[1:]]
    _print_marks(found, compared, people, json)
    if html is not None:
        write_page(html, found, compared)
        tell(html, quiet)


def _print_marks(found: list[Any], compared: list[Any], people: Any, json: bool) -> None:
    """One after the other with what compares them, or a line for everybody."""
    if json:
        both = {"marks": [each.as_dict() for each in found], "comparisons": [each.as_dict() for each in compared]}
        typer.echo(json_module.dumps(both if len(found) > 1 else found[0].as_dict()))
    elif people:
        typer.echo(str(people))
    else:
        typer.echo("\n\n".join(map(str, found)))
        typer.echo("".join(f"\n{each}\n" for each in compared), nl=False)
