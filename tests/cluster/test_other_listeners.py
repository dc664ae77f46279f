"""Ports where no scheduler listens: each gets a sentence within seconds, and nothing is believed."""

import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from tests.conftest import Run

pytest.importorskip("distributed")

Behave = Callable[[socket.socket], object]
GREETING = b"\x83\xabcompression\xc0\xa6python\x93\x03\x0b\x07\xafpickle-protocol\x05"  # in msgpack, as Dask says it
FRAMED = struct.pack("QQQ", 16 + len(GREETING), 1, len(GREETING)) + GREETING


def http(client: socket.socket) -> None:
    client.recv(1000)
    client.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
    client.close()


def trickle(client: socket.socket) -> None:
    client.sendall(struct.pack("Q", 60_000))
    while True:
        client.sendall(b"x")
        time.sleep(0.05)


STRANGERS: dict[str, tuple[Behave, str]] = {
    "an HTTP server": (http, "does not greet as the scheduler"),
    "silence": (lambda client: time.sleep(30), "does not greet as the scheduler"),
    "an SSH server": (lambda client: client.sendall(b"SSH-2.0-OpenSSH_9.2\r\n"), "it begins with 'SSH-2.0-'"),
    "a huge length": (lambda client: client.sendall(b"\xff" * 64), "is not the scheduler of a cluster"),
    "a likely length, and garbage": (
        lambda client: client.sendall(struct.pack("Q", 100) + bytes(range(100))),
        "is not the scheduler of a cluster",
    ),
    "bytes that trickle": (trickle, "does not greet as the scheduler"),
    "nothing but the end": (lambda client: client.close(), "hangs up at once"),
    "a greeting, then a huge length": (
        lambda client: client.sendall(FRAMED + b"\xff\xff\xff\xff\xff\xff\x00\x00" * 8),
        "no scheduler of a cluster answers at",
    ),
    "a greeting, then silence": (lambda client: client.sendall(FRAMED), "has not answered|no scheduler"),
}


@contextmanager
def stranger(behave: Behave) -> Iterator[str]:
    """The address of something that behaves like this to everybody."""
    kept: list[socket.socket] = []

    def meet(client: socket.socket) -> None:
        with suppress(OSError):
            behave(client)

    def listen(port: socket.socket) -> None:
        with suppress(OSError):
            while True:
                client, _ = port.accept()
                kept.append(client)
                threading.Thread(target=meet, args=(client,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as port:
        threading.Thread(target=listen, args=(port,), daemon=True).start()
        yield f"tcp://127.0.0.1:{port.getsockname()[1]}"
        port.shutdown(socket.SHUT_RDWR)
    for client in kept:
        client.close()


@pytest.mark.parametrize("name", STRANGERS)
def test_a_stranger_gets_a_sentence(gridlab: Run, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gridlab.core.cluster.CONNECTING", 1.0)
    behave, sentence = STRANGERS[name]
    with stranger(behave) as address:
        begun = time.monotonic()
        code, out, err = gridlab("match", "tictactoe", "random", "random", "--cluster", address)
        assert time.monotonic() - begun < 8
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert address in err
    assert any(each in err for each in sentence.split("|"))


@pytest.mark.parametrize("name", ["an SSH server", "a greeting, then a huge length", "a greeting, then silence"])
def test_nothing_follows_at_the_end(name: str) -> None:
    """Neither a traceback nor ten seconds of leave-taking when Python ends."""
    with stranger(STRANGERS[name][0]) as address:
        begun = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-m", "gridlab", "cluster", address], capture_output=True, text=True, check=False
        )
        assert time.monotonic() - begun < 15
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert len(done.stderr.splitlines()) == 1, done.stderr


def test_a_closed_port_and_a_name_that_nobody_has(gridlab: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gridlab.core.cluster.CONNECTING", 0.5)
    for address in ("tcp://127.0.0.1:9", "tls://127.0.0.1:9", "tcp://nobody.invalid:8786"):
        code, _, err = gridlab("cluster", address)
        assert code == 2
        assert "needs certificates" in err if address.startswith("tls") else "no scheduler of a cluster answers" in err
