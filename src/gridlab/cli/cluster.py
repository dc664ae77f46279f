"""`gridlab cluster`: how to start a Dask cluster, and whether one is fit for the work."""

import json as json_module
from typing import Annotated

import typer

from gridlab.cli.options import Json, address, print_result

SCHEDULER = "dask scheduler --host HOST --port 8786"
WORKERS = "dask worker tcp://HOST:8786 --nworkers -1 --nthreads 1"


def cluster(
    scheduler: Annotated[
        str | None, typer.Argument(metavar="[ADDRESS]", parser=address, help="Of a scheduler: tcp://HOST:8786.")
    ] = None,
    json: Json = False,
) -> int:
    """The two commands that start a cluster; with an address, whether it is fit for the work.

    Workers, their versions, the way there and back, a small job. Exit code 1 if a worker does not fit.
    """
    if scheduler is None:
        typer.echo(
            json_module.dumps({"scheduler": SCHEDULER, "workers": WORKERS})
            if json
            else f"on one machine, HOST       {SCHEDULER}\n"
            f"on each, a worker a core   {WORKERS}\n"
            "then                       gridlab cluster tcp://HOST:8786"
        )
        return 0
    from gridlab.arena.visit import visit

    found = visit(scheduler)
    print_result(found, json)
    return 0 if found.good else 1
