"""Tests and examples have one core unless they name a number of workers: results are the same, and no pool starts."""

import pytest


@pytest.fixture(autouse=True)
def _one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gridlab.core.workers.own_cores", lambda: 1)
