"""`gridlab tablebase …`: strong solutions."""

from pathlib import Path
from typing import Annotated

import typer

from gridlab.cli import options
from gridlab.cli.options import argument, option, out_file, print_result, set_quiet, table, target, tell_reading, whole
from gridlab.core.arguments import counted
from gridlab.games import game as find_game

app = options.group("Tablebases: the exact value of every position of a game.")

File = Annotated[
    Path,
    argument("FILE", "A tablebase, or a game whose table comes with the package, such as squava.", table),
]


@app.command()
def build(
    game: options.Game,
    out: Annotated[Path, out_file("The file to write.")],
    max_ply: Annotated[int | None, option("--max-ply N", "Keep only positions of up to N plies.", whole())] = None,
    objective: Annotated[
        str | None,
        option("--target score|TILE", "In 2048: the best expected score, or the best chance of reaching a tile."),
    ] = None,
    max_sum: Annotated[
        int | None, option("--max-sum N", "In 2048: solve only up to this sum of all tiles.", whole())
    ] = None,
    resume: Annotated[bool, option("--resume", "Continue a build that was stopped.")] = False,
    quiet: options.Quiet = False,
    workers: options.Workers = None,
) -> None:
    """Solve every position of a game and write the values to a file.

    Boards may have up to 25 cells, in 2048 up to 9. The time, memory and space that the build needs are printed first.
    A build that was stopped or killed continues with --resume.
    """
    from gridlab.core.run import size_text
    from gridlab.games.tablebases import BuildOrder, tables_of

    set_quiet(quiet)
    rules = find_game(game)
    tables = tables_of(rules)
    order = BuildOrder(max_ply, objective, max_sum, workers, resume)
    try:
        tables.build(rules, out, order, None if quiet else lambda text: typer.echo(text, err=True))
    except KeyboardInterrupt:
        typer.echo(f"stopped; {out}.{tables.PARTS} keeps what is done; continue with --resume", err=True)
        raise
    if not quiet:
        typer.echo(f"{out}: {size_text(out.stat().st_size)}", err=True)


@app.command()
def probe(
    file: File,
    board: Annotated[str, argument("BOARD", "A board such as X.O/.X./... or '2 . 4/. . ./. . .'.")],
    json: options.Json = False,
) -> None:
    """Look up the value of a position and of each move, with the distance and the best line of in-a-row games."""
    from gridlab.games.tablebases import tables_of_file

    found = tables_of_file(file).probe(file, board)
    options.print_boards(found, json)
    if len(found.position.rules.sides) > 1:  # whose stones are which can be meant in two ways
        tell_reading(board)


@app.command()
def verify(
    file: File,
    full: Annotated[bool, option("--full", "Compute every value again.")] = False,
    seed: options.Seed = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    workers: options.Workers = None,
) -> int:
    """Check a tablebase: checksums, counts, and values against those of the positions that follow.

    Some values of each ply or layer are checked by default, all with --full. The exit code is 1 if anything is wrong.
    """
    from gridlab.games.tablebases import tables_of_file

    set_quiet(quiet)
    verdict = tables_of_file(file).verify(file, full, seed or 0, workers, progress=not quiet)
    print_result(verdict, json)
    return 1 if verdict.complaints else 0


@app.command()
def stats(
    file: File,
    plot: Annotated[bool, option("--plot", "Draw them too, as FILE.png unless --out names another file.")] = False,
    out: options.Picture = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Count positions by value, and show what the start is worth.

    In-a-row games are counted ply by ply, 2048 by the sum of the tiles.
    """
    from gridlab.core.charts import check_picture
    from gridlab.games.tablebases import tables_of_file

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
    positions: Annotated[int, option("--positions N", "How many positions to draw.", whole(1))],
    out: Annotated[Path, out_file("The .parquet file to write.")],
    seed: options.Seed = None,
    quiet: options.Quiet = False,
) -> None:
    """Write random positions with exact labels for machine learning.

    They are drawn uniformly up to symmetry. Train, validation and test are split by symmetry class.
    """
    from gridlab.games.registry import family_of
    from gridlab.games.tablebases import open_tablebase

    set_quiet(quiet)
    table = open_tablebase(file)
    family_of(table.rules).load("labelled").sample(table, out, positions, seed, progress=not quiet)
    if not quiet:
        typer.echo(f"{out}: {counted(positions, 'position')}", err=True)


@app.command()
def export(
    file: File,
    positions: Annotated[int, option("--positions N", "How many positions to draw.", whole(1))],
    out: Annotated[Path, options.out_folder()],
    seed: options.Seed = None,
    shard: Annotated[int, option("--shard N", "The most positions in one file.", whole(1))] = 1_000_000,
    quiet: options.Quiet = False,
) -> None:
    """Write a dataset of positions with exact labels: Parquet files and a dataset card.

    Other tools load the folder as it is. Each game is a configuration of its own; others can be added to the folder.
    """
    from gridlab.core.tables import export_folder
    from gridlab.games.registry import family_of
    from gridlab.games.tablebases import open_tablebase

    set_quiet(quiet)
    table = open_tablebase(file)
    rows = family_of(table.rules).load("labelled").labelled_tables(table, positions, seed, progress=not quiet)
    found = export_folder(out, table, rows, seed, shard)
    if not quiet:
        typer.echo(
            f"{out}: {found.name}, {counted(found.positions, 'position')} in {counted(len(found.shards), 'file')}",
            err=True,
        )
