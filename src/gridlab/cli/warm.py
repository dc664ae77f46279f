"""`gridlab warm`: everything compiled ahead."""

from typing import Annotated

import typer

from gridlab.cli.options import Json, Quiet, Workers, print_result, set_quiet


def warm(
    workers: Workers = None,
    anew: Annotated[bool, typer.Option("--anew", help="Look at everything again, whatever is known.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compile everything that commands need, on all cores, so that none of them has to later."""
    from gridlab import cli
    from gridlab.cli.warm_jobs import JOBS
    from gridlab.core.warming import warm as compile_ahead

    set_quiet(quiet)
    print_result(compile_ahead(JOBS, cli.run, workers, not quiet, anew), json)
