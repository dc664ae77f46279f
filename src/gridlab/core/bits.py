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


# ---- The flag that stops a long kernel: an array of one element, set from outside, looked at from inside
#
# Plain `stop[0]` in a loop that writes nothing else is read once and never again: the compiler may assume that no other
# thread changes it. `stopped(stop)` is an atomic load and is read each time.


Stop = NDArray[np.uint8]  # [1]: 0 go on, 1 return as soon as you can; gridlab.core.run.stop_flag makes one
LOOK_AROUND = 4095  # a kernel that counts what it does looks when these bits of the count are 0


def stopped(stop: Stop) -> bool:
    """Whether the flag has been set; for use in kernels, each block or every few thousand nodes."""
    return bool(stop[0])


@intrinsic
def _load(typing_context: Any, stop: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        return builder.load_atomic(array.data, "monotonic", 1)

    return types.uint8(stop), build


@overload(stopped)
def _stopped(stop: Any) -> Any:
    return lambda stop: _load(stop) != 0


# ---- Random numbers for kernels: SplitMix64, one 64-bit number of state a stream (Steele, Lea and Flood, 2014)
#
#     states = streams(seed, 3)          three independent streams
#     draw(states, 1)                    the next 64 bits of the second one
#     below(draw(states, 1), 6)          0 to 5, made of the upper half of the bits
#
# A stream depends on the seed and its own number alone, so it does not matter which worker uses it.


States = NDArray[np.uint64]  # [stream]

MASK = (1 << 64) - 1
STEP = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
S27, S30, S31, S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
LOWER = np.uint64(0xFFFFFFFF)


def streams(seed: int, number: int, first: int = 0) -> States:
    """The states of streams `first`, `first + 1`, …, each drawn from the seed and its own number."""
    seeds = (np.random.SeedSequence(seed, spawn_key=(each,)) for each in range(first, first + number))
    return np.array([each.generate_state(1, np.uint64)[0] for each in seeds], np.uint64)


def times(one: Any, other: Any) -> Any:
    """The lower 64 bits of a product."""
    return np.uint64(int(one) * int(other) & MASK)


def plus(one: Any, other: Any) -> Any:
    """The lower 64 bits of a sum."""
    return np.uint64(int(one) + int(other) & MASK)


@overload(times)
def _times(one: Any, other: Any) -> Any:
    return lambda one, other: one * other


@overload(plus)
def _plus(one: Any, other: Any) -> Any:
    return lambda one, other: one + other


@kernel
def draw(states: States, stream: int) -> np.uint64:
    """The next 64 random bits of a stream."""
    state = plus(states[stream], STEP)
    states[stream] = state
    mixed = times(state ^ state >> S30, FIRST)
    mixed = times(mixed ^ mixed >> S27, SECOND)
    return mixed ^ mixed >> S31  # type: ignore[no-any-return]


@kernel
def below(bits: np.uint64, limit: int) -> int:
    """A number from 0 to `limit` - 1 out of the upper half of random bits; uneven by less than limit / 2^32."""
    return np.int64((bits >> S32) * np.uint64(limit) >> S32)  # type: ignore[return-value]


@kernel
def below_by_lower_half(bits: np.uint64, limit: int) -> int:
    """A number below a limit, out of the lower half, so that one draw decides twice."""
    return np.int64((bits & LOWER) * np.uint64(limit) >> S32)  # type: ignore[return-value]


class Stream:
    """The stream in plain Python; what kernels are held to."""

    def __init__(self, state: int) -> None:
        self.state = state

    def draw(self) -> int:
        """The next 64 random bits."""
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        mixed = (self.state ^ self.state >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB % 2**64
        return mixed ^ mixed >> 31
