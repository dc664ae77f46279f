import pytest

from gridlab.bits import lowest_bit, lowest_cell, popcount
from gridlab.jit import kernel

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
