from typing import Any

import numpy as np
import pytest

from gridlab.core.bits import write_number

EDGES = [10**power + change for power in range(20) for change in (-1, 0, 1)] + [
    2**53 + 1,
    2**62 + 1,
    2**63 + 1,
    2**64 - 1,
]


@pytest.mark.parametrize("kind", [np.uint64, np.int64])
def test_numbers_of_up_to_64_bits(kind: Any) -> None:
    buffer = np.zeros(24, dtype=np.uint8)
    for number in EDGES:
        if number <= np.iinfo(kind).max:
            end = write_number(kind(number), buffer, 2)
            assert bytes(buffer[2:end]) == str(number).encode()
