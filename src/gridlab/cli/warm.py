"""`gridlab warm`: everything compiled ahead."""

from typing import Annotated

import typer

from gridlab.cli.options import Json, Quiet, Workers, print_result, set_quiet


def warm(
    workers: Workers = None,
    anew: Annotated[
        bool, typer.Option("--anew", help="Check everything again, even what is known to be compiled.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compile everything now, on all cores, so that no later command has to wait."""
    from gridlab import cli
    from gridlab.cli.warm_jobs import JOBS
    from gridlab.core.warming import warm as compile_ahead

    set_quiet(quiet)
    print_result(compile_ahead(JOBS, cli.run, workers, not quiet, anew), json)
