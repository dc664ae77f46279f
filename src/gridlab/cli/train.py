"""`gridlab train`: networks trained, asked and exported."""

from json import dumps
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from gridlab.cli.options import (
    Cluster,
    Json,
    Quiet,
    Seed,
    Workers,
    print_boards,
    print_result,
    real,
    set_quiet,
    source,
    target,
    target_folder,
    whole,
    working_on,
)  # fmt: skip

app = typer.Typer(help="Networks that learn to play: trained, asked, exported.", rich_markup_mode=None)

Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Any number of the recipe, such as learning_rate=0.001; repeat."),
]


@app.command()
def squava(
    method: Annotated[Literal["dqn"], typer.Option("--method", help="Deep Q-learning of a state value.")] = "dqn",
    episodes: Annotated[
        int | None,
        typer.Option("--episodes", metavar="N", parser=whole(1), help="Games; 60000 in preset best, 3000 in guide."),
    ] = None,
    preset: Annotated[
        Literal["best", "guide"] | None,
        typer.Option(
            "--preset",
            help="The best recipe found, by default; or the document's, which scores 52 % against the heuristic where "
            "it claims 65 %.",
        ),
    ] = None,
    workers: Workers = None,
    cluster: Cluster = None,
    seed: Seed = None,
    out: Annotated[
        Path,
        typer.Option("-o", "--out", "--output", metavar="DIR", parser=target_folder, help="Where all goes."),
    ] = Path("dqn"),
    resume: Annotated[bool, typer.Option("--resume", help="Go on from what the folder holds.")] = False,
    device: Annotated[Literal["auto", "cpu", "cuda"], typer.Option("--device", help="Where the network lives.")] = (
        "auto"
    ),
    shaping: Annotated[
        bool | None,
        typer.Option("--shaping/--no-shaping", help="Reward every move with the result, later ones more; or not."),
    ] = None,
    double: Annotated[
        bool | None,
        typer.Option("--double/--no-double", help="Double DQN: one network chooses, the other values; or not."),
    ] = None,
    settings: Settings = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Train the value network of Squava.

    The folder gets training.safetensors to go on from, weights-….safetensors for players, and curve.png. Ctrl-C ends
    training after the round of games that is being played, and saves. Win rates on the way are those of the network
    alone, one ply deep. No tablebase is used.
    """
    from gridlab.learn.training import train

    set_quiet(quiet)
    with working_on(cluster, workers):
        trained = train(
            "squava", out, preset, episodes, seed, workers, resume, device, shaping, double, not quiet, settings or ()
        )
    print_result(trained, json)
    if not trained.done and not quiet:
        typer.echo(f"to go on: the same command with --resume --out {out}", err=True)
    return 0 if trained.done else 130


@app.command("2048")
def game2048(
    more_data: Annotated[
        list[Path] | None, typer.Argument(metavar="[FILE…]", parser=source, help="More files for --data.")
    ] = None,
    method: Annotated[
        Literal["ntuple", "cnn", "dual", "transformer"],
        typer.Option("--method", help="ntuple learns from its own games, the others from those of --data."),
    ] = "ntuple",
    data: Annotated[
        list[Path] | None,
        typer.Option("--data", metavar="FILE…", parser=source, help="Games to learn from, of any format."),
    ] = None,
    epochs: Annotated[
        int | None,
        typer.Option("--epochs", metavar="N", parser=whole(1, 10**6), help="How often to see them all; 10."),
    ] = None,
    batch: Annotated[
        int | None,
        typer.Option("--batch", metavar="N", parser=whole(1, 65_536), help="Moves a step; 512, transformer 256."),
    ] = None,
    lr: Annotated[
        float | None,
        typer.Option("--lr", metavar="A", parser=real(1e-9, 1), help="The learning rate, 0.002; it falls to the end."),
    ] = None,
    augment: Annotated[
        bool | None,
        typer.Option("--augment/--no-augment", help="See every move as one of the eight images of its board; or not."),
    ] = None,
    preset: Annotated[
        Literal["minutes", "hour"] | None,
        typer.Option("--preset", help="A recipe: ten minutes, by default, or an hour."),
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option("--minutes", metavar="M", parser=real(0.01, 1e6), help="How long to learn; 10 in preset minutes."),
    ] = None,
    games: Annotated[
        int | None, typer.Option("--games", metavar="N", parser=whole(1), help="How many games to learn from instead.")
    ] = None,
    tuples: Annotated[
        str | None,
        typer.Option(
            "--tuples", metavar="SET", help="4x6, 8x6, 5x4, 17x4, pentominoes, … or cells: 012345,456789; 4x6 on 4x4."
        ),
    ] = None,
    rate: Annotated[
        Literal["td", "tc"] | None,
        typer.Option("--rate", help="One rate for all weights, or temporal coherence: one for each. tc by default."),
    ] = None,
    step: Annotated[
        float | None,
        typer.Option("--step", metavar="A", parser=real(1e-6, 10), help="The rate itself: 0.1 for td, 1 for tc."),
    ] = None,
    trace: Annotated[
        float | None,
        typer.Option("--lambda", metavar="L", parser=real(0, 1), help="How far ahead of the next board to look."),
    ] = None,
    restart: Annotated[
        int | None,
        typer.Option(
            "--restart",
            metavar="N",
            parser=whole(0, 100_000),
            help="Begin a game of more than N moves again in its middle; 0 never.",
        ),
    ] = None,
    optimistic: Annotated[
        float | None,
        typer.Option("--optimistic", metavar="V", parser=real(0, 1e9), help="What every board is worth at first."),
    ] = None,
    rules: Annotated[
        str | None, typer.Option("--rules", metavar="RULES", help="2048, or a smaller board such as 2048:3x3.")
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            metavar="N",
            parser=whole(1, 1024),
            help="Threads; all cores by default. One repeats exactly, several never.",
        ),
    ] = None,
    seed: Seed = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--out", "--output", metavar="FILE", parser=target, help="Where the network goes: 2048.METHOD."
        ),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from FILE.training.")] = False,
    settings: Settings = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Learn a player of 2048: from nothing but its own games (ntuple), or from games of others.

    FILE is the network for players, FILE.training is to go on from, FILE.png shows how it went. Ctrl-C ends it soon,
    and saves. Then: gridlab 2048 evaluate "ntuple file=FILE", or "cnn checkpoint=FILE".
    """
    set_quiet(quiet)
    files, path = [*(data or ()), *(more_data or ())], out or target(Path(f"2048.{method}"))
    own = {
        "--preset": preset, "--minutes": minutes, "--games": games, "--tuples": tuples, "--rate": rate, "--step": step,
        "--lambda": trace, "--restart": restart, "--optimistic": optimistic, "--rules": rules,
    }  # fmt: skip
    others = {"--data": files or None, "--epochs": epochs, "--batch": batch, "--lr": lr, "--augment": augment}
    _refuse_options(method, others if method == "ntuple" else own)
    trained: Any
    if method == "ntuple":
        from gridlab.learn.ntuple.train import train_ntuple

        trained = train_ntuple(
            path, rules or "2048", preset, minutes, games, tuples, rate, step, trace, restart, optimistic, workers,
            seed, resume, not quiet, settings or (),
        )  # fmt: skip
    else:
        from gridlab.learn.supervised.train import train_policy

        trained = train_policy(
            path, method, files, epochs, batch, lr, augment, seed, settings or (), workers, resume, not quiet
        )
    print_result(trained, json)
    if not trained.done and not quiet:
        typer.echo(f"to go on: the same command with --resume --out {path}", err=True)
    return 0 if trained.done else 130


def _refuse_options(method: str, foreign: dict[str, Any]) -> None:
    """Options of the other methods mean nothing here."""
    from gridlab.core.errors import BadNotation

    for name, value in foreign.items():
        if value is not None:
            whose = "the method ntuple" if method != "ntuple" else "the methods cnn, dual and transformer"
            raise BadNotation(f"{name} belongs to {whose}, and nothing in --method {method} hangs on it; leave it out")


Checkpoint = Annotated[
    Path | None,
    typer.Option("--checkpoint", metavar="FILE", parser=source, help="The one that comes with the package by default."),
]


@app.command()
def inspect(
    board: Annotated[str, typer.Argument(metavar="BOARD", help="A position of Squava, rows separated by /.")],
    checkpoint: Checkpoint = None,
    depth: Annotated[
        int | None,
        typer.Option("--depth", metavar="N", parser=whole(1, 25), help="Also how dqn-minimax finds its move."),
    ] = None,
    json: Json = False,
) -> None:
    """What the network sees of a position, by name, and what it thinks of it."""
    from gridlab.core.errors import BadNotation
    from gridlab.core.extras import import_extra
    from gridlab.games import game
    from gridlab.games.mnk.position import Position

    import_extra("torch", "learn")
    from gridlab.nets.judge import load_judge
    from gridlab.nets.opinion import opinion_of

    rules = game("squava")
    position = Position.parse(board, rules).require_legal()
    if position.outcome() is not None:
        raise BadNotation(f"the game is over in {position}; the network judges positions in which a move can be made")
    print_boards(opinion_of(position, load_judge(checkpoint or "", rules), depth), json)


@app.command()
def info(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE…", parser=source, help="Checkpoints of any kind; or a folder of one.")
    ],
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", parser=target, help="Draw the curves, of several files in one picture."),
    ] = None,
    json: Json = False,
) -> None:
    """What checkpoints are: recipe, seed, data with checksums, how far they came, losses and win rates over time.

    Networks of Squava, n-tuple networks, networks trained on games; those for players and those to go on from.
    """
    from gridlab.learn.info import info_of, plot_infos

    found = [info_of(path) for path in files]
    if plot is not None:
        plot_infos(found, plot)
    if json:
        typer.echo(dumps([each.as_dict() for each in found] if len(found) > 1 else found[0].as_dict()))
    else:
        typer.echo("\n\n".join(map(str, found)))


@app.command()
def export(
    checkpoint: Annotated[
        Path, typer.Argument(metavar="CHECKPOINT", parser=source, help="A file that training has written.")
    ],
    onnx: Annotated[bool, typer.Option("--onnx", help="A network of torch as an ONNX graph, checked.")] = False,
    half: Annotated[bool, typer.Option("--half", help="An n-tuple network in half precision, much smaller.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--out", "--output", metavar="FILE", parser=target, help="By default beside the checkpoint."
        ),
    ] = None,
) -> None:
    """Write a network for other programs or places.

    With --onnx: features [position, 50] in, values [position] out for Squava; cells after each move in, directions
    and values out for 2048. Both are held to torch on random positions.
    """
    from gridlab.nets.export import export_network

    typer.echo(str(export_network(checkpoint, onnx, half, out)))
