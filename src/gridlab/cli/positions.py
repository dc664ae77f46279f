"""`gridlab census`, `states`, `lines` and `show`: what positions a game has."""

import sys
from typing import Annotated, Literal

import typer

from gridlab.cli.options import Game, Json, Out, Quiet, Workers, bits, print_boards, print_result, set_quiet
from gridlab.core.errors import BadNotation


def census(game: Game, json: Json = False, quiet: Quiet = False, workers: Workers = None) -> None:
    """Count every legal position of a game.

    By ply, by outcome and up to symmetry, on boards of up to 25 cells.
    """
    from gridlab.exact.census import census
    from gridlab.games import game as find_game

    set_quiet(quiet)
    print_result(census(find_game(game, "mnk"), workers, progress=not quiet), json)


def states(
    game: Game,
    canonical: Annotated[bool, typer.Option("--canonical", help="One position of each symmetry class.")] = False,
    outcome: Annotated[
        Literal["all", "ongoing", "x", "o", "draw", "not-won"],
        typer.Option("--outcome", help="Only these: going on, won by X or O, drawn, not won by anybody."),
    ] = "all",
    out: Out = None,
    quiet: Quiet = False,
    workers: Workers = None,
) -> None:
    """List every legal position as CSV.

    The columns are ply,crosses,noughts,board,outcome. Games with more than 100 million positions are counted only.
    """
    from gridlab.core.files import whole_file
    from gridlab.datasets.states import write_states
    from gridlab.games import game as find_game

    set_quiet(quiet)
    rules = find_game(game, "mnk")
    if out is None:
        write_states(rules, sys.stdout.buffer, canonical, outcome, workers, progress=not quiet)
        return
    with whole_file(out) as file:
        count = write_states(rules, file, canonical, outcome, workers, progress=not quiet)
    if not quiet:
        typer.echo(f"{out}: {count:,} positions, {file.size:,} bytes, sha256 {file.sha256}", err=True)


def lines(game: Game, json: Json = False) -> None:
    """Draw the lines that win and lose.

    For each class of symmetric lines the base mask of either player, then all its lines, the base first. Above each
    stands the number that `terminals export` and `terminals find` know it by.
    """
    from gridlab.games import game as find_game
    from gridlab.games.mnk.line_classes import LineReport

    print_boards(LineReport(find_game(game, "mnk")), json)


def show(
    game: Game,
    board: Annotated[str, typer.Argument(help="Such as X.O/.X./O.X; the empty board by default.")] = "",
    play: Annotated[str, typer.Option("--play", metavar="MOVES", help='Moves to make first, such as "22 11 33".')] = "",
    crosses: Annotated[
        int | None,
        typer.Option("--crosses", metavar="BITS", parser=bits, help="The X as a number: 0b101100001, 353 or 0x161."),
    ] = None,
    noughts: Annotated[
        int | None,
        typer.Option("--noughts", metavar="BITS", parser=bits, help="The O likewise; bit 0 is top left."),
    ] = None,
    json: Json = False,
) -> int:
    """Draw a position and tell what it is.

    Legal or why not, outcome, bitboards, canonical form. Exit code 1 if no game leads to it.
    """
    from gridlab.games import game as find_game
    from gridlab.games.mnk.legality import find_board_flaw
    from gridlab.games.mnk.position import Position
    from gridlab.games.mnk.report import NoPosition, PositionReport

    rules = find_game(game, "mnk")
    if board and (crosses or noughts):
        raise BadNotation("a board is given either as text or as --crosses and --noughts, not both")
    if flaw := find_board_flaw(crosses or 0, noughts or 0, rules):
        print_boards(NoPosition(rules, crosses or 0, noughts or 0, flaw), json)
        return 1
    position = Position.parse(board, rules) if board else Position(rules, crosses or 0, noughts or 0)
    for move in play.split():
        position = position.play(move)
    print_boards(PositionReport(position), json)
    return 1 if position.flaw() else 0
