"""`gridlab tour`, `warm`, `doctor` and `cluster`: first steps, and how an installation stands."""

import json as json_module
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from gridlab.cli import options
from gridlab.cli.options import address, out_folder, print_result, warn
from gridlab.core.errors import FileTrouble

# ---- `gridlab doctor`


def doctor(json: options.Json = False) -> int:
    """Check this installation: versions, extras, compiled kernels, the machine, the files of the package.

    For a missing extra the command that installs it is shown. Start a bug report with this output. The exit code is 1
    if something is wrong.
    """
    from gridlab.tour.doctor import check_up

    found = check_up()
    print_result(found, json)
    return 0 if found.sound else 1


# ---- `gridlab cluster`: how to start a Dask cluster, and whether one is fit for the work


SCHEDULER = "dask scheduler --host HOST --port 8786"
WORKERS = "dask worker tcp://HOST:8786 --nworkers -1 --nthreads 1"


def cluster(scheduler: Annotated[str, address] | None = None, json: options.Json = False) -> int:
    """Show the two commands that start a Dask cluster; with an address, test that cluster.

    The test looks at the workers, their versions and the connection, and runs a small job. The exit code is 1 if a
    worker cannot be used.

    [ADDRESS]   The address of a scheduler, tcp://HOST:8786.
    """
    if scheduler is None:
        typer.echo(
            json_module.dumps({"scheduler": SCHEDULER, "workers": WORKERS})
            if json
            else f"on one machine, HOST         {SCHEDULER}\n"
            f"on each, a worker per core   {WORKERS}\n"
            "then                         gridlab cluster tcp://HOST:8786"
        )
        return 0
    from gridlab.tour.visit import visit

    found = visit(scheduler)
    print_result(found, json)
    return 0 if found.good else 1


# ---- `gridlab warm`: everything compiled ahead


def warm(
    workers: options.Workers = None, anew: bool = False, json: options.Json = False, quiet: options.Quiet = False
) -> None:
    """Compile everything now, on all cores, so that no later command has to wait.

    --anew      Check everything again, even what is known to be compiled.
    """
    from gridlab import cli
    from gridlab.cli.warm_jobs import JOBS
    from gridlab.core.warming import warm as compile_ahead

    print_result(compile_ahead(JOBS, cli.run, workers, not quiet, anew), json)


# ---- `gridlab tour`


def tour(
    out: Annotated[Path, out_folder("The folder for the report and its files.")] = Path("tour"),
    quiet: options.Quiet = False,
) -> int:
    """See a small, real example of everything in two minutes, with an illustrated report.

    Files of an earlier tour in the folder are used again. If one part fails the others still run, and the exit code is
    1.
    """
    from gridlab import cli
    from gridlab.cli.warm_jobs import JOBS, TOUR
    from gridlab.core.warming import warm
    from gridlab.tour.run import REPORT, next_commands, take_tour

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
