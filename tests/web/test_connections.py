"""Connections that cost too much: half-sent requests, bodies that trickle, answers that nobody reads."""

import os
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx
import pytest

from gridlab.web.serve import BODY, HEAD, LOOK
from tests.web.conftest import Server, soon

pytestmark = [pytest.mark.compiled, pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")]

resource = pytest.importorskip("resource")
HANDLES = 256
CROWD = 900
HALF_A_HEAD = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
HALF_A_BODY = (
    b"POST /api/v1/play HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
)
WHOLE = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


@pytest.fixture
def poor(data: Path) -> Iterator[Server]:
    """A server with few handles."""
    server = Server(data, before=f"ulimit -n {HANDLES}")
    yield server
    if server.process.poll() is None:
        server.stop()


def health(server: Server) -> float:
    """Seconds until the server has said that it is well, on a connection of its own."""
    begun = time.monotonic()
    httpx.get(f"{server.address}/health", timeout=10).raise_for_status()
    return time.monotonic() - begun


def connected(server: Server) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=10)


def is_closed(client: socket.socket) -> bool:
    """Whether the server has hung up; an answer that comes first is passed over."""
    client.setblocking(False)
    try:
        while client.recv(1 << 16):
            pass
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


def handles_of(server: Server) -> int:
    return len(list(Path(f"/proc/{server.process.pid}/fd").iterdir()))


def said_by(server: Server) -> list[str]:
    server.process.terminate()
    _, said = server.process.communicate(timeout=20)
    assert server.process.returncode == 130
    return [line for line in said.splitlines() if line != "interrupted"]


CROWDS = {
    "half a head": (HALF_A_HEAD, HEAD),
    "nothing": (b"", HEAD),
    "half a body": (HALF_A_BODY, BODY),
    "half a second head": (WHOLE + HALF_A_HEAD, HEAD),
}


@pytest.mark.parametrize(
    ("sent", "limit"),
    [
        pytest.param(*each, id=name, marks=[] if name == "half a head" else pytest.mark.long)
        for name, each in CROWDS.items()
    ],
)
def test_a_crowd_of_half_sent_requests_bothers_nobody(poor: Server, sent: bytes, limit: float) -> None:
    before = handles_of(poor)
    waits = []
    with ExitStack() as stack:
        crowd = []
        for number in range(CROWD):
            client = stack.enter_context(connected(poor))
            with suppress(OSError):  # it has been shown out already
                client.sendall(sent)
            crowd.append(client)
            if number % 100 == 99:
                waits.append(health(poor))
        begun = time.monotonic()
        while (left := [each for each in crowd if not is_closed(each)]) and time.monotonic() - begun < limit + 5:
            crowd = left
            assert handles_of(poor) < HANDLES
            waits.append(health(poor))
            time.sleep(0.5)
        assert left == []
        assert time.monotonic() - begun < limit + 2 * LOOK + 2
    assert max(waits) < soon()
    assert handles_of(poor) <= before + 5
    said = said_by(poor)
    assert len(said) <= 3, said[:20]
    assert "Traceback" not in "".join(said)


def test_bytes_that_trickle_in_buy_no_time(server: Server) -> None:
    """A byte a second is not enough; a request that is whole in time is answered, however it comes."""
    with connected(server) as slow, connected(server) as slower:
        for number, byte in enumerate(WHOLE):
            slow.sendall(bytes([byte]))
            if number % 8 == 0:
                slower.sendall(b"GET / HTTP/1.1\r\nHost"[number // 8 : number // 8 + 1])
                time.sleep(0.5)
        slow.settimeout(10)
        assert slow.recv(100).startswith(b"HTTP/1.1 200")
        assert closes(slower, HEAD + 3, lambda: slower.sendall(b"x"))


def closes(client: socket.socket, seconds: float, meanwhile: Callable[[], object]) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            meanwhile()
        except OSError:
            return True
        if is_closed(client):
            return True
        client.setblocking(True)
        time.sleep(0.5)
    return False


def test_when_handles_run_out_nobody_is_accepted_for_a_while(data: Path) -> None:
    """With handles for nobody: one line in the log, little work, and all is well when they come back."""
    server = Server(data)
    try:
        process = server.process.pid
        held = handles_of(server)
        limits = resource.prlimit(process, resource.RLIMIT_NOFILE)
        resource.prlimit(process, resource.RLIMIT_NOFILE, (held, limits[1]))
        with ExitStack() as stack:
            for _ in range(50):
                stack.enter_context(connected(server))
            spent = cpu_seconds(process)
            time.sleep(5)
            assert cpu_seconds(process) - spent < 1
            resource.prlimit(process, resource.RLIMIT_NOFILE, limits)
            assert health(server) < 3
        said = said_by(server)
        assert len(said) == 1, said[:20]
        assert "too many open files" in said[0]
    finally:
        server.process.kill()


def cpu_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_nonsense_is_told_once_a_minute(poor: Server) -> None:
    for _ in range(200):
        with connected(poor) as client:
            client.sendall(b"\x16\x03\x01 nonsense\r\n\r\n")
            assert client.recv(100).startswith(b"HTTP/1.1 400")
    said = said_by(poor)
    assert len(said) == 1, said[:20]


def test_a_job_has_so_many_listeners(api: httpx.Client) -> None:
    job = api.post("/jobs/solve", json={"game": "7x7:6", "seconds": 60}).json()["id"]
    with ExitStack() as stack:
        statuses, heard = [], []
        for _ in range(12):
            answer = stack.enter_context(api.stream("GET", f"/jobs/{job}/events"))
            heard.append(answer.iter_bytes())
            next(heard[-1])
            statuses.append(answer.status_code)
        assert statuses == [200] * 8 + [429] * 4
    api.delete(f"/jobs/{job}")
