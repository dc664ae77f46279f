"""What kernels are made of: bit operations on int64 bitboards (bits 0 to 62), prefetching, and text in buffers.

Each is a plain function, which is what runs under NUMBA_DISABLE_JIT=1, and an `@overload` that gives the compiler
the machine instruction instead.

    popcount(0b0110_1000) == 3        lowest_bit(0b0110_1000) == 0b0000_1000        lowest_cell(0b0110_1000) == 3
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numpy.typing import NDArray

from gridlab.core.jit import inner, intrinsic, kernel, overload, types

# ---- A hint to the processor: this entry of a large array will be needed soon
#
# A loop over random places of a table waits for memory most of its time. Where it knows the next places early, it says
# so and goes on working while they are fetched. The hint changes nothing but the time.


FOR_READING, KEEP, DATA = 0, 3, 1  # what LLVM's prefetch takes: kind of access, locality, kind of cache
NUMBER = ir.IntType(32)
POINTER = ir.IntType(8).as_pointer()
TYPE = ir.FunctionType(ir.VoidType(), [POINTER, NUMBER, NUMBER, NUMBER])
NAME = "llvm.prefetch.p0"


def prefetch(array: Any, index: Any) -> None:
    """Fetch the entry of an array of one dimension; in plain Python there is nothing to be done."""


@intrinsic
def _prefetch(typing_context: Any, array: Any, index: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        place = builder.bitcast(builder.gep(data, [arguments[1]]), POINTER)
        hint = builder.module.globals.get(NAME) or ir.Function(builder.module, TYPE, NAME)
        builder.call(hint, [place, *(ir.Constant(NUMBER, each) for each in (FOR_READING, KEEP, DATA))])
        return context.get_dummy_value()

    return types.void(array, index), build


@overload(prefetch)
def _prefetch_in_kernels(array: Any, index: Any) -> Any:
    return lambda array, index: _prefetch(array, index)


# ---- Kernels that write text into a buffer of bytes; each returns where the next thing goes


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


# ---- Single-instruction bit operations on int64 bitboards (bits 0 to 62), for use in kernels


@inner
def int64(number: Any) -> int:
    """A number from a table of small ones; `int` would leave it an int16, and every helper be compiled once more."""
    return np.int64(number)  # type: ignore[return-value]


def popcount(stones: int) -> int:
    """How many bits are set."""
    return int(stones).bit_count()


def lowest_cell(stones: int) -> int:
    """Index of the lowest set bit; `stones` must not be empty."""
    return (int(stones) & -int(stones)).bit_length() - 1


@kernel
def lowest_bit(stones: int) -> int:
    """The lowest set bit alone."""
    return stones & -stones


@kernel
def next_of_same_size(stones: int) -> int:
    """The next larger number with as many bits set: 0011 -> 0101 -> 0110 -> 1001 (Gosper's hack)."""
    low = stones & -stones
    carried = stones + low
    return carried | (stones ^ carried) >> 2 >> lowest_cell(low)


@kernel
def deposit(chosen: int, bits: NDArray[np.int64]) -> int:
    """The sum of the bits that `chosen` selects: a deposit without the instruction."""
    laid = 0
    while chosen != 0:
        laid |= bits[lowest_cell(chosen)]
        chosen &= chosen - 1
    return laid


@kernel
def place_of(one: int, other: int, places: int) -> int:
    """One of a power of two of places for a pair of bitboards (a multiplicative hash).

    Numbers of 64 bits wrap round, those of Python do not; in the lower 62 bits they agree.
    """
    mixed = (int(one) * 0x1E3779B97F4A7C15 ^ int(other) * 0x2545F4914F6CDD1D) & (1 << 62) - 1
    return (mixed ^ mixed >> 29) & places - 1


@intrinsic
def _ctpop(typing_context: Any, value: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), build


@intrinsic
def _cttz(typing_context: Any, value: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        zero_is_undefined = context.get_constant(types.boolean, False)
        return builder.cttz(arguments[0], zero_is_undefined)

    return types.int64(types.int64), build


@overload(popcount)
def _popcount(stones: Any) -> Any:
    return lambda stones: _ctpop(stones)


@overload(lowest_cell)
def _lowest_cell(stones: Any) -> Any:
    return lambda stones: _cttz(stones)
