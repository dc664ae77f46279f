"""Tests and examples have one core unless they name a number of workers: results are the same, and no pool starts.

Nor do they depend on who runs them: a shell starts what runs in the background without SIGINT, and nohup without
SIGHUP, and every program that the tests start would ignore these too.
"""

import signal
from types import FrameType

import pytest


def survive(number: int, frame: FrameType | None) -> None:
    """A handler, unlike SIG_IGN, is not inherited by a program that is started: it has the system's default."""


if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, survive)


@pytest.fixture(autouse=True)
def _one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gridlab.core.run.own_cores", lambda: 1)
