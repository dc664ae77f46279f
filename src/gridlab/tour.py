"""A small run of everything that gridlab does, with its report."""

from collections.abc import Iterator

from gridlab.exact.census import census
from gridlab.games import NAMED


def tour() -> Iterator[str]:
    """The stops of the tour, each a text, as they are reached."""
    yield f"How many positions does tic-tac-toe have?\n\n{census(NAMED['tictactoe'])}"
