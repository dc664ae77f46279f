"""A cluster looked at: what is told, and that its client is closed whatever was found."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from gridlab.core.cluster import Worker, fingerprint
from gridlab.core.errors import ClusterTrouble
from gridlab.game2048.evaluate import evaluate
from gridlab.tour import visit as module
from gridlab.tour.visit import visit

OURS = Worker("tcp://127.0.0.1:1", 2, fingerprint())
OTHER = Worker("tcp://127.0.0.1:2", 1, fingerprint()._replace(python="3.9.1"))


class FakeCluster:
    """Workers that are only told of; the work of the visit is done here."""

    def __init__(self, workers: list[Worker] | Exception) -> None:
        self.found, self.closed = workers, 0

    def workers(self) -> list[Worker]:
        if isinstance(self.found, Exception):
            raise self.found
        return self.found

    def round_trip(self) -> float:
        assert not self.closed
        return 0.25

    def close(self) -> None:
        self.closed += 1


@contextmanager
def _here(elsewhere: FakeCluster) -> Iterator[None]:
    yield


@pytest.fixture
def clusters(monkeypatch: pytest.MonkeyPatch) -> dict[str, FakeCluster]:
    found = {
        "good": FakeCluster([OURS]),
        "mixed": FakeCluster([OURS, OTHER]),
        "empty": FakeCluster(ClusterTrouble("nobody works there")),
    }
    monkeypatch.setattr(module, "Cluster", found.__getitem__)
    monkeypatch.setattr(module, "working", _here)
    monkeypatch.setattr(module, "GAMES", 2)
    return found


def test_a_visit_closes_its_client(clusters: dict[str, FakeCluster]) -> None:
    found = visit("good")
    assert found.good
    assert (found.round_trip, found.threads) == (0.25, 2)
    assert "there and back in 250.0 ms" in str(found)
    found = visit("mixed")
    assert not found.good
    assert (found.round_trip, found.seconds, found.threads) == (None, None, 3)
    assert "tcp://127.0.0.1:2 has python 3." in str(found)
    with pytest.raises(ClusterTrouble):
        visit("empty")
    assert [each.closed for each in clusters.values()] == [1, 1, 1]


def test_other_results_are_told(clusters: dict[str, FakeCluster], monkeypatch: pytest.MonkeyPatch) -> None:
    results = iter(evaluate(module.PLAYER, games=2, seed=seed, workers=1) for seed in (1, 2))
    monkeypatch.setattr(module, "evaluate", lambda *_, **__: next(results))
    found = visit("good")
    assert not found.good
    assert "not the same as here" in str(found)
    assert not np.isnan(found.seconds or 0.0)
