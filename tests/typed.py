"""Commands as somebody types them, in a shell, in a folder."""

import os
import re
import subprocess
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parent.parent


def start(command: str, folder: Path = ROOT) -> "subprocess.Popen[str]":
    """A command in a shell; a browser that is to be opened is not, and another clone has its own code."""
    hidden = ("VIRTUAL_ENV", "PYTHONPATH") if folder != ROOT else ()
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    return subprocess.Popen(
        f"exec {command}", shell=True, cwd=folder, env=environment | {"BROWSER": "true"}, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def health_of_the_web_lab(command: str, folder: Path = ROOT) -> int:
    """The status of a real request to the server that a command starts."""
    server = start(command, folder)
    try:
        assert server.stderr
        said = server.stderr.readline()
        address = re.search(r"http://\S+/", said)
        assert address, said + server.stderr.read()
        with urllib.request.urlopen(f"{address[0]}health", timeout=30) as answer:
            return int(answer.status)
    finally:
        server.terminate()
        server.communicate(timeout=30)


def outcome(command: str, typed: str = "", folder: Path = ROOT) -> tuple[int, str]:
    """The exit code of a command and what it prints."""
    process = start(command, folder)
    out, err = process.communicate(typed, timeout=300)
    return process.returncode, out + err
