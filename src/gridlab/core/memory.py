"""How much memory there is, and sizes for people."""

import os
from pathlib import Path


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
