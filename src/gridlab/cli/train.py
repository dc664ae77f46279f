"""`gridlab train`: networks trained, asked and exported."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from gridlab.cli.options import Json, Quiet, Seed, Workers, print_result, set_quiet

app = typer.Typer(help="Networks that learn to play: trained, asked, exported.", rich_markup_mode=None)
GAMES = 40  # of each measurement during training
OPPONENTS = {"random": "random", "heuristic": "alpha-beta depth=3"}


@app.command()
def squava(
    method: Annotated[Literal["dqn"], typer.Option("--method", help="Deep Q-learning of a state value.")] = "dqn",
    episodes: Annotated[
        int | None, typer.Option("--episodes", min=1, help="Games; 3000 in preset guide, 60000 in best.")
    ] = None,
    preset: Annotated[
        Literal["guide", "best"], typer.Option("--preset", help="The document's recipe, or the best one found.")
    ] = "guide",
    workers: Workers = None,
    seed: Seed = None,
    out: Annotated[Path, typer.Option("-o", "--out", "--output", metavar="DIR", help="Where all goes.")] = Path("dqn"),
    resume: Annotated[bool, typer.Option("--resume", help="Go on from what the folder holds.")] = False,
    device: Annotated[Literal["auto", "cpu", "cuda"], typer.Option("--device", help="Where the network lives.")] = (
        "auto"
    ),
    shaping: Annotated[
        bool, typer.Option("--shaping", help="Reward every move with the result, later ones more.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Train the value network of Squava.

    The folder gets training.safetensors to go on from, weights-….safetensors for players, and curve.png. Ctrl-C ends
    training after the round of games that is being played, and saves. Win rates on the way are those of the network
    alone, one ply deep. No tablebase is used.
    """
    import json as json_module

    from gridlab.core.extras import import_extra
    from gridlab.core.progress import bar
    from gridlab.games import game

    set_quiet(quiet)
    import_extra("torch", "learn")
    from gridlab.learn.dqn.settings import settings_of
    from gridlab.learn.dqn.train import begin, train

    rules, settings = game("squava"), settings_of(preset, episodes, shaping)
    learner = begin(rules, settings, seed or 0, out, resume, device)
    with bar(settings.episodes, f"training, preset {preset}", "episodes", not quiet) as shown, interruptions() as asked:
        shown.update(learner.episode)
        done = train(learner, out, workers, lambda path: win_rates(path, rules), bar_updater(shown), asked)
    last: dict[str, Any] = next((row for row in reversed(learner.curve) if "random" in row), {})
    facts = {"folder": str(out), "episode": learner.episode, "episodes": settings.episodes, **last}
    typer.echo(json_module.dumps(facts) if json else report(facts))
    if not done and not quiet:
        typer.echo(f"to go on: the same command with --resume --out {out}", err=True)
    return 0 if done else 130


def report(facts: dict[str, Any]) -> str:
    rates = ", ".join(f"{facts[name]:.0%} against {text}" for name, text in OPPONENTS.items() if name in facts)
    return (
        f"{facts['folder']}: {facts['episode']:,} of {facts['episodes']:,} episodes; the network alone scores {rates}"
    )


def bar_updater(shown: Any) -> Callable[[dict[str, Any]], None]:
    """What the bar says: phase, ε, loss and the latest win rates."""
    from gridlab.learn.dqn.curriculum import NAMES

    latest: dict[str, float] = {}

    def tell(row: dict[str, Any]) -> None:
        latest.update({name: row[name] for name in OPPONENTS if name in row})
        parts = [NAMES[row["phase"]], f"ε {row['epsilon']:.2f}"] if row["phase"] else []
        parts += [f"loss {row['loss']:.3f}"] if row["loss"] is not None else []
        parts += [f"{name} {rate:.0%}" for name, rate in latest.items()]
        shown.set_postfix_str(", ".join(parts), refresh=False)
        shown.update(row["episode"] - shown.n)

    return tell


def win_rates(path: Path, rules: Any) -> dict[str, float]:
    """The score of the network alone against weak and strong."""
    from gridlab.arena.match import play_match

    player = f"dqn checkpoint='{path}'"
    return {
        name: play_match(rules, player, text, GAMES, "random:2", seed=1, workers=1).a_score
        for name, text in OPPONENTS.items()
    }


@contextmanager
def interruptions() -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C was pressed, which is asked between rounds; pressed twice, it interrupts at once."""
    pressed: list[int] = []

    def press(number: int, frame: Any) -> None:
        pressed.append(number)
        if len(pressed) > 1:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, press)
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, before)


Checkpoint = Annotated[
    Path | None, typer.Option("--checkpoint", metavar="FILE", help="The one that comes with the package by default.")
]


@app.command()
def inspect(
    board: Annotated[str, typer.Argument(metavar="BOARD", help="A position of Squava, rows separated by /.")],
    checkpoint: Checkpoint = None,
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
    print_result(opinion_of(position, load_judge(checkpoint or "", rules)), json)


@app.command()
def export(
    checkpoint: Annotated[Path, typer.Argument(metavar="CHECKPOINT", help="A file that training has written.")],
    onnx: Annotated[bool, typer.Option("--onnx", help="As an ONNX graph, checked against torch.")] = False,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", "--output", metavar="FILE", help="By default beside the checkpoint.")
    ] = None,
) -> None:
    """Write a network for other programs: features [position, 50] in, values [position] out."""
    from gridlab.core.errors import BadNotation
    from gridlab.core.extras import import_extra
    from gridlab.games import game

    import_extra("torch", "learn")
    from gridlab.nets.judge import load_judge
    from gridlab.nets.onnx_file import write_onnx

    if not onnx:
        raise BadNotation("a network is exported as ONNX: add --onnx")
    path = out or checkpoint.with_suffix(".onnx")
    worst = write_onnx(load_judge(checkpoint, game("squava")), path)
    typer.echo(f"{path}: onnxruntime differs from torch by at most {worst:.1e} on 1,000 random positions")
