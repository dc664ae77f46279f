"""Random numbers for kernels: SplitMix64, one 64-bit number of state a stream (Steele, Lea and Flood, 2014).

    states = streams(seed, 3)          three independent streams
    draw(states, 1)                    the next 64 bits of the second one
    below(draw(states, 1), 6)          0 to 5, made of the upper half of the bits

A stream depends on the seed and its own number alone, so it does not matter which worker uses it.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridlab.core.jit import kernel, overload

States = NDArray[np.uint64]  # [stream]

MASK = (1 << 64) - 1
STEP = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
S27, S30, S31, S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
LOWER = np.uint64(0xFFFFFFFF)


def streams(seed: int, number: int, first: int = 0) -> States:
    """The states of streams `first`, `first + 1`, …, each drawn from the seed and its own number."""
    numbers = range(first, first + number)
    return np.array(
        [np.random.SeedSequence(seed, spawn_key=(each,)).generate_state(1, np.uint64)[0] for each in numbers], np.uint64
    )


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
    """The same out of the lower half, so that one draw decides twice."""
    return np.int64((bits & LOWER) * np.uint64(limit) >> S32)  # type: ignore[return-value]


class Stream:
    """The same stream in plain Python; what kernels are held to."""

    def __init__(self, state: int) -> None:
        self.state = state

    def draw(self) -> int:
        """The next 64 random bits."""
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        mixed = (self.state ^ self.state >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB % 2**64
        return mixed ^ mixed >> 31
