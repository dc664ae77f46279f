"""What attacks share: a server that runs commands, and chance whose seed is told."""

import os
import sys
from collections.abc import Iterator

import numpy as np
import pytest

from tests.attacks.harness import Attacker


@pytest.fixture(scope="session")
def attacker() -> Iterator[Attacker]:
    attacker = Attacker("h5py", "pyarrow.parquet", "gridlab.datasets.games2048.verify", "gridlab.exact.tablebase.probe")
    yield attacker
    attacker.close()


@pytest.fixture
def random() -> np.random.Generator:
    """Another seed for each run if GRIDLAB_ATTACK_SEED says so; pytest shows it with what fails."""
    seed = int(os.environ.get("GRIDLAB_ATTACK_SEED", "0"))
    sys.stderr.write(f"GRIDLAB_ATTACK_SEED={seed}\n")
    return np.random.default_rng(seed)
