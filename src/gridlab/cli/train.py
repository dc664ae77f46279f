"""`gridlab train`: networks trained, asked and exported."""

from json import dumps
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from gridlab.cli import options
from gridlab.cli.options import Json, Positive, Quiet, Seed, Source, Target, print_result, real, whole
from gridlab.core.errors import BadNotation

app = options.group("Networks that learn to play: train, inspect, import and export them.")

Settings = Annotated[
    list[str] | None,
    options.option(
        "--setting --set NAME=VALUE", "Any number of the recipe, such as learning_rate=0.001; can be repeated."
    ),
]


@app.command()
def squava(
    method: Literal["dqn"] = "dqn", episodes: Positive | None = None, preset: Literal["best", "guide"] | None = None,
    workers: options.Workers = None, cluster: options.Cluster = None, seed: Seed = None,
    out: Annotated[Path, options.out_folder()] = Path("dqn"), resume: bool = False,
    device: Literal["auto", "cpu", "cuda"] = "auto", shaping: bool | None = None, double: bool | None = None,
    settings: Settings = None, json: Json = False, quiet: Quiet = False,
) -> int:  # fmt: skip
    """Train the value network of Squava.

    The folder gets training.safetensors to continue from, weights-….safetensors for players, and curve.png. Ctrl-C ends
    training after the current round of games, and saves. The win rates reported on the way are those of the network
    alone, one ply deep. No tablebase is used.

    --method                Deep Q-learning of state values; there is no other.
    --episodes N            How many games to play; 60000 in preset best, 3000 in guide.
    --preset                The best recipe found, by default; or that of the published guide, which scores 52 % against
                            the heuristic where the guide claims 65 % (docs/differences.md).
    --resume                Continue the training that the folder holds.
    --device                The processor that trains the network.
    --shaping/--no-shaping  Reward every move with the result, later moves more; off by default.
    --double/--no-double    Double DQN: one network chooses the move, the other values it.
    """
    from gridlab.inarow.learn.training import train

    with options.working_on(cluster, workers):
        trained = train(
            "squava", out, episodes, preset, device, shaping, double, settings=settings or (), seed=seed,
            workers=workers, resume=resume, progress=not quiet,
        )  # fmt: skip
    return _ended(trained, out, json, quiet)


def _ended(trained: Any, out: Path, json: bool, quiet: bool) -> int:
    """What a training prints, and its exit code."""
    print_result(trained, json)
    options.tell(f"to continue: the same command with --resume --out {out}", quiet or trained.done)
    return 0 if trained.done else 130


@app.command("2048")
def game2048(
    more_data: list[Source] | None = None, method: Literal["ntuple", "cnn", "dual", "transformer"] = "ntuple",
    data: list[Source] | None = None,
    epochs: Annotated[int, whole(1, 10**6)] | None = None,
    batch: Annotated[int, whole(1, 65_536)] | None = None,
    learning_rate: Annotated[float, real(1e-9, 1)] | None = None, augment: bool | None = None,
    preset: Literal["minutes", "hour"] | None = None,
    minutes: Annotated[float, real(0.01, 1e6)] | None = None, games: Positive | None = None,
    tuples: str | None = None, rate: Literal["td", "tc"] | None = None,
    step: Annotated[float, real(1e-6, 10)] | None = None,
    trace: Annotated[float, real(0, 1)] | None = None,
    restart: Annotated[int, whole(0, 100_000)] | None = None,
    optimistic: Annotated[float, real(0, 1e9)] | None = None, rules: str | None = None,
    workers: Annotated[int, whole(1, 1024)] | None = None, seed: Seed = None,
    out: Target | None = None, resume: bool = False, settings: Settings = None, json: Json = False,
    quiet: Quiet = False,
) -> int:  # fmt: skip
    """Train a player of 2048, from its own games (ntuple) or from games of others.

    FILE is the network for players, FILE.training is there to continue from, and FILE.png shows the learning curve.
    Ctrl-C ends training soon, and saves. To measure the result: gridlab 2048 evaluate
    "ntuple file=FILE", or "cnn checkpoint=FILE".

    [FILE...]                   More games to learn from, as with --data.
    --method                    ntuple learns from its own games, the others from the games of --data.
    --data FILE...              Games to learn from, in any format.
    --epochs N                  How often to go through all games; 10 by default.
    --batch N                   Moves in a step; 512 by default, 256 for transformer.
    --learning-rate --lr A      The learning rate at the start, 0.002 by default; it falls towards the end.
    --augment/--no-augment      Show each move as a random one of the eight images of its board; on by default.
    --preset                    A recipe: for ten minutes, by default, or for an hour.
    --minutes M                 How long to learn; 10 in the preset minutes. Never twice the same result: that takes
                                --games.
    --games N                   Learn from N games instead, however long that takes.
    --tuples SET                4x6 (the default on 4x4), 8x6, 5x4, 17x4, pentominoes and others, or cells:
                                012345,456789.
    --rate                      td: one rate for all weights; tc, the default: temporal coherence, one rate for each
                                weight.
    --step A                    The rate itself; 0.1 for td and 1 for tc by default.
    --trace --lambda L          The lambda of TD(lambda): 0 learns from the next board only, larger values from later
                                ones too.
    --restart N                 Replay games of more than N moves from their middle; 0 never does.
    --optimistic V              The value that every board has at first.
    --game --rules GAME         2048, the default, or a smaller board such as 2048:3x3.
    --workers N                 Threads, all cores by default; one gives the same file every time, with --games or
                                --epochs.
    -o --out --output FILE      The network to write; 2048.METHOD by default.
    --resume                    Continue the training in FILE.training.
    """
    path = out or options.target(Path(f"2048.{method}"))
    own: dict[str, Any] = {
        "preset": preset, "minutes": minutes, "games": games, "tuples": tuples, "rate": rate, "step": step,
        "trace": trace, "restart": restart, "optimistic": optimistic, "rules": rules,
    }  # fmt: skip
    others: dict[str, Any] = {
        "data": [*(data or ()), *(more_data or ())], "epochs": epochs, "batch": batch, "learning_rate": learning_rate,
        "augment": augment,
    }  # fmt: skip
    _refuse_options(method, others if method == "ntuple" else own)
    same: Any = {"settings": settings or (), "seed": seed, "workers": workers, "resume": resume, "progress": not quiet}
    trained: Any
    if method == "ntuple":
        from gridlab.game2048.learn.ntuple import train_ntuple

        trained = train_ntuple(out=path, **same, **{**own, "rules": rules or "2048"})
    else:
        from gridlab.game2048.learn.supervised.train import train_policy

        trained = train_policy(out=path, method=method, **same, **others)
    return _ended(trained, path, json, quiet)


def _refuse_options(method: str, foreign: dict[str, Any]) -> None:
    """Options of the other methods mean nothing here."""
    whose = "the method ntuple" if method != "ntuple" else "the methods cnn, dual and transformer"
    for name, value in foreign.items():
        if value not in (None, []):
            option = f"--{name.replace('_', '-')}"
            raise BadNotation(f"{option} belongs to {whose}, and means nothing with --method {method}; leave it out")


@app.command()
def inspect(
    board: str, checkpoint: Source | None = None, depth: Annotated[int, whole(1, 25)] | None = None, json: Json = False
) -> None:
    """Show what the network sees in a position, feature by feature, and what it thinks of it.

    BOARD               A position of Squava, rows separated by /.
    --checkpoint FILE   A network; by default the one that comes with the package.
    --depth N           Also show how dqn-minimax finds its move at this depth.
    """
    from gridlab.core.run import import_extra
    from gridlab.games import game
    from gridlab.inarow.position import Position

    import_extra("torch", "learn")
    from gridlab.inarow.learn.judge import load_judge, opinion_of

    rules = game("squava")
    position = Position.parse(board, rules).require_legal()
    options.tell_reading(board)
    if position.outcome() is not None:
        raise BadNotation(f"the game is over in {position}; the network judges positions in which a move can be made")
    options.print_boards(opinion_of(position, load_judge(checkpoint or "", rules), depth), json)


@app.command()
def info(files: list[Source], out: Target | None = None, json: Json = False) -> None:
    """Show what checkpoints hold: recipe, seed, data, progress and learning curve.

    They may be networks for Squava, n-tuple networks or networks trained on games, for players or to continue from.

    FILE...                 Checkpoints of any kind, or the folder of one.
    -o --out --output FILE  Also draw the learning curves, those of several files in one picture.
    """
    from gridlab.learn.curves import plot_infos
    from gridlab.learn.info import info_of

    found = [info_of(path) for path in files]
    if out is not None:
        plot_infos(found, out)
    if json:
        typer.echo(dumps([each.as_dict() for each in found] if len(found) > 1 else found[0].as_dict()))
    else:
        typer.echo("\n\n".join(map(str, found)))


@app.command()
def export(checkpoint: Source, onnx: bool = False, half: bool = False, out: Target | None = None) -> None:
    """Export a network for other programs, or in a smaller file.

    An ONNX graph for Squava takes features [position, 50] and gives values [position]; one for 2048 takes the cells
    after each move and gives directions and values. Both are compared with torch on random positions.

    CHECKPOINT              A file that was written by training.
    --onnx                  Write a torch network as an ONNX graph, and check it.
    --half                  Write an n-tuple network in half precision, much smaller.
    -o --out --output FILE  The file to write; by default beside the checkpoint.
    """
    from gridlab.learn.info import export_network

    typer.echo(str(export_network(checkpoint, onnx, half, out)))


@app.command("import")
def import_saved(file: Source, out: Target | None = None) -> None:
    """Import a network of Squava that was saved by torch.save, as in the published guide.

    No code in the file is run. The result is a checkpoint for players: dqn-minimax checkpoint=FILE.

    FILE                    A file of torch.save, as the published guide makes it.
    -o --out --output FILE  The checkpoint to write; by default beside the file, with the ending .safetensors.
    """
    from gridlab.core.run import import_extra

    import_extra("torch", "learn")
    from gridlab.inarow.learn.networks import import_network

    path = out or options.target(file.with_suffix(".safetensors"))
    import_network(file, path)
    typer.echo(str(path))
