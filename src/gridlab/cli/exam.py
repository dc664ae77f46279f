"""`gridlab exam`: the same questions for everybody, answered anywhere, marked against the truth."""

import json as json_module
from pathlib import Path
from typing import Annotated

import typer

from gridlab.cli import options as completion
from gridlab.cli.options import (
    Cluster,
    Game,
    Json,
    Out,
    Quiet,
    Seed,
    Table,
    Workers,
    exams,
    group,
    named,
    out_file,
    print_result,
    set_quiet,
    source,
    target,
    whole,
    working_on,
)
from gridlab.core.arguments import counted, whole_number
from gridlab.core.errors import BadNotation
from gridlab.core.files import refuse_overlap

app = group("Exams: positions where the move matters, answered by any player, marked against exact values.")

Paper = Annotated[
    Path,
    typer.Argument(
        metavar="EXAM", parser=named, help="A file, or a standard exam such as squava-v1.", autocompletion=exams
    ),
]


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
    game: Game,
    out: Annotated[
        Path,
        out_file("The exam to write; its key goes to FILE.key.jsonl."),
    ],
    positions: Annotated[
        int, typer.Option("--positions", metavar="N", parser=whole(1), help="How many questions to ask.")
    ] = 300,
    plies: Annotated[
        str | None, typer.Option("--plies", metavar="A-B", help="Only positions of these plies, such as 4-10.")
    ] = None,
    tablebase: Table = None,
    nodes: Annotated[
        int,
        typer.Option(
            "--nodes", metavar="N", parser=whole(1), help="The limit of a search, for positions that no tablebase has."
        ),
    ] = 10_000_000,
    seed: Seed = None,
    quiet: Quiet = False,
) -> None:
    """Make an exam: random positions in which some moves are better than others.

    They come from all plies and distances. The exact values go to the key.
    """
    from gridlab.arena.exam import key_path, make_exam

    set_quiet(quiet)
    if tablebase is not None:
        for place in (out, key_path(out)):
            refuse_overlap(tablebase, place)
    made = make_exam(
        game, out, positions, _range(plies), nodes=nodes, tablebase=tablebase, seed=seed or 0, progress=not quiet
    )
    if not quiet:
        typer.echo(f"{out}: {counted(len(made.questions), 'question')}; {key_path(out)}: the key", err=True)


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
    exam: Paper,
    player: Annotated[
        str,
        typer.Argument(
            metavar="PLAYER",
            help='A player, such as random or command="./bot" protocol=json.',
            autocompletion=completion.players,
        ),
    ],
    out: Out = None,
    tablebase: Table = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Ask only the questions that FILE does not answer yet.")
    ] = False,
    seed: Seed = None,
    workers: Workers = None,
    cluster: Cluster = None,
    quiet: Quiet = False,
) -> None:
    """Let a player answer an exam.

    The answers are JSON lines on stdout, or in a file to which each answer is added as it comes.
    """
    from gridlab.arena.answers import count_missing, sit, whole_text
    from gridlab.arena.exam import key_path, read_exam
    from gridlab.players.registry import files_of

    set_quiet(quiet)
    if resume and out is None:
        raise BadNotation("--resume needs the file of the sitting: --out FILE")
    paper = read_exam(exam)
    if out is not None:
        for place in (*files_of(player, tablebase), paper.path, key_path(paper.path)):
            refuse_overlap(place, out)
    try:
        with working_on(cluster, workers):
            given = sit(
                paper, player, out, tablebase=tablebase, seed=seed or 0, workers=workers, resume=resume,
                progress=not quiet,
            )  # fmt: skip
    except KeyboardInterrupt:
        if out is not None:
            typer.echo(f"stopped; {out} keeps the answers so far; continue with --resume", err=True)
        raise
    if out is None:
        typer.echo(whole_text(paper, given), nl=False)
    elif not quiet:
        missing = count_missing(given.given.values())
        typer.echo(f"{out}: {counted(len(given.given) - missing, 'answer')}, {missing:,} missing", err=True)


Key = Annotated[
    Path | None,
    typer.Option("--key", metavar="FILE", parser=source, help="The key, if it is not beside the exam."),
]


@app.command(name="print")
def print_sheet(
    exam: Paper,
    out: Annotated[
        Path,
        typer.Option(
            "-o", "--out", "--output", metavar="FILE", parser=target, help="The page to write, such as sheet.html."
        ),
    ],
    questions: Annotated[
        int | None,
        typer.Option(
            "--questions",
            metavar="N",
            parser=whole(1),
            help="Print N questions: the first N or, with --seed, N at random.",
        ),
    ] = None,
    answers: Annotated[
        Path | None,
        typer.Option("--answers", metavar="FILE", parser=target, help="Also write the right answers, to another page."),
    ] = None,
    key: Key = None,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", parser=whole(), help="Draw the questions at random.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Print an exam on paper: an HTML page with boards and room for answers, for A4.

    Open it in a browser and print it. Questions keep their numbers, so the answers can be typed into a table and marked
    by gridlab exam mark, with the same --questions and --seed.
    """
    from gridlab.arena.printed import print_exam

    set_quiet(quiet)
    print_exam(exam, out, questions, answers, key, seed)
    if not quiet:
        typer.echo("\n".join(str(each) for each in (out, answers) if each is not None), err=True)


@app.command()
def mark(
    exam: Paper,
    answers: Annotated[
        list[Path],
        typer.Argument(
            metavar="ANSWERS...",
            parser=source,
            help="Files of answers, JSON lines or tables (.csv); several are compared.",
        ),
    ],
    key: Key = None,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html", metavar="FILE", parser=target, help="Also write a page with drawings of the worst blunders."
        ),
    ] = None,
    questions: Annotated[
        int | None,
        typer.Option(
            "--questions", metavar="N", parser=whole(1), help="Mark only the questions of gridlab exam print."
        ),
    ] = None,
    seed: Seed = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Mark answers: accuracy by ply, kinds of blunders, and regret, beside those of random play.

    Several files of answers are compared with the first. A table may have a column for each person; then everybody has
    a line.
    """
    from gridlab.arena.assess import ClassList, compare_marks, mark_all
    from gridlab.arena.exam import read_exam
    from gridlab.arena.printed import write_page

    set_quiet(quiet)
    paper = read_exam(exam)
    if html is not None:
        for place in (paper.path, *answers):
            refuse_overlap(place, html)
    found = mark_all(paper, answers, key, questions, None if questions is None else seed)
    people = ClassList(tuple(found)) if len(found) > len(answers) else None
    compared = [] if people else [compare_marks(found[0], other, seed or 0) for other in found[1:]]
    if json:
        both = {"marks": [each.as_dict() for each in found], "comparisons": [each.as_dict() for each in compared]}
        typer.echo(json_module.dumps(both if len(found) > 1 else found[0].as_dict()))
    elif people:
        typer.echo(str(people))
    else:
        typer.echo("\n\n".join(map(str, found)))
        typer.echo("".join(f"\n{each}\n" for each in compared), nl=False)
    if html is not None:
        write_page(html, found, compared)
        if not quiet:
            typer.echo(str(html), err=True)
