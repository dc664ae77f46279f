"""`gridlab 2048 generate`, `verify`, `stats`, `export`, `split`: datasets of played games."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from gridlab.cli.options import (
    Cluster,
    Json,
    Picture,
    Quiet,
    Seed,
    Workers,
    print_result,
    real,
    set_quiet,
    source,
    target,
    target_folder,
    warn,
    whole,
    working_on,
)  # fmt: skip

DEFAULT = Path("data/training_games.jsonl")
File = Annotated[
    Path,
    typer.Argument(metavar="FILE", parser=source, help="Games: .jsonl, .json, .csv, .parquet, .h5 or .npz."),
]
Share = typer.Option(metavar="SHARE", parser=real(0, 1), help="Share of the games.")


def generate(
    games: Annotated[
        int | None,
        typer.Option(
            "-g", "--games", metavar="N", parser=whole(1), help="Games to play, 500 by default; 1 to 10,000 are usual."
        ),
    ] = None,
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--out",
            "--output",
            metavar="FILE",
            parser=target,
            help="Where to write; the ending says the format: .jsonl, .json, …",
        ),
    ] = DEFAULT,
    depth: Annotated[
        int | None,
        typer.Option(
            "-d",
            "--depth",
            metavar="N",
            parser=whole(),
            help="Moves and tiles to look ahead, 2 to 6; 4 by default.",
        ),
    ] = None,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Tell of games as they go, every 50 moves.")] = False,
    seed: Seed = None,
    workers: Workers = None,
    cluster: Cluster = None,
    curriculum: Annotated[
        Literal["easy", "medium", "hard"] | None,
        typer.Option("--curriculum", help="easy: to the first 256; medium: to 1024; hard: from 1024 on."),
    ] = None,
    min_score: Annotated[
        int, typer.Option("--min-score", metavar="N", parser=whole(), help="Drop games below this score.")
    ] = 0,
    min_tile: Annotated[
        int, typer.Option("--min-tile", metavar="N", parser=whole(), help="Drop games without this tile.")
    ] = 0,
    keep: Annotated[
        int | None,
        typer.Option(
            "--keep",
            metavar="N",
            parser=whole(1),
            help="Play until N games pass; --games at most, 100 N by default.",
        ),
    ] = None,
    metadata: Annotated[bool, typer.Option("--metadata", help="Keep what the search thought of each move.")] = False,
    player: Annotated[
        str | None,
        typer.Option("--player", metavar="TEXT", help='Who plays: random, "expectimax depth=8 cutoff=0.001".'),
    ] = None,
    evaluator: Annotated[
        str | None, typer.Option("--evaluator", help="spec, the document's and the default, or rows, stronger.")
    ] = None,
    sample_cells: Annotated[
        int | None,
        typer.Option(
            "--sample-cells",
            metavar="N",
            parser=whole(),
            help="Try so many random cells a new tile; 4 in the document; 0 is all.",
        ),
    ] = None,
    max_moves: Annotated[
        int | None,
        typer.Option("--max-moves", metavar="N", parser=whole(), help="Of a game: 5000 for spec, else none (0)."),
    ] = None,
    rules: Annotated[
        str | None,
        typer.Option("--rules", metavar="RULES", help="Another board of up to 4x4 cells, in JSON alone: 2048:3x3."),
    ] = None,
    extend: Annotated[
        bool, typer.Option("--extend", help="Add games to a finished file, made as it was and numbered on.")
    ] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a run that was stopped.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Play games by expectimax, or another player, and write them, each move with the board before it.

    Every game is checked by the rules. The same seed gives the same games for any number of workers.
    """
    from gridlab.core.progress import remark
    from gridlab.datasets.games2048.extend import settings_for
    from gridlab.datasets.games2048.files import check_name
    from gridlab.datasets.games2048.generate import MOST_GAMES
    from gridlab.datasets.games2048.generate import generate as make

    set_quiet(quiet)
    check_name(output)
    asked = {
        "seed": seed, "depth": depth, "evaluator": evaluator, "sample_cells": sample_cells, "max_moves": max_moves,
        "curriculum": curriculum, "min_score": min_score or None, "min_tile": min_tile or None,
        "metadata": metadata or None, "player": player, "rules": rules,
    }  # fmt: skip
    said: dict[str, Any] = {name: value for name, value in asked.items() if value is not None}
    settings = settings_for(output, said, extend, resume)
    wanted = keep or games or 0
    if wanted > MOST_GAMES and not quiet:
        warn(f"{wanted:,} games are many: more than {MOST_GAMES:,} make a large file")
    if not quiet:
        typer.echo(f"seed {settings.seed}", err=True)
    tell = remark if verbose else None
    try:
        with working_on(cluster, workers):
            made = make(output, games, settings, workers, resume, tell, not quiet, keep=keep or 0, extend=extend)
    except KeyboardInterrupt:
        typer.echo("stopped; the same command with --resume goes on from here", err=True)
        raise
    print_result(made, json)
    return 0 if made.enough else 1


def verify(
    path: File,
    max_moves: Annotated[
        int | None,
        typer.Option("--max-moves", metavar="N", parser=whole(1), help="Where a game may stop alive: 5000 by default."),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Check the form of a file and replay every game by the rules; exit code 1 if anything is wrong."""
    from gridlab.datasets.games2048.verify import verify as look

    set_quiet(quiet)
    found = look(path, max_moves, progress=not quiet)
    print_result(found, json)
    return 0 if found.sound else 1


def stats(
    path: File,
    plot: Annotated[bool, typer.Option("--plot", help="Draw tiles and scores: FILE.png unless --out is said.")] = False,
    out: Picture = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Scores, tiles, moves and directions of a file, and what should make one suspicious."""
    from gridlab.core.figures import check_picture
    from gridlab.datasets.games2048.stats import plot_statistics, statistics_of

    set_quiet(quiet)
    picture = out or (target(path.with_name(f"{path.name}.png")) if plot else None)
    check_picture(picture, path)
    found = statistics_of(path, progress=not quiet)
    print_result(found, json)
    if picture:
        plot_statistics(found, picture, path.name)
        if not quiet:
            typer.echo(str(picture), err=True)


def export(
    path: File,
    form: Annotated[
        Literal["csv", "parquet", "hdf5", "npz", "json", "jsonl"], typer.Option("--format", help="What to write.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--out", "--output", metavar="FILE", parser=target, help="Where; beside the file by default."
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Write a file in another format, game by game."""
    from gridlab.datasets.games2048.files import export_games

    set_quiet(quiet)
    written, games = export_games(path, form, out, progress=not quiet)
    if not quiet:
        typer.echo(f"{games:,} games", err=True)
    typer.echo(str(written))


def split(
    path: File,
    train: Annotated[float, Share] = 0.7,
    val: Annotated[float, Share] = 0.15,
    test: Annotated[float, Share] = 0.15,
    seed: Seed = None,
    out: Annotated[
        Path,
        typer.Option(
            "-o", "--out", "--output", metavar="DIR", parser=target_folder, help="The folder of the three files."
        ),
    ] = Path(),
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Share whole games out to training_games.jsonl, validation_games.jsonl and test_games.jsonl."""
    from gridlab.datasets.games2048.split import split as share

    set_quiet(quiet)
    print_result(share(path, out, train, val, test, seed or 0, progress=not quiet), json)
