"""`gridlab match`, `tournament`, `games` and `grade`: players against players and against perfect play."""

from pathlib import Path
from typing import Annotated, Any

from gridlab.cli import options
from gridlab.cli.options import Cluster, Json, Positive, Quiet, Seed, Source, Target, Workers, tell
from gridlab.core.arguments import counted
from gridlab.core.errors import BadNotation
from gridlab.core.files import refuse_overlap

games = options.group("Recorded games, one JSON object per line.")

NamedGame = Annotated[
    str | None,
    options.option(
        "--game --rules GAME",
        "The game, if the players come first: PLAYER... --game GAME.",
        autocompletion=options.games,
    ),
]
Games = Annotated[
    int,
    options.option("--games N", "How many games; an even number, as each opening is played twice.", options.whole(1)),
]
Openings = Annotated[str, options.option("--openings OPENINGS", "How games begin: random:4 is four random moves.")]


def words_of(players: str) -> Any:
    """The argument of a command about a game and players."""
    about = 'The game, then the players, such as random, "alpha-beta depth=4" or command=./bot for a program.'
    return options.argument(f"GAME {players}", about, autocompletion=options.game_then_players)


def game_and_players(words: list[str], game: str | None, fewest: int, usage: str) -> tuple[str, list[str]]:
    """The first word is the game, unless --game names it; the others are players."""
    named, players = (game, words) if game is not None else (words[0], words[1:])
    if len(players) >= fewest:
        return named, players
    number = {1: "a player", 2: "two players"}[fewest]
    raise BadNotation(f"a game and {number} are needed: {usage}; a program of your own is command=./bot")


def match(
    words: Annotated[list[str], words_of("A B")], game: NamedGame = None, number: Games = 100,
    openings: Openings = "random:0", seed: Seed = None, workers: Workers = None, cluster: Cluster = None,
    out: Target | None = None, json: Json = False, quiet: Quiet = False,
) -> None:  # fmt: skip
    """Let two players play each other.

    Games come in pairs with the same opening and the colours exchanged. A wrong or late answer loses the game. In 2048
    each plays alone, with the same random tiles, and their scores are compared.

    -o --out --output FILE      Write the games to this file, as JSON lines.
    """
    from gridlab.arena.match import play_match
    from gridlab.games import game as find_game
    from gridlab.players.registry import files_of

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
    with options.working_on(cluster, workers):
        played = play_match(a, b, rules, number, openings, seed or 0, workers, progress=not quiet)
    options.print_result(played, json)
    if out is not None:
        played.save(out)
        tell(f"{out}: {counted(played.games, 'game')}", quiet)


def tournament(
    words: Annotated[list[str], words_of("PLAYER PLAYER...")], game: NamedGame = None, number: Games = 100,
    openings: Openings = "random:0", seed: Seed = None, workers: Workers = None, cluster: Cluster = None,
    out: options.OutFolder = None, resume: bool = False, plot: bool = False, json: Json = False, quiet: Quiet = False,
) -> None:  # fmt: skip
    """Let every player meet every other, with a cross table and Elo ratings.

    With --out the games of each pairing are saved in a folder, and a tournament that was stopped can be continued.

    --resume    Play only the pairings that the folder does not have yet.
    --plot      Draw the ratings, as ratings.png in the folder.
    """
    from gridlab.arena.match import play_tournament, plot_ratings

    named, players = game_and_players(words, game, 2, "gridlab tournament tictactoe random perfect")
    if out is None and (resume or plot):
        raise BadNotation(f"{'--resume' if resume else '--plot'} needs the folder of the tournament: --out DIR")
    kept = out and f"{out} keeps its complete pairings; continue with --resume"
    with options.if_stopped(kept), options.working_on(cluster, workers):
        played = play_tournament(
            players, named, out, number, openings=openings, seed=seed or 0, workers=workers, resume=resume,
            progress=not quiet,
        )  # fmt: skip
    options.print_result(played, json)
    if out is not None and plot:
        plot_ratings(played, out / "ratings.png")
        tell(out / "ratings.png", quiet)


@games.callback()
def _group() -> None:
    """Keep `verify` a command of its own: an app with a single one would take its place."""


@games.command()
def verify(file: Source, json: Json = False, quiet: Quiet = False) -> int:
    """Replay every game of a file by the rules.

    Every move must be legal, every game over, and every result right. The exit code is 1 if anything is wrong.

    FILE    Recorded games, one JSON object per line.
    """
    from gridlab.arena.session import verify_records

    return options.print_verdict(verify_records(file, progress=not quiet), json)


# ---- `gridlab grade`: players compared with perfect play


DEFAULT_PICTURE = Path("grade.png")


def grade(
    words: Annotated[list[str], words_of("PLAYER...")], game: NamedGame = None, positions: Positive = 1000,
    tablebase: options.Table = None, nodes: Positive = 10_000_000, seed: Seed = None, workers: Workers = None,
    cluster: Cluster = None, plot: bool = False, out: options.Picture = None, verbose: bool = False,
    whole: bool = False, json: Json = False, quiet: Quiet = False,
) -> None:  # fmt: skip
    """Compare players with perfect play: accuracy, blunders, regret.

    They are asked for a move in positions where a move can change the value, and it is counted how often they keep it.
    Several players answer the same questions, and each is compared with the first. In 2048 moves are compared with the
    table of a solved board: the regret of a move is how much more the best direction is worth.

    --positions N   How many positions to ask about.
    --nodes N       The limit of a search; positions that need more are left out.
    --plot          Draw accuracy by ply, as grade.png unless --out names another file.
    -v --verbose    Show every move that changed the value, and how the player found it.
    --whole         In 2048: also the exact mean score, over all boards that the player can reach.
    """
    from gridlab.arena.assess import Order, grade_all
    from gridlab.core.charts import check_picture
    from gridlab.games import game as find_game
    from gridlab.players.registry import files_of

    named, players = game_and_players(words, game, 1, "gridlab grade tictactoe random")
    rules = find_game(named)
    picture = options.picture_of(out, plot, DEFAULT_PICTURE)
    check_picture(picture, *(file for player in players for file in files_of(player, tablebase)))
    order = Order(positions, nodes, None, whole, verbose, tablebase, seed or 0, workers, not quiet)
    with options.working_on(cluster, workers):
        found = grade_all(players, rules, order)
    options.print_boards(found, json)
    if picture is not None:
        found.plot(found.grades, picture)
        tell(picture, quiet)
