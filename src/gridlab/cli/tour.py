"""`gridlab tour`."""

import typer

from gridlab.cli.options import Quiet, hush


def tour(quiet: Quiet = False) -> None:
    """A small run of everything, with its report."""
    from gridlab.tour import tour

    hush(quiet)
    for stop in tour():
        typer.echo(stop)
