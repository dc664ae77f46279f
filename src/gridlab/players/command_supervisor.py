"""A process between gridlab and a program that plays, so that whatever the program starts ends with it.

Run as a script, which imports little (not contextlib, enum, signal), for its start is part of every bot's:

    python -IS command_supervisor.py CHANNEL PARENT WORD…

On Linux it is a subreaper: a process that has left its group, its session or its parent becomes a child of this one
when its own parent ends, and children are found and killed until there are none. Elsewhere the program's group is
killed. It ends all when the channel, a socket to gridlab, is closed: so the system does it, however gridlab ends. The
program has stdin, stdout and stderr for itself; its exit code, or the signal that has ended it, becomes ours.
"""

import os
import select
import sys

KILL, PIPE, FILE_SIZE, DEFAULT = 9, 13, 25, 0  # signals, the same on every POSIX system
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 1, 4, 36
LINUX = sys.platform == "linux"
TICK, SHORT_TICK = 0.25, 0.02  # seconds between two looks, where the system tells of an end and where it does not
SHARE = 0.001  # seconds until those who were killed are looked at again
NOT_STARTED = 127


def system(name: str, *numbers: int) -> int:
    """Call a function of the C library, without the module ctypes, whose classes take as long as half of Python."""
    try:
        import _ctypes

        here = _ctypes.dlopen(None, 0)  # type: ignore[arg-type]
        return int(_ctypes.call_cdeclfunction(_ctypes.dlsym(here, name), numbers))
    except (ImportError, AttributeError):  # not this Python
        import ctypes

        return int(getattr(ctypes.CDLL(None), name)(*numbers))


class Supervisor:
    """A program and all it has started."""

    def __init__(self, channel: int, parent: int, words: list[str]) -> None:
        self.channel, self.parent = channel, parent
        if LINUX:
            system("prctl", PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self.status: int | None = None
        self.program = self._start(words)

    def _start(self, words: list[str]) -> int:
        read, write = os.pipe()
        program = os.fork()
        if program == 0:
            os.write(write, str(_become(words)).encode())
            os._exit(NOT_STARTED)
        os.close(write)
        trouble = os.read(read, 16)  # nothing if the program has begun: the pipe ends with that
        os.close(read)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nowhere, stream)
        try:  # noqa: SIM105
            os.write(self.channel, trouble or b"0")
        except OSError:  # gridlab is gone, which the first look sees
            pass
        if trouble:
            os._exit(NOT_STARTED)
        return program

    def watch(self) -> None:
        """Wait for the end of the program, or of gridlab."""
        waiting = select.poll()
        waiting.register(self.channel, select.POLLIN)
        tick = SHORT_TICK
        try:
            waiting.register(os.pidfd_open(self.program), select.POLLIN)
            tick = TICK
        except (AttributeError, OSError):  # not this system, or not this kernel
            pass
        while os.getppid() == self.parent:
            told = [handle for handle, _ in waiting.poll(1000 * tick)]
            if self.channel in told or self._has_ended():
                return
            for each in children() - {self.program}:  # who has lost its parent, and has ended since
                _reap(each)

    def _has_ended(self) -> bool:
        """Whether the program has; it stays in the list of processes, so that its group's number is nobody else's."""
        if not hasattr(os, "waitid"):
            self.status = _reap(self.program)
            return self.status is not None
        return os.waitid(os.P_PID, self.program, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def end_all(self) -> None:
        """Kill and reap until nobody is left, but for those of other users, whom nobody here can kill."""
        try:  # noqa: SIM105
            os.killpg(self.program, KILL)
        except OSError:  # nobody is left in it
            pass
        beyond: set[int] = set()
        while self.status is None or children() - beyond:
            for each in children():
                if not _kill(each):
                    beyond.add(each)
            ended = {each: _reap(each) for each in {self.program, *children()}}
            if self.status is None:
                self.status = ended[self.program]
            if all(status is None for status in ended.values()):
                select.select([], [], [], SHARE)

    def end_like_it(self) -> None:
        """End as the program has ended."""
        code = os.waitstatus_to_exitcode(self.status or 0)
        if code < 0:
            if LINUX:
                system("prctl", PR_SET_DUMPABLE, 0, 0, 0, 0)  # one core file is enough
            system("signal", -code, DEFAULT)
            os.kill(os.getpid(), -code)
        os._exit(code)


def _become(words: list[str]) -> int:
    """In the new process: be the program, in a session of its own, or say why not."""
    try:
        os.setsid()
        if LINUX:
            system("prctl", PR_SET_PDEATHSIG, KILL, 0, 0, 0)  # should somebody kill the supervisor
        for number in (PIPE, FILE_SIZE):  # which Python ignores, and programs do not
            system("signal", number, DEFAULT)
        os.execvp(words[0], words)
    except OSError as error:
        return error.errno or 1


def children() -> set[int]:
    """Our children, those who have lost their parents among them; those that have ended, too."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children") as file:  # noqa: PTH123
            return set(map(int, file.read().split()))
    except OSError:
        return set()


def _kill(child: int) -> bool:
    """Kill a child and its group, which is not ours: sessions separate us. False if the system forbids it."""
    try:
        os.killpg(os.getpgid(child), KILL)
        os.kill(child, KILL)
    except PermissionError:
        return False
    except OSError:
        pass
    return True


def _reap(child: int) -> int | None:
    """The status of a child that has ended; 0 if somebody else has taken note of it."""
    try:
        found, status = os.waitpid(child, os.WNOHANG)
    except ChildProcessError:
        return 0
    return status if found else None


def main() -> None:
    channel, parent, *words = sys.argv[1:]
    os.set_inheritable(int(channel), False)
    supervisor = Supervisor(int(channel), int(parent), words)
    supervisor.watch()
    supervisor.end_all()
    supervisor.end_like_it()


if __name__ == "__main__":
    main()
