"""`gridlab census`, `states`, `lines` and `show`: what positions a game has."""

import sys
from typing import Annotated, Literal

import typer

from gridlab.cli.options import Game, Json, Out, Quiet, Workers, bits, print_boards, print_result, set_quiet
from gridlab.core.errors import BadNotation
from gridlab.core.numbers import counted


def census(game: Game, json: Json = False, quiet: Quiet = False, workers: Workers = None) -> None:
    """Count every legal position of a game: by ply, by outcome and up to symmetry.

    Boards may have up to 25 cells.
    """
    from gridlab.exact.census import census
    from gridlab.games import game as find_game

    set_quiet(quiet)
    print_result(census(find_game(game, "mnk"), workers, progress=not quiet), json)


def states(
    game: Game,
    canonical: Annotated[bool, typer.Option("--canonical", help="List one position of each symmetry class.")] = False,
    outcome: Annotated[
        Literal["all", "ongoing", "x", "o", "draw", "not-won"],
        typer.Option("--outcome", help="Only positions that are ongoing, won by X or O, drawn, or not won."),
    ] = "all",
    out: Out = None,
    quiet: Quiet = False,
    workers: Workers = None,
) -> None:
    """List every legal position as CSV.

    The columns are ply,crosses,noughts,board,outcome. Games with more than 100 million positions are
    refused; `gridlab census` counts them.
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
        typer.echo(f"{out}: {counted(count, 'position')}, {file.size:,} bytes, sha256 {file.sha256}", err=True)


def lines(game: Game, json: Json = False) -> None:
    """Draw the winning and losing lines of a game.

    Each class of symmetric lines shows its base mask for either player, then all its lines, the base first. The number
    above a line is the one that `terminals export` and `terminals find` use.
    """
    from gridlab.games import game as find_game
    from gridlab.games.mnk.line_classes import LineReport

    print_boards(LineReport(find_game(game, "mnk")), json)


def show(
    game: Game,
    board: Annotated[
        str,
        typer.Argument(
            metavar="[BOARD]", help="A board such as X.O/.X./O.X; the empty board by default.", show_default=False
        ),
    ] = "",
    play: Annotated[str, typer.Option("--play", metavar="MOVES", help='Moves to make first, such as "22 11 33".')] = "",
    crosses: Annotated[
        int | None,
        typer.Option("--crosses", metavar="BITS", parser=bits, help="All X as one number: 0b101100001, 353 or 0x161."),
    ] = None,
    noughts: Annotated[
        int | None,
        typer.Option("--noughts", metavar="BITS", parser=bits, help="All O as one number; bit 0 is the top left cell."),
    ] = None,
    json: Json = False,
) -> int:
    """Draw a position and describe it: legality, outcome, bitboards, canonical form.

    A board can be written as rows, X.O/.X./O.X, as one run of letters, xo__oxxox, or as a list of numbers,
    [1,2,0,0,2,1,1,2,1]: 1 is X and 2 is O, or the other way round if the counts of stones fit only that; the output
    says which. The exit code is 1 if no game can lead to the position.
    """
    from gridlab.games import game as find_game
    from gridlab.games.mnk.legality import find_board_flaw
    from gridlab.games.mnk.position import Position
    from gridlab.games.mnk.report import NoPosition, PositionReport
    from gridlab.games.notation import reading_of

    rules = find_game(game, "mnk")
    if board and (crosses or noughts):
        raise BadNotation("a board is given either as text or as --crosses and --noughts, not both")
    if flaw := find_board_flaw(crosses or 0, noughts or 0, rules):
        print_boards(NoPosition(rules, crosses or 0, noughts or 0, flaw), json)
        return 1
    position = Position.parse(board, rules) if board else Position(rules, crosses or 0, noughts or 0)
    for move in play.split():
        position = position.play(move)
    print_boards(PositionReport(position, reading_of(board)), json)
    return 1 if position.flaw() else 0
