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
    group,
    out_file,
    out_folder,
    print_boards,
    print_result,
    real,
    set_quiet,
    source,
    target,
    tell_reading,
    whole,
    working_on,  # fmt: skip
)

app = group("Networks that learn to play: train, inspect, import and export them.")

Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--setting",
        "--set",
        metavar="NAME=VALUE",
        help="Any number of the recipe, such as learning_rate=0.001; can be repeated.",
    ),
]


@app.command()
def squava(
    method: Annotated[
        Literal["dqn"], typer.Option("--method", help="Deep Q-learning of state values; there is no other.")
    ] = "dqn",
    episodes: Annotated[
        int | None,
        typer.Option(
            "--episodes",
            metavar="N",
            parser=whole(1),
            help="How many games to play; 60000 in preset best, 3000 in guide.",
        ),
    ] = None,
    preset: Annotated[
        Literal["best", "guide"] | None,
        typer.Option(
            "--preset",
            help="The best recipe found, by default; or that of the published guide, which scores 52 % against the "
            "heuristic where the guide claims 65 % (docs/differences.md).",
        ),
    ] = None,
    workers: Workers = None,
    cluster: Cluster = None,
    seed: Seed = None,
    out: Annotated[
        Path,
        out_folder(),
    ] = Path("dqn"),
    resume: Annotated[bool, typer.Option("--resume", help="Continue the training that the folder holds.")] = False,
    device: Annotated[
        Literal["auto", "cpu", "cuda"], typer.Option("--device", help="The processor that trains the network.")
    ] = ("auto"),
    shaping: Annotated[
        bool | None,
        typer.Option(
            "--shaping/--no-shaping", help="Reward every move with the result, later moves more; off by default."
        ),
    ] = None,
    double: Annotated[
        bool | None,
        typer.Option("--double/--no-double", help="Double DQN: one network chooses the move, the other values it."),
    ] = None,
    settings: Settings = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Train the value network of Squava.

    The folder gets training.safetensors to continue from, weights-….safetensors for players, and curve.png. Ctrl-C ends
    training after the current round of games, and saves. The win rates reported on the way are those of the network
    alone, one ply deep. No tablebase is used.
    """
    from gridlab.inarow.learn.training import train

    set_quiet(quiet)
    with working_on(cluster, workers):
        trained = train(
            "squava", out, episodes, preset, device, shaping, double, settings=settings or (), seed=seed,
            workers=workers, resume=resume, progress=not quiet,
        )  # fmt: skip
    print_result(trained, json)
    if not trained.done and not quiet:
        typer.echo(f"to continue: the same command with --resume --out {out}", err=True)
    return 0 if trained.done else 130


@app.command("2048")
def game2048(
    more_data: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE...]", parser=source, help="More games to learn from, as with --data."),
    ] = None,
    method: Annotated[
        Literal["ntuple", "cnn", "dual", "transformer"],
        typer.Option("--method", help="ntuple learns from its own games, the others from the games of --data."),
    ] = "ntuple",
    data: Annotated[
        list[Path] | None,
        typer.Option("--data", metavar="FILE...", parser=source, help="Games to learn from, in any format."),
    ] = None,
    epochs: Annotated[
        int | None,
        typer.Option(
            "--epochs", metavar="N", parser=whole(1, 10**6), help="How often to go through all games; 10 by default."
        ),
    ] = None,
    batch: Annotated[
        int | None,
        typer.Option(
            "--batch",
            metavar="N",
            parser=whole(1, 65_536),
            help="Moves in a step; 512 by default, 256 for transformer.",
        ),
    ] = None,
    learning_rate: Annotated[
        float | None,
        typer.Option(
            "--learning-rate",
            "--lr",
            metavar="A",
            parser=real(1e-9, 1),
            help="The learning rate at the start, 0.002 by default; it falls towards the end.",
        ),
    ] = None,
    augment: Annotated[
        bool | None,
        typer.Option(
            "--augment/--no-augment",
            help="Show each move as a random one of the eight images of its board; on by default.",
        ),
    ] = None,
    preset: Annotated[
        Literal["minutes", "hour"] | None,
        typer.Option("--preset", help="A recipe: for ten minutes, by default, or for an hour."),
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(
            "--minutes",
            metavar="M",
            parser=real(0.01, 1e6),
            help="How long to learn; 10 in the preset minutes. Never twice the same result: that takes --games.",
        ),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            "--games", metavar="N", parser=whole(1), help="Learn from N games instead, however long that takes."
        ),
    ] = None,
    tuples: Annotated[
        str | None,
        typer.Option(
            "--tuples",
            metavar="SET",
            help="4x6 (the default on 4x4), 8x6, 5x4, 17x4, pentominoes and others, or cells: 012345,456789.",
        ),
    ] = None,
    rate: Annotated[
        Literal["td", "tc"] | None,
        typer.Option(
            "--rate",
            help="td: one rate for all weights; tc, the default: temporal coherence, one rate for each weight.",
        ),
    ] = None,
    step: Annotated[
        float | None,
        typer.Option(
            "--step", metavar="A", parser=real(1e-6, 10), help="The rate itself; 0.1 for td and 1 for tc by default."
        ),
    ] = None,
    trace: Annotated[
        float | None,
        typer.Option(
            "--trace",
            "--lambda",
            metavar="L",
            parser=real(0, 1),
            help="The lambda of TD(lambda): 0 learns from the next board only, larger values from later ones too.",
        ),
    ] = None,
    restart: Annotated[
        int | None,
        typer.Option(
            "--restart",
            metavar="N",
            parser=whole(0, 100_000),
            help="Replay games of more than N moves from their middle; 0 never does.",
        ),
    ] = None,
    optimistic: Annotated[
        float | None,
        typer.Option("--optimistic", metavar="V", parser=real(0, 1e9), help="The value that every board has at first."),
    ] = None,
    rules: Annotated[
        str | None,
        typer.Option(
            "--game", "--rules", metavar="GAME", help="2048, the default, or a smaller board such as 2048:3x3."
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            metavar="N",
            parser=whole(1, 1024),
            help="Threads, all cores by default; one gives the same file every time, with --games or --epochs.",
        ),
    ] = None,
    seed: Seed = None,
    out: Annotated[
        Path | None,
        out_file("The network to write; 2048.METHOD by default."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the training in FILE.training.")] = False,
    settings: Settings = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Train a player of 2048, from its own games (ntuple) or from games of others.

    FILE is the network for players, FILE.training is there to continue from, and FILE.png shows the learning curve.
    Ctrl-C ends training soon, and saves. To measure the result: gridlab 2048 evaluate
    "ntuple file=FILE", or "cnn checkpoint=FILE".
    """
    set_quiet(quiet)
    files, path = [*(data or ()), *(more_data or ())], out or target(Path(f"2048.{method}"))
    own = {
        "--preset": preset, "--minutes": minutes, "--games": games, "--tuples": tuples, "--rate": rate, "--step": step,
        "--trace": trace, "--restart": restart, "--optimistic": optimistic, "--rules": rules,
    }  # fmt: skip
    others = {
        "--data": files or None, "--epochs": epochs, "--batch": batch, "--learning-rate": learning_rate,
        "--augment": augment,
    }  # fmt: skip
    _refuse_options(method, others if method == "ntuple" else own)
    trained: Any
    if method == "ntuple":
        from gridlab.game2048.learn.ntuple import train_ntuple

        trained = train_ntuple(
            rules or "2048", path, games, minutes, preset, tuples, rate, step, trace, restart, optimistic,
            settings=settings or (), seed=seed, workers=workers, resume=resume, progress=not quiet,
        )  # fmt: skip
    else:
        from gridlab.game2048.learn.supervised.train import train_policy

        trained = train_policy(
            files, path, epochs, method, batch, learning_rate, augment, settings=settings or (), seed=seed,
            workers=workers, resume=resume, progress=not quiet,
        )  # fmt: skip
    print_result(trained, json)
    if not trained.done and not quiet:
        typer.echo(f"to continue: the same command with --resume --out {path}", err=True)
    return 0 if trained.done else 130


def _refuse_options(method: str, foreign: dict[str, Any]) -> None:
    """Options of the other methods mean nothing here."""
    from gridlab.core.errors import BadNotation

    for name, value in foreign.items():
        if value is not None:
            whose = "the method ntuple" if method != "ntuple" else "the methods cnn, dual and transformer"
            raise BadNotation(f"{name} belongs to {whose}, and means nothing with --method {method}; leave it out")


Checkpoint = Annotated[
    Path | None,
    typer.Option(
        "--checkpoint", metavar="FILE", parser=source, help="A network; by default the one that comes with the package."
    ),
]


@app.command()
def inspect(
    board: Annotated[str, typer.Argument(metavar="BOARD", help="A position of Squava, rows separated by /.")],
    checkpoint: Checkpoint = None,
    depth: Annotated[
        int | None,
        typer.Option(
            "--depth", metavar="N", parser=whole(1, 25), help="Also show how dqn-minimax finds its move at this depth."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Show what the network sees in a position, feature by feature, and what it thinks of it."""
    from gridlab.core.errors import BadNotation
    from gridlab.core.run import import_extra
    from gridlab.games import game
    from gridlab.inarow.position import Position

    import_extra("torch", "learn")
    from gridlab.inarow.learn.judge import load_judge, opinion_of

    rules = game("squava")
    position = Position.parse(board, rules).require_legal()
    tell_reading(board)
    if position.outcome() is not None:
        raise BadNotation(f"the game is over in {position}; the network judges positions in which a move can be made")
    print_boards(opinion_of(position, load_judge(checkpoint or "", rules), depth), json)


@app.command()
def info(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", parser=source, help="Checkpoints of any kind, or the folder of one."),
    ],
    out: Annotated[
        Path | None, out_file("Also draw the learning curves, those of several files in one picture.")
    ] = None,
    json: Json = False,
) -> None:
    """Show what checkpoints hold: recipe, seed, data, progress and learning curve.

    They may be networks for Squava, n-tuple networks or networks trained on games, for players or to continue from.
    """
    from gridlab.learn.info import info_of, plot_infos

    found = [info_of(path) for path in files]
    if out is not None:
        plot_infos(found, out)
    if json:
        typer.echo(dumps([each.as_dict() for each in found] if len(found) > 1 else found[0].as_dict()))
    else:
        typer.echo("\n\n".join(map(str, found)))


@app.command()
def export(
    checkpoint: Annotated[
        Path, typer.Argument(metavar="CHECKPOINT", parser=source, help="A file that was written by training.")
    ],
    onnx: Annotated[bool, typer.Option("--onnx", help="Write a torch network as an ONNX graph, and check it.")] = False,
    half: Annotated[
        bool, typer.Option("--half", help="Write an n-tuple network in half precision, much smaller.")
    ] = False,
    out: Annotated[
        Path | None,
        out_file("The file to write; by default beside the checkpoint."),
    ] = None,
) -> None:
    """Export a network for other programs, or in a smaller file.

    An ONNX graph for Squava takes features [position, 50] and gives values [position]; one for 2048 takes the cells
    after each move and gives directions and values. Both are compared with torch on random positions.
    """
    from gridlab.learn.info import export_network

    typer.echo(str(export_network(checkpoint, onnx, half, out)))


@app.command("import")
def import_saved(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", parser=source, help="A file of torch.save, as the published guide makes it."),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            "--output",
            metavar="FILE",
            parser=target,
            help="The checkpoint to write; by default beside the file, with the ending .safetensors.",
        ),
    ] = None,
) -> None:
    """Import a network of Squava that was saved by torch.save, as in the published guide.

    No code in the file is run. The result is a checkpoint for players: dqn-minimax checkpoint=FILE.
    """
    from gridlab.core.run import import_extra

    import_extra("torch", "learn")
    from gridlab.inarow.learn.networks import import_network

    path = out or target(file.with_suffix(".safetensors"))
    import_network(file, path)
    typer.echo(str(path))
