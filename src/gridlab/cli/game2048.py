"""`gridlab 2048 …`: players of 2048 measured, and datasets of played games."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from gridlab.cli import options
from gridlab.cli.options import Cluster, Json, Natural, Positive, Quiet, Seed, Workers, print_result, tell
from gridlab.core.arguments import counted

app = options.group("2048: measure players; make, check, summarise, export and split datasets of games.")


# ---- `gridlab 2048 evaluate`: a player of 2048 measured


@app.command()
def evaluate(
    player: options.PlayerText, games: Positive = 100, rules: str = "2048", seed: Seed = None,
    workers: Workers = None, cluster: Cluster = None, json: Json = False, quiet: Quiet = False,
) -> None:  # fmt: skip
    """Measure a player of 2048: mean score, how often it reaches each tile, moves per second of CPU.

    Depth counts moves and new tiles together: 1 is one move, 3 is two moves and a tile, 4 is two of each.

    PLAYER                  A player, such as random or "expectimax evaluator=rows depth=4".
    --games N               How many games to play.
    --game --rules GAME     2048, 2048:3x3, or 2048:4x4:0.2, where a fifth of new tiles are 4.
    """
    from gridlab.game2048.evaluate import evaluate
    from gridlab.game2048.rules import Rules2048

    with options.working_on(cluster, workers):
        played = evaluate(player, Rules2048.parse(rules), games, seed=seed or 0, workers=workers, progress=not quiet)
    print_result(played, json)


# ---- `gridlab 2048 generate`, `verify`, `stats`, `export`, `split`: datasets of played games


DEFAULT = Path("data/training_games.jsonl")
File = Annotated[
    Path, options.argument("FILE", "Games of 2048: .jsonl, .json, .csv, .parquet, .h5 or .npz.", options.source)
]
Share = Annotated[float, options.real(0, 1)]


@app.command()
def generate(
    games: Positive | None = None, out: options.Target = DEFAULT, depth: Natural | None = None, verbose: bool = False,
    seed: Seed = None, workers: Workers = None, cluster: Cluster = None,
    curriculum: Literal["easy", "medium", "hard"] | None = None,
    min_score: Natural = 0, min_tile: Natural = 0, keep: Positive | None = None, metadata: bool = False,
    player: str | None = None, evaluator: str | None = None, sample_cells: Natural | None = None,
    max_moves: Natural | None = None, rules: str | None = None,
    extend: bool = False, resume: bool = False, json: Json = False, quiet: Quiet = False,
) -> int:  # fmt: skip
    """Play games of 2048 and write them to a file, each move with the board before it.

    The player is expectimax unless --player names another. Every game is checked by the rules. The same seed gives the
    same games for any number of workers. Where gridlab and the published description of this generator differ is listed
    in docs/differences.md.

    -g --games N            How many games to play, 500 by default; 1 to 10,000 are usual.
    -o --out --output FILE  The file to write; its ending is the format: .jsonl, .json, .csv, .parquet, .h5 or .npz.
    -d --depth N            How many moves and new tiles to look ahead, 2 to 6; 4 by default.
    -v --verbose            Report on each game while it is played, every 50 moves.
    --curriculum            Part of each game to keep: easy up to the first 256, medium up to 1024, hard from 1024 on.
    --min-score N           Drop games below this score.
    --min-tile N            Drop games without this tile.
    --keep N                Play until N games pass these filters, but no more than --games; 100 N by default.
    --metadata              Also store what the search thought of each move.
    --player TEXT           Another player, such as random or "expectimax depth=8 cutoff=0.001".
    --evaluator NAME        spec, the one in the published description and the default, or rows, stronger.
    --sample-cells N        Try only N random cells for each new tile, 4 in the published description; all by default
                            (0).
    --max-moves N           Stop a game after N moves; 5000 for spec, no limit (0) for others.
    --game --rules GAME     A smaller board such as 2048:3x3 (only .jsonl and .json).
    --extend                Add more games to a finished file, played with its settings.
    --resume                Continue a run that was stopped.
    """
    from gridlab.core.progress import remark
    from gridlab.game2048.datasets import generate as dataset
    from gridlab.game2048.datasets.files import check_name

    check_name(out)
    said = options.given(
        seed=seed, depth=depth, evaluator=evaluator, sample_cells=sample_cells, max_moves=max_moves,
        curriculum=curriculum, min_score=min_score or None, min_tile=min_tile or None, metadata=metadata or None,
        player=player, rules=rules,
    )  # fmt: skip
    settings = dataset.settings_for(out, said, extend, resume)
    if (wanted := keep or games or 0) > dataset.MOST_GAMES and not quiet:
        options.warn(f"{wanted:,} games make a large file; up to {dataset.MOST_GAMES:,} are usual")
    tell(f"seed {settings.seed}", quiet)
    with options.if_stopped("the same command with --resume continues from here"), options.working_on(cluster, workers):
        made = dataset.generate(
            settings.game, out, games, keep or 0, settings=settings, extend=extend, say=remark if verbose else None,
            workers=workers, resume=resume, progress=not quiet,
        )  # fmt: skip
    print_result(made, json)
    return 0 if made.enough else 1


@app.command()
def verify(path: File, max_moves: Positive | None = None, json: Json = False, quiet: Quiet = False) -> int:
    """Check the format of a file and replay every game by the rules.

    The exit code is 1 if anything is wrong.

    --max-moves N   The limit at which games were stopped; 5000 by default.
    """
    from gridlab.game2048.datasets.verify import verify as look

    found = look(path, max_moves, progress=not quiet)
    print_result(found, json)
    return 0 if found.sound else 1


@app.command()
def stats(
    path: File, plot: bool = False, out: options.Picture = None, json: Json = False, quiet: Quiet = False
) -> None:
    """Summarise a file: scores, tiles, moves, directions, and warnings about anything suspicious.

    --plot      Draw tiles and scores, as FILE.png unless --out names another file.
    """
    from gridlab.core.charts import check_picture
    from gridlab.game2048.datasets.verify import plot_statistics, statistics_of

    picture = options.picture_of(out, plot, path.with_name(f"{path.name}.png"))
    check_picture(picture, path)
    found = statistics_of(path, progress=not quiet)
    print_result(found, json)
    if picture:
        plot_statistics(found, picture, path.name)
        tell(picture, quiet)


@app.command()
def export(
    path: File,
    form: Literal["csv", "parquet", "hdf5", "npz", "json", "jsonl"] | None = None,
    out: options.Target | None = None,
    quiet: Quiet = False,
) -> None:
    """Write the games of a file in another format.

    --format                What to write; by default what the ending of --out says.
    -o --out --output FILE  The file to write; by default beside the first one, with the ending of the format.
    """
    from gridlab.game2048.datasets.files import export_games

    written, games = export_games(path, form, out, progress=not quiet)
    tell(counted(games, "game"), quiet)
    typer.echo(str(written))


@app.command()
def split(
    path: File, train: Share = 0.7, val: Share = 0.15, test: Share = 0.15, seed: Seed = None,
    out: Annotated[Path, options.out_folder("The folder for the three files.")] = Path(), json: Json = False,
    quiet: Quiet = False,
) -> None:  # fmt: skip
    """Split a file by whole games into training, validation and test files.

    They are called training_games.jsonl, validation_games.jsonl and test_games.jsonl.

    --train SHARE   The share of the games in the train file.
    --val SHARE     The share of the games in the val file.
    --test SHARE    The share of the games in the test file.
    """
    from gridlab.game2048.datasets.split import split as share

    print_result(share(path, out, train, val, test, seed or 0, progress=not quiet), json)
