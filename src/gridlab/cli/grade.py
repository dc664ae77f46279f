"""`gridlab grade`: players held to the truth."""

import json as json_module
from pathlib import Path
from typing import Annotated, Any

import typer

from gridlab.cli import completion
from gridlab.cli.arena import PlayedGame
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
    players: Annotated[
        list[str],
        typer.Argument(
            metavar="PLAYER...",
            help='One or more, such as random or "alpha-beta depth=4".',
            autocompletion=completion.players,
        ),
    ],
    game: PlayedGame,
    positions: Annotated[
        int, typer.Option("--positions", metavar="N", parser=whole(1), help="How many to ask.")
    ] = 1000,
    tablebase: Table = None,
    nodes: Annotated[
        int,
        typer.Option(
            "--nodes", metavar="N", parser=whole(1), help="Of a search; positions that need more are left out."
        ),
    ] = 10_000_000,
    seed: Seed = None,
    workers: Workers = None,
    cluster: Cluster = None,
    plot: Annotated[
        bool, typer.Option("--plot", help="Draw accuracy by ply: grade.png unless --out says otherwise.")
    ] = False,
    out: Picture = None,
    verbose: Annotated[
        bool, typer.Option("-v", "--verbose", help="Every move that changed the value, and how it was found.")
    ] = False,
    whole: Annotated[
        bool, typer.Option("--whole", help="2048: the exact mean score too, over all boards that a player can reach.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Ask players for moves where a move can change the value, and count how often they keep it.

    Several players answer the same questions, and each is compared with the first. In 2048 moves are held to the table
    of a solved board: what the best direction is worth more.
    """
    from gridlab.arena.grade import compare, mistakes, plot_grades
    from gridlab.arena.grade import grade as find_grade
    from gridlab.arena.questions import find_questions
    from gridlab.core.figures import check_picture
    from gridlab.games import game as find_game
    from gridlab.players.registry import close_player, files_of, make_player

    set_quiet(quiet)
    rules, shown = find_game(game), not quiet
    picture = out or (target(DEFAULT_PICTURE) if plot else None)
    if rules.family == "2048":
        with working_on(cluster, workers):
            grade_2048(players, rules, positions, tablebase, seed or 0, workers, whole, picture, json, shown)
        return
    rules = find_game(rules, "mnk")
    if whole:
        raise BadNotation("--whole is for 2048; a player of in-a-row games is graded by --positions")
    check_picture(picture, *(file for player in players for file in files_of(player, tablebase)))
    for player in players:
        close_player(make_player(player, rules, tablebase))  # a wrong one is told at once
    with working_on(cluster, workers):
        questions = find_questions(rules, positions, tablebase, seed or 0, shown, nodes)
        grades = [
            find_grade(player, rules, positions, tablebase, seed or 0, workers, shown, questions) for player in players
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
    players: list[str], rules: Any, positions: int, tablebase: Path | None, seed: int, workers: int | None, whole: bool,
    picture: Path | None, json: bool, shown: bool,
) -> None:  # fmt: skip
    """The same for 2048: regrets beside the table of a solved board."""
    from gridlab.arena.grade2048 import grades, plot_grades2048
    from gridlab.core.figures import check_picture
    from gridlab.players.registry import files_of

    check_picture(picture, *(file for player in players for file in files_of(player, tablebase)))
    found = grades(players, rules, positions, tablebase, seed, workers, whole, shown)
    if json:
        listed = [each.as_dict() for each in found]
        typer.echo(json_module.dumps({"grades": listed} if len(listed) > 1 else listed[0]))
    else:
        typer.echo("\n\n".join(map(str, found)))
    if picture is not None:
        plot_grades2048(found, picture)
        if shown:
            typer.echo(str(picture), err=True)
