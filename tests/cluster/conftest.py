"""One cluster of two workers for the tests of a module."""

from collections.abc import Iterator

import pytest

from tests.cluster.processes import DaskCluster


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    pytest.importorskip("distributed")
    started = DaskCluster(tmp_path_factory.mktemp("cluster"))
    try:
        yield started.start(workers=2)
    finally:
        started.close()
