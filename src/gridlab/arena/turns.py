"""Taking turns: one from each source, again and again, until none has any more."""

from collections.abc import Iterator
from typing import TypeVar

Item = TypeVar("Item")


def in_turn(sources: list[Iterator[Item]]) -> Iterator[Item]:
    """One from each source, again and again, until none has any more."""
    while sources:
        for source in tuple(sources):
            found = next(source, None)
            if found is None:
                sources.remove(source)
            else:
                yield found
