"""The jobs of one call on a cluster: sent in batches of about a second, begun again where needed, in order.

A batch that has ended several workers is tried once more, job by job, with nothing else on its way; a job that does it
again is named. Whatever a job raises comes in its turn, after the results of the jobs before it, as on one machine.
"""

import hashlib
import pickle
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple
from uuid import uuid4
from weakref import WeakValueDictionary

from gridlab.core.errors import ClusterTrouble, GridlabError
from gridlab.core.fingerprint import Fingerprint, differences, fingerprint
from gridlab.core.signals import check
from gridlab.core.stop import Stop, stop_flag, working
from gridlab.core.travel import Attachments, Wanted, travelling
from gridlab.core.workers import STEP, Job, Result

if TYPE_CHECKING:
    from gridlab.core.cluster import Cluster


# ---- Jobs as the worker of a cluster sees them: unpacked, carried out, and sent back with whatever came of it
#
#     Carried      all results and how long they took, or those up to the job that has raised an error, and the error
#     Missing      files that have not come; they are sent, and the same order comes again
#     Mismatch     this worker has another version of something, and has not begun
#     Halted       the run was stopped
#
# Trouble of this machine alone, such as a full disk, is raised: Dask gives the order to another worker.


FOLDER = "gridlab-files"  # in a worker's own temporary folder
ABSENT = "absent"  # in it: what stands for files that are not there at home either

_STOPS: WeakValueDictionary[str, Stop] = WeakValueDictionary()  # of the runs being worked at, by their names


class Order(NamedTuple):
    """Jobs to be carried out."""

    run: str
    fingerprint: Fingerprint  # of who gave it
    files: Mapping[str, str]  # name at home -> SHA-256; empty if there is no such file
    variables: Mapping[str, str]
    work: bytes  # a function and its jobs, pickled


class Carried(NamedTuple):
    results: list[Any]
    seconds: float
    error: Exception | None  # of the job after these


class Missing(NamedTuple):
    files: tuple[str, ...]


class Mismatch(NamedTuple):
    address: str
    flaws: list[str]


class Halted(NamedTuple):
    pass


def carry_out(order: Order) -> Carried | Missing | Mismatch | Halted:
    """All jobs of an order, one after the other, in the thread of a worker."""
    from distributed import get_worker

    if flaws := differences(fingerprint(), order.fingerprint):
        return Mismatch(get_worker().address, flaws)
    folder = folder_of(get_worker())
    files = {name: folder / (digest or ABSENT) for name, digest in order.files.items()}
    if lost := tuple(name for name, digest in order.files.items() if digest and not files[name].exists()):
        return Missing(lost)
    with working(_STOPS.setdefault(order.run, stop_flag())), travelling(Attachments(files, order.variables)):
        return _carried(order.work)


def _carried(work: bytes) -> Carried | Missing | Halted:
    begun, results, broken = time.monotonic(), [], None
    try:
        function, jobs = pickle.loads(work)
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


# ---- The jobs of one call on a cluster: sent in batches of about a second, begun again where that is needed, in order


BATCH = 1.0  # seconds of work that are sent together
MOST_JOBS = 64  # in a batch
AHEAD = 2  # batches a core that are sent before the one waited for is done
MOST_MISSES = 20  # of a batch, which may need several files and meet several new workers


@dataclass
class Batch(Generic[Job, Result]):
    """Some jobs that travel together, and what has become of them."""

    first: int  # the number of the first job
    jobs: list[Job]
    future: "Future[Any] | None" = None
    results: list[Result] | None = None
    error: Exception | None = None  # of the job after these results: raised in its turn, as on one machine
    suspect: bool = False  # workers have died of it, or beside it
    misses: int = 0  # how often a worker has missed a file


class ClusterRun(Generic[Job, Result]):
    """The jobs of one call, on their way."""

    def __init__(
        self, cluster: "Cluster", function: Callable[[Job], Result], jobs: Iterable[Job], name: Callable[[Job], str]
    ) -> None:
        self.cluster, self.function, self.name = cluster, function, name
        self.id, self.tasks = uuid4().hex, cluster.tasks()
        self._jobs, self._sent = iter(jobs), 0
        self._waiting: deque[Batch[Job, Result]] = deque()
        self._pace = 0.0  # seconds a job, as the latest batch has shown; 0 before

    def results(self) -> Iterator[Result]:
        while self._fill():
            self._look()
            if (results := self._waiting[0].results) is not None:
                batch = self._waiting.popleft()
                yield from results
                if batch.error is not None:
                    raise batch.error
                continue
            wait([each.future for each in self._waiting if each.future], timeout=STEP, return_when=FIRST_COMPLETED)
            check()
            self.cluster.require_alive()

    def cancel(self) -> None:
        self.cluster.stop(self.id, self.tasks)

    def _fill(self) -> bool:
        """Send as much as may be on its way, but a suspect all alone; whether anything is to be waited for."""
        if suspects := [each for each in self._waiting if each.suspect and each.results is None]:
            if not any(each.future for each in self._waiting):
                self._send(suspects[0])
            return True
        while len(self._waiting) < AHEAD * self.cluster.cores and not any(each.error for each in self._waiting):
            size = min(MOST_JOBS, max(1, int(BATCH / self._pace))) if self._pace else 1
            jobs = list(islice(self._jobs, size))
            if not jobs:
                break
            batch: Batch[Job, Result] = Batch(self._sent, jobs)
            self._sent += len(jobs)
            self._waiting.append(batch)
            self._send(batch)
        return bool(self._waiting)

    def _send(self, batch: Batch[Job, Result]) -> None:
        order = self.cluster.order(self.id, self.function, batch.jobs)
        batch.future = self.tasks.submit(carry_out, order)

    def _look(self) -> None:
        """See to all batches that have ended in one way or another."""
        for batch in [each for each in self._waiting if each.future and each.future.done()]:
            future, batch.future = batch.future, None
            assert future is not None
            try:
                self._take(batch, future.result())
            except CancelledError as error:  # as the client does with all it has sent when the connection is lost
                raise self.cluster.gone() from error
            except self.cluster._library.KilledWorker as death:
                self._try_again(batch, death)
            except GridlabError:
                raise
            except (OSError, MemoryError, ImportError, AttributeError) as error:  # of their machines, again and again
                raise ClusterTrouble(
                    f"{self._named(batch)} fails on workers: {type(error).__name__}: {error}"
                ) from error

    def _named(self, batch: Batch[Job, Result]) -> str:
        return f"job {batch.first + 1}, {self.name(batch.jobs[0])},"

    def _take(self, batch: Batch[Job, Result], said: Any) -> None:
        if isinstance(said, Missing):
            batch.misses += 1
            if batch.misses > MOST_MISSES:
                raise ClusterTrouble(f"{said.files[0]} does not arrive at workers; look whether their disks are full")
            self.cluster.send(said.files)
            self._send(batch)
        elif isinstance(said, Carried):
            batch.results, batch.error = said.results, said.error
            self._pace = said.seconds / len(batch.jobs)
        elif isinstance(said, Mismatch):
            raise ClusterTrouble(f"the worker {said.address}, which has come later, {'; '.join(said.flaws)}")
        else:
            assert isinstance(said, Halted)
            raise ClusterTrouble(f"a worker of {self.cluster.address} was told to stop; repeat the command")

    def _try_again(self, batch: Batch[Job, Result], death: Any) -> None:
        """Once more, job by job, with nothing beside it: it may be innocent, and others have ended its workers."""
        if batch.suspect:
            raise ClusterTrouble(
                f"{self._named(batch)} ends every worker that begins it, the last was {death.last_worker.address}; "
                "look into its log, or at its memory"
            ) from death
        place = self._waiting.index(batch)
        del self._waiting[place]
        for offset, job in enumerate(batch.jobs):
            alone: Batch[Job, Result] = Batch(batch.first + offset, [job], suspect=True)
            self._waiting.insert(place + offset, alone)
