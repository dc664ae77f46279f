"""Work on a Dask cluster: the jobs of one command, shared out among workers on other machines.

    with on_cluster("tcp://10.0.0.1:8786"):
        play_match(…)                       whatever gridlab.core.workers shares out, and can travel, runs there

Workers share no disk with us and may die. So jobs are sent in batches of about a second, and can be run again; results
come in the order of the jobs, and hang on nothing but the job (gridlab.core.cluster_jobs). A worker that misses a file
says so, is sent the file, checked by its SHA-256, and the batch begins again (gridlab.core.travel). Before any work
every worker must show that it has our version of everything, and each batch asks that of whoever has come later.
"""

import asyncio
import logging
import os
import socket
import ssl
import struct
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, wait
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4
from weakref import WeakSet

from gridlab.core.arguments import typed
from gridlab.core.cluster_jobs import ClusterRun, Order, halt, lacking, receive
from gridlab.core.errors import ClusterTrouble, FileTrouble
from gridlab.core.files import sha256_of
from gridlab.core.fingerprint import Fingerprint, differences, fingerprint
from gridlab.core.machine import import_extra
from gridlab.core.signals import check, defer_interrupts
from gridlab.core.travel import packed_variables
from gridlab.core.untrusted import open_regular, size_of
from gridlab.core.workers import STEP, Job, Result, elsewhere

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
        with _connected(address, end) as plain:
            if security is None:
                _require_greeting(plain, address, end)
            else:
                with security.wrap_socket(plain) as secured:
                    _require_greeting(secured, address, end)
    except TimeoutError as error:
        raise ClusterTrouble(
            f"something listens at {address}, but does not greet as the scheduler of a cluster does: look at the port, "
            "and whether it begins with tcp:// or tls://"
        ) from error
    except ssl.SSLError as error:
        raise ClusterTrouble(
            f"what answers at {address} does not speak TLS as we do ({error.reason}); {HELP}"
        ) from error
    except OSError as error:
        raise _nobody(address, error) from error


def _connected(address: str, end: float) -> socket.socket:
    """A connection to an address; whoever refuses it is asked again for a while."""
    host, _, port = address.partition("://")[2].rpartition(":")
    while True:
        try:
            return socket.create_connection((host.strip("[]"), int(port)), timeout=_left(end))
        except TimeoutError as error:
            raise _nobody(address, error) from error
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
        raise ClusterTrouble(
            f"what listens at {address} hangs up at once: it is not the scheduler of a cluster; {HELP}"
        )
    shown = first[:8].decode("ascii", "replace")
    raise ClusterTrouble(
        f"what answers at {address} is not the scheduler of a cluster: it begins with {shown!r}; look at the port"
    )


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


def _nobody(address: str, error: OSError) -> ClusterTrouble:
    reason = "it does not answer" if isinstance(error, TimeoutError) else (error.strerror or str(error)).lower()
    return ClusterTrouble(f"no scheduler of a cluster answers at {address} ({reason}); {HELP}")


# ---- Work on a Dask cluster: the jobs of one command, shared out among workers on other machines


CONNECTING = 5.0  # seconds in which a scheduler must answer
ANSWERING = 30.0  # seconds in which workers must, when they are asked what they are, or are sent a part of a file
JOINING = 10.0  # seconds in which a first worker must come
DESERTED = 20.0  # seconds without any worker after which work is given up
COUNTING = 2.0  # seconds between two looks at who is there
LEAVING = 0.4  # seconds that taking leave may take
RETRIES = 2  # of a batch that fails by trouble of its machine, such as a full disk
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
        closed = import_extra("distributed.comm", "cluster").CommClosedError  # in the midst of a fetch
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
        self._library = import_extra("distributed", "cluster")
        for name in (
            "distributed.client",
            "distributed.core",
            "distributed.comm",
            "distributed.batched",
            "tornado.application",
        ):
            logging.getLogger(name).setLevel(logging.CRITICAL)  # what there is to say we say
        # made in two steps, so that one that is never finished can be let go of
        self._client = self._library.Client.__new__(self._library.Client)
        try:
            self._within(self._require_scheduler, CONNECTING + 1)
            connect = partial(self._client.__init__, address, timeout=CONNECTING, set_as_default=False)
            self._within(connect, CONNECTING + 1)
        except TypeError as error:  # so it says that it has no certificates
            raise ClusterTrouble(
                f"{address} needs certificates, and the configuration of Dask names none; docs/cluster.md says how"
            ) from error
        except ClusterTrouble:
            raise
        except Exception as error:  # whatever Dask makes of an answer that is none
            raise ClusterTrouble(
                f"no scheduler of a cluster answers at {address} ({type(error).__name__}); gridlab cluster says how to "
                "start one"
            ) from error
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
                raise ClusterTrouble(
                    f"the scheduler at {self.address} has no workers; gridlab cluster says how to start some"
                )
            time.sleep(STEP)
            check()
        said = self._run(fingerprint, on_error="return")
        return [Worker(address, self._threads.get(address, 1), each) for address, each in sorted(said.items())]

    def require_fit(self) -> None:
        """ClusterTrouble that names the first worker of another version, and says how many there are."""
        misfits = [each for each in self.workers() if each.flaws]
        if misfits:
            worker, more = misfits[0], len(misfits) - 1
            others = f", and {more} more do not fit either" if more else ""
            raise ClusterTrouble(
                f"the worker {worker.address} {'; '.join(worker.flaws)}{others}; install the same everywhere"
            )

    def round_trip(self) -> float:
        """Seconds from here to a worker and back, without any work: the least of some."""
        tasks, spent = self.tasks(), []
        for _ in range(10):
            begun = time.perf_counter()
            self._answer(tasks.submit(os.getpid))
            spent.append(time.perf_counter() - begun)
        return min(spent)

    def in_order(
        self, function: Callable[[Job], Result], jobs: Iterable[Job], name: Callable[[Job], str] = repr
    ) -> Generator[Result, None, None]:
        """`function(job)` for every job, in the order of the jobs."""
        run: ClusterRun[Job, Result] = ClusterRun(self, function, jobs, name)
        with defer_interrupts():
            try:
                yield from run.results()
            except BaseException:
                run.cancel()
                raise

    def close(self) -> None:
        """Take leave; a scheduler that does not answer is left without."""
        with suppress(Exception):
            self._within(partial(self._client.close, timeout=LEAVING), LEAVING)
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
        if getattr(self._client, "status", "") != status:
            self._client.status = "closed"

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

    def order(self, run: str, function: Callable[[Job], Result], jobs: Sequence[Job]) -> Order:
        """What is sent to a worker."""
        import cloudpickle  # classes of notebooks and scripts travel by value

        try:
            work: bytes = cloudpickle.dumps((function, list(jobs)))
        except Exception as error:  # whatever pickling an object of somebody else's can raise
            raise ClusterTrouble(f"this work cannot be sent to other machines: {error}; leave out --cluster") from error
        return Order(run, fingerprint(), dict(self._digests), packed_variables(), work)

    def tasks(self) -> Tasks:
        return Tasks(self._client)

    def require_alive(self) -> None:
        """ClusterTrouble if the scheduler is gone, or all workers have been for a while."""
        if self._client.status != "running":
            raise self.gone()
        now = time.monotonic()
        if self._count() or not self._peopled:
            self._peopled = now
        elif now - self._peopled > DESERTED:
            raise ClusterTrouble(
                f"all workers of {self.address} have been gone for {DESERTED:.0f} seconds; start some, then repeat the "
                "command, with --resume where it has that"
            )

    def stop(self, run: str, tasks: Tasks) -> None:
        """Take back what is queued, and let go of what is being worked at."""

        def take_back() -> None:
            tasks.cancel()
            self._client.run(halt, run, on_error="ignore")

        with suppress(Exception):
            self._within(take_back, LEAVING)

    def _count(self, now: bool = False) -> int:
        """The workers that are there, looked at from time to time."""
        if now or time.monotonic() - self._counted > COUNTING:
            self._threads = self._ask(self._client.nthreads)
            self._counted = time.monotonic()
        return len(self._threads)

    def _run(self, function: Callable[..., Any], *arguments: Any, **settings: Any) -> dict[str, Any]:
        """What a function says on every worker, or on some."""
        return self._ask(partial(self._client.run, function, *arguments, **settings))

    def _ask(self, question: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        try:
            return self._within(question, ANSWERING)
        except OSError as error:  # the connection is lost, which the client may not have noticed yet
            raise self.gone() from error

    def gone(self) -> ClusterTrouble:
        return ClusterTrouble(
            f"the scheduler at {self.address} is gone; start it and its workers again, then repeat the command, with "
            "--resume where it has that"
        )

    def _answer(self, future: "Future[Any]") -> Any:
        while not future.done():
            wait([future], timeout=STEP)
            check()
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
            wait([future], timeout=min(STEP, seconds))
            check()
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
        raise FileTrouble(f"{path} cannot be sent to workers: {(error.strerror or str(error)).lower()}") from error


@typed
@contextmanager
def on_cluster(address: str | None) -> Iterator[Cluster | None]:
    """ClusterRun the work inside this block on a Dask cluster; with None, on this machine."""
    if address is None:
        yield None
        return
    cluster = Cluster(address)
    try:
        cluster.require_fit()
        with elsewhere(cluster):
            yield cluster
    finally:
        cluster.close()
