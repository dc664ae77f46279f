"""Kernels that write text into a buffer of bytes; each returns where the next thing goes."""

import numpy as np
from numpy.typing import NDArray

from gridlab.core.jit import kernel

ZERO, TEN = np.uint64(ord("0")), np.uint64(10)


@kernel
def write_number(number: int, buffer: NDArray[np.uint8], place: int) -> int:
    """The number in decimal; up to 64 bits, so everything is unsigned: mixed with int64 it would turn into a float."""
    rest, digits = np.uint64(number), 1
    while rest >= TEN:
        rest //= TEN
        digits += 1
    rest = np.uint64(number)
    for each in range(place + digits - 1, place - 1, -1):
        buffer[each] = ZERO + rest % TEN
        rest //= TEN
    return place + digits


@kernel
def write_byte(byte: int, buffer: NDArray[np.uint8], place: int) -> int:
    buffer[place] = byte
    return place + 1


@kernel
def write_bytes(text: NDArray[np.uint8], buffer: NDArray[np.uint8], place: int) -> int:
    for byte in text:
        buffer[place] = byte
        place += 1
    return place
