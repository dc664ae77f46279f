"""How an installation stands: versions, extras, compiled kernels, the machine, and the files that come along."""

import importlib.metadata
import os
import platform
import re
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gridlab import __version__
from gridlab.core.files import sha256_of
from gridlab.core.jit import homes
from gridlab.core.run import available_cores, available_memory, remedy, size_text

NEED = re.compile(r"([\w.-]+).*;\s*extra == ['\"]([\w-]+)['\"]")  # torch==2.13.*; extra == 'learn'
PACKAGE = Path(__file__).parent.parent
SUMS = "shipped.sha256"
REQUIRED = ("numpy", "numba", "typer", "tqdm", "msgspec", "zstandard")


@dataclass(frozen=True)
class Extra:
    """An optional part, and the libraries that it still needs."""

    name: str
    missing: tuple[str, ...]

    @property
    def state(self) -> str:
        return f"missing {', '.join(self.missing)}: {remedy(self.name)}" if self.missing else "there"


@dataclass(frozen=True)
class Shipped:
    """A file that comes with the package, and what is wrong with it."""

    file: str
    bytes: int
    flaw: str


@dataclass(frozen=True)
class Checkup:
    """What was found."""

    versions: dict[str, str]
    platform: str
    cores: int
    memory: int | None
    cache: str  # empty if compiled kernels can be kept nowhere
    kernels: int
    cache_bytes: int
    extras: tuple[Extra, ...]
    shipped: tuple[Shipped, ...]

    @property
    def sound(self) -> bool:
        """Whether everything that has to be right is."""
        return not any(each.flaw for each in self.shipped) and bool(self.cache)

    def as_dict(self) -> dict[str, Any]:
        return {"sound": self.sound, **asdict(self)}

    def __str__(self) -> str:
        free = "" if self.memory is None else f", {size_text(self.memory)} of memory free"
        kernels = f"{self.kernels:,} in {self.cache}, {size_text(self.cache_bytes)}" if self.cache else "none kept"
        lines = [
            ", ".join(f"{name} {version}" for name, version in self.versions.items()),
            f"{self.platform}, {self.cores} cores to use{free}",
            f"compiled kernels: {kernels}",
            *(f"extra {each.name}: {each.state}" for each in self.extras),
            *(f"file {each.file}: {size_text(each.bytes)}, {each.flaw or 'sound'}" for each in self.shipped),
        ]
        return "\n".join([*lines, "all is well" if self.sound else "something is wrong"])


def check_up() -> Checkup:
    """Look at everything."""
    cache = next((each for each in homes(make=True) if _writable(each)), None)
    kept = [each.stat().st_size for each in cache.rglob("*.code")] if cache is not None and cache.is_dir() else []
    return Checkup(
        {"gridlab": __version__, "Python": platform.python_version(), **{name: _version(name) for name in REQUIRED}},
        f"{platform.system()} {platform.machine()}", available_cores(), available_memory(),
        "" if cache is None else str(cache), len(kept), sum(kept), tuple(extras()), tuple(shipped()),
    )  # fmt: skip


def _version(library: str) -> str:
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return "missing"


def _writable(folder: Path) -> bool:
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder.is_dir() and os.access(folder, os.W_OK)


def extras() -> Iterator[Extra]:
    """The optional parts as the package declares them; none where it is run from a folder that is not installed."""
    try:
        about = importlib.metadata.metadata("gridlab")
    except importlib.metadata.PackageNotFoundError:
        return
    needs = [NEED.fullmatch(each) for each in about.get_all("Requires-Dist") or []]
    for name in about.get_all("Provides-Extra") or []:
        wanted = [each[1] for each in needs if each and each[2] == name and each[1] != "gridlab"]
        yield Extra(name, tuple(library for library in wanted if _version(library) == "missing"))


def shipped() -> Iterator[Shipped]:
    """Every file of the package, checked against the checksum that it was packed with."""
    for line in (PACKAGE / SUMS).read_text().splitlines():
        expected, name = line.split(maxsplit=1)
        path = PACKAGE / name
        if not path.is_file():
            yield Shipped(name, 0, "missing: install gridlab again")
            continue
        flaw = "" if sha256_of(path) == expected else "altered: install gridlab again"
        yield Shipped(name, path.stat().st_size, flaw)


def sums() -> str:
    """What the file of checksums has to say: `python -m gridlab.tour.doctor > src/gridlab/shipped.sha256`."""
    found = sorted(path for path in PACKAGE.rglob("shipped/*") if path.is_file() and path.suffix != ".py")
    return "".join(f"{sha256_of(path)}  {path.relative_to(PACKAGE).as_posix()}\n" for path in found)


if __name__ == "__main__":
    sys.stdout.write(sums())
