"""`gridlab solve`: the exact answer for one position."""

from json import dumps
from typing import Annotated, Any

import typer

from gridlab.cli.options import (
    Game,
    Json,
    Quiet,
    Table,
    print_boards,
    print_result,
    real,
    set_quiet,
    tell_reading,
    whole,
)


def solve(
    game: Game,
    board: Annotated[
        str, typer.Argument(metavar="[BOARD]", help="A board such as X.O/.X./...; the empty board by default.")
    ] = "",
    value_only: Annotated[
        bool, typer.Option("--value-only", help="Find only win, draw or loss, without distances; faster.")
    ] = False,
    nodes: Annotated[
        int | None, typer.Option("--nodes", metavar="N", parser=whole(1), help="Stop after N positions.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option("--seconds", metavar="S", parser=real(0), help="Stop after S seconds.")
    ] = None,
    tablebase: Table = None,
    prove: Annotated[
        bool,
        typer.Option("--prove", help="Find only whether the player to move can force a win, by proof-number search."),
    ] = False,
    player: Annotated[
        str | None,
        typer.Option(
            "--player",
            metavar="TEXT",
            help='Also show how this player finds its move, such as "dqn-minimax depth=4" (squava).',
        ),
    ] = None,
    search_only: Annotated[
        bool,
        typer.Option("--search-only", "--search", help="Search by alpha-beta even where a table knows the answer."),
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find the exact value of a position and of every move, and the best line.

    Values come from a tablebase (--tablebase, or the environment variable GRIDLAB_TABLEBASE), from the tables that come
    with the package, or from alpha-beta search. A search that reaches its limit says what it knows so far.

    With --prove a forced win is proved or refuted, and the proof is checked by the rules.
    """
    from gridlab.core.progress import bar
    from gridlab.exact.oracle import Oracle
    from gridlab.games import game as find_game
    from gridlab.games.mnk.position import Position
    from gridlab.search.budget import Budget

    set_quiet(quiet)
    rules = find_game(game, "mnk")
    position = Position.parse(board, rules) if board else Position(rules)
    tell_reading(board, quiet)
    if prove:
        print_result(proof_of(position, Budget(nodes, seconds), not quiet), json)
        return
    oracle = Oracle(rules, Budget(nodes, seconds), search_only=search_only, tablebase=tablebase)
    with bar(len(position.moves()), f"solving {rules}", "moves", not quiet) as shown:

        def tell(moves: int, nodes: int) -> None:
            shown.set_postfix_str(f"{nodes:,} nodes", refresh=False)
            shown.update(moves - shown.n)

        found = oracle.ask(position, value_only, tell)
    if player is None:
        print_boards(found, json)
    else:
        told = report_by(player, position)
        exact = found.as_dict() | {"player": player, "report": told.as_dict()}
        if json:
            typer.echo(dumps(exact))
        else:
            print_boards(f"{found}\n\n{player}\n{told}")
    if not quiet:
        typer.echo(f"by {found.source}", err=True)


def report_by(player: str, position: Any) -> Any:
    """How a player finds its move, if it is of those that can say so."""
    from gridlab.core.errors import BadPlayer
    from gridlab.players.registry import close_player, make_player

    asked = make_player(player, position.rules)
    try:
        if not callable(report := getattr(asked, "report", None)):
            raise BadPlayer(f"{player!r} cannot tell how it finds its moves; dqn-minimax can")
        return report(position)
    finally:
        close_player(asked)


def proof_of(position: Any, budget: Any, shown: bool) -> Any:
    """A forced win proved or refuted, the proof checked."""
    from gridlab.core.errors import GridlabError
    from gridlab.core.progress import bar
    from gridlab.search.mnk.proof_number import prove

    with bar(budget.nodes, f"proving {position.rules}", "nodes", shown) as done:
        proof = prove(position, budget, lambda nodes: done.update(nodes - done.n))
        done.total = done.n  # it ends here, whatever was allowed
    if proof.result == "proved":
        flaw = proof.flaw()
        if flaw is not None:
            raise GridlabError(f"the proof found is none: {flaw}; this is a fault of gridlab, please report it")
        if shown:
            typer.echo("the proof was checked by the rules against every reply", err=True)
    return proof
