"""`gridlab cluster`: how to start a Dask cluster, and whether one is fit for the work."""

import json as json_module
from typing import Annotated

import typer

from gridlab.cli.options import Json, address, print_result

SCHEDULER = "dask scheduler --host HOST --port 8786"
WORKERS = "dask worker tcp://HOST:8786 --nworkers -1 --nthreads 1"


def cluster(
    scheduler: Annotated[
        str | None,
        typer.Argument(metavar="[ADDRESS]", parser=address, help="The address of a scheduler, tcp://HOST:8786."),
    ] = None,
    json: Json = False,
) -> int:
    """Show the two commands that start a Dask cluster; with an address, test that cluster.

    The test looks at the workers, their versions and the connection, and runs a small job. The exit code is 1 if a
    worker cannot be used.
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
    from gridlab.arena.visit import visit

    found = visit(scheduler)
    print_result(found, json)
    return 0 if found.good else 1
