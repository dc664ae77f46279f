"""`gridlab terminals …`: complete datasets of terminal wins."""

from pathlib import Path
from typing import Annotated

import typer

from gridlab.cli.options import (
    Json,
    OutFolder,
    Picture,
    Quiet,
    Seed,
    Workers,
    print_result,
    set_quiet,
    source,
    target,
    whole,
)  # fmt: skip
from gridlab.core.errors import BadNotation

app = typer.Typer(help="Complete datasets of all terminal wins, one of each symmetry orbit.", rich_markup_mode=None)

DEFAULT_FOLDER = {"5x5:5": Path("dataset_5x5_final")}

Folder = Annotated[Path, typer.Argument(metavar="DIR", parser=source, help="The folder of a dataset.")]
Plies = Annotated[str, typer.Option("--plies", help="Such as 9, 9-25 or 9-12,25; all by default.")]


@app.command()
def build(
    game: Annotated[str, typer.Argument(metavar="[GAME]", help="A name, or rules.")] = "tictactoe5",
    out: OutFolder = None,
    plies: Plies = "",
    resume: Annotated[bool, typer.Option("--resume", help="Add the layers the folder does not hold yet.")] = False,
    quiet: Quiet = False,
    workers: Workers = None,
) -> None:
    """Write all terminal wins of a game, a file for each ply.

    By default the 523,798,756 of tictactoe5 (4.2 GB) into dataset_5x5_final; other games need --out.
    """
    from gridlab.datasets.terminals.build import build_report, build_terminals, parse_plies
    from gridlab.games import game as find_game

    set_quiet(quiet)
    rules = find_game(game, "mnk")
    folder = out or DEFAULT_FOLDER.get(str(rules))
    if folder is None:
        raise BadNotation(f"say where the dataset of {rules} goes: --out DIR")
    try:
        manifest = build_terminals(
            rules, folder, parse_plies(plies) if plies else None, workers, resume, progress=not quiet
        )
    except KeyboardInterrupt:
        typer.echo(f"stopped; {folder} keeps its whole layers: go on with --resume", err=True)
        raise
    typer.echo(build_report(manifest))


@app.command()
def verify(
    folder: Folder,
    sample: Annotated[
        int | None, typer.Option("--sample", metavar="N", parser=whole(), help="Records judged in each layer.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Judge every record.")] = False,
    seed: Seed = None,
    json: Json = False,
    quiet: Quiet = False,
    workers: Workers = None,
) -> int:
    """Check a dataset: files, checksums, order, records, counts.

    Records are judged by the rules (legal, terminal, canonical, last move taken back), counts by the census.
    100,000 records of each layer by default. Exit code 1 if anything is wrong.
    """
    from gridlab.datasets.terminals.verify import SAMPLE, verify

    set_quiet(quiet)
    if full and sample is not None:
        raise BadNotation("--sample and --full exclude each other; choose one")
    judged = None if full else SAMPLE if sample is None else sample
    verdict = verify(folder, judged, seed or 0, workers, progress=not quiet)
    print_result(verdict, json)
    return 1 if verdict.complaints else 0


@app.command()
def show(
    folder: Folder,
    ply: Annotated[int, typer.Argument(metavar="PLY", parser=whole())],
    at: Annotated[int, typer.Option("--at", metavar="INDEX", parser=whole(), help="The first record to show.")] = 0,
    count: Annotated[int, typer.Option("--count", metavar="N", parser=whole(1), help="How many.")] = 1,
) -> None:
    """Draw records of one layer, winner and completed lines marked."""
    from gridlab.datasets.terminals.dataset import Terminals

    typer.echo(Terminals(folder).show(ply, at, count))


@app.command()
def contains(
    folder: Folder,
    board: Annotated[str, typer.Argument(metavar="BOARD", help="Such as XXXXX/OOOO./...../...../.....")],
) -> int:
    """Look a board up: any of its images is found. Exit code 1 if it is not there."""
    from gridlab.datasets.terminals.dataset import Terminals
    from gridlab.games.mnk.position import Position

    data = Terminals(folder)
    answer, found = data.answer(Position.parse(board, data.rules))
    typer.echo(answer)
    return 0 if found else 1


@app.command()
def export(
    folder: Folder,
    form: Annotated[str, typer.Option("--format", help="csv, parquet or hdf5.")],
    out: Annotated[
        Path, typer.Option("-o", "--out", "--output", metavar="FILE", parser=target, help="The file to write.")
    ],
    plies: Plies = "",
    quiet: Quiet = False,
    workers: Workers = None,
) -> None:
    """Write records with winner, lines, last moves and orbit size as CSV, Parquet or HDF5."""
    from gridlab.datasets.terminals.build import parse_plies
    from gridlab.datasets.terminals.dataset import Terminals
    from gridlab.datasets.terminals.export import export

    set_quiet(quiet)
    count = export(Terminals(folder), out, form, parse_plies(plies) if plies else None, workers, progress=not quiet)
    typer.echo(f"{out}: {count:,} records", err=True)


@app.command()
def plot(folder: Folder, out: Picture = None) -> None:
    """Draw the counts by ply and winner (PNG, SVG or PDF; DIR/counts.png by default)."""
    from gridlab.datasets.terminals.manifest import Manifest
    from gridlab.datasets.terminals.plot import plot_counts

    path = out or folder / "counts.png"
    plot_counts(Manifest.read(folder), path)
    typer.echo(str(path), err=True)
