"""`gridlab` for pages full of commands: each is forked from a process that has everything imported.

A folder with a program `gridlab` goes first into PATH. That program hands its arguments, its folder, its environment
and its three streams to the server over a socket, and ends with the exit code that comes back:

    program -> server      a message of JSON, and the file descriptors 0, 1 and 2
    server  -> program     the exit code, one byte

So a shell sees a command like any other, with pipes and files, a second of CPU earlier: modules are imported, and the
kernels that most commands use are loaded. Commands have one core, so that none starts a pool of processes by itself.
"""

import contextlib
import gc
import importlib
import io
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gridlab.core import run

IMPORTED = ("gridlab.__main__", "numba", "pyarrow.parquet", "h5py", "matplotlib.figure", "torch", "torch._dynamo")
LOADING = (  # commands that load kernels
    "census 2x2:2",
    "solve tictactoe --value-only",
    "match heuristic mcts --game tictactoe --games 2 --seed 1",
    "2048 evaluate expectimax --games 1 --seed 1 --rules 2048:2x2",
)
PROGRAM = """#!{python} -IS
import json, os, socket, sys
server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
server.connect({socket!r})
wish = json.dumps({{"args": sys.argv[1:], "cwd": os.getcwd(), "env": dict(os.environ)}})
socket.send_fds(server, [wish.encode()], [0, 1, 2])
os._exit(server.recv(1)[0])
"""


@contextmanager
def forking(folder: Path) -> Iterator[Path]:
    """A folder for PATH, as long as this lasts."""
    place = str(folder / "socket")
    program = folder / "gridlab"
    program.write_text(PROGRAM.format(python=sys.executable, socket=place))
    program.chmod(0o755)
    words = [sys.executable, __file__, place]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stdout.readline() == b"ready\n"
        yield folder
        server.stdin.close()


def serve(place: str) -> None:
    """Answer until stdin is closed, however whoever opened it has ended."""
    for name in IMPORTED:
        importlib.import_module(name)
    run.own_cores = lambda: 1
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        for command in LOADING:
            assert importlib.import_module("gridlab.cli").run(command.split()) == 0
    gc.freeze()  # a child that ends need not look through what it shares with its parent
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:
        listening.bind(place)
        listening.listen()
        os.write(1, b"ready\n")
        while sys.stdin not in (ready := select.select([listening, sys.stdin], [], [])[0]):
            assert listening in ready
            connection, _ = listening.accept()
            if os.fork() == 0:
                listening.close()
                answer(connection)
            connection.close()


def answer(connection: socket.socket) -> None:
    """Run a command and tell how it has ended; for a process of its own."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    message, streams, _, _ = socket.recv_fds(connection, 1 << 20, 3)
    child = os.fork()
    if child == 0:
        connection.close()
        wish = json.loads(message)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        sys.stdin, sys.stdout, sys.stderr = (os.fdopen(number, mode) for number, mode in enumerate("rww"))
        os.chdir(wish["cwd"])
        os.environ.clear()
        os.environ.update(wish["env"])
        sys.argv = ["gridlab", *wish["args"]]
        from gridlab.__main__ import main

        try:
            main()
        except SystemExit as ending:
            sys.stdout.flush()
            os._exit(int(ending.code or 0))  # without taking everything apart that was imported
    for stream in (*streams, 0, 1, 2):
        os.close(stream)  # whoever reads what the command writes waits for the last writer
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    connection.send(bytes([code & 255]))
    os._exit(0)


if __name__ == "__main__":
    serve(sys.argv[1])
