"""Jobs as the worker of a cluster sees them: unpacked, carried out, and sent back with whatever came of it.

    Carried      all results and how long they took, or those up to the job that has raised an error, and the error
    Missing      files that have not come; they are sent, and the same order comes again
    Stranger     this worker has another version of something, and has not begun
    Halted       the run was stopped

Trouble of this machine alone, such as a full disk, is raised: Dask gives the order to another worker.
"""

import hashlib
import pickle
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from gridlab.core.errors import GridlabError
from gridlab.core.passport import Passport, differences, passport
from gridlab.core.stop import Stop, stop_flag, working
from gridlab.core.travel import Luggage, Wanted, travelling

FOLDER = "gridlab-files"  # in a worker's own temporary folder
ABSENT = "absent"  # in it: what stands for files that are not there at home either

_STOPS: WeakValueDictionary[str, Stop] = WeakValueDictionary()  # of the runs being worked at, by their names


class Order(NamedTuple):
    """Jobs to be carried out."""

    run: str
    passport: Passport  # of who gave it
    files: Mapping[str, str]  # name at home -> SHA-256; empty if there is no such file
    variables: Mapping[str, str]
    work: bytes  # a function and its jobs, pickled


class Carried(NamedTuple):
    results: list[Any]
    seconds: float
    error: Exception | None  # of the job after these


class Missing(NamedTuple):
    files: tuple[str, ...]


class Stranger(NamedTuple):
    address: str
    flaws: list[str]


class Halted(NamedTuple):
    pass


def carry_out(order: Order) -> Carried | Missing | Stranger | Halted:
    """All jobs of an order, one after the other, in the thread of a worker."""
    from distributed import get_worker

    if flaws := differences(passport(), order.passport):
        return Stranger(get_worker().address, flaws)
    folder = folder_of(get_worker())
    files = {name: folder / (digest or ABSENT) for name, digest in order.files.items()}
    if lost := tuple(name for name, digest in order.files.items() if digest and not files[name].exists()):
        return Missing(lost)
    stop = _STOPS.setdefault(order.run, stop_flag())
    begun, results, broken = time.monotonic(), [], None
    try:
        with working(stop), travelling(Luggage(files, order.variables)):
            function, jobs = pickle.loads(order.work)
            for job in jobs:
                results.append(function(job))
    except Wanted as wanted:
        return Missing((str(wanted),))
    except KeyboardInterrupt:
        return Halted()
    except (OSError, MemoryError):
        raise
    except Exception as error:
        broken = _able_to_travel(error)
    return Carried(results, time.monotonic() - begun, broken)


def _able_to_travel(error: Exception) -> Exception:
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # whatever a class of somebody else's may do
        return GridlabError(f"{type(error).__name__}: {error}")
    return error


def halt(run: str) -> None:
    """Stop what this worker does for a run."""
    if (stop := _STOPS.get(run)) is not None:
        stop[0] = 1


def folder_of(worker: Any) -> Path:
    """Where a worker keeps what it was sent; it goes when the worker does."""
    return Path(worker.local_directory) / FOLDER


def lacking(digest: str, dask_worker: Any) -> bool:
    """Whether a worker has not got a file."""
    return not (folder_of(dask_worker) / digest).exists()


def receive(digest: str, sender: str, offset: int, data: bytes, dask_worker: Any) -> bool:
    """Write a part of a file; after the last one (offset -1) the file takes its place, if it is what it should be."""
    folder = folder_of(dask_worker)
    part = folder / f"{digest}.{sender}.part"
    if offset >= 0:
        folder.mkdir(mode=0o700, exist_ok=True)
        with part.open("r+b" if offset else "wb") as file:
            file.seek(offset)
            file.write(data)
        return True
    with part.open("rb") as file:
        whole = hashlib.file_digest(file, "sha256").hexdigest() == digest
    if whole:
        part.replace(folder / digest)
    else:
        part.unlink()
    return whole
