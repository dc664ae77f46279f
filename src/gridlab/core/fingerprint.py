"""What results depend on: the version of results, and what a worker must have in common with us."""

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

import gridlab
from gridlab.core.sources import package_digest

# ---- The version of results: it changes when they do, not when speed does. Datasets carry it


BEHAVIOUR = 1


# ---- What a worker must have in common with us, so that its results are ours to the byte


class Fingerprint(NamedTuple):
    """Versions of one machine; what is not installed is empty."""

    gridlab: str
    behaviour: str
    sources: str
    python: str
    numpy: str
    numba: str
    torch: str


@cache
def fingerprint() -> Fingerprint:
    """That of this machine."""
    return Fingerprint(
        gridlab.__version__, str(BEHAVIOUR), package_digest(), platform.python_version(),
        *(_version_of(each) for each in ("numpy", "numba", "torch")),
    )  # fmt: skip


def differences(theirs: Fingerprint, ours: Fingerprint) -> list[str]:
    """What another machine has of another version; one that lacks torch fits until torch is needed."""
    return [
        f"has {name} {their or 'not at all'}, and here it is {our or 'missing'}"
        for name, their, our in zip(Fingerprint._fields, theirs, ours, strict=True)
        if their != our and (name != "torch" or (their and our))
    ]


def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
