"""Requests made from the description of the interface: whatever is asked, the server does not fail."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.web.conftest import Server

pytestmark = pytest.mark.compiled

CHECKS = "not_a_server_error,content_type_conformance,response_schema_conformance"
STREAMS = "/api/v1/jobs/{number}/events"  # never ends before its job does


def attack(server: Server, folder: Path, *options: str) -> None:
    """A run of schemathesis; its report if anything was found."""
    words = [str(Path(sys.executable).parent / "schemathesis"), "run", f"{server.address}/api/v1/openapi.json"]
    told = ["--url", server.address, "--checks", CHECKS, "--exclude-path", STREAMS, "--request-timeout", "60"]
    done = subprocess.run([*words, *told, *options], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


def test_a_few_requests_to_every_route(data: Path, tmp_path: Path) -> None:
    server = Server(data)
    try:
        attack(
            server,
            tmp_path,
            "--phases",
            "examples,coverage,fuzzing",
            "--max-examples",
            "3",
            "--max-time",
            "5",
            "--seed",
            "1",
        )
    finally:
        server.stop()


@pytest.mark.long
def test_a_minute_of_requests(data: Path, tmp_path: Path) -> None:
    server = Server(data)
    try:
        attack(server, tmp_path, "--max-examples", "10000", "--max-time", "60", "--seed", "2")
    finally:
        server.stop()
