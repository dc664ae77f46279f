"""`gridlab tour`."""

from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from gridlab.cli.options import Quiet, out_folder, set_quiet, warn
from gridlab.core.errors import FileTrouble


def tour(
    out: Annotated[
        Path,
        out_folder("The folder for the report and its files."),
    ] = Path("tour"),
    quiet: Quiet = False,
) -> int:
    """See a small, real example of everything in two minutes, with an illustrated report.

    Files of an earlier tour in the folder are used again. If one part fails the others still run, and the exit code is
    1.
    """
    from gridlab import cli
    from gridlab.cli.warm_jobs import JOBS, TOUR
    from gridlab.core.warming import warm
    from gridlab.tour.onward import next_commands
    from gridlab.tour.run import REPORT, take_tour

    set_quiet(quiet)
    with suppress(FileTrouble):  # nowhere to keep compiled kernels: they are compiled on the way
        warm([job for job in JOBS if job.name in TOUR], cli.run, progress=not quiet)
    failed = []
    for visit in take_tour(
        out, lambda number, of, step: typer.echo(f"{number}/{of} {step.name}: {step.doing}"), not quiet
    ):
        told = visit.shown.line if visit.shown else f"this did not work: {visit.error}"
        typer.echo("".join(f"    {line}\n" for line in told.splitlines()))
        failed += [visit.step.name] if visit.error else []
    typer.echo(f"{out / REPORT} shows it all: open it in a browser. What to type next:\n")
    for each in next_commands():
        typer.echo(f"    {each.command}\n        {each.about}")
    if failed:
        warn(f"failed: {', '.join(failed)}")
    return 1 if failed else 0
