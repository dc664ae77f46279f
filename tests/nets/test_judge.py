"""Searches over the network: the same value whether all leaves are judged or only those that matter; stopped soon."""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from gridlab.games import game
from gridlab.nets.judge import load_judge
from tests.search.mnk.test_depth_limited import random_positions, seats


@pytest.mark.compiled
def test_with_the_network() -> None:
    """Sums of single numbers come out a little different in batches of another size."""
    rules = game("squava")
    judge = load_judge("", rules)
    for depth, number in ((3, 10), (4, 4)):
        for position in random_positions(rules, number, seed=depth):
            own, other = seats(position)
            found = judge.best(own, other, depth, 0.6)
            cells, values = judge.moves(np.array([[own, other]]), depth, 0.6).of(0)
            assert found.value == pytest.approx(values.max(), abs=0.05)
            assert values[cells.tolist().index(found.cell)] == pytest.approx(values.max(), abs=0.05)


DEEP = """
from gridlab.games import game
from gridlab.nets.judge import load_judge
judge = load_judge("", game("squava"))
judge.best(0, 0, 3, 0.6)
print("begun", flush=True)
judge.best(1 << 7 | 1 << 16, 1 << 3 | 1 << 22, 6, 0.6)
print("done", flush=True)
"""


@pytest.mark.compiled
@pytest.mark.parametrize("after", [0.1, 0.6])
def test_an_interrupt_is_heard_soon(after: float) -> None:
    running = subprocess.Popen([sys.executable, "-c", DEEP], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stdout is not None
    assert running.stdout.readline() == "begun\n"
    time.sleep(after)
    running.send_signal(signal.SIGINT)
    begun = time.monotonic()
    out, err = running.communicate(timeout=60)
    assert "KeyboardInterrupt" in err
    assert out == ""
    assert time.monotonic() - begun < 2  # half a second, and the end of the process on a busy machine
