"""`gridlab 2048`: players of 2048 measured, and datasets of its games."""

from typing import Annotated

import typer

from gridlab.cli import completion, datasets2048
from gridlab.cli.groups import group
from gridlab.cli.options import Cluster, Json, Quiet, Seed, Workers, print_result, set_quiet, whole, working_on

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
    from gridlab.arena.evaluate import evaluate
    from gridlab.games.game2048.rules import Rules2048

    set_quiet(quiet)
    with working_on(cluster, workers):
        played = evaluate(player, Rules2048.parse(rules), games, seed=seed or 0, workers=workers, progress=not quiet)
    print_result(played, json)


for command in (
    datasets2048.generate, datasets2048.verify, datasets2048.stats, datasets2048.export, datasets2048.split,
):  # fmt: skip
    app.command()(command)
