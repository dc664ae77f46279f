"""`gridlab best-first`: a line that wins, from a board in a file."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gridlab.cli.options import Json, Quiet, print_result, set_quiet, source, target, whole

if TYPE_CHECKING:
    from gridlab.datasets.best_first.report import Prover

MAX_POSITIONS = 10_000_000  # where a proof stops by default


def best_first(
    board: Annotated[
        Path,
        typer.Argument(
            metavar="[INPUT]", parser=source, help="Size, rows of X, O and ., player to move.", show_default=True
        ),
    ] = Path("input.txt"),
    steps: Annotated[
        Path, typer.Option("--steps", metavar="FILE", parser=target, help="Every expansion goes there.")
    ] = Path("steps.txt"),
    output: Annotated[
        Path, typer.Option("-o", "--out", "--output", metavar="FILE", parser=target, help="The answer, as printed.")
    ] = Path("output.txt"),
    max_expansions: Annotated[
        int | None,
        typer.Option(
            "--max-expansions",
            metavar="N",
            parser=whole(1),
            help="Where to stop: 100,000 by default, with --forced 10,000,000 positions.",
        ),
    ] = None,
    forced: Annotated[
        bool, typer.Option("--forced", help="Prove or refute a win that no defence prevents, instead.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Best-first search for a line that wins on an n×n board with n in a row.

    Always on from the position that looks best: lines open to us less lines open to the opponent. The search chooses
    the moves of both sides, so the line is cooperative: the opponent would have to allow it. The player of the last
    line is to move, whatever the counts of stones say.
    """
    from gridlab.core.progress import bar
    from gridlab.datasets.best_first.input import off_turn, read_start
    from gridlab.datasets.best_first.report import answer, check_places
    from gridlab.search.mnk.best_first import MAX_EXPANSIONS

    set_quiet(quiet)
    check_places(board, steps, output)
    start = read_start(board)
    remark = off_turn(start)
    if remark and not quiet:
        typer.echo(remark, err=True)
    limit = max_expansions or (MAX_POSITIONS if forced else MAX_EXPANSIONS)
    with bar(limit, "searching", "positions", not quiet) as shown:
        prove = prover(limit, lambda nodes: shown.update(nodes - shown.n)) if forced else None
        report = answer(start, steps, output, limit, prove, lambda expansion: shown.update())
    print_result(report, json)
    if not quiet:
        typer.echo(f"{steps}, {output}", err=True)


def prover(nodes: int, tell: Callable[[int], object]) -> "Prover":
    """Depth-first proof-number search that looks at so many positions at most; `tell` hears how many so far."""
    from gridlab.search.budget import Budget
    from gridlab.search.mnk.proof_number import prove_win

    return lambda start: prove_win(start.own, start.other, start.rules, Budget(nodes=nodes), tell=tell)
