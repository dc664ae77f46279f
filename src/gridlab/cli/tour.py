"""`gridlab tour`."""

import typer

from gridlab.cli.options import Quiet, set_quiet


def tour(quiet: Quiet = False) -> None:
    """A small run of everything, with its report."""
    from gridlab.tour import tour

    set_quiet(quiet)
    for stop in tour():
        typer.echo(stop)
