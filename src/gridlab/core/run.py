"""Where work runs, and how it is stopped, inside kernels too: threads, processes, this machine, and others.

Ctrl-C reaches Python only when a compiled kernel returns. So kernels run in threads (they release the GIL and
share arrays) while the main thread waits in short steps; a long kernel takes a `stop` array, which it looks at by
`gridlab.core.bits.stopped`, and returns early once it is set. Ctrl-C, a time budget and a client that leaves all set
the same flag.

Nothing here needs NumPy or the compiler before there is a flag to set: light commands pass through here, too.
"""

import os
import shlex
import shutil
import signal
import sys
import sysconfig
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from importlib.machinery import ExtensionFileLoader
from pathlib import Path
from reprlib import repr as short_repr
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from gridlab.core.errors import GridlabError, MissingExtra

if TYPE_CHECKING:
    from gridlab.core.bits import Stop as Stop
else:
    Stop = Any

Job = TypeVar("Job")
Result = TypeVar("Result")
Watch = Callable[[], object]  # called while something runs, ten times a second
Hear = Callable[[str, float, float | None], object]  # what is done, how much of it, of how much

# ---- What a thread works at: one context, which whoever begins some work sets for all that is done below


class Elsewhere(Protocol):
    """Other machines that work for this one."""

    @property
    def cores(self) -> int: ...

    def in_order(
        self, function: Callable[[Job], Result], jobs: Iterable[Job], name: Callable[[Job], str]
    ) -> Generator[Result, None, None]: ...


class Attachments(NamedTuple):
    """What has come with a job from another machine."""

    files: Mapping[str, Path]  # the name of a file at home -> its copy here
    variables: Mapping[str, str]


class Context(threading.local):
    """What a thread works at."""

    stop: Stop | None = None  # stops it
    elsewhere: Elsewhere | None = None  # do what it shares out and what can travel
    attachments: Attachments | None = None  # all that its job finds of files and variables; None at home
    hear: Hear | None = None  # hears of its progress (gridlab.core.progress)


NOW = Context()


@contextmanager
def working(
    stop: Stop | None = None, elsewhere: Elsewhere | None = None, attachments: Attachments | None = None,
    hear: Hear | None = None,
) -> Iterator[None]:  # fmt: skip
    """Let what is given count for all that this thread does now, however deep down; what is not stays as it was."""
    given = {"stop": stop, "elsewhere": elsewhere, "attachments": attachments, "hear": hear}
    before = {name: getattr(NOW, name) for name in given}
    vars(NOW).update((name, value) for name, value in given.items() if value is not None)
    try:
        yield
    finally:
        vars(NOW).update(before)


def stop_flag() -> Stop:
    """The flag that stops a long kernel: an array of one element, set from outside, looked at from inside."""
    import numpy as np

    return np.zeros(1, dtype=np.uint8)


def current_stop() -> Stop:
    """The flag that stops what this thread does; one that nobody sets if nobody waits for it."""
    return stop_flag() if NOW.stop is None else NOW.stop


def pause() -> None:
    """A look around for long work in Python; KeyboardInterrupt if it is to stop. The main thread hears by itself."""
    if NOW.stop is not None and NOW.stop[0]:
        raise KeyboardInterrupt


# ---- Ctrl-C, SIGTERM and SIGHUP: one meaning, raised where Python can bear it
#
# KeyboardInterrupt does harm in some places: where numba turns the result of a kernel into Python's objects, and
# crashes; where the compiler's objects are half made; and inside the locks of `threading`, which stay locked. While a
# module in C is imported it is lost: what Cython makes forgives any error of the imports that it begins with. There it
# is put off: an alarm comes a little later, and `check` raises it before that. Where it would be swallowed (callbacks
# of C code, finalizers), it is raised once more.


SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
ALARM = getattr(signal, "SIGALRM", None)
FRAGILE_CALLS = ("_numba_unpickle",)
FRAGILE_MODULES = ("threading", "queue", "concurrent.futures", "loky", "llvmlite.binding")
DEEPEST = 8  # calls below those
IMPORTS_C = (ExtensionFileLoader.create_module.__code__, ExtensionFileLoader.exec_module.__code__)
PUT_OFF = 0.01  # seconds
PARENT_WATCH = 0.2  # seconds between two looks of a worker whether its parent lives

_put_off = False


def listen() -> None:
    """Signals that would end the process at once interrupt it instead; those that are ignored (nohup) stay so."""
    for number in SIGNALS:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, interrupt)
    if ALARM is not None:
        signal.signal(ALARM, interrupt)
    usual = sys.unraisablehook
    sys.unraisablehook = lambda lost: _put_it_off() if lost.exc_type is KeyboardInterrupt else usual(lost)


def ignore_signals() -> None:
    """Signals change nothing from now on: all is done, or they are for somebody else. Nor does what was put off."""
    for number in (*SIGNALS, *([] if ALARM is None else [ALARM])):
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def defer_interrupts() -> Iterator[None]:
    """Put Ctrl-C off where it would do harm, in a program of somebody else's; not if that has handlers of its own."""
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    before: dict[int, Any] = {signal.SIGINT: signal.signal(signal.SIGINT, interrupt)}
    if ALARM is not None and signal.getsignal(ALARM) == signal.SIG_DFL:
        before[ALARM] = signal.signal(ALARM, interrupt)
    try:
        yield
        check()
    finally:
        _settle()
        for number, handler in before.items():
            signal.signal(number, handler)


def interrupt(number: int, frame: FrameType | None) -> None:
    """KeyboardInterrupt, a little later if it would do harm now; one for one signal.

    An alarm that another thread has taken may come when the interrupt that it was set for is long under way.
    """
    if number == ALARM and not _put_off:
        return
    _put_it_off()
    if not _is_fragile(frame):
        check()


def _put_it_off() -> None:
    global _put_off
    _put_off = True
    if ALARM is not None and signal.getsignal(ALARM) is interrupt:
        signal.setitimer(signal.ITIMER_REAL, PUT_OFF)


def check() -> None:
    """KeyboardInterrupt if one was put off; for those who wait."""
    if _put_off:
        _settle()
        raise KeyboardInterrupt


def _settle() -> None:
    """One interrupt for one signal."""
    global _put_off
    _put_off = False
    if ALARM is not None and signal.getsignal(ALARM) is interrupt:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _is_fragile(frame: FrameType | None) -> bool:
    depth = 0
    while frame is not None:
        module = str(frame.f_globals.get("__name__", ""))
        if depth < DEEPEST and (frame.f_code.co_name in FRAGILE_CALLS or module.startswith(FRAGILE_MODULES)):
            return True
        if any(frame.f_code is each for each in IMPORTS_C):
            return True
        depth, frame = depth + 1, frame.f_back
    return False


def restore(variable: str, value: str | None) -> None:
    """An environment variable as it was before."""
    if value is None:
        os.environ.pop(variable, None)
    else:
        os.environ[variable] = value


def follow_parent(parent: int, variable: str, value: str | None) -> None:
    """In a worker process: signals are for the parent, and a worker whose parent has died has nobody to work for.

    Here, where little is imported, so that a worker watches before it does anything else. The variable was set for the
    start of this process alone: a program that it starts knows nothing of that.
    """
    restore(variable, value)
    ignore_signals()
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(PARENT_WATCH)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


# ---- Ctrl-C that reaches a kernel in the main thread
#
# Python hears of a signal only when the kernel returns; but its C handler writes a byte into a pipe at once. A thread
# waits at the other end and sets the flag that kernels look at (gridlab.core.bits.stopped). No call pays for it.


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


@cache
def _flag() -> Stop:
    """That of kernels in the main thread."""
    return stop_flag()


def _listening(function: Callable[[Stop], Result]) -> Result:
    """The result of a kernel in the main thread, with a handler that raises nothing in the midst of numba."""
    stop = _flag()
    stop[0] = 0
    with defer_interrupts():
        result = function(stop)
        check()
        if stop[0]:
            raise KeyboardInterrupt
        return result


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
    threading.Thread(target=_listen, args=(read, _flag()), daemon=True).start()
    return True


def _listen(pipe: int, stop: Stop) -> None:
    while byte := os.read(pipe, 1):
        if byte[0] in SIGNALS:
            stop[0] = 1


def _forget() -> None:
    """A process that was forked has none of our threads."""
    if _watching.is_set():
        _watching.clear()
        with suppress(ValueError):  # forked by another thread
            signal.set_wakeup_fd(-1)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


# ---- How much memory there is, and sizes for people


GIVEN_BACK = 1 << 20  # bytes from which on memory is given back
TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # of mallopt, in malloc.h


def size_text(size: int) -> str:
    """Bytes for people.

    >>> size_text(3 << 29), size_text(300 << 20), size_text(5000)
    ('1.5 GiB', '300 MiB', '5 KiB')
    """
    if size >= 1 << 30:
        return f"{size / 2**30:.1f} GiB"
    return f"{size / 2**20:.0f} MiB" if size >= 1 << 20 else f"{-(-size // 1024)} KiB"


def available_memory() -> int | None:
    """Bytes that can be had without swapping; None where the system does not say."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) << 10
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return None


def give_back() -> bool:
    """Give all that is large back to the system as soon as it is freed; whether the C library had to be told.

    That of GNU does so at first. But once an array of 16 MB has been freed, it takes the next ones of that size from
    heaps, eight for each core, and leaves up to 32 MB unused at the end of each: where tables come and go in many
    threads, a process grows by hundreds of megabytes, for hours. A threshold that was set stays as it is.
    """
    if sys.platform != "linux":
        return False
    import ctypes  # slow to import, and few processes need it

    try:
        set_option = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):  # another C library
        return False
    return all(set_option(option, GIVEN_BACK) == 1 for option in (MMAP_THRESHOLD, TRIM_THRESHOLD))


# ---- Where gridlab runs, and what to type there: a checkout that make has set up, or somebody's own environment


ROOT = Path(__file__).parents[3]  # of a checkout; some folder of Python's where the package is installed


def checkout() -> Path | None:
    """The checkout whose own environment this is; None in any other environment."""
    own = ROOT / ".venv"
    known = all((ROOT / name).is_file() for name in ("Makefile", "pyproject.toml"))
    return ROOT if known and own.exists() and own.samefile(sys.prefix) else None


def program() -> str:
    """How `gridlab` is typed in the current folder; a PATH that only `uv run` or make has set is not relied on."""
    root, scripts = checkout(), Path(sysconfig.get_path("scripts"))
    if root:  # by way of the checkout even if it is a link
        scripts = root / ".venv" / scripts.name
    found = shutil.which("gridlab", path=str(scripts))
    if found is None:
        return f"{shlex.quote(sys.executable)} -m gridlab"
    if Path(found).is_relative_to(Path.cwd()):
        return shlex.quote(str(Path(found).relative_to(Path.cwd())))
    usual = shutil.which("gridlab")
    return "gridlab" if usual and Path(usual).samefile(found) else shlex.quote(found)


def remedy(extra: str) -> str:
    """The command that installs an extra in this environment."""
    root = checkout()
    if root is None:
        return f"pip install 'gridlab[{extra}]'"
    return f"make extra-{extra}" if Path.cwd() == root else f"make -C {shlex.quote(str(root))} extra-{extra}"


# ---- Optional libraries: imported when needed, and missed in a sentence


def import_extra(library: str, extra: str) -> Any:
    """The library, or how to get it."""
    try:
        return import_module(library)
    except ImportError as error:
        missing = library.partition(".")[0]
        raise MissingExtra(f"this needs {missing}, which is not installed: {remedy(extra)}") from error


# ---- What a job needs of the machine that sent it: its files, and a few variables of its environment
#
# At home a file is where its path says, and a variable is that of the environment. A job on another machine finds the
# copy that came with it under the same name; for a file that has not come it raises `Wanted`, is sent the file, and
# begins again (gridlab.core.cluster). So names in results and in sentences are the same everywhere.


PACKAGE = Path(__file__).parents[1]
VARIABLES = ("GRIDLAB_TABLEBASE", "SOURCE_DATE_EPOCH")  # all that results may hang on


class Wanted(BaseException):
    """A file that has not come yet; no Exception, so that nobody takes it for a fault of a player."""


def here(path: Path) -> Path:
    """Where a file is on this machine; what comes with the package is in its place everywhere."""
    attachments = NOW.attachments
    if attachments is None:
        return path
    if str(path) in attachments.files:
        return attachments.files[str(path)]
    if path.is_absolute() and path.is_relative_to(PACKAGE):
        return path
    raise Wanted(str(path))


def variable(name: str) -> str:
    """A variable of the environment in which the command was given; empty if it is not set."""
    variables = os.environ if NOW.attachments is None else NOW.attachments.variables
    return variables.get(name, "")


def packed_variables() -> dict[str, str]:
    """The variables to be sent with a job."""
    return {name: os.environ[name] for name in VARIABLES if name in os.environ}


def require_home(what: str) -> None:
    """Refuse on another machine what does not travel."""
    if NOW.attachments is not None:
        raise GridlabError(f"{what} does not travel to the workers of a cluster; leave out --cluster")


# ---- Threads, processes and other machines: where work runs
#
# Inside `with working(elsewhere=…)` jobs that can travel run on other machines (gridlab.core.cluster).


NEVER_TOO_LARGE = {"LOKY_MAX_MEMORY_LEAK_SIZE": "1e18"}  # workers that compile grow; loky would start them anew
SAFE_PATH = "PYTHONSAFEPATH"  # if it is set, Python imports nothing from the folder that it is started in
STEP = 0.1  # seconds between two looks at Ctrl-C and the clock


def is_elsewhere() -> bool:
    """Whether what can travel runs on other machines."""
    return NOW.elsewhere is not None


def available_cores() -> int:
    """The cores for work that can travel: those of this process, or those of the machines elsewhere."""
    return own_cores() if NOW.elsewhere is None else NOW.elsewhere.cores


def own_cores() -> int:
    """The cores this process may use, which can be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def call(
    function: Callable[[], Result], stop: Stop, seconds: float | None = None, watch: Watch = lambda: None
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
    function: Callable[[Job], Result], jobs: Iterable[Job], workers: int | None = None, stop: Stop | None = None,
    processes: bool = False, ahead: int = 2, travels: bool = False, name: Callable[[Job], str] = short_repr,
) -> Generator[Result, None, None]:  # fmt: skip
    """`function(job)` for every job, in the order of the jobs, whatever the number of workers.

    At most `ahead` jobs a worker are begun before the one waited for is done, so memory stays bounded. Threads suit
    kernels; `processes=True` suits jobs that keep Python itself busy (function and jobs must be such that cloudpickle
    can send them: `can_travel`). Jobs that can be sent, and those that say so (`travels`), run on other machines inside
    `elsewhere`; what stops them is `current_stop`, and `name` is what a job is called that fails there.
    """
    if NOW.elsewhere is not None and (processes or travels):
        yield from NOW.elsewhere.in_order(function, jobs, name)
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
    function: Callable[[Job], Result], jobs: Iterable[Job], workers: int | None = None, watch: Watch = lambda: None
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


def _result(future: Future[Result], stop: Stop, end: float | None = None, watch: Watch = lambda: None) -> Result:
    try:
        while True:
            check()
            pause()  # whoever waits here works for somebody who has left
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
    """The processes that tidy up after us, without stderr: what they find after Ctrl-C is nothing for users."""
    from loky.backend.resource_tracker import ensure_running

    before, os.environ[SAFE_PATH] = os.environ.get(SAFE_PATH), "1"
    try:
        with _without_stderr():
            ensure_running()
            if os.name == "posix":  # loky starts this one too, when the first worker begins
                from multiprocessing.resource_tracker import ensure_running as ensure_other_running

                ensure_other_running()
    finally:
        restore(SAFE_PATH, before)


@contextmanager
def _without_stderr() -> Iterator[None]:
    """What begins now inherits a stderr that goes nowhere."""
    nowhere, kept = os.open(os.devnull, os.O_RDWR), os.dup(2)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


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
