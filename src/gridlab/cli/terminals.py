"""`gridlab terminals …`: complete datasets of terminal wins."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from gridlab.cli import options
from gridlab.cli.options import Json, Natural, Positive, Quiet, Seed, Target, Workers, print_boards, tell, whole
from gridlab.core.arguments import counted
from gridlab.core.errors import BadNotation
from gridlab.games import game as find_game

if TYPE_CHECKING:
    from gridlab.inarow.datasets.terminals.dataset import Terminals

app = options.group("Complete datasets of all terminal wins, with one board for each set of symmetric ones.")

MOST_SHOWN = 100_000  # records that `find` keeps
DEFAULT_FOLDER = {"5x5:5": Path("dataset_5x5_final")}  # as published; other games have their rules in the name

Folder = Annotated[Path, options.argument("DIR", "The folder of a dataset.", options.source)]
Game = Annotated[
    str | None, options.option("--game --rules GAME", "The game of a folder without a manifest; 5x5:5 by default.")
]
Plies = Annotated[str, options.option("--plies PLIES", "Only these plies, such as 9, 9-25 or 9-12,25.")]


def opened(folder: Path, game: str | None, quiet: bool = False) -> "Terminals":
    """A dataset, with a remark on stderr if it has no manifest."""
    from gridlab.inarow.datasets.terminals.dataset import Terminals

    data = Terminals(folder, game)
    if data.remark and not quiet:
        options.warn(data.remark)
    return data


@app.command()
def build(
    game: options.GameText = "tictactoe5", out: options.OutFolder = None, plies: Plies = "", resume: bool = False,
    quiet: Quiet = False, workers: Workers = None,
) -> None:  # fmt: skip
    """Write all terminal wins of a game, one file per ply.

    The default is tictactoe5, whose 523,798,756 wins (4.2 GB) go to dataset_5x5_final. Without --out, those of other
    games go to a folder named after the rules, such as dataset_3x3_3_final.

    [GAME]      A name, or rules such as 3x3:3 or 5x5:4-3.
    --resume    Add the layers that the folder does not have yet.
    """
    from gridlab.inarow.datasets.terminals.build import build_report, build_terminals
    from gridlab.inarow.datasets.terminals.files import parse_plies

    rules = find_game(game, "mnk")
    folder = out or DEFAULT_FOLDER.get(str(rules)) or Path(f"dataset_{rules}_final".replace(":", "_"))
    chosen = parse_plies(plies) if plies else None
    with options.if_stopped(f"{folder} keeps its complete layers; continue with --resume"):
        manifest = build_terminals(rules, folder, chosen, workers=workers, resume=resume, progress=not quiet)
    typer.echo(build_report(manifest))


@app.command()
def verify(
    folder: Folder, sample: Natural | None = None, full: bool = False, game: Game = None, seed: Seed = None,
    json: Json = False, quiet: Quiet = False, workers: Workers = None,
) -> int:  # fmt: skip
    """Check a dataset: files, checksums, order, records, counts.

    Records are judged by the rules (legal, won by the last move, canonical), counts by the census. The exit code is 1
    if anything is wrong.

    --sample N  Judge N records of each layer; 100,000 by default.
    --full      Judge every record.
    """
    from gridlab.inarow.datasets.terminals.build import SAMPLE, verify

    if full and sample is not None:
        raise BadNotation("--sample and --full exclude each other; choose one")
    judged = None if full else SAMPLE if sample is None else sample
    return options.print_verdict(verify(folder, judged, seed or 0, workers, progress=not quiet, rules=game), json)


@app.command()
def show(folder: Folder, ply: Natural, at: Natural = 0, count: Positive = 1, game: Game = None) -> None:
    """Draw records of one layer, with the winner and the completed lines.

    PLY         The layer, such as 9.
    --at INDEX  The first record to show.
    --count N   How many records to show.
    """
    print_boards(opened(folder, game).show(ply, at, count))


@app.command()
def contains(folder: Folder, board: str, game: Game = None) -> int:
    """Look up a board, or any of its symmetric images.

    The exit code is 1 if it is not in the dataset.

    BOARD       A board such as XXXXX/OOOO./...../...../.....
    """
    from gridlab.inarow.position import Position

    data = opened(folder, game)
    answer, found = data.answer(Position.parse(board, data.rules))
    options.tell_reading(board)
    print_boards(answer)
    return 0 if found else 1


@app.command()
def export(
    folder: Folder, out: Target, form: Literal["csv", "parquet", "hdf5"] | None = None, plies: Plies = "",
    game: Game = None, quiet: Quiet = False, workers: Workers = None,
) -> None:  # fmt: skip
    """Export records as CSV, Parquet or HDF5, with winner, lines, last moves and orbit size.

    -o --out --output FILE  The file to write.
    --format                What to write; by default what the ending of FILE says.
    """
    from gridlab.inarow.datasets.terminals.export import export
    from gridlab.inarow.datasets.terminals.files import parse_plies

    data = opened(folder, game, quiet)
    count = export(data, out, form, parse_plies(plies) if plies else None, workers, progress=not quiet)
    tell(f"{out}: {counted(count, 'record')}", quiet)


@app.command()
def plot(folder: Folder, out: options.Picture = None, game: Game = None) -> None:
    """Draw the counts by ply and winner.

    The picture is DIR/counts.png unless --out names another file.
    """
    from gridlab.inarow.datasets.terminals.export import plot_counts

    path = out or folder / "counts.png"
    plot_counts(opened(folder, game), path)
    tell(path)


@app.command()
def find(
    folder: Folder,
    winner: Literal["x", "o"] | None = None, line: Natural | None = None, pattern: str = "", plies: str = "",
    symmetric: bool = False,
    count: Annotated[int, whole(0, MOST_SHOWN)] | None = None,
    sample: Annotated[int, whole(1, MOST_SHOWN)] | None = None,
    seed: Seed = None, game: Game = None, json: Json = False, quiet: Quiet = False, workers: Workers = None,
) -> int:  # fmt: skip
    """Count the records that match, and draw some of them.

    Boards are compared as they are stored, one of each symmetry orbit; --symmetric looks for every image. The exit code
    is 1 if nothing matches.

    --winner                Only wins of this player.
    --line N                Only wins with this line, numbered as in `gridlab lines`.
    --pattern BOARD         Only boards like X?./???/..O: . is an empty cell, ? any.
    --plies --ply PLIES     Only these plies, such as 9, 9-25 or 9-12,25.
    --symmetric             Match every symmetric image of the pattern and the line.
    --count N               How many records to show; 4 by default.
    --sample N              Show N records drawn at random.
    """
    from gridlab.inarow.datasets.terminals.dataset import find_terminals
    from gridlab.inarow.datasets.terminals.files import parse_plies

    if sample is not None and count is not None:
        raise BadNotation("--count and --sample exclude each other; choose one")
    chosen, shown = parse_plies(plies) if plies else None, 4 if count is None else count
    data = opened(folder, game, quiet)
    found = find_terminals(
        data, chosen, winner=winner, line=line, pattern=pattern, symmetric=symmetric, count=shown, sample=sample,
        seed=seed or 0, workers=workers, progress=not quiet,
    )  # fmt: skip
    print_boards(found, json)
    return 0 if found.matches else 1


@app.command()
def adopt(folder: Folder, game: Game = None, quiet: Quiet = False, workers: Workers = None) -> None:
    """Turn layers from another tool into a dataset with a manifest.

    Every record is judged by the rules, boards are put into canonical form, and layers are sorted and must be complete;
    then manifest and dataset card are written. Nothing is written if anything is wrong.
    """
    from gridlab.inarow.datasets.terminals.build import adopt_terminals, build_report

    typer.echo(build_report(adopt_terminals(folder, game, workers, progress=not quiet)))


@app.command()
def merge(
    folders: list[options.Source],
    out: Annotated[Path, options.out_folder()],
    resume: bool = False,
    quiet: Quiet = False,
) -> None:
    """Join datasets that were built on different machines, checking the checksum of every layer.

    DIR...      Datasets of the same game.
    --resume    Add the layers that the folder does not have yet.
    """
    from gridlab.inarow.datasets.terminals.build import build_report, merge_terminals

    with options.if_stopped(f"{out} keeps its complete layers; continue with --resume"):
        manifest = merge_terminals(folders, out, resume, progress=not quiet)
    typer.echo(build_report(manifest))
