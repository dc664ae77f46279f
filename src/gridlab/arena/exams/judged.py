"""What an answer is worth: the words that the exams of all games share."""

from typing import NamedTuple


class Judged(NamedTuple):
    """A legal answer beside the best one."""

    kind: str  # what kind of blunder it is; empty if nothing was given away
    regret: float | None  # plies, or points, given away; None where that has no meaning
    gravity: tuple[float, ...]  # the larger the worse

    @property
    def kept(self) -> bool:
        return not self.kind
