"""Jobs for the workers of a test cluster, which find this module as we do."""

import os
import time


def slow(job: int) -> tuple[int, int]:
    """The square of a number, after a while, and who has found it."""
    time.sleep(0.2)
    return job * job, os.getpid()


def deadly(job: int) -> int:
    """One of these jobs ends whoever does it."""
    if job == 3:
        os._exit(1)
    return job


def unlucky(job: int) -> int:
    """All fail from the fourth on, and that one is the slowest."""
    time.sleep(0.3 if job == 3 else 0.01)
    if job >= 3:
        raise ZeroDivisionError(f"job {job}")
    return job
