"""`gridlab 2048 …`: players of 2048 measured, and datasets of played games."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from gridlab.cli import options as completion
from gridlab.cli.options import (
    Cluster,
    Json,
    Picture,
    Quiet,
    Seed,
    Workers,
    group,
    out_file,
    out_folder,
    print_result,
    real,
    set_quiet,
    source,
    target,
    warn,
    whole,
    working_on,
)
from gridlab.core.arguments import counted

# ---- `gridlab 2048 generate`, `verify`, `stats`, `export`, `split`: datasets of played games


DEFAULT = Path("data/training_games.jsonl")
File = Annotated[
    Path,
    typer.Argument(metavar="FILE", parser=source, help="Games of 2048: .jsonl, .json, .csv, .parquet, .h5 or .npz."),
]


def _share(part: str) -> Any:
    return typer.Option(
        f"--{part}", metavar="SHARE", parser=real(0, 1), help=f"The share of the games in the {part} file."
    )


def generate(
    games: Annotated[
        int | None,
        typer.Option(
            "-g",
            "--games",
            metavar="N",
            parser=whole(1),
            help="How many games to play, 500 by default; 1 to 10,000 are usual.",
        ),
    ] = None,
    out: Annotated[
        Path,
        out_file("The file to write; its ending is the format: .jsonl, .json, .csv, .parquet, .h5 or .npz."),
    ] = DEFAULT,
    depth: Annotated[
        int | None,
        typer.Option(
            "-d",
            "--depth",
            metavar="N",
            parser=whole(),
            help="How many moves and new tiles to look ahead, 2 to 6; 4 by default.",
        ),
    ] = None,
    verbose: Annotated[
        bool, typer.Option("-v", "--verbose", help="Report on each game while it is played, every 50 moves.")
    ] = False,
    seed: Seed = None,
    workers: Workers = None,
    cluster: Cluster = None,
    curriculum: Annotated[
        Literal["easy", "medium", "hard"] | None,
        typer.Option(
            "--curriculum",
            help="Part of each game to keep: easy up to the first 256, medium up to 1024, hard from 1024 on.",
        ),
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
            help="Play until N games pass these filters, but no more than --games; 100 N by default.",
        ),
    ] = None,
    metadata: Annotated[
        bool, typer.Option("--metadata", help="Also store what the search thought of each move.")
    ] = False,
    player: Annotated[
        str | None,
        typer.Option(
            "--player", metavar="TEXT", help='Another player, such as random or "expectimax depth=8 cutoff=0.001".'
        ),
    ] = None,
    evaluator: Annotated[
        str | None,
        typer.Option(
            "--evaluator",
            metavar="NAME",
            help="spec, the one in the published description and the default, or rows, stronger.",
        ),
    ] = None,
    sample_cells: Annotated[
        int | None,
        typer.Option(
            "--sample-cells",
            metavar="N",
            parser=whole(),
            help="Try only N random cells for each new tile, 4 in the published description; all by default (0).",
        ),
    ] = None,
    max_moves: Annotated[
        int | None,
        typer.Option(
            "--max-moves",
            metavar="N",
            parser=whole(),
            help="Stop a game after N moves; 5000 for spec, no limit (0) for others.",
        ),
    ] = None,
    rules: Annotated[
        str | None,
        typer.Option(
            "--game", "--rules", metavar="GAME", help="A smaller board such as 2048:3x3 (only .jsonl and .json)."
        ),
    ] = None,
    extend: Annotated[
        bool, typer.Option("--extend", help="Add more games to a finished file, played with its settings.")
    ] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Continue a run that was stopped.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Play games of 2048 and write them to a file, each move with the board before it.

    The player is expectimax unless --player names another. Every game is checked by the rules. The same seed gives the
    same games for any number of workers. Where gridlab and the published description of this generator differ is listed
    in docs/differences.md.
    """
    from gridlab.core.progress import remark
    from gridlab.game2048.datasets.files import check_name
    from gridlab.game2048.datasets.generate import MOST_GAMES, settings_for
    from gridlab.game2048.datasets.generate import generate as make

    set_quiet(quiet)
    check_name(out)
    asked = {
        "seed": seed, "depth": depth, "evaluator": evaluator, "sample_cells": sample_cells, "max_moves": max_moves,
        "curriculum": curriculum, "min_score": min_score or None, "min_tile": min_tile or None,
        "metadata": metadata or None, "player": player, "rules": rules,
    }  # fmt: skip
    said: dict[str, Any] = {name: value for name, value in asked.items() if value is not None}
    settings = settings_for(out, said, extend, resume)
    wanted = keep or games or 0
    if wanted > MOST_GAMES and not quiet:
        warn(f"{wanted:,} games make a large file; up to {MOST_GAMES:,} are usual")
    if not quiet:
        typer.echo(f"seed {settings.seed}", err=True)
    try:
        with working_on(cluster, workers):
            made = make(
                settings.game, out, games, keep or 0, settings=settings, extend=extend,
                say=remark if verbose else None, workers=workers, resume=resume, progress=not quiet,
            )  # fmt: skip
    except KeyboardInterrupt:
        typer.echo("stopped; the same command with --resume continues from here", err=True)
        raise
    print_result(made, json)
    return 0 if made.enough else 1


def verify(
    path: File,
    max_moves: Annotated[
        int | None,
        typer.Option(
            "--max-moves", metavar="N", parser=whole(1), help="The limit at which games were stopped; 5000 by default."
        ),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Check the format of a file and replay every game by the rules.

    The exit code is 1 if anything is wrong.
    """
    from gridlab.game2048.datasets.verify import verify as look

    set_quiet(quiet)
    found = look(path, max_moves, progress=not quiet)
    print_result(found, json)
    return 0 if found.sound else 1


def stats(
    path: File,
    plot: Annotated[
        bool, typer.Option("--plot", help="Draw tiles and scores, as FILE.png unless --out names another file.")
    ] = False,
    out: Picture = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Summarise a file: scores, tiles, moves, directions, and warnings about anything suspicious."""
    from gridlab.core.charts import check_picture
    from gridlab.game2048.datasets.verify import plot_statistics, statistics_of

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
        Literal["csv", "parquet", "hdf5", "npz", "json", "jsonl"] | None,
        typer.Option("--format", help="What to write; by default what the ending of --out says."),
    ] = None,
    out: Annotated[
        Path | None,
        out_file("The file to write; by default beside the first one, with the ending of the format."),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Write the games of a file in another format."""
    from gridlab.game2048.datasets.files import export_games

    set_quiet(quiet)
    written, games = export_games(path, form, out, progress=not quiet)
    if not quiet:
        typer.echo(counted(games, "game"), err=True)
    typer.echo(str(written))


def split(
    path: File,
    train: Annotated[float, _share("train")] = 0.7,
    val: Annotated[float, _share("val")] = 0.15,
    test: Annotated[float, _share("test")] = 0.15,
    seed: Seed = None,
    out: Annotated[
        Path,
        out_folder("The folder for the three files."),
    ] = Path(),
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Split a file by whole games into training, validation and test files.

    They are called training_games.jsonl, validation_games.jsonl and test_games.jsonl.
    """
    from gridlab.game2048.datasets.split import split as share

    set_quiet(quiet)
    print_result(share(path, out, train, val, test, seed or 0, progress=not quiet), json)


# ---- `gridlab 2048`: players of 2048 measured, and datasets of its games


app = group("2048: measure players; make, check, summarise, export and split datasets of games.")


@app.command()
def evaluate(
    player: Annotated[
        str,
        typer.Argument(
            metavar="PLAYER",
            help='A player, such as random or "expectimax evaluator=rows depth=4".',
            autocompletion=completion.players,
        ),
    ],
    games: Annotated[int, typer.Option("--games", metavar="N", parser=whole(1), help="How many games to play.")] = 100,
    rules: Annotated[
        str,
        typer.Option(
            "--game",
            "--rules",
            metavar="GAME",
            help="2048, 2048:3x3, or 2048:4x4:0.2, where a fifth of new tiles are 4.",
        ),
    ] = "2048",
    seed: Seed = None,
    workers: Workers = None,
    cluster: Cluster = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure a player of 2048: mean score, how often it reaches each tile, moves per second of CPU.

    Depth counts moves and new tiles together: 1 is one move, 3 is two moves and a tile, 4 is two of each.
    """
    from gridlab.game2048.evaluate import evaluate
    from gridlab.game2048.rules import Rules2048

    set_quiet(quiet)
    with working_on(cluster, workers):
        played = evaluate(player, Rules2048.parse(rules), games, seed=seed or 0, workers=workers, progress=not quiet)
    print_result(played, json)


for command in (
    generate, verify, stats, export, split,
):  # fmt: skip
    app.command()(command)
