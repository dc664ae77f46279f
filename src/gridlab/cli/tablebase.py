"""`gridlab tablebase …`: strong solutions."""

from pathlib import Path
from typing import Annotated

from gridlab.cli import options
from gridlab.cli.options import Json, Natural, Positive, Quiet, Seed, Target, Workers, print_result, tell
from gridlab.core.arguments import counted
from gridlab.games import game as find_game

app = options.group("Tablebases: the exact value of every position of a game.")

File = Annotated[
    Path,
    options.argument(
        "FILE", "A tablebase, or a game whose table comes with the package, such as squava.", options.table
    ),
]


@app.command()
def build(
    game: options.Game, out: Target, max_ply: Natural | None = None, objective: str | None = None,
    max_sum: Natural | None = None, resume: bool = False, quiet: Quiet = False, workers: Workers = None,
) -> None:  # fmt: skip
    """Solve every position of a game and write the values to a file.

    Boards may have up to 25 cells, in 2048 up to 9. The time, memory and space that the build needs are printed first.
    A build that was stopped or killed continues with --resume.

    -o --out --output FILE  The file to write.
    --max-ply N             Keep only positions of up to N plies.
    --target score|TILE     In 2048: the best expected score, or the best chance of reaching a tile.
    --max-sum N             In 2048: solve only up to this sum of all tiles.
    --resume                Continue a build that was stopped.
    """
    from gridlab.core.run import size_text
    from gridlab.games.tablebases import BuildOrder, tables_of

    rules = find_game(game)
    tables = tables_of(rules)
    order = BuildOrder(max_ply, objective, max_sum, workers, resume)
    with options.if_stopped(f"{out}.{tables.PARTS} keeps what is done; continue with --resume"):
        tables.build(rules, out, order, None if quiet else tell)
    tell(f"{out}: {size_text(out.stat().st_size)}", quiet)


@app.command()
def probe(file: File, board: str, json: Json = False) -> None:
    """Look up the value of a position and of each move, with the distance and the best line of in-a-row games.

    BOARD       A board such as X.O/.X./... or '2 . 4/. . ./. . .'.
    """
    from gridlab.games.tablebases import tables_of_file

    found = tables_of_file(file).probe(file, board)
    options.print_boards(found, json)
    if len(found.position.rules.sides) > 1:  # whose stones are which can be meant in two ways
        options.tell_reading(board)


@app.command()
def verify(
    file: File, full: bool = False, seed: Seed = None, json: Json = False, quiet: Quiet = False, workers: Workers = None
) -> int:
    """Check a tablebase: checksums, counts, and values against those of the positions that follow.

    Some values of each ply or layer are checked by default, all with --full. The exit code is 1 if anything is wrong.

    --full      Compute every value again.
    """
    from gridlab.games.tablebases import tables_of_file

    return options.print_verdict(tables_of_file(file).verify(file, full, seed or 0, workers, progress=not quiet), json)


@app.command()
def stats(
    file: File, plot: bool = False, out: options.Picture = None, json: Json = False, quiet: Quiet = False
) -> None:
    """Count positions by value, and show what the start is worth.

    In-a-row games are counted ply by ply, 2048 by the sum of the tiles.

    --plot      Draw them too, as FILE.png unless --out names another file.
    """
    from gridlab.core.charts import check_picture
    from gridlab.games.tablebases import tables_of_file

    picture = options.picture_of(out, plot, file.with_name(f"{file.name}.png"))
    check_picture(picture, file)
    tables = tables_of_file(file)
    found = tables.stats(file, progress=not quiet)
    print_result(found, json)
    if picture:
        tables.plot(found, picture)
        tell(picture, quiet)


@app.command()
def sample(file: File, positions: Positive, out: Target, seed: Seed = None, quiet: Quiet = False) -> None:
    """Write random positions with exact labels for machine learning.

    They are drawn uniformly up to symmetry. Train, validation and test are split by symmetry class.

    --positions N           How many positions to draw.
    -o --out --output FILE  The .parquet file to write.
    """
    from gridlab.games.registry import family_of
    from gridlab.games.tablebases import open_tablebase

    table = open_tablebase(file)
    family_of(table.rules).load("labelled").sample(table, out, positions, seed, progress=not quiet)
    tell(f"{out}: {counted(positions, 'position')}", quiet)


@app.command()
def export(
    file: File, positions: Positive, out: Annotated[Path, options.out_folder()], seed: Seed = None,
    shard: Positive = 1_000_000, quiet: Quiet = False,
) -> None:  # fmt: skip
    """Write a dataset of positions with exact labels: Parquet files and a dataset card.

    Other tools load the folder as it is. Each game is a configuration of its own; others can be added to the folder.

    --positions N   How many positions to draw.
    --shard N       The most positions in one file.
    """
    from gridlab.core.tables import export_folder
    from gridlab.games.registry import family_of
    from gridlab.games.tablebases import open_tablebase

    table = open_tablebase(file)
    rows = family_of(table.rules).load("labelled").labelled_tables(table, positions, seed, progress=not quiet)
    found = export_folder(out, table, rows, seed, shard)
    counts = f"{counted(found.positions, 'position')} in {counted(len(found.shards), 'file')}"
    tell(f"{out}: {found.name}, {counts}", quiet)
