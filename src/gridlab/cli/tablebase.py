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
    print_boards,
    print_result,
    set_quiet,
    table,
    target,
    target_folder,
    whole,
)  # fmt: skip

app = typer.Typer(help="Strong solutions: the exact value of every position.", rich_markup_mode=None)

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
    objective: Annotated[
        str | None,
        typer.Option("--target", metavar="score|TILE", help="2048: best expected score, or best chance of a tile."),
    ] = None,
    max_sum: Annotated[
        int | None,
        typer.Option("--max-sum", metavar="N", parser=whole(), help="2048: no further than this sum of all tiles."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on after what a stopped build has left.")] = False,
    quiet: Quiet = False,
    workers: Workers = None,
) -> None:
    """Solve every position of a game with up to 25 cells, or of 2048 with up to 9, and write the values to a file.

    Says beforehand what it will take. A build that is stopped or killed goes on with --resume.
    """
    from gridlab.core.room import size_text
    from gridlab.exact.tables import BuildOrder, tables_of
    from gridlab.games import game as find_game

    set_quiet(quiet)
    rules = find_game(game)
    tables = tables_of(rules)
    order = BuildOrder(max_ply, objective, max_sum, workers, resume)
    try:
        tables.build(rules, out, order, None if quiet else lambda text: typer.echo(text, err=True))
    except KeyboardInterrupt:
        typer.echo(f"stopped; {out}.{tables.PARTS} keeps what is done: go on with --resume", err=True)
        raise
    if not quiet:
        typer.echo(f"{out}: {size_text(out.stat().st_size)}", err=True)


@app.command()
def probe(
    file: File,
    board: Annotated[str, typer.Argument(metavar="BOARD", help="Such as X.O/.X./... or '2 . 4/. . ./. . .'")],
    json: Json = False,
) -> None:
    """The value of a position and of each move; the distance and the best line, where there are such."""
    from gridlab.exact.tables import tables_of_file

    print_boards(tables_of_file(file).probe(file, board), json)


@app.command()
def verify(
    file: File,
    full: Annotated[bool, typer.Option("--full", help="Work out every value anew.")] = False,
    seed: Seed = None,
    json: Json = False,
    quiet: Quiet = False,
    workers: Workers = None,
) -> int:
    """Check a tablebase: checksums, counts, values against those of their successors.

    Some of each ply or layer by default, all with --full. Exit code 1 if anything is wrong.
    """
    from gridlab.exact.tables import tables_of_file

    set_quiet(quiet)
    verdict = tables_of_file(file).verify(file, full, seed or 0, workers, progress=not quiet)
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
    quiet: Quiet = False,
) -> None:
    """Positions by value, ply by ply or by the sum of tiles, and what the beginning is worth."""
    from gridlab.core.figures import check_picture
    from gridlab.exact.tables import tables_of_file

    set_quiet(quiet)
    picture = out or (target(file.with_name(f"{file.name}.png")) if plot else None)
    check_picture(picture, file)
    tables = tables_of_file(file)
    found = tables.stats(file, progress=not quiet)
    print_result(found, json)
    if picture:
        tables.plot(found, picture)
        if not quiet:
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
    from gridlab.exact.tables import open_tablebase
    from gridlab.games.registry import family_of

    set_quiet(quiet)
    table = open_tablebase(file)
    family_of(table.rules).load("labelled").sample(table, out, positions, seed, progress=not quiet)
    if not quiet:
        typer.echo(f"{out}: {positions:,} positions", err=True)


@app.command()
def export(
    file: File,
    positions: Annotated[int, typer.Option("--positions", metavar="N", parser=whole(1), help="How many.")],
    out: Annotated[
        Path,
        typer.Option("-o", "--out", "--output", metavar="DIR", parser=target_folder, help="The folder to write to."),
    ],
    seed: Seed = None,
    shard: Annotated[
        int, typer.Option("--shard", metavar="N", parser=whole(1), help="Positions of a file, at most.")
    ] = 1_000_000,
    quiet: Quiet = False,
) -> None:
    """Write positions with exact labels as a dataset that others load as it stands: Parquet shards and a card.

    Each game is a configuration of its own; another one can be added to the same folder.
    """
    from gridlab.datasets.parquet_shards import export_folder
    from gridlab.exact.tables import open_tablebase
    from gridlab.games.registry import family_of

    set_quiet(quiet)
    table = open_tablebase(file)
    rows = family_of(table.rules).load("labelled").labelled_tables(table, positions, seed, progress=not quiet)
    found = export_folder(out, table, rows, seed, shard)
    if not quiet:
        typer.echo(f"{out}: {found.name}, {found.positions:,} positions in {len(found.shards)} files", err=True)
