"""`gridlab tablebase …`: strong solutions."""

from pathlib import Path
from typing import Annotated

import typer

from gridlab.cli.options import (
    Game,
    Json,
    Picture,
    Quiet,
    Seed,
    Workers,
    print_result,
    set_quiet,
    table,
    target,
    whole,
)  # fmt: skip
from gridlab.core.files import locked, refuse_overlap

app = typer.Typer(help="Strong solutions: value and distance of every position.", rich_markup_mode=None)

File = Annotated[Path, typer.Argument(metavar="FILE", parser=table, help="A tablebase.")]


@app.command()
def build(
    game: Game,
    out: Annotated[
        Path, typer.Option("-o", "--out", "--output", metavar="FILE", parser=target, help="The file to write.")
    ],
    max_ply: Annotated[
        int | None,
        typer.Option("--max-ply", metavar="N", parser=whole(), help="Keep positions of up to so many plies."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on after the last ply that a stopped build has left.")
    ] = False,
    quiet: Quiet = False,
    workers: Workers = None,
) -> None:
    """Solve every position of a game with up to 25 cells and write the values to a file.

    Says beforehand what it will take. A build that is stopped or killed goes on with --resume.
    """
    from gridlab.exact.census import census
    from gridlab.exact.tablebase.build import build_tablebase, estimate, last_ply, size_text
    from gridlab.games import game as find_game

    set_quiet(quiet)
    rules = find_game(game, "mnk")
    last_ply(rules, max_ply)
    try:
        with locked(out):  # a second one is refused before it counts
            counts = census(rules, workers)
            if not quiet:
                typer.echo(str(estimate(counts, workers)), err=True)
            build_tablebase(rules, out, max_ply, workers, resume, progress=not quiet, counts=counts)
    except KeyboardInterrupt:
        typer.echo(f"stopped; {out}.plies keeps the plies that are done: go on with --resume", err=True)
        raise
    if not quiet:
        typer.echo(f"{out}: {size_text(out.stat().st_size)}", err=True)


@app.command()
def probe(
    file: File,
    board: Annotated[str, typer.Argument(metavar="BOARD", help="Such as X.O/.X./...")],
    json: Json = False,
) -> None:
    """The value and distance of a position, of each move, and the best line."""
    from gridlab.exact.tablebase.probe import Tablebase
    from gridlab.games.mnk.position import Position

    table = Tablebase(file)
    print_result(table.probe(Position.parse(board, table.rules)), json)


@app.command()
def verify(
    file: File,
    full: Annotated[bool, typer.Option("--full", help="Work out every score anew.")] = False,
    seed: Seed = None,
    json: Json = False,
    quiet: Quiet = False,
    workers: Workers = None,
) -> int:
    """Check a tablebase: checksums, counts against the census, scores against those of their successors.

    200 positions of each ply by default, all with --full. Exit code 1 if anything is wrong.
    """
    from gridlab.exact.tablebase.verify import verify

    set_quiet(quiet)
    verdict = verify(file, full, seed or 0, workers, progress=not quiet)
    print_result(verdict, json)
    return 1 if verdict.complaints else 0


@app.command()
def stats(
    file: File,
    plot: Annotated[
        bool, typer.Option("--plot", help="Draw them too, as FILE.png unless --out says otherwise.")
    ] = False,
    out: Picture = None,
    json: Json = False,
) -> None:
    """Positions by value and distance, ply by ply, and what each opening is worth."""
    from gridlab.core.figures import new_figure
    from gridlab.exact.tablebase.probe import Tablebase
    from gridlab.exact.tablebase.stats import stats

    picture = out or (target(file.with_name(f"{file.name}.png")) if plot else None)
    if picture:
        refuse_overlap(file, picture)
        new_figure(picture, 1)  # a name that is none of a picture is told at once
    found = stats(Tablebase(file))
    print_result(found, json)
    if picture:
        from gridlab.exact.tablebase.plot import plot_values

        plot_values(found, picture)
        typer.echo(str(picture), err=True)


@app.command()
def sample(
    file: File,
    positions: Annotated[int, typer.Option("--positions", metavar="N", parser=whole(1), help="How many.")],
    out: Annotated[
        Path,
        typer.Option("-o", "--out", "--output", metavar="FILE", parser=target, help="The file to write, .parquet."),
    ],
    seed: Seed = None,
    quiet: Quiet = False,
) -> None:
    """Write positions with exact labels for machine learning, drawn uniformly up to symmetry.

    Train, validation and test are split by symmetry class.
    """
    from gridlab.datasets.labelled import sample
    from gridlab.exact.tablebase.probe import Tablebase

    set_quiet(quiet)
    refuse_overlap(file, out)
    sample(Tablebase(file), out, positions, seed, progress=not quiet)
    typer.echo(f"{out}: {positions:,} positions", err=True)
