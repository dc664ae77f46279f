"""`gridlab grade`: players compared with perfect play."""

import json as json_module
from pathlib import Path
from typing import Annotated, Any

import typer

from gridlab.cli.arena import NamedGame, game_and_players, words_of
from gridlab.cli.options import (
    Cluster,
    Json,
    Picture,
    Quiet,
    Seed,
    Table,
    Workers,
    print_boards,
    set_quiet,
    target,
    whole,
    working_on,
)
from gridlab.core.errors import BadNotation

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
    from gridlab.arena.grade import compare, mistakes, plot_grades
    from gridlab.arena.grade import grade as find_grade
    from gridlab.arena.questions import find_questions
    from gridlab.core.figures import check_picture
    from gridlab.games import game as find_game
    from gridlab.players.registry import close_player, files_of, make_player

    set_quiet(quiet)
    named, players = game_and_players(words, game, 1, "gridlab grade tictactoe random")
    rules, shown = find_game(named), not quiet
    picture = out or (target(DEFAULT_PICTURE) if plot else None)
    if rules.family == "2048":
        with working_on(cluster, workers):
            grade_2048(players, rules, positions, whole, tablebase, seed or 0, workers, picture, json, shown)
        return
    rules = find_game(rules, "mnk")
    if whole:
        raise BadNotation("--whole is for 2048; a player of in-a-row games is graded by --positions")
    check_picture(picture, *(file for player in players for file in files_of(player, tablebase)))
    for player in players:
        close_player(make_player(player, rules, tablebase))  # a wrong one is told at once
    with working_on(cluster, workers):
        questions = find_questions(rules, positions, nodes=nodes, tablebase=tablebase, seed=seed or 0, progress=shown)
        grades = [
            find_grade(
                player,
                rules,
                positions,
                questions=questions,
                tablebase=tablebase,
                seed=seed or 0,
                workers=workers,
                progress=shown,
            )
            for player in players
        ]
    comparisons = [compare(grades[0], other, seed or 0) for other in grades[1:]]
    told = [list(mistakes(*pair, tablebase)) if verbose else [] for pair in zip(grades, players, strict=True)]
    if json:
        found = [
            each.as_dict() | ({"mistakes": [one.as_dict() for one in wrong]} if verbose else {})
            for each, wrong in zip(grades, told, strict=True)
        ]
        both = {"grades": found, "comparisons": [each.as_dict() for each in comparisons]}
        typer.echo(json_module.dumps(both if comparisons else found[0]))
    else:
        for each, wrong in zip(grades, told, strict=True):
            for one in wrong:
                print_boards(f"{each.player}, a mistake\n{one}\n")
        typer.echo("\n\n".join(map(str, grades)))
        typer.echo("".join(f"\n{each}" for each in comparisons), nl=bool(comparisons))
    if picture is not None:
        plot_grades(grades, picture)
        if shown:
            typer.echo(str(picture), err=True)


def grade_2048(
    players: list[str], rules: Any, positions: int, whole: bool, tablebase: Path | None, seed: int, workers: int | None,
    picture: Path | None, json: bool, shown: bool,
) -> None:  # fmt: skip
    """The same for 2048: regrets beside the table of a solved board."""
    from gridlab.arena.grade2048 import grades, plot_grades2048
    from gridlab.core.figures import check_picture
    from gridlab.players.registry import files_of

    check_picture(picture, *(file for player in players for file in files_of(player, tablebase)))
    found = grades(players, rules, positions, whole, tablebase, seed, workers, shown)
    if json:
        listed = [each.as_dict() for each in found]
        typer.echo(json_module.dumps({"grades": listed} if len(listed) > 1 else listed[0]))
    else:
        typer.echo("\n\n".join(map(str, found)))
    if picture is not None:
        plot_grades2048(found, picture)
        if shown:
            typer.echo(str(picture), err=True)
