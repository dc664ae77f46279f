"""Where work runs, and how it is stopped, inside kernels too.

Ctrl-C reaches Python only when a compiled kernel returns. So kernels run in threads (they release the GIL and
share arrays) while the main thread waits in short steps; a long kernel takes a `stop` array (gridlab.core.stop) and
returns early once it is set. Ctrl-C, a time budget and a client that leaves all set the same flag.

Inside `with elsewhere(…)` jobs that can travel run on other machines instead (gridlab.core.cluster).
"""

import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from reprlib import repr as short_repr
from typing import Any, Protocol, TypeVar

from gridlab.core import signals
from gridlab.core.signals import SIGNALS, check, defer_interrupts, follow_parent, restore
from gridlab.core.stop import Stop, current_stop, stop_flag, working

# ---- Ctrl-C that reaches a kernel in the main thread
#
# Python hears of a signal only when the kernel returns; but its C handler writes a byte into a pipe at once. A thread
# waits at the other end and sets the flag that kernels look at (gridlab.core.stop). No call pays for it.


Result = TypeVar("Result")

_FLAG = stop_flag()
_watching = threading.Event()


def interruptible(function: Callable[[Stop], Result]) -> Result:
    """The result of a kernel that takes a stop flag; KeyboardInterrupt soon after Ctrl-C."""
    if threading.current_thread() is not threading.main_thread():
        stop = current_stop()  # whoever has begun the thread listens to Ctrl-C
    elif _watching.is_set() or _watch():
        return _listening(function)
    else:
        stop = stop_flag()
        return call(lambda: function(stop), stop)
    result = function(stop)
    if stop[0]:
        raise KeyboardInterrupt
    return result


def _listening(function: Callable[[Stop], Result]) -> Result:
    """The result of a kernel in the main thread, with a handler that raises nothing in the midst of numba."""
    _FLAG[0] = 0
    with signals.defer_interrupts():
        result = function(_FLAG)
        signals.check()
        if _FLAG[0]:
            raise KeyboardInterrupt
        return result


def pause() -> None:
    """A look around for long work in Python; KeyboardInterrupt if it is to stop. The main thread hears by itself."""
    if current_stop()[0]:
        raise KeyboardInterrupt


def _watch() -> bool:
    """Begin to listen; False if somebody else listens already, or on Windows before Python 3.12."""
    if not hasattr(os, "set_blocking"):
        return False
    read, write = os.pipe()
    os.set_blocking(write, False)
    before = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    if before != -1:
        signal.set_wakeup_fd(before)
        os.close(read)
        os.close(write)
        return False
    _watching.set()
    threading.Thread(target=_listen, args=(read,), daemon=True).start()
    return True


def _listen(pipe: int) -> None:
    while byte := os.read(pipe, 1):
        if byte[0] in signals.SIGNALS:
            _FLAG[0] = 1


def _forget() -> None:
    """A process that was forked has none of our threads."""
    if _watching.is_set():
        _watching.clear()
        with suppress(ValueError):  # forked by another thread
            signal.set_wakeup_fd(-1)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


# ---- Where work runs, and how it is stopped


Job = TypeVar("Job")

NEVER_TOO_LARGE = {"LOKY_MAX_MEMORY_LEAK_SIZE": "1e18"}  # workers that compile grow; loky would start them anew
SAFE_PATH = "PYTHONSAFEPATH"  # if it is set, Python imports nothing from the folder that it is started in
STEP = 0.1  # seconds between two looks at Ctrl-C and the clock


class Elsewhere(Protocol):
    """Other machines that work for this one."""

    @property
    def cores(self) -> int: ...

    def in_order(
        self, function: Callable[[Job], Result], jobs: Iterable[Job], name: Callable[[Job], str]
    ) -> Generator[Result, None, None]: ...


class _Place(threading.local):
    """Where the work of a thread is done that can be done elsewhere."""

    elsewhere: Elsewhere | None = None


_PLACE = _Place()


@contextmanager
def elsewhere(machines: Elsewhere) -> Iterator[None]:
    """Let these machines do what this thread shares out and what can travel."""
    before, _PLACE.elsewhere = _PLACE.elsewhere, machines
    try:
        yield
    finally:
        _PLACE.elsewhere = before


def is_elsewhere() -> bool:
    """Whether what can travel runs on other machines."""
    return _PLACE.elsewhere is not None


def available_cores() -> int:
    """The cores for work that can travel: those of this process, or inside `elsewhere` those of the machines there."""
    return own_cores() if _PLACE.elsewhere is None else _PLACE.elsewhere.cores


def own_cores() -> int:
    """The cores this process may use, which can be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def call(
    function: Callable[[], Result],
    stop: Stop,
    seconds: float | None = None,
    watch: Callable[[], object] = lambda: None,
) -> Result:
    """The result of `function()`, run in a thread; `stop` is set on Ctrl-C and when `seconds` have passed.

    After the budget the function returns what it has; after Ctrl-C KeyboardInterrupt goes on up. `watch` is called
    while it runs, ten times a second.
    """
    end = None if seconds is None else time.monotonic() + seconds
    with defer_interrupts(), ThreadPoolExecutor(1) as pool:
        try:
            return _result(pool.submit(_working, stop, function), stop, end, watch)
        except BaseException:  # Ctrl-C may come before the result is waited for, and the thread has begun
            stop[0] = 1
            raise


def in_order(
    function: Callable[[Job], Result],
    jobs: Iterable[Job],
    workers: int | None = None,
    stop: Stop | None = None,
    processes: bool = False,
    ahead: int = 2,
    travels: bool = False,
    name: Callable[[Job], str] = short_repr,
) -> Generator[Result, None, None]:
    """`function(job)` for every job, in the order of the jobs, whatever the number of workers.

    At most `ahead` jobs a worker are begun before the one waited for is done, so memory stays bounded. Threads suit
    kernels; `processes=True` suits jobs that keep Python itself busy (function and jobs must be such that cloudpickle
    can send them: `can_travel`). Jobs that can be sent, and those that say so (`travels`), run on other machines inside
    `elsewhere`; what stops them is `current_stop`, and `name` is what a job is called that fails there.
    """
    if _PLACE.elsewhere is not None and (processes or travels):
        yield from _PLACE.elsewhere.in_order(function, jobs, name)
        return
    workers, stop = workers or own_cores(), stop_flag() if stop is None else stop
    waiting: deque[Future[Result]] = deque()
    with defer_interrupts(), _pool(workers, stop, processes) as submit:
        for job in jobs:
            waiting.append(submit(function, job))
            if len(waiting) > ahead * workers:
                yield _result(waiting.popleft(), stop)
        while waiting:
            yield _result(waiting.popleft(), stop)


@contextmanager
def _pool(workers: int, stop: Stop, processes: bool) -> Iterator[Callable[..., Future[Any]]]:
    """How a function and its argument are submitted; whatever goes wrong stops what has begun, and no more begins."""
    with _process_pool(workers) if processes else ThreadPoolExecutor(workers) as pool:

        def submit(*work: Any) -> Future[Any]:
            with _signals_held(processes):
                return pool.submit(*work) if processes else pool.submit(_working, stop, *work)

        try:
            yield submit
        except BaseException:
            stop[0] = 1
            if not processes:  # a pool of processes does so itself, and only once
                pool.shutdown(wait=False, cancel_futures=True)
            raise


def anywhere(
    function: Callable[[Job], Result], jobs: Iterable[Job], name: Callable[[Job], str] = short_repr
) -> Generator[Result, None, None]:
    """`function(job)` for every job, in their order: on other machines inside `elsewhere`, else here, one by one."""
    yield from in_order(function, jobs, travels=True, name=name) if is_elsewhere() else map(function, jobs)


def _working(stop: Stop, function: Callable[..., Result], *job: Any) -> Result:
    with working(stop):
        return function(*job)


def as_done(
    function: Callable[[Job], Result],
    jobs: Iterable[Job],
    workers: int | None = None,
    watch: Callable[[], object] = lambda: None,
) -> Generator[Result, None, None]:
    """`function(job)` for every job, in processes, in the order in which they end. Jobs begin in their own order.

    `watch` is called while they run, ten times a second.
    """
    with defer_interrupts(), _process_pool(workers or own_cores()) as pool:
        with _signals_held():
            waiting = {pool.submit(function, job) for job in jobs}
        while waiting:
            done, waiting = wait(waiting, timeout=STEP, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()
            check()
            watch()


def can_travel(*things: object) -> str:
    """Why objects cannot be sent to other processes; empty if they can."""
    import cloudpickle  # as in `_process_pool`

    for thing in things:
        try:
            cloudpickle.loads(cloudpickle.dumps(thing))
        except Exception as error:  # whatever pickling or unpickling an object of somebody else's can raise
            return f"{type(thing).__name__}: {error}"
    return ""


def _result(
    future: Future[Result], stop: Stop, end: float | None = None, watch: Callable[[], object] = lambda: None
) -> Result:
    try:
        while True:
            check()
            if current_stop()[0]:  # whoever waits here works for somebody who has left
                raise KeyboardInterrupt
            try:
                return future.result(timeout=STEP)
            except TimeoutError:
                if future.done():  # just now, or with a TimeoutError of its own
                    return future.result()
                if end is not None and time.monotonic() >= end:
                    stop[0] = 1
                watch()
    except BaseException:
        stop[0] = 1
        raise


@contextmanager
def _process_pool(workers: int) -> Iterator[Executor]:
    """Processes that leave Ctrl-C to their parent and end when it does.

    loky sends functions and objects by value if they were written in a notebook or in the script itself (cloudpickle),
    and does not run that script again in its workers: it needs no `if __name__ == "__main__"`. It starts them by
    `python -m`, which would import whatever lies in the current folder under the name of a module, and run it.
    """
    from loky import ProcessPoolExecutor  # slow to import, and most commands need no processes

    _start_trackers()
    known = os.getpid(), SAFE_PATH, os.environ.get(SAFE_PATH)
    env = {**NEVER_TOO_LARGE, SAFE_PATH: "1"}
    pool = ProcessPoolExecutor(workers, initializer=follow_parent, initargs=known, env=env)
    try:
        yield pool
    except BaseException:
        pool.shutdown(kill_workers=True)
        raise
    pool.shutdown()


def _start_trackers() -> None:
    """The processes that tidy up after us; what they have found there after Ctrl-C is nothing for users."""
    from loky.backend.resource_tracker import ensure_running

    sys.warnoptions.append("ignore:resource_tracker")  # the trackers are started with our options
    before, os.environ[SAFE_PATH] = os.environ.get(SAFE_PATH), "1"
    try:
        ensure_running()
        if os.name == "posix":  # loky starts this one too, when the first worker begins
            from multiprocessing.resource_tracker import ensure_running as ensure_other_running

            ensure_other_running()
    finally:
        sys.warnoptions.pop()
        restore(SAFE_PATH, before)


@contextmanager
def _signals_held(held: bool = True) -> Iterator[None]:
    """Ctrl-C waits while processes begin: what begins now inherits this, and hears nothing before it can."""
    if not held or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
