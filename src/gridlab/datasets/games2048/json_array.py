"""The elements of a JSON array in a file, one after the other: only where each ends is looked for here."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gridlab.core.errors import CorruptFile
from gridlab.core.jit import kernel
from gridlab.core.untrusted import chunks

CHUNK = 1 << 20
QUOTE, BACKSLASH, COMMA, OPEN, CLOSE, OPEN_BRACE, CLOSE_BRACE = b'"\\,[]{}'
DEPTH, QUOTED, ESCAPED = range(3)  # what a scan knows of its place


def elements(path: Path, longest: int, what: str) -> Iterator[tuple[int, bytes]]:
    """The text of each element, with its number from 1; CorruptFile if this is no array, or one is longer than that."""
    pieces = chunks(path, CHUNK)
    text = next(pieces, b"").lstrip()
    if text[:1] != b"[":
        raise CorruptFile(f"{path} is not a JSON array of {what}; a file of one a line ends in .jsonl")
    number, begin, place, state, closed = 0, 1, 1, np.zeros(3, np.int64), False
    while not closed:
        end = find_end(np.frombuffer(text, np.uint8), place, state)
        if end < 0:
            more = next(pieces, b"")
            if not more or len(text) - begin > longest:
                raise CorruptFile(f"{path} is not JSON: element {number + 1} of the array does not end")
            text, begin, place = text[begin:] + more, 0, len(text) - begin
            continue
        element, closed = text[begin:end].strip(), text[end] == CLOSE
        if element or number or not closed:  # an array of nothing has no element
            number += 1
            yield number, element
        begin = place = end + 1
    if text[begin:].strip() or any(piece.strip() for piece in pieces):
        raise CorruptFile(f"{path} is not JSON: something stands behind the array")


@kernel
def find_end(text: NDArray[np.uint8], place: int, state: NDArray[np.int64]) -> int:
    """Where an element ends: at a comma, or the bracket of the array; -1 if not in this text. The state goes on."""
    depth, quoted, escaped = state[DEPTH], state[QUOTED], state[ESCAPED]
    for i in range(place, len(text)):
        byte = text[i]
        if escaped:
            escaped = 0
        elif quoted:
            if byte == BACKSLASH:
                escaped = 1
            elif byte == QUOTE:
                quoted = 0
        elif byte == QUOTE:
            quoted = 1
        elif byte in (OPEN, OPEN_BRACE):
            depth += 1
        elif depth == 0 and byte in (COMMA, CLOSE):
            state[:] = 0
            return i
        elif byte in (CLOSE, CLOSE_BRACE):
            depth -= 1
    state[DEPTH], state[QUOTED], state[ESCAPED] = depth, quoted, escaped
    return -1
