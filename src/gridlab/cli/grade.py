"""`gridlab grade`: players held to the truth."""

import json as json_module
from pathlib import Path
from typing import Annotated

import typer

from gridlab.cli.arena import PlayedGame
from gridlab.cli.options import Json, Quiet, Seed, Workers, set_quiet

DEFAULT_PICTURE = Path("grade.png")


def grade(
    players: Annotated[
        list[str], typer.Argument(metavar="PLAYER...", help='One or more, such as random or "alpha-beta depth=4".')
    ],
    game: PlayedGame,
    positions: Annotated[int, typer.Option("--positions", min=1, metavar="N", help="How many to ask.")] = 1000,
    tablebase: Annotated[
        Path | None, typer.Option("--tablebase", metavar="FILE", help="Where the truth is looked up; else by search.")
    ] = None,
    nodes: Annotated[
        int, typer.Option("--nodes", min=1, help="Of a search; positions that need more are left out.")
    ] = 10_000_000,
    seed: Seed = None,
    workers: Workers = None,
    plot: Annotated[
        bool, typer.Option("--plot", help="Draw accuracy by ply: grade.png unless --out says otherwise.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", "--output", metavar="PICTURE", help="The picture: PNG, SVG or PDF."),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Ask players for moves where a move can change the value, and count how often they keep it.

    Several players answer the same questions, and each is compared with the first.
    """
    from gridlab.arena.grade import compare, plot_grades
    from gridlab.arena.grade import grade as find_grade
    from gridlab.arena.questions import find_questions
    from gridlab.core.figures import new_figure
    from gridlab.games import game as find_game
    from gridlab.players.registry import close_player, make_player

    set_quiet(quiet)
    rules, shown = find_game(game, "mnk"), not quiet
    picture = out or (DEFAULT_PICTURE if plot else None)
    for player in players:
        close_player(make_player(player, rules, tablebase))  # a wrong player or name of a picture is told at once
    if picture is not None:
        new_figure(picture, 1)
    questions = find_questions(rules, positions, tablebase, seed or 0, shown, nodes)
    grades = [
        find_grade(player, rules, positions, tablebase, seed or 0, workers, shown, questions) for player in players
    ]
    comparisons = [compare(grades[0], other, seed or 0) for other in grades[1:]]
    if picture is not None:
        plot_grades(grades, picture)
        if shown:
            typer.echo(str(picture), err=True)
    if json:
        both = {"grades": [each.as_dict() for each in grades], "comparisons": [each.as_dict() for each in comparisons]}
        typer.echo(json_module.dumps(both if comparisons else grades[0].as_dict()))
        return
    typer.echo("\n\n".join(map(str, grades)))
    if comparisons:
        typer.echo("\n".join(["", *map(str, comparisons)]))
