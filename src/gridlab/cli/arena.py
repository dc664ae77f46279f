"""`gridlab match`, `tournament`, `games` and `grade`: players against players and against perfect play."""

from pathlib import Path
from typing import Annotated, Any

import typer

from gridlab.cli import options as completion
from gridlab.cli.options import (
    Cluster,
    Json,
    OutFolder,
    Picture,
    Quiet,
    Seed,
    Table,
    Workers,
    group,
    out_file,
    print_boards,
    print_result,
    set_quiet,
    source,
    target,
    whole,
    working_on,
)
from gridlab.core.arguments import counted
from gridlab.core.errors import BadNotation
from gridlab.core.files import refuse_overlap

games = group("Recorded games, one JSON object per line.")

NamedGame = Annotated[
    str | None,
    typer.Option(
        "--game",
        "--rules",
        metavar="GAME",
        help="The game, if the players come first: PLAYER... --game GAME.",
        autocompletion=completion.games,
    ),
]
Games = Annotated[
    int,
    typer.Option(
        "--games", metavar="N", parser=whole(1), help="How many games; an even number, as each opening is played twice."
    ),
]
Openings = Annotated[
    str, typer.Option("--openings", metavar="OPENINGS", help="How games begin: random:4 is four random moves.")
]


def words_of(players: str) -> Any:
    """The argument of a command about a game and players."""
    return typer.Argument(
        metavar=f"GAME {players}",
        help='The game, then the players, such as random, "alpha-beta depth=4" or command=./bot for a program.',
        autocompletion=completion.game_then_players,
    )


def game_and_players(words: list[str], game: str | None, fewest: int, usage: str) -> tuple[str, list[str]]:
    """The first word is the game, unless --game names it; the others are players."""
    named, players = (game, words) if game is not None else (words[0], words[1:])
    if len(players) >= fewest:
        return named, players
    number = {1: "a player", 2: "two players"}[fewest]
    raise BadNotation(f"a game and {number} are needed: {usage}; a program of your own is command=./bot")


def match(
    words: Annotated[list[str], words_of("A B")],
    game: NamedGame = None,
    number: Games = 100,
    openings: Openings = "random:0",
    seed: Seed = None,
    workers: Workers = None,
    cluster: Cluster = None,
    out: Annotated[Path | None, out_file("Write the games to this file, as JSON lines.")] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Let two players play each other.

    Games come in pairs with the same opening and the colours exchanged. A wrong or late answer loses the game. In 2048
    each plays alone, with the same random tiles, and their scores are compared.
    """
    from gridlab.arena.match import play_match
    from gridlab.games import game as find_game
    from gridlab.players.registry import files_of

    set_quiet(quiet)
    named, players = game_and_players(words, game, 2, "gridlab match tictactoe random perfect")
    if len(players) > 2:
        raise BadNotation(f"a match is between two players, not {len(players)}; gridlab tournament takes more")
    a, b = players
    rules = find_game(named)
    if out is not None:
        if len(rules.sides) == 1:
            raise BadNotation(f"--out keeps games between two; gridlab 2048 generate --player records games of {rules}")
        for file in (*files_of(a), *files_of(b)):
            refuse_overlap(file, out)
    with working_on(cluster, workers):
        played = play_match(a, b, rules, number, openings, seed or 0, workers, progress=not quiet)
    print_result(played, json)
    if out is not None:
        played.save(out)
        if not quiet:
            typer.echo(f"{out}: {counted(played.games, 'game')}", err=True)


def tournament(
    words: Annotated[list[str], words_of("PLAYER PLAYER...")],
    game: NamedGame = None,
    number: Games = 100,
    openings: Openings = "random:0",
    seed: Seed = None,
    workers: Workers = None,
    cluster: Cluster = None,
    out: OutFolder = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Play only the pairings that the folder does not have yet.")
    ] = False,
    plot: Annotated[bool, typer.Option("--plot", help="Draw the ratings, as ratings.png in the folder.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Let every player meet every other, with a cross table and Elo ratings.

    With --out the games of each pairing are saved in a folder, and a tournament that was stopped can be continued.
    """
    from gridlab.arena.match import play_tournament, plot_ratings

    set_quiet(quiet)
    named, players = game_and_players(words, game, 2, "gridlab tournament tictactoe random perfect")
    if out is None and (resume or plot):
        raise BadNotation(f"{'--resume' if resume else '--plot'} needs the folder of the tournament: --out DIR")
    shown = not quiet
    try:
        with working_on(cluster, workers):
            played = play_tournament(
                players,
                named,
                out,
                number,
                openings=openings,
                seed=seed or 0,
                workers=workers,
                resume=resume,
                progress=shown,
            )
    except KeyboardInterrupt:
        if out is not None:
            typer.echo(f"stopped; {out} keeps its complete pairings; continue with --resume", err=True)
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
    file: Annotated[
        Path, typer.Argument(metavar="FILE", parser=source, help="Recorded games, one JSON object per line.")
    ],
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Replay every game of a file by the rules.

    Every move must be legal, every game over, and every result right. The exit code is 1 if anything is wrong.
    """
    from gridlab.arena.session import verify_records

    set_quiet(quiet)
    verdict = verify_records(file, progress=not quiet)
    print_result(verdict, json)
    return 1 if verdict.complaints else 0


# ---- `gridlab grade`: players compared with perfect play


DEFAULT_PICTURE = Path("grade.png")


def grade(
    words: Annotated[list[str], words_of("PLAYER...")],
    game: NamedGame = None,
    positions: Annotated[
        int, typer.Option("--positions", metavar="N", parser=whole(1), help="How many positions to ask about.")
    ] = 1000,
    tablebase: Table = None,
    nodes: Annotated[
        int,
        typer.Option(
            "--nodes",
            metavar="N",
            parser=whole(1),
            help="The limit of a search; positions that need more are left out.",
        ),
    ] = 10_000_000,
    seed: Seed = None,
    workers: Workers = None,
    cluster: Cluster = None,
    plot: Annotated[
        bool, typer.Option("--plot", help="Draw accuracy by ply, as grade.png unless --out names another file.")
    ] = False,
    out: Picture = None,
    verbose: Annotated[
        bool,
        typer.Option("-v", "--verbose", help="Show every move that changed the value, and how the player found it."),
    ] = False,
    whole: Annotated[
        bool,
        typer.Option("--whole", help="In 2048: also the exact mean score, over all boards that the player can reach."),
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare players with perfect play: accuracy, blunders, regret.

    They are asked for a move in positions where a move can change the value, and it is counted how often they keep it.
    Several players answer the same questions, and each is compared with the first. In 2048 moves are compared with the
    table of a solved board: the regret of a move is how much more the best direction is worth.
    """
    from gridlab.arena.assess import Order, grade_all
    from gridlab.core.charts import check_picture
    from gridlab.games import game as find_game
    from gridlab.players.registry import files_of

    set_quiet(quiet)
    named, players = game_and_players(words, game, 1, "gridlab grade tictactoe random")
    rules, shown = find_game(named), not quiet
    picture = out or (target(DEFAULT_PICTURE) if plot else None)
    check_picture(picture, *(file for player in players for file in files_of(player, tablebase)))
    order = Order(positions, nodes, None, whole, verbose, tablebase, seed or 0, workers, shown)
    with working_on(cluster, workers):
        found = grade_all(players, rules, order)
    print_boards(found, json)
    if picture is not None:
        found.plot(found.grades, picture)
        if shown:
            typer.echo(str(picture), err=True)
