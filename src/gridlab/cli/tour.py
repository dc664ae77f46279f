"""`gridlab tour`."""

from contextlib import suppress

import typer

from gridlab.cli.options import Quiet, set_quiet
from gridlab.core.errors import FileTrouble


def tour(quiet: Quiet = False) -> None:
    """A small run of everything, with its report."""
    from gridlab import cli
    from gridlab.cli.warm_jobs import JOBS, TOUR
    from gridlab.core.warming import warm
    from gridlab.tour import tour

    set_quiet(quiet)
    with suppress(FileTrouble):  # nowhere to keep compiled kernels: they are compiled on the way
        warm([job for job in JOBS if job.name in TOUR], cli.run, progress=not quiet)
    for stop in tour():
        typer.echo(stop)
