"""How much memory there is, and sizes for people."""

import os
import sys
from pathlib import Path

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
