"""Work on a Dask cluster: the jobs of one command, shared out among workers on other machines.

    with on_cluster("tcp://10.0.0.1:8786"):
        play_match(…)                       whatever gridlab.core.run shares out, and can travel, runs there

Workers share no disk with us and may die. So jobs are sent in batches of about a second, and can be run again; results
come in the order of the jobs, and hang on nothing but the job. A worker that misses a file
says so, is sent the file, checked by its SHA-256, and the batch begins again (gridlab.core.run.here). Before any work
every worker must show that it has our version of everything, and each batch asks that of whoever has come later.
"""

import asyncio
import hashlib
import logging
import os
import pickle
import platform
import socket
import ssl
import struct
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from pathlib import Path
from typing import Any, Generic, NamedTuple
from uuid import uuid4
from weakref import WeakSet, WeakValueDictionary

import gridlab
from gridlab.core import run
from gridlab.core.arguments import typed
from gridlab.core.errors import ClusterTrouble, FileTrouble, GridlabError
from gridlab.core.files import RESULTS_VERSION, sha256_of
from gridlab.core.run import Job, Result, Stop
from gridlab.core.untrusted import open_regular, reason_of, size_of

# ---- What listens at an address, heard before Dask believes it
#
# A scheduler greets whoever connects: the length of a message in eight bytes, then the message, in which it names its
# protocol. Dask sets memory aside for whatever length it is told; so the first bytes of anything else, an SSH banner
# for example, are a length of exabytes. Here nothing is believed but a short greeting of the right kind.


LONGEST = 1 << 16  # bytes of a greeting; some 100 are usual
SIGN = b"pickle-protocol"  # a key that is in every greeting
AGAIN = 0.2  # seconds until a port that was closed is tried again: a scheduler may be starting
HELP = "gridlab cluster says how to start one"


def require_scheduler(address: str, seconds: float, security: ssl.SSLContext | None) -> None:
    """ClusterTrouble that says what is wrong, unless the scheduler of a cluster listens at an address."""
    end = time.monotonic() + seconds
    try:
        with _connected(address, end) as plain, security.wrap_socket(plain) if security else plain as connection:
            _require_greeting(connection, address, end)
    except TimeoutError as error:
        what = "does not greet as the scheduler of a cluster does"
        advice = "look at the port, and whether it begins with tcp:// or tls://"
        raise ClusterTrouble(f"something listens at {address}, but {what}: {advice}") from error
    except ssl.SSLError as error:
        reason = f"what answers at {address} does not speak TLS as we do ({error.reason}); {HELP}"
        raise ClusterTrouble(reason) from error
    except OSError as error:
        raise _nobody(address, reason_of(error).lower()) from error


def _connected(address: str, end: float) -> socket.socket:
    """A connection to an address; whoever refuses it is asked again for a while."""
    host, _, port = address.partition("://")[2].rpartition(":")
    while True:
        try:
            return socket.create_connection((host.strip("[]"), int(port)), timeout=_left(end))
        except TimeoutError as error:
            raise _nobody(address, "it does not answer") from error
        except ConnectionRefusedError:
            if _left(end) <= AGAIN:
                raise
            time.sleep(AGAIN)


def _require_greeting(connection: socket.socket, address: str, end: float) -> None:
    first = _read(connection, 8, end)
    length = struct.unpack("Q", first)[0] if len(first) == 8 else 0
    if 0 < length <= LONGEST and SIGN in (first := _read(connection, length, end)):
        return
    if not first:
        said = "hangs up at once: it is not the scheduler of a cluster"
        raise ClusterTrouble(f"what listens at {address} {said}; {HELP}")
    shown = first[:8].decode("ascii", "replace")
    what = f"is not the scheduler of a cluster: it begins with {shown!r}; look at the port"
    raise ClusterTrouble(f"what answers at {address} {what}")


def _read(connection: socket.socket, length: int, end: float) -> bytes:
    """So many bytes, or those up to the end."""
    read = b""
    while len(read) < length:
        connection.settimeout(_left(end))
        if not (part := connection.recv(length - len(read))):
            break
        read += part
    return read


def _left(end: float) -> float:
    return max(0.001, end - time.monotonic())


def _nobody(address: str, reason: str) -> ClusterTrouble:
    return ClusterTrouble(f"no scheduler of a cluster answers at {address} ({reason}); {HELP}")


# ---- What a worker must have in common with us, so that its results are ours to the byte


class Fingerprint(NamedTuple):
    """Versions of one machine; what is not installed is empty."""

    gridlab: str
    behaviour: str
    sources: str
    python: str
    numpy: str
    numba: str
    torch: str


@cache
def fingerprint() -> Fingerprint:
    """That of this machine."""
    return Fingerprint(
        gridlab.__version__, str(RESULTS_VERSION), package_digest(), platform.python_version(),
        *(_version_of(each) for each in ("numpy", "numba", "torch")),
    )  # fmt: skip


def differences(theirs: Fingerprint, ours: Fingerprint) -> list[str]:
    """What another machine has of another version; one that lacks torch fits until torch is needed."""
    return [
        f"has {name} {their or 'not at all'}, and here it is {our or 'missing'}"
        for name, their, our in zip(Fingerprint._fields, theirs, ours, strict=True)
        if their != our and (name != "torch" or (their and our))
    ]


def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


@cache
def package_digest() -> str:
    """One digest of all that the package consists of: sources, and what is shipped with them."""
    digest = hashlib.sha256()
    for file in sorted(each for each in run.PACKAGE.rglob("*") if each.is_file() and "__pycache__" not in each.parts):
        name = file.relative_to(run.PACKAGE).as_posix().encode()
        digest.update(name + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]


# ---- Jobs as the worker of a cluster sees them: unpacked, carried out, and sent back with whatever came of it
#
#     Carried      all results and how long they took, or those up to the job that has raised an error, and the error
#     Missing      files that have not come; they are sent, and the same order comes again
#     Mismatch     this worker has another version of something, and has not begun
#     None         the run was stopped
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


def carry_out(order: Order) -> Carried | Missing | Mismatch | None:
    """All jobs of an order, one after the other, in the thread of a worker."""
    from distributed import get_worker

    if flaws := differences(fingerprint(), order.fingerprint):
        return Mismatch(get_worker().address, flaws)
    folder = folder_of(get_worker())
    files = {name: folder / (digest or ABSENT) for name, digest in order.files.items()}
    if lost := tuple(name for name, digest in order.files.items() if digest and not files[name].exists()):
        return Missing(lost)
    stop = _STOPS.setdefault(order.run, run.stop_flag())
    with run.working(stop, attachments=run.Attachments(files, order.variables)):
        return _carried(order.work)


def _carried(work: bytes) -> Carried | Missing | None:
    begun, results, broken = time.monotonic(), [], None
    try:
        function, jobs = pickle.loads(work)
        for job in jobs:
            results.append(function(job))
    except run.Wanted as wanted:
        return Missing((str(wanted),))
    except KeyboardInterrupt:
        return None
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


def halt(called: str) -> None:
    """Stop what this worker does for a run."""
    if (stop := _STOPS.get(called)) is not None:
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
    if whole := sha256_of(part) == digest:
        part.replace(folder / digest)
    part.unlink(missing_ok=True)
    return whole


# ---- The jobs of one call on a cluster: sent in batches of about a second, begun again where that is needed, in order
#
# A batch that has ended several workers is tried once more, job by job, with nothing else on its way; a job that does
# it again is named. Whatever a job raises comes in its turn, after the results of the jobs before it, as on one
# machine.


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
        self.id, self.tasks = uuid4().hex, Tasks(cluster.client)
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
            wait([each.future for each in self._waiting if each.future], timeout=run.STEP, return_when=FIRST_COMPLETED)
            run.check()
            self.cluster.require_alive()

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
                reason = f"{type(error).__name__}: {error}"
                raise ClusterTrouble(f"{self._named(batch)} fails on workers: {reason}") from error

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
            raise ClusterTrouble(f"a worker of {self.cluster.address} was told to stop; repeat the command")

    def _try_again(self, batch: Batch[Job, Result], death: Any) -> None:
        """Once more, job by job, with nothing beside it: it may be innocent, and others have ended its workers."""
        if batch.suspect:
            last = f"the last was {death.last_worker.address}; look into its log, or at its memory"
            raise ClusterTrouble(f"{self._named(batch)} ends every worker that begins it, {last}") from death
        place = self._waiting.index(batch)
        del self._waiting[place]
        for offset, job in enumerate(batch.jobs):
            alone: Batch[Job, Result] = Batch(batch.first + offset, [job], suspect=True)
            self._waiting.insert(place + offset, alone)


# ---- Work on a Dask cluster: the jobs of one command, shared out among workers on other machines


CONNECTING = 5.0  # seconds in which a scheduler must answer
ANSWERING = 30.0  # seconds in which workers must, when they are asked what they are, or are sent a part of a file
JOINING = 10.0  # seconds in which a first worker must come
DESERTED = 20.0  # seconds without any worker after which work is given up
COUNTING = 2.0  # seconds between two looks at who is there
LEAVING = 0.4  # seconds that taking leave may take
LOGS = [*(f"distributed.{part}" for part in ("client", "core", "comm", "batched")), "tornado.application"]
RETRIES = 2  # of a batch that fails by trouble of its machine, such as a full disk
REPEAT = "then repeat the command, with --resume where it has that"
PART = 8 << 20  # bytes of a file that are sent at once


class Worker(NamedTuple):
    """A worker as `gridlab cluster` shows it."""

    address: str
    threads: int
    said: Fingerprint | Exception

    @property
    def flaws(self) -> list[str]:
        """Why it cannot work for us; nothing if it can."""
        if isinstance(self.said, Exception):
            return [f"has no gridlab that answers ({type(self.said).__name__}: {self.said})"]
        return differences(self.said, fingerprint())


class Tasks:
    """What was sent to a cluster, and what comes of it.

    Dask's own executor fetches a result first and looks at the state of its task afterwards. A worker that dies between
    the two makes it take the result for an exception; one that dies while the result is fetched lets it wait for ever.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        closed = run.import_extra("distributed.comm", "cluster").CommClosedError  # in the midst of a fetch
        self._lost = (CancelledError, asyncio.CancelledError, closed)
        self._sent: WeakSet[Any] = WeakSet()  # a task that nobody wants any more is forgotten by the scheduler

    def submit(self, function: Callable[..., Any], *arguments: Any) -> "Future[Any]":
        task = self._client.submit(function, *arguments, pure=False, retries=RETRIES)
        self._sent.add(task)
        outcome: Future[Any] = Future()
        self._client.loop.add_callback(_tell, task, outcome, self._lost)
        return outcome

    def cancel(self) -> None:
        self._client.cancel(list(self._sent))


async def _tell(task: Any, outcome: "Future[Any]", lost: tuple[type[BaseException], ...]) -> None:
    """Wait for a task, in the thread of the client; a result that has arrived counts, whatever happens next."""
    try:
        outcome.set_result(await task)
    except lost:
        outcome.cancel()
        outcome.set_running_or_notify_cancel()  # only now is it done for those who wait
    except BaseException as error:
        outcome.set_exception(error)


class Cluster:
    """The scheduler of a cluster, asked for work by one command."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._library = run.import_extra("distributed", "cluster")
        for name in LOGS:
            logging.getLogger(name).setLevel(logging.CRITICAL)  # what there is to say we say
        # made in two steps, so that one that is never finished can be let go of
        self.client = self._library.Client.__new__(self._library.Client)
        try:
            self._within(self._require_scheduler, CONNECTING + 1)
            connect = partial(self.client.__init__, address, timeout=CONNECTING, set_as_default=False)
            self._within(connect, CONNECTING + 1)
        except TypeError as error:  # so it says that it has no certificates
            what = "needs certificates, and the configuration of Dask names none; docs/cluster.md says how"
            raise ClusterTrouble(f"{address} {what}") from error
        except ClusterTrouble:
            raise
        except Exception as error:  # whatever Dask makes of an answer that is none
            raise _nobody(address, type(error).__name__) from error
        finally:
            self._let_go_unless("running")
        self._digests: dict[str, str] = {}  # the files that jobs have asked for; empty if there is none of this name
        self._threads: dict[str, int] = {}
        self._counted = self._peopled = 0.0

    @property
    def cores(self) -> int:
        """Jobs that can run at the same time."""
        return max(1, sum(self._threads.values()))

    def workers(self) -> list[Worker]:
        """Who is there, each with its versions; waits a while for the first one."""
        end = time.monotonic() + JOINING
        while not self._count(now=True):
            if time.monotonic() > end:
                told = "has no workers; gridlab cluster says how to start some"
                raise ClusterTrouble(f"the scheduler at {self.address} {told}")
            time.sleep(run.STEP)
            run.check()
        said = self._run(fingerprint, on_error="return")
        return [Worker(address, self._threads.get(address, 1), each) for address, each in sorted(said.items())]

    def require_fit(self) -> None:
        """ClusterTrouble that names the first worker of another version, and says how many there are."""
        misfits = [each for each in self.workers() if each.flaws]
        if misfits:
            worker, more = misfits[0], len(misfits) - 1
            others = f", and {more} more do not fit either" if more else ""
            flaws = "; ".join(worker.flaws)
            raise ClusterTrouble(f"the worker {worker.address} {flaws}{others}; install the same everywhere")

    def round_trip(self) -> float:
        """Seconds from here to a worker and back, without any work: the least of some."""
        tasks, spent = Tasks(self.client), []
        for _ in range(10):
            begun = time.perf_counter()
            self._answer(tasks.submit(os.getpid))
            spent.append(time.perf_counter() - begun)
        return min(spent)

    def in_order(
        self, function: Callable[[Job], Result], jobs: Iterable[Job], name: Callable[[Job], str] = repr
    ) -> Generator[Result, None, None]:
        """`function(job)` for every job, in the order of the jobs."""
        sent: ClusterRun[Job, Result] = ClusterRun(self, function, jobs, name)
        with run.defer_interrupts():
            try:
                yield from sent.results()
            except BaseException:
                self.stop(sent.id, sent.tasks)
                raise

    def close(self) -> None:
        """Take leave; a scheduler that does not answer is left without."""
        with suppress(Exception):
            self._within(partial(self.client.close, timeout=LEAVING), LEAVING)
        self._let_go_unless("closed")

    def _require_scheduler(self) -> None:
        if self.address.startswith(("tcp://", "tls://")):
            security = self._library.security.Security().get_connection_args("client")
            needed = self.address.startswith("tls://")
            if needed and security["ssl_context"] is None:
                raise TypeError("no certificates")
            require_scheduler(self.address, CONNECTING, security["ssl_context"] if needed else None)

    def _let_go_unless(self, status: str) -> None:
        """Call a client closed, which otherwise tries to take its leave for ten seconds when Python ends."""
        if getattr(self.client, "status", "") != status:
            self.client.status = "closed"

    # ---- what a run needs

    def send(self, names: Iterable[str]) -> None:
        """Bring files to every worker that has not got them; each goes to a worker once."""
        for name in names:
            path = Path(name)
            if name not in self._digests:
                self._digests[name] = _digest_at_home(path)
            if digest := self._digests[name]:
                where = [each for each, missing in self._run(lacking, digest).items() if missing]
                if where:
                    self._send(path, digest, where)

    def _send(self, path: Path, digest: str, where: list[str]) -> None:
        sender = uuid4().hex
        with open_regular(path) as file:
            for offset in range(0, max(1, size_of(file)), PART):
                self._run(receive, digest, sender, offset, file.read(PART), workers=where, on_error="ignore")
        whole = self._run(receive, digest, sender, -1, b"", workers=where, on_error="ignore")
        if not all(whole.values()):
            raise FileTrouble(f"{path} was changed while it was being sent to workers; begin again")

    def order(self, called: str, function: Callable[[Job], Result], jobs: Sequence[Job]) -> Order:
        """What is sent to a worker."""
        import cloudpickle  # classes of notebooks and scripts travel by value

        try:
            work: bytes = cloudpickle.dumps((function, list(jobs)))
        except Exception as error:  # whatever pickling an object of somebody else's can raise
            raise ClusterTrouble(f"this work cannot be sent to other machines: {error}; leave out --cluster") from error
        return Order(called, fingerprint(), dict(self._digests), run.packed_variables(), work)

    def require_alive(self) -> None:
        """ClusterTrouble if the scheduler is gone, or all workers have been for a while."""
        if self.client.status != "running":
            raise self.gone()
        now = time.monotonic()
        if self._count() or not self._peopled:
            self._peopled = now
        elif now - self._peopled > DESERTED:
            gone = f"all workers of {self.address} have been gone for {DESERTED:.0f} seconds"
            raise ClusterTrouble(f"{gone}; start some, {REPEAT}")

    def stop(self, called: str, tasks: Tasks) -> None:
        """Take back what is queued, and let go of what is being worked at."""

        def take_back() -> None:
            tasks.cancel()
            self.client.run(halt, called, on_error="ignore")

        with suppress(Exception):
            self._within(take_back, LEAVING)

    def _count(self, now: bool = False) -> int:
        """The workers that are there, looked at from time to time."""
        if now or time.monotonic() - self._counted > COUNTING:
            self._threads = self._ask(self.client.nthreads)
            self._counted = time.monotonic()
        return len(self._threads)

    def _run(self, function: Callable[..., Any], *arguments: Any, **settings: Any) -> dict[str, Any]:
        """What a function says on every worker, or on some."""
        return self._ask(partial(self.client.run, function, *arguments, **settings))

    def _ask(self, question: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        try:
            return self._within(question, ANSWERING)
        except OSError as error:  # the connection is lost, which the client may not have noticed yet
            raise self.gone() from error

    def gone(self) -> ClusterTrouble:
        return ClusterTrouble(f"the scheduler at {self.address} is gone; start it and its workers again, {REPEAT}")

    def _answer(self, future: "Future[Any]") -> Any:
        while not future.done():
            wait([future], timeout=run.STEP)
            run.check()
            self.require_alive()
        return future.result()

    def _within(self, ask: Callable[[], Result], seconds: float) -> Result:
        """What the cluster answers, in a thread that may be left; waited for in short steps: Ctrl-C is heard."""
        future: Future[Result] = Future()

        def work() -> None:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # of a library, for programmers
                    future.set_result(ask())
            except BaseException as error:
                future.set_exception(error)

        threading.Thread(target=work, daemon=True).start()
        end = time.monotonic() + seconds
        while not future.done() and time.monotonic() < end:
            wait([future], timeout=min(run.STEP, seconds))
            run.check()
        if not future.done():
            raise ClusterTrouble(f"the cluster at {self.address} has not answered for {seconds:.0f} seconds")
        return future.result()


def _digest_at_home(path: Path) -> str:
    """The SHA-256 of a file that a job has asked for; empty if there is none."""
    if not path.exists():
        return ""
    if not path.is_file():
        raise FileTrouble(f"{path} cannot be sent to workers: it is not a file on a disk")
    try:
        return sha256_of(path)
    except OSError as error:
        raise FileTrouble(f"{path} cannot be sent to workers: {reason_of(error).lower()}") from error


@typed
@contextmanager
def on_cluster(address: str | None) -> Iterator[Cluster | None]:
    """Run the work inside this block on a Dask cluster; with None, on this machine."""
    if address is None:
        yield None
        return
    with closing(Cluster(address)) as cluster:
        cluster.require_fit()
        with run.working(elsewhere=cluster):
            yield cluster
