"""`gridlab match`, `tournament` and `games`: players against players."""

from pathlib import Path
from typing import Annotated

import typer

from gridlab.cli import completion
from gridlab.cli.options import (
    Cluster,
    Json,
    OutFolder,
    Quiet,
    Seed,
    Workers,
    print_result,
    set_quiet,
    source,
    target,
    whole,
    working_on,
)  # fmt: skip
from gridlab.core.errors import BadNotation
from gridlab.core.files import refuse_overlap

games = typer.Typer(help="Games on record, one JSON object a line.", rich_markup_mode=None)

PlayedGame = Annotated[
    str,
    typer.Option(
        "--game", metavar="GAME", help="A name, or rules such as 3x3:3 or 5x5:4-3.", autocompletion=completion.games
    ),
]
Games = Annotated[
    int,
    typer.Option("--games", metavar="N", parser=whole(1), help="An even number: each opening is played twice."),
]
Openings = Annotated[str, typer.Option("--openings", help="How games begin: random:4 is four random moves.")]


def match(
    a: Annotated[
        str,
        typer.Argument(
            metavar="A",
            help='A player, such as random or "alpha-beta depth=4".',
            autocompletion=completion.players,
        ),
    ],
    b: Annotated[str, typer.Argument(metavar="B", help="Its opponent.", autocompletion=completion.players)],
    game: PlayedGame,
    number: Games = 100,
    openings: Openings = "random:0",
    seed: Seed = None,
    workers: Workers = None,
    cluster: Cluster = None,
    save: Annotated[
        Path | None, typer.Option("--save", metavar="FILE", parser=target, help="Write the games as JSON lines.")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Let two players play each other.

    Games come in pairs that share an opening, with colours exchanged. A wrong or late answer loses the game. In 2048
    both play alone, on the same chance, and their scores are compared.
    """
    from gridlab.arena.match import play_match
    from gridlab.games import game as find_game
    from gridlab.players.registry import files_of

    set_quiet(quiet)
    rules = find_game(game)
    if save is not None:
        if len(rules.sides) == 1:
            raise BadNotation(
                f"--save keeps games between two; gridlab 2048 generate --player records games of {rules}"
            )
        for file in (*files_of(a), *files_of(b)):
            refuse_overlap(file, save)
    with working_on(cluster, workers):
        played = play_match(a, b, rules, number, openings, seed or 0, workers, progress=not quiet)
    print_result(played, json)
    if save is not None:
        played.save(save)
        if not quiet:
            typer.echo(f"{save}: {played.games:,} games", err=True)


def tournament(
    players: Annotated[
        list[str],
        typer.Argument(metavar="PLAYER...", help="Two or more different players.", autocompletion=completion.players),
    ],
    game: PlayedGame,
    number: Games = 100,
    openings: Openings = "random:0",
    seed: Seed = None,
    workers: Workers = None,
    cluster: Cluster = None,
    out: OutFolder = None,
    resume: Annotated[bool, typer.Option("--resume", help="Play the pairings that the folder does not hold.")] = False,
    plot: Annotated[bool, typer.Option("--plot", help="Draw the ratings: ratings.png in the folder.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Let everybody play everybody: cross table and Elo.

    With --out the games of each pairing go into a folder, and a tournament that was stopped can go on.
    """
    from gridlab.arena.tournament import play_tournament, plot_ratings

    set_quiet(quiet)
    if out is None and (resume or plot):
        raise BadNotation(f"{'--resume' if resume else '--plot'} needs the folder of the tournament: --out DIR")
    shown = not quiet
    try:
        with working_on(cluster, workers):
            played = play_tournament(players, game, number, openings, seed or 0, workers, out, resume, shown)
    except KeyboardInterrupt:
        if out is not None:
            typer.echo(f"stopped; {out} keeps its whole pairings: go on with --resume", err=True)
        raise
    print_result(played, json)
    if out is not None and plot:
        plot_ratings(played, out / "ratings.png")
        if shown:
            typer.echo(str(out / "ratings.png"), err=True)


@games.callback()
def _group() -> None:
    """Keep `verify` a command of its own: an app with a single one would take its place."""


@games.command()
def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", parser=source, help="Games, one JSON object a line.")],
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Replay every game of a file by the rules.

    Moves legal, game really over, result true. Exit code 1 if anything is wrong.
    """
    from gridlab.arena.records.mnk import verify_records

    set_quiet(quiet)
    verdict = verify_records(file, progress=not quiet)
    print_result(verdict, json)
    return 1 if verdict.complaints else 0
