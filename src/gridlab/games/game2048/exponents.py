"""Tiles and their exponents, between which everybody who learns goes back and forth.

tiles        2  4  8  …  0 where a cell is empty      positions, `Games`, files
exponents    1  2  3  …  0                            what environments show, `Moves2048`, packed boards
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gridlab.core.arguments import told
from gridlab.core.errors import BadNotation

LARGEST = 30  # exponent of an int32


def exponents_of(tiles: ArrayLike) -> NDArray[np.uint8]:
    """The exponents of tiles, in an array of the same shape: 8 becomes 3, an empty cell stays 0."""
    given = _whole_numbers(tiles, "tiles")
    found = np.where(given > 0, np.frexp(given)[1] - 1, 0)
    if not np.array_equal(np.where(found > 0, 1 << found.astype(np.int64), 0), given) or given.max(initial=0) > 1 << 30:
        raise BadNotation(f"{told(tiles)} are not tiles; tiles are 2, 4, 8, …, and 0 where a cell is empty")
    return found.astype(np.uint8)


def tiles_of(exponents: ArrayLike) -> NDArray[np.int32]:
    """The tiles of exponents, in an array of the same shape: 3 becomes 8, 0 stays an empty cell."""
    given = _whole_numbers(exponents, "exponents")
    if given.min(initial=0) < 0 or given.max(initial=0) > LARGEST:
        raise BadNotation(f"{told(exponents)} are not exponents of tiles; write 1 to {LARGEST}, 0 for an empty cell")
    return np.where(given > 0, 1 << given, 0).astype(np.int32)


def _whole_numbers(given: ArrayLike, what: str) -> NDArray[np.int64]:
    try:
        array: NDArray[Any] = np.asarray(given)
    except ValueError:  # rows of different lengths
        array = np.asarray("")
    if not np.issubdtype(array.dtype, np.integer):
        raise BadNotation(f"{what} are an array of whole numbers, not {told(given)}")
    return array.astype(np.int64)
