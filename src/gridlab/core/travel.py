"""What a job needs of the machine that sent it: its files, and a few variables of its environment.

At home a file is where its path says, and a variable is that of the environment. A job on another machine finds the
copy that came with it under the same name; for a file that has not come it raises `Wanted`, is sent the file, and
begins again (gridlab.core.cluster). So names in results and in sentences are the same everywhere.
"""

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from gridlab.core.errors import GridlabError
from gridlab.core.sources import PACKAGE

VARIABLES = ("GRIDLAB_TABLEBASE", "SOURCE_DATE_EPOCH")  # all that results may hang on


class Attachments(NamedTuple):
    """What has come with a job."""

    files: Mapping[str, Path]  # the name of a file at home -> its copy here
    variables: Mapping[str, str]


class Wanted(BaseException):
    """A file that has not come yet; no Exception, so that nobody takes it for a fault of a player."""


class _Job(threading.local):
    """What the job of a thread has with it; None at home."""

    attachments: Attachments | None = None


_JOB = _Job()


@contextmanager
def travelling(attachments: Attachments) -> Iterator[None]:
    """Let the job of this thread find what has come with it, and nothing else of this machine."""
    before, _JOB.attachments = _JOB.attachments, attachments
    try:
        yield
    finally:
        _JOB.attachments = before


def here(path: Path) -> Path:
    """Where a file is on this machine; what comes with the package is in its place everywhere."""
    attachments = _JOB.attachments
    if attachments is None:
        return path
    if str(path) in attachments.files:
        return attachments.files[str(path)]
    if path.is_absolute() and path.is_relative_to(PACKAGE):
        return path
    raise Wanted(str(path))


def variable(name: str) -> str:
    """A variable of the environment in which the command was given; empty if it is not set."""
    variables = os.environ if _JOB.attachments is None else _JOB.attachments.variables
    return variables.get(name, "")


def packed_variables() -> dict[str, str]:
    """The variables to be sent with a job."""
    return {name: os.environ[name] for name in VARIABLES if name in os.environ}


def require_home(what: str) -> None:
    """Refuse on another machine what does not travel."""
    if _JOB.attachments is not None:
        raise GridlabError(f"{what} does not travel to the workers of a cluster; leave out --cluster")
