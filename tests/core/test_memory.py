"""Memory that goes back to the system."""

import subprocess
import sys

import pytest

TABLES_THAT_COME_AND_GO = """
import re, threading
from pathlib import Path
import numpy as np
from gridlab.core.run import give_back

def own():
    return int(re.search(r"RssAnon:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])

def use_tables():
    for _ in range(3):
        table = np.ones(1 << 22, np.int32)
        together.wait()  # all are there
        del table
        together.wait()

print(give_back())
together = threading.Barrier(8)
before = own()
threads = [threading.Thread(target=use_tables) for _ in range(8)]
for each in threads:
    each.start()
for each in threads:
    each.join()
print(own() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")
def test_tables_that_come_and_go_in_threads_leave_nothing_behind() -> None:
    done = subprocess.run([sys.executable, "-c", TABLES_THAT_COME_AND_GO], capture_output=True, text=True, check=True)
    told, kept = done.stdout.split()
    assert int(kept) < 16 << 10, f"{kept} KiB, told {told}"  # 128 MiB if the C library of GNU is not told
