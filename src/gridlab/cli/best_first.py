"""`gridlab best-first`: a line that wins, from a board in a file."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gridlab.cli.options import Json, Quiet, named, print_boards, print_result, set_quiet, warn, whole
from gridlab.core.errors import BadNotation

if TYPE_CHECKING:
    from gridlab.datasets.best_first.report import Answer
    from gridlab.search.mnk.best_first import Start


def best_first(
    board: Annotated[
        Path,
        typer.Argument(
            metavar="[INPUT]",
            parser=named,
            help="Size, rows of X, O and ., player to move; - is standard input, a folder every file in it.",
            show_default=True,
        ),
    ] = Path("input.txt"),
    steps: Annotated[
        Path | None,
        typer.Option("--steps", metavar="FILE", parser=named, help="Every expansion goes there: steps.txt."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--out", "--output", metavar="FILE", parser=named, help="The answer, as printed: output.txt."
        ),
    ] = None,
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
    both: Annotated[bool, typer.Option("--both", help="Both answers side by side.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Best-first search for a line that wins on an n×n board with n in a row.

    Always on from the position that looks best: lines open to us less lines open to the opponent. The search chooses
    the moves of both sides, so the line is cooperative: the opponent would have to allow it. The player of the last
    line is to move, whatever the counts of stones say. For a folder of inputs there is a table, and --steps and
    --output are folders, steps and output by default.
    """
    from gridlab.datasets.best_first import question

    set_quiet(quiet)
    if forced and both:
        raise BadNotation("--forced and --both exclude each other; choose one")

    def ask(start: "Start", path: Path, steps: Path, output: Path) -> "Answer":
        return question.ask(start, steps, output, max_expansions, forced, both, not quiet)

    if board.is_dir():
        answer_all(board, steps or Path("steps"), output or Path("output"), ask, json, quiet)
    else:
        answer_one(board, steps or Path("steps.txt"), output or Path("output.txt"), ask, json, quiet)


Ask = Callable[["Start", Path, Path, Path], "Answer"]


def answer_one(board: Path, steps: Path, output: Path, ask: Ask, json: bool, quiet: bool) -> None:
    """One input; what is wrong with it is said in its files too."""
    from gridlab.datasets.best_first.input import is_standard_input, off_turn
    from gridlab.datasets.best_first.report import check_places, read_or_fail

    check_places(None if is_standard_input(board) else board, steps, output)
    start = read_or_fail(board, steps, output)
    remark = off_turn(start)
    if remark and not quiet:
        warn(remark)
    print_boards(ask(start, board, steps, output), json)
    if not quiet:
        typer.echo(f"{steps}, {output}", err=True)


def answer_all(folder: Path, steps: Path, output: Path, ask: Ask, json: bool, quiet: bool) -> None:
    """Every input of a folder, and a table of them."""
    from gridlab.datasets.best_first.folder import answer_folder
    from gridlab.datasets.best_first.input import off_turn

    def tell_and_ask(start: "Start", path: Path, steps: Path, output: Path) -> "Answer":
        if (remark := off_turn(start)) and not quiet:
            warn(f"{path}: {remark}")
        return ask(start, path, steps, output)

    summary = answer_folder(folder, steps, output, tell_and_ask)
    print_result(summary, json)
    if not quiet:
        typer.echo(f"{steps}, {output}", err=True)
    if summary.failed:
        raise BadNotation(f"{len(summary.failed)} of {len(summary.rows)} inputs are wrong; the table says how")
