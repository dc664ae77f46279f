"""The machine: what to type on it, its memory, and optional libraries, which are missed in a sentence."""

import os
import shlex
import shutil
import sys
import sysconfig
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from gridlab.core.errors import MissingExtra

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
    scripts = checkout_scripts() or Path(sysconfig.get_path("scripts"))
    found = shutil.which("gridlab", path=str(scripts))
    if found is None:
        return f"{shlex.quote(sys.executable)} -m gridlab"
    if Path(found).is_relative_to(Path.cwd()):
        return shlex.quote(str(Path(found).relative_to(Path.cwd())))
    usual = shutil.which("gridlab")
    return "gridlab" if usual and Path(usual).samefile(found) else shlex.quote(found)


def checkout_scripts() -> Path | None:
    """The programs of the checkout's environment, named by way of the checkout even if it is a link."""
    root = checkout()
    return root / ".venv" / Path(sysconfig.get_path("scripts")).name if root else None


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
        module: ModuleType = import_module(library)
    except ImportError as error:
        missing = library.partition(".")[0]
        raise MissingExtra(f"this needs {missing}, which is not installed: {remedy(extra)}") from error
    return module
