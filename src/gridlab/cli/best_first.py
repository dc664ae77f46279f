"""`gridlab best-first`: a line that wins, from a board in a file."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gridlab.cli.options import Json, Quiet, named, out_file, print_boards, print_result, set_quiet, warn, whole
from gridlab.core.errors import BadNotation
from gridlab.core.numbers import counted

if TYPE_CHECKING:
    from gridlab.datasets.best_first.report import Answer
    from gridlab.search.mnk.best_first import Start


def best_first(
    board: Annotated[
        Path,
        typer.Argument(
            metavar="[INPUT]",
            parser=named,
            help="A file with the size, the rows of X, O and ., and the player to move; - for standard input; or a "
            "folder of such files.",
            show_default=True,
        ),
    ] = Path("input.txt"),
    steps: Annotated[
        Path | None,
        typer.Option(
            "--steps", metavar="FILE", parser=named, help="The file for every step of the search; steps.txt by default."
        ),
    ] = None,
    out: Annotated[Path | None, out_file("The file for the answer; output.txt by default.", named)] = None,
    max_expansions: Annotated[
        int | None,
        typer.Option(
            "--max-expansions",
            metavar="N",
            parser=whole(1),
            help="Stop after N expansions, 100,000 by default; with --forced after N positions, 10,000,000 by default.",
        ),
    ] = None,
    forced: Annotated[
        bool, typer.Option("--forced", help="Prove or refute a forced win instead, one that no defence can prevent.")
    ] = False,
    both: Annotated[bool, typer.Option("--both", help="Give both answers side by side.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Search for a line of moves that wins, always continuing from the position that looks best.

    The game is n in a row on an n×n board. A position looks the better the more lines are open to us and the fewer to
    the opponent. The search chooses the moves of both sides, so the line is cooperative: the opponent would have to
    allow it. The player in the last line of the input is to move, whatever the counts of stones say. For a folder of
    inputs the answers are printed as a table, and --steps and --out are folders, steps and output by default.
    """
    from gridlab.datasets.best_first import question

    set_quiet(quiet)
    if forced and both:
        raise BadNotation("--forced and --both exclude each other; choose one")

    def ask(start: "Start", path: Path, steps: Path, output: Path) -> "Answer":
        return question.ask(start, steps, output, max_expansions, forced, both, not quiet)

    if board.is_dir():
        answer_all(board, steps or Path("steps"), out or Path("output"), ask, json, quiet)
    else:
        answer_one(board, steps or Path("steps.txt"), out or Path("output.txt"), ask, json, quiet)


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
        raise BadNotation(
            f"{len(summary.failed)} of {counted(len(summary.rows), 'input')} could not be read; the table says why"
        )
