import numpy as np
import pytest

from gridlab.core.bits import deposit, lowest_bit, lowest_cell, next_of_same_size, popcount
from gridlab.core.jit import kernel

NUMBERS = [*range(1, 4096), *(1 << bit for bit in range(63)), *(2**63 - 1 - (1 << bit) for bit in range(63)), 2**63 - 1]


@kernel
def compiled(stones: int) -> tuple[int, int, int]:
    return popcount(stones), lowest_cell(stones), lowest_bit(stones)


@pytest.mark.parametrize(
    "function", [compiled, lambda stones: (popcount(stones), lowest_cell(stones), lowest_bit(stones))]
)
def test_bit_operations_mean_what_python_says(function: object) -> None:
    assert callable(function)
    for stones in NUMBERS:
        cells = [cell for cell in range(63) if stones >> cell & 1]
        assert function(stones) == (len(cells), cells[0], 1 << cells[0])


def test_no_stones() -> None:
    assert popcount(0) == compiled(0)[0] == 0


@pytest.mark.parametrize("size", range(1, 7))
def test_the_next_set_of_the_same_size(size: int) -> None:
    stones, found = (1 << size) - 1, []
    while stones < 1 << 8:
        found.append(stones)
        stones = int(next_of_same_size(stones))
    assert found == [stones for stones in range(1 << 8) if stones.bit_count() == size]


def test_laying_bits_on_chosen_cells() -> None:
    cells = [1, 3, 4, 6, 62]
    bits = np.array([1 << cell for cell in cells], dtype=np.int64)
    for chosen in range(1 << len(cells)):
        assert deposit(chosen, bits) == sum(1 << cell for i, cell in enumerate(cells) if chosen >> i & 1)
