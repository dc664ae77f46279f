"""`gridlab census`, `states`, `lines`, `show`, `solve` and `best-first`: questions about positions."""

import sys
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from gridlab.cli import options
from gridlab.cli.options import Json, Positive, Quiet, Workers, print_boards, print_result, tell, warn
from gridlab.core.arguments import counted
from gridlab.core.errors import BadNotation, BadPlayer, GridlabError
from gridlab.games import game as find_game

if TYPE_CHECKING:
    from gridlab.inarow.datasets.best_first import Answer
    from gridlab.inarow.search.best_first import Start


# ---- `gridlab solve`: the exact answer for one position


def solve(
    game: options.Game,
    board: str = "", value_only: bool = False, nodes: Positive | None = None,
    seconds: Annotated[float, options.real(0)] | None = None, tablebase: options.Table = None, prove: bool = False,
    player: str | None = None, search_only: bool = False, json: Json = False, quiet: Quiet = False,
) -> None:  # fmt: skip
    """Find the exact value of a position and of every move, and the best line.

    Values come from a tablebase (--tablebase, or the environment variable GRIDLAB_TABLEBASE), from the tables that come
    with the package, or from alpha-beta search. A search that reaches its limit says what it knows so far.

    With --prove a forced win is proved or refuted, and the proof is checked by the rules.

    [BOARD]                 A board such as X.O/.X./...; the empty board by default.
    --value-only            Find only win, draw or loss, without distances; faster.
    --nodes N               Stop after N positions.
    --seconds S             Stop after S seconds.
    --prove                 Find only whether the player to move can force a win, by proof-number search.
    --player TEXT           Also show how this player finds its move, such as "dqn-minimax depth=4" (squava).
    --search-only --search  Search by alpha-beta even where a table knows the answer.
    """
    from gridlab.core.progress import bar
    from gridlab.inarow.exact.oracle import Oracle
    from gridlab.inarow.position import Position
    from gridlab.inarow.solution import Budget

    rules = find_game(game, "mnk")
    position = Position.parse(board, rules) if board else Position(rules)
    options.tell_reading(board, quiet)
    if prove:
        print_result(proof_of(position, Budget(nodes, seconds), not quiet), json)
        return
    oracle = Oracle(rules, Budget(nodes, seconds), search_only=search_only, tablebase=tablebase)
    with bar(len(position.moves()), f"solving {rules}", "moves", not quiet) as shown:

        def see(moves: int, nodes: int) -> None:
            shown.set_postfix_str(f"{nodes:,} nodes", refresh=False)
            shown.update(moves - shown.n)

        found = oracle.ask(position, value_only, see)
    if player is None:
        print_boards(found, json)
    else:
        told = report_by(player, position)
        exact = found.as_dict() | {"player": player, "report": told.as_dict()}
        if json:
            typer.echo(dumps(exact))
        else:
            print_boards(f"{found}\n\n{player}\n{told}")
    tell(f"by {found.source}", quiet)


def report_by(player: str, position: Any) -> Any:
    """How a player finds its move, if it is of those that can say so."""
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
    from gridlab.core.progress import bar
    from gridlab.inarow.search.proof_number import prove

    with bar(budget.nodes, f"proving {position.rules}", "nodes", shown) as done:
        proof = prove(position, budget, lambda nodes: done.update(nodes - done.n))
        done.total = done.n  # it ends here, whatever was allowed
    if proof.result == "proved":
        flaw = proof.flaw()
        if flaw is not None:
            raise GridlabError(f"the proof found is none: {flaw}; this is a fault of gridlab, please report it")
        tell("the proof was checked by the rules against every reply", not shown)
    return proof


# ---- `gridlab best-first`: a line that wins, from a board in a file


def best_first(
    board: Annotated[Path, options.named, options.Also("show_default", True)] = Path("input.txt"),
    steps: Annotated[Path, options.named] | None = None, out: Annotated[Path, options.named] | None = None,
    max_expansions: Positive | None = None, forced: bool = False, both: bool = False, json: Json = False,
    quiet: Quiet = False,
) -> None:  # fmt: skip
    """Search for a line of moves that wins, always continuing from the position that looks best.

    The game is n in a row on an n×n board. A position looks the better the more lines are open to us and the fewer to
    the opponent. The search chooses the moves of both sides, so the line is cooperative: the opponent would have to
    allow it. The player in the last line of the input is to move, whatever the counts of stones say. For a folder of
    inputs the answers are printed as a table, and --steps and --out are folders, steps and output by default.

    [INPUT]                 A file with the size, the rows of X, O and ., and the player to move; - for standard input;
                            or a folder of such files.
    --steps FILE            The file for every step of the search; steps.txt by default.
    -o --out --output FILE  The file for the answer; output.txt by default.
    --max-expansions N      Stop after N expansions, 100,000 by default; with --forced after N positions, 10,000,000 by
                            default.
    --forced                Prove or refute a forced win instead, one that no defence can prevent.
    --both                  Give both answers side by side.
    """
    from gridlab.inarow.datasets import best_first as question

    if forced and both:
        raise BadNotation("--forced and --both exclude each other; choose one")

    many = board.is_dir()
    usual = ("steps", "output") if many else ("steps.txt", "output.txt")
    steps, output = steps or Path(usual[0]), out or Path(usual[1])

    def ask(start: "Start", path: Path, steps: Path, output: Path) -> "Answer":
        warn_off_turn(start, f"{path}: " if many else "", quiet)
        return question.ask(start, steps, output, max_expansions, forced, both, not quiet)

    if many:
        summary = question.answer_folder(board, steps, output, ask)
        print_result(summary, json)
    else:
        question.check_places(None if question.is_standard_input(board) else board, steps, output)
        print_boards(ask(question.read_or_fail(board, steps, output), board, steps, output), json)
    tell(f"{steps}, {output}", quiet)
    if many and summary.failed:
        raise BadNotation(
            f"{len(summary.failed)} of {counted(len(summary.rows), 'input')} could not be read; the table says why"
        )


def warn_off_turn(start: "Start", where: str, quiet: bool) -> None:
    """Say where the counts of stones would give the turn to somebody else."""
    from gridlab.inarow.datasets.best_first import off_turn

    if (remark := off_turn(start)) and not quiet:
        warn(f"{where}{remark}")


# ---- `gridlab census`, `states`, `lines` and `show`: what positions a game has


def census(game: options.Game, json: Json = False, quiet: Quiet = False, workers: Workers = None) -> None:
    """Count every legal position of a game: by ply, by outcome and up to symmetry.

    Boards may have up to 25 cells.
    """
    from gridlab.inarow.exact.census import census

    print_result(census(find_game(game, "mnk"), workers, progress=not quiet), json)


def states(
    game: options.Game, canonical: bool = False,
    outcome: Literal["all", "ongoing", "x", "o", "draw", "not-won"] = "all", out: options.Out = None,
    quiet: Quiet = False, workers: Workers = None,
) -> None:  # fmt: skip
    """List every legal position as CSV.

    The columns are ply,crosses,noughts,board,outcome. Games with more than 100 million positions are
    refused; `gridlab census` counts them.

    --canonical     List one position of each symmetry class.
    --outcome       Only positions that are ongoing, won by X or O, drawn, or not won.
    """
    from gridlab.core.files import whole_file
    from gridlab.inarow.exact.states import write_states

    rules = find_game(game, "mnk")
    if out is None:
        write_states(rules, sys.stdout.buffer, canonical, outcome, workers, progress=not quiet)
        return
    with whole_file(out) as file:
        count = write_states(rules, file, canonical, outcome, workers, progress=not quiet)
    tell(f"{out}: {counted(count, 'position')}, {file.size:,} bytes, sha256 {file.sha256}", quiet)


def lines(game: options.Game, json: Json = False) -> None:
    """Draw the winning and losing lines of a game.

    Each class of symmetric lines shows its base mask for either player, then all its lines, the base first. The number
    above a line is the one that `terminals export` and `terminals find` use.
    """
    from gridlab.inarow.lines import LineReport

    print_boards(LineReport(find_game(game, "mnk")), json)


Bits = Annotated[int, options.bits, options.Also("show_default", False)]


def show(
    game: options.Game, board: Annotated[str, options.Also("show_default", False)] = "", play: str = "",
    crosses: Bits = 0, noughts: Bits = 0, json: Json = False,
) -> int:  # fmt: skip
    """Draw a position and describe it: legality, outcome, bitboards, canonical form.

    A board can be written as rows, X.O/.X./O.X, as one run of letters, xo__oxxox, or as a list of numbers,
    [1,2,0,0,2,1,1,2,1]: 1 is X and 2 is O, or the other way round if the counts of stones fit only that; the output
    says which. The exit code is 1 if no game can lead to the position.

    [BOARD]         A board such as X.O/.X./O.X; the empty board by default.
    --play MOVES    Moves to make first, such as "22 11 33".
    --crosses BITS  All X as one number: 0b101100001, 353 or 0x161.
    --noughts BITS  All O as one number; bit 0 is the top left cell.
    """
    from gridlab.games.grid import reading_of
    from gridlab.inarow.position import NoPosition, Position, PositionReport, find_board_flaw

    rules = find_game(game, "mnk")
    if board and (crosses or noughts):
        raise BadNotation("a board is given either as text or as --crosses and --noughts, not both")
    if flaw := find_board_flaw(crosses, noughts, rules):
        print_boards(NoPosition(rules, crosses, noughts, flaw), json)
        return 1
    position = Position.parse(board, rules) if board else Position(rules, crosses, noughts)
    for move in play.split():
        position = position.play(move)
    print_boards(PositionReport(position, reading_of(board)), json)
    return 1 if position.flaw() else 0
